# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the build tree BUILD into a prefix below WORK, builds PROJECT against
# it, and runs what was built on INPUT. Old files go first: a header that is no longer
# installed must not be found.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${WORK}/prefix" "${WORK}/build")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix"
                OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
run("${CMAKE_COMMAND}" -G Ninja -S "${PROJECT}" -B "${WORK}/build"
    "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/downstream" "${INPUT}")
