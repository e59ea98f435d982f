# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs headers and the CMake package: find_package(Diffuse) gives one target
# a layer, Diffuse::Support to Diffuse::Pipelines.
include(CMakePackageConfigHelpers)

set(DIFFUSE_PACKAGE_FOLDER lib/cmake/Diffuse)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/Diffuse"
                  "${PROJECT_BINARY_DIR}/include/Diffuse"
        DESTINATION include OPTIONAL
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "*.td")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/diffuse)

install(EXPORT DiffuseTargets NAMESPACE Diffuse::
        DESTINATION ${DIFFUSE_PACKAGE_FOLDER})
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/DiffuseConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/cmake/DiffuseConfig.cmake"
  INSTALL_DESTINATION ${DIFFUSE_PACKAGE_FOLDER})
# While the major version is 0, a minor version may break what stands on it.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/cmake/DiffuseConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/DiffuseConfig.cmake"
              "${PROJECT_BINARY_DIR}/cmake/DiffuseConfigVersion.cmake"
        DESTINATION ${DIFFUSE_PACKAGE_FOLDER})
