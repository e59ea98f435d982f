// RUN: diffuse-opt %S/Inputs/two-matmuls.mlir --diffuse-outline-subgraphs \
// RUN:   --diffuse-tune-subgraphs="target=cpu:x86-64-v3 measurer=fake budget=12" \
// RUN:   --diffuse-verify-module | FileCheck %s
// RUN: mlir-opt %S/Inputs/two-matmuls.mlir --load-pass-plugin=%diffuse_lib/DiffusePlugin.so \
// RUN:   --pass-pipeline='builtin.module(diffuse-outline-subgraphs,diffuse-tune-subgraphs{target=cpu:x86-64-v3 measurer=fake budget=12})' \
// RUN:   | FileCheck %s
// CHECK: diffuse.cluster = 0
// CHECK-SAME: diffuse.schedule = @diffuse_schedules::@[[NAME:subgraph_0_[a-z_0-9]+]]__tensor
// CHECK: module @diffuse_schedules
// CHECK: transform.named_sequence @[[NAME]]__tensor

// Nothing to tune: left alone.
// RUN: echo 'module {}' | diffuse-opt --diffuse-tune-subgraphs | FileCheck %s --check-prefix=EMPTY
// EMPTY: module {
// EMPTY-NEXT: }

// RUN: not diffuse-opt %S/Inputs/two-matmuls.mlir --diffuse-outline-subgraphs \
// RUN:   --diffuse-tune-subgraphs="budget=soon" 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: budget 'soon' is no time and no number of measurements
// RUN: not diffuse-opt %S/Inputs/two-matmuls.mlir --diffuse-outline-subgraphs \
// RUN:   --diffuse-tune-subgraphs="strategy=annealing measurer=fake" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: error: unknown search strategy 'annealing'
// RUN: not diffuse-opt %S/Inputs/two-matmuls.mlir --diffuse-outline-subgraphs \
// RUN:   --diffuse-tune-subgraphs="target=nvidia:sm_90" 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: the local measurer cannot run code for nvidia:sm_90
