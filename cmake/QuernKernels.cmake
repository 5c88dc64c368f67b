# quern_add_kernels: compiles kernel files into a target.
#
#     quern_add_kernels(target file.k.c… [PREFIX p] [FP strict|contract|fast] [LEVELS level…] [CUDA_ARCH architecture…]
#                       [INCLUDES directory…] [DEFINITIONS NAME[=value]…] [OPTIONS option…])
#
# For each file, `quern compile` makes an object, which is linked into the target, and a header NAME.k.h with the launch
# functions, whose directory is added to the target's include path: `#include "NAME.k.h"`. Both are made again when the
# kernel file or a header that it includes has changed, or the tool itself. The target still has to be linked to
# quern::quern or quern::quern-static.
#
# CUDA_ARCH: for which NVIDIA GPUs PTX is embedded (`quern compile --cuda-arch`): 75, 90, oldest, newest, all, none or
# auto. Without it the variable QUERN_CUDA_ARCH counts, and where that is empty too, the tool's default.
#
# The tool is the target quern-bootstrap of Quern's own build, or quern::tool of the installed package.

# The target of the tool.
function(quern_kernels_tool_ variable)
    foreach(candidate quern-bootstrap quern::tool)
        if(TARGET ${candidate})
            set(${variable} ${candidate} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "quern_add_kernels: there is no target quern::tool; call find_package(quern) before")
endfunction()

function(quern_add_kernels target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;FP" "LEVELS;CUDA_ARCH;INCLUDES;DEFINITIONS;OPTIONS")
    if(NOT TARGET ${target})
        message(FATAL_ERROR "quern_add_kernels: '${target}' is no target")
    endif()
    if(NOT arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "quern_add_kernels(${target}): there is no kernel file")
    endif()
    if(arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "quern_add_kernels(${target}): ${arg_KEYWORDS_MISSING_VALUES} has no value")
    endif()
    quern_kernels_tool_(tool)

    set(options ${arg_OPTIONS})
    if(DEFINED arg_PREFIX)
        list(APPEND options --prefix "${arg_PREFIX}")
    endif()
    if(DEFINED arg_FP)
        list(APPEND options --fp "${arg_FP}")
    endif()
    if(arg_LEVELS)
        list(JOIN arg_LEVELS "," levels)
        list(APPEND options --levels "${levels}")
    endif()
    if(NOT arg_CUDA_ARCH)
        set(arg_CUDA_ARCH ${QUERN_CUDA_ARCH})
    endif()
    if(arg_CUDA_ARCH)
        list(JOIN arg_CUDA_ARCH "," architectures)
        list(APPEND options --cuda-arch "${architectures}")
    endif()
    foreach(directory IN LISTS arg_INCLUDES)
        get_filename_component(directory "${directory}" ABSOLUTE)
        list(APPEND options "-I${directory}")
    endforeach()
    foreach(definition IN LISTS arg_DEFINITIONS)
        list(APPEND options "-D${definition}")
    endforeach()
    if(CMAKE_C_COMPILER)
        list(APPEND options --cc "${CMAKE_C_COMPILER}")
    endif()

    # A directory for each target, so that two targets may compile one file with different options.
    set(output_directory "${CMAKE_CURRENT_BINARY_DIR}/quern/${target}")
    foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
        get_filename_component(file "${file}" ABSOLUTE)
        get_filename_component(name "${file}" NAME)
        if(NOT name MATCHES "^(.+\\.k)\\.c$")
            message(FATAL_ERROR "quern_add_kernels(${target}): a kernel file's name ends in .k.c, '${name}' does not")
        endif()
        set(base "${output_directory}/${CMAKE_MATCH_1}")
        add_custom_command(
            OUTPUT "${base}.h" "${base}.o"
            COMMAND ${tool} compile "${file}" -o "${output_directory}" --depfile "${base}.d" ${options}
            DEPENDS "${file}" ${tool}
            DEPFILE "${base}.d"
            COMMENT "Compiling kernels ${name}"
            VERBATIM)
        set_source_files_properties("${base}.o" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
        set_source_files_properties("${base}.h" PROPERTIES GENERATED ON)
        target_sources(${target} PRIVATE "${base}.h" "${base}.o")
    endforeach()
    target_include_directories(${target} PRIVATE "${output_directory}")
endfunction()
