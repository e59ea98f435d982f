# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit over the MLIR files of the layers. Tools are found by name, FileCheck
and the like in LLVM's own folder."""
import importlib.util
import os
import re
import shutil
import sys

import lit.formats

config.name = "Diffuse"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Inputs of tests, the tests of pytest, a project of its own.
config.excludes = ["Inputs", "inputs", "integration", "downstream", "compile-server"]
config.test_source_root = config.diffuse_test_folder
config.test_exec_root = os.path.join(config.diffuse_build_folder, "test")

folders = [os.path.join(config.diffuse_build_folder, "bin"), config.llvm_tools_folder]
config.environment["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
# A test that hangs fails by itself where lit can time it, else the whole run
# does (ctest).
if importlib.util.find_spec("psutil"):
    lit_config.maxIndividualTestTime = 300
if config.diffuse_with_xgboost == "ON":
    config.available_features.add("xgboost")
# What this machine lacks, for tests of the message about it.
try:
    with open("/proc/cpuinfo") as file:
        flags = set(next((line for line in file if line.startswith("flags")), "").split())
except OSError:
    flags = set()
if flags:
    config.available_features |= {name for name, flag in (("no-amx", "amx_tile"), ("no-avxifma", "avx_ifma"))
                                  if flag not in flags}
if os.path.exists("/proc/cpuinfo") and " fma " in open("/proc/cpuinfo").read():
    config.available_features.add("host-fma")
# The assembler of the CUDA Toolkit, where there is one.
cuda = os.environ.get("CUDA_HOME", "/usr/local/cuda")
ptxas = shutil.which("ptxas", path=os.pathsep.join(
    [os.path.join(cuda, "bin"), os.environ["PATH"]]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
config.substitutions.append(("%python", sys.executable))
# The number that a record must carry to count as one of this build.
with open(os.path.join(config.diffuse_test_folder, "../include/Diffuse/Codegen/CodegenOptions.h")) as header:
    number = re.search(r"kCodegenNumber = (\d+);", header.read()).group(1)
config.substitutions.append(("%codegen", number))
config.substitutions.append(("%llvm_version", config.llvm_version))
config.substitutions.append(("%diffuse_lib", os.path.join(config.diffuse_build_folder, "lib")))
config.substitutions.append(("%llvm_lib", os.path.join(os.path.dirname(config.llvm_tools_folder), "lib")))
