// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list for diffuse-opt and the plugin.

#include "Diffuse/Pipelines/RegisterPipelines.h"

#include "Diffuse/Pipelines/LowerToLLVM.h"
#include "Diffuse/Pipelines/LowerToNVVM.h"
#include "Diffuse/Pipelines/Tune.h"

void diffuse::registerPipelines() {
  registerTunePipeline();
  registerLowerToLLVMPipeline();
  registerLowerToNVVMPipeline();
}
