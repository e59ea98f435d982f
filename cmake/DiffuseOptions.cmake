# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a person can choose, and the compile flags every target shares.
option(DIFFUSE_BUILD_TESTS "Build the unit tests and add the lit suite" ON)
option(DIFFUSE_BUILD_BENCHMARKS "Build the programs of benchmarks/kernels" OFF)
option(DIFFUSE_WITH_XGBOOST "Use XGBoost where it is installed: the cost model of --search=evolutionary" ON)
option(DIFFUSE_WERROR "Treat compiler warnings as errors" OFF)
option(DIFFUSE_ASSERTS "Keep assertions, whatever the build type" OFF)

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialized members in every moved std::variant at -O2.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(DIFFUSE_WERROR)
  add_compile_options(-Werror)
endif()
if(DIFFUSE_ASSERTS)
  # Debian's MLIR is built without assertions; ours can be kept independently.
  string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
  string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
endif()

find_program(DIFFUSE_CCACHE ccache)
if(DIFFUSE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${DIFFUSE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${DIFFUSE_CCACHE}")
endif()
