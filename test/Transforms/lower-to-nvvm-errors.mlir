// RUN: not diffuse-opt %s --diffuse-lower-to-nvvm=target=host 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not diffuse-opt %s --diffuse-lower-to-nvvm=target=nvidia:sm_70 2>&1 | FileCheck %s --check-prefix=SM70
// RUN: not diffuse-opt %s --diffuse-lower-to-nvvm=format=sass 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not diffuse-opt %s --diffuse-lower-to-nvvm="format=cubin cuda-home=/nonexistent" 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: not diffuse-opt %S/Inputs/atan.mlir --diffuse-outline-subgraphs --diffuse-lower-to-nvvm=cuda-home=/nonexistent 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LIBDEVICE
// RUN: not diffuse-opt %S/Inputs/row-sum.mlir --diffuse-outline-subgraphs --diffuse-lower-to-nvvm 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SKETCH

// HOST: error: target 'host' is no GPU
// SM70: error: unknown target 'nvidia:sm_70'; known NVIDIA targets are nvidia:sm_80 and nvidia:sm_90
// FORMAT: error: format 'sass' is neither ptx nor cubin
// PTXAS: error: cannot find bin/ptxas of a CUDA Toolkit in '/nonexistent', where CUDA_HOME points; set CUDA_HOME to one, or ask for PTX, which needs none
// LIBDEVICE: error: a kernel calls '__nv_atanf' of the CUDA Toolkit's math library
// SKETCH: error: no sketch for nvidia:sm_80 takes subgraph 'subgraph_0_reduction' (reduction)
func.func private @copy(%x: tensor<512xf32>, %d: tensor<512xf32> {diffuse.destination}) -> tensor<512xf32>
    attributes {diffuse.subgraph} {
  %r = linalg.generic {diffuse.anchor, diffuse.root,
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<512xf32>) outs(%d : tensor<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.negf %a : f32
    linalg.yield %p : f32
  } -> tensor<512xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<512xf32>, tensor<512xf32>) -> tensor<512xf32>
  return %m : tensor<512xf32>
}
