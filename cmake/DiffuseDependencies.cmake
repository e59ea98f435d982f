# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds what the project stands on. One LLVM release is supported at a time;
# docs/llvm.md says what a move to the next one takes.

# Debian installs LLVM below a prefix that CMake does not search by itself, and
# MLIR's version file accepts major.minor only.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# LLD links candidates inside the compile server.
find_package(LLD ${LLVM_PACKAGE_VERSION} EXACT REQUIRED CONFIG
             HINTS "${LLVM_LIBRARY_DIR}/cmake/lld")
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
if(DIFFUSE_WITH_XGBOOST)
  # Not find_package: Debian's package file also asks for the separate program.
  find_path(DIFFUSE_XGBOOST_HEADERS xgboost/c_api.h)
  find_library(DIFFUSE_XGBOOST_LIBRARY xgboost)
  if(NOT DIFFUSE_XGBOOST_HEADERS OR NOT DIFFUSE_XGBOOST_LIBRARY)
    message(STATUS "Diffuse: no XGBoost; --search=evolutionary will be refused")
    set(DIFFUSE_WITH_XGBOOST OFF)
  endif()
endif()
if(DIFFUSE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_program(DIFFUSE_LIT NAMES lit-22 lit llvm-lit
               HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
endif()
message(STATUS "Diffuse: MLIR ${LLVM_PACKAGE_VERSION} from ${MLIR_DIR}")
