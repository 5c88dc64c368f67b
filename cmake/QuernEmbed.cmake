# The text of all public headers, compiled into the library: quern_embedded_sources is the generated C file.
# EmbedHeaders.cmake, run at build time, writes it from the headers that lie there then.

set(quern_embedded_sources "")
file(GLOB_RECURSE quern_public_headers CONFIGURE_DEPENDS include/quern/*.h)
if(EXISTS "${PROJECT_SOURCE_DIR}/cmake/EmbedHeaders.cmake")
    set(quern_embedded_sources "${PROJECT_BINARY_DIR}/quern_embedded_headers.c")
    add_custom_command(
        OUTPUT "${quern_embedded_sources}"
        COMMAND "${CMAKE_COMMAND}" "-DQUERN_INCLUDE_DIR=${PROJECT_SOURCE_DIR}/include"
                "-DQUERN_OUTPUT=${quern_embedded_sources}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedHeaders.cmake"
        DEPENDS ${quern_public_headers} "${PROJECT_SOURCE_DIR}/cmake/EmbedHeaders.cmake"
        COMMENT "Embedding the public headers"
        VERBATIM)
endif()
