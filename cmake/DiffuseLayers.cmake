# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One static library per layer, one function per kind of target.

# LLVM's headers are not ours to mend: SYSTEM keeps their warnings away.
function(diffuse_set_includes target)
  target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:include>)
  target_include_directories(${target} SYSTEM PUBLIC
      $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>
      $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>)
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
endfunction()

# diffuse_add_layer(<Layer> SOURCES a.cpp ... [DEPENDS <earlier layers>])
#
# Builds libDiffuse<Layer>.a. It links no LLVM or MLIR library: tools add the
# shared ones (diffuse_add_tool), and a plugin finds them in its host.
function(diffuse_add_layer layer)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  set(target Diffuse${layer})
  add_library(${target} STATIC ${ARG_SOURCES})
  add_library(Diffuse::${layer} ALIAS ${target})
  diffuse_set_includes(${target})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${target} PUBLIC Diffuse${dependency})
  endforeach()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${layer})
  set_property(GLOBAL APPEND PROPERTY DIFFUSE_EXPORTED_TARGETS ${target})
  install(TARGETS ${target} EXPORT DiffuseTargets ARCHIVE DESTINATION lib)
endfunction()

# diffuse_add_tool(<name> SOURCES ... DEPENDS <layers>)
#
# A program that links MLIR and LLVM as shared libraries.
function(diffuse_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  diffuse_set_includes(${name})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE Diffuse${dependency})
  endforeach()
  target_link_libraries(${name} PRIVATE MLIR LLVM)
  # Plugins resolve MLIR's symbols in the program that loads them.
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# diffuse_add_light_tool(<name> SOURCES ... DEPENDS <layers>)
#
# A program of the layers that know no MLIR. It links LLVM's support library
# statically, so that it starts in a moment and runs where no LLVM is installed.
function(diffuse_add_light_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  diffuse_set_includes(${name})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE Diffuse${dependency})
  endforeach()
  # The archives themselves: the target LLVMSupport drags in compression and
  # solver libraries that nothing used here needs.
  target_link_libraries(${name} PRIVATE
    "${LLVM_LIBRARY_DIR}/libLLVMSupport.a" "${LLVM_LIBRARY_DIR}/libLLVMDemangle.a"
    Threads::Threads ${CMAKE_DL_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# diffuse_add_unittest(<Layer> SOURCES ... [DEPENDS <layers>] [NO_MLIR])
#
# unittests/<Layer> as the ctest test "unit-<Layer>".
function(diffuse_add_unittest layer)
  cmake_parse_arguments(ARG "NO_MLIR" "" "SOURCES;DEPENDS" ${ARGN})
  set(name Diffuse${layer}Tests)
  add_executable(${name} ${ARG_SOURCES})
  diffuse_set_includes(${name})
  target_link_libraries(${name} PRIVATE Diffuse${layer} GTest::gtest_main)
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(${name} PRIVATE Diffuse${dependency})
  endforeach()
  if(ARG_NO_MLIR)
    target_link_libraries(${name} PRIVATE LLVM)
  else()
    target_link_libraries(${name} PRIVATE MLIR LLVM)
  endif()
  add_test(NAME unit-${layer} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY DIFFUSE_UNITTESTS ${name})
endfunction()
