// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef DIFFUSE_PIPELINES_REGISTERPIPELINES_H
#define DIFFUSE_PIPELINES_REGISTERPIPELINES_H

namespace diffuse {

/// Makes every named pipeline known: `diffuse-tune-pipeline`, `diffuse-to-llvm`
/// and `diffuse-to-nvvm`.
void registerPipelines();

} // namespace diffuse

#endif // DIFFUSE_PIPELINES_REGISTERPIPELINES_H
