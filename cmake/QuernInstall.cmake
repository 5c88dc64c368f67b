# `cmake --install`: headers, both libraries, the tool, quern.pc and the CMake package.

set(quern_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/quern")
set(quern_install_targets quern quern-static)
if(TARGET quern-tool)
    list(APPEND quern_install_targets quern-tool)
endif()
install(TARGETS ${quern_install_targets} EXPORT quern-targets)
install(DIRECTORY include/quern DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

install(EXPORT quern-targets NAMESPACE quern:: FILE quernTargets.cmake DESTINATION "${quern_package_dir}")
configure_package_config_file(cmake/quernConfig.cmake.in "${PROJECT_BINARY_DIR}/quernConfig.cmake"
    INSTALL_DESTINATION "${quern_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/quernConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/quernConfig.cmake" "${PROJECT_BINARY_DIR}/quernConfigVersion.cmake"
    DESTINATION "${quern_package_dir}")
if(EXISTS "${PROJECT_SOURCE_DIR}/cmake/QuernKernels.cmake")
    install(FILES cmake/QuernKernels.cmake DESTINATION "${quern_package_dir}")
endif()

# quern.pc names its directories relative to itself, so that an installed tree can be moved.
file(RELATIVE_PATH quern_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" quern_pc_prefix "${quern_pc_prefix}")
configure_file(cmake/quern.pc.in "${PROJECT_BINARY_DIR}/quern.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/quern.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
