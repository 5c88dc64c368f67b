# Options, warnings and what is found on this machine.
#
# Gives the interface targets
#   quern-private          how the project's own C is compiled: language, warnings, include paths
#   quern-tool-libraries   what the tool uses: jansson, xxhash, libpng, each with its QUERN_HAVE_… when found
# and the lists quern_system_libraries: what the library stands on; quern_fcontext_objects: objects that become part of it.

option(QUERN_TESTS "build the tests" ON)
option(QUERN_WERROR "treat warnings as errors" OFF)
option(QUERN_HWLOC "use hwloc for the topology when it is found" ON)
option(QUERN_FCONTEXT "switch tasks by Boost.Context's fcontext when it is found" ON)
option(QUERN_TOOL_JANSSON "the tool's --json, when jansson is found" ON)
option(QUERN_TOOL_XXHASH "the tool's checksums, when xxhash is found" ON)
option(QUERN_TOOL_PNG "pictures as PNG files, when libpng is found" ON)
set(QUERN_CUDA_ARCH "" CACHE STRING "CUDA architectures that kernels get PTX for: 75;90, oldest, newest, all, none; \
empty: the oldest that NVRTC knows, if there is an NVRTC")
set(QUERN_SANITIZE "" CACHE STRING "build with sanitizers: empty, address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(quern_debug_default ON)
else()
    set(quern_debug_default OFF)
endif()
option(QUERN_DEBUG "the library's costly checks, use after release among them" ${quern_debug_default})

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # gnu17 inside; the public headers are plain C17, which a test holds
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# ---- how the project's own C is compiled ---------------------------------------------------------------------------

if(QUERN_SANITIZE)
    # gcc's warnings about bounds see the sanitizer's own code and are wrong there.
    add_compile_options(-fsanitize=${QUERN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g
        -Wno-array-bounds)
    add_link_options(-fsanitize=${QUERN_SANITIZE})
endif()

add_library(quern-private INTERFACE)
target_include_directories(quern-private INTERFACE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(quern-private INTERFACE _GNU_SOURCE $<$<BOOL:${QUERN_DEBUG}>:QUERN_DEBUG>)
target_compile_options(quern-private INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${QUERN_WERROR}>:-Werror>
    -fvisibility=hidden -ffp-contract=off -fno-math-errno)

# ---- what the library stands on: libc, and hwloc when it is there ----------------------------------------------------

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)
set(quern_system_libraries Threads::Threads ${CMAKE_DL_LIBS})
set(quern_pkgconfig_private "") # for the static library, in quern.pc
set(quern_features "")

# Looks for a pkg-config module: found, left out or missing is told once, at the end of the configuration.
function(quern_find variable module purpose option)
    set(${variable}_FOUND OFF PARENT_SCOPE)
    if(NOT ${option})
        set(line "off, ${option} is OFF")
    elseif(NOT PKG_CONFIG_FOUND)
        set(line "off, pkg-config is not installed")
    else()
        pkg_check_modules(${variable} QUIET IMPORTED_TARGET ${module})
        if(${variable}_FOUND)
            set(line "on, ${module} ${${variable}_VERSION}")
            set(${variable}_FOUND ON PARENT_SCOPE)
        else()
            set(line "off, ${module} is not installed")
        endif()
    endif()
    set(quern_features ${quern_features} "${purpose}: ${line}" PARENT_SCOPE)
endfunction()

quern_find(QUERN_FOUND_HWLOC hwloc "topology and pinning by hwloc" QUERN_HWLOC)
if(QUERN_FOUND_HWLOC_FOUND)
    target_compile_definitions(quern-private INTERFACE QUERN_HAVE_HWLOC=1)
    pkg_get_variable(quern_hwloc_libdir hwloc libdir)
    find_library(QUERN_HWLOC_LIBRARY hwloc HINTS "${quern_hwloc_libdir}" REQUIRED)
    list(APPEND quern_system_libraries "$<BUILD_INTERFACE:${QUERN_HWLOC_LIBRARY}>" "$<INSTALL_INTERFACE:hwloc>")
    set(quern_pkgconfig_private "-lhwloc ") # not its module, whose own private libraries are not ours to link
endif()

# Tasks switch by two functions of Boost.Context in assembly. These objects become part of both libraries, so that nobody
# who uses Quern needs Boost. The rest of that library is C++ and stays out. It has no pkg-config module.
set(quern_fcontext_objects "")
set(quern_unused_fibres fcontext) # src/task/fibre_NAME.c that is left out
if(NOT QUERN_FCONTEXT)
    list(APPEND quern_features "switching of tasks: by ucontext, QUERN_FCONTEXT is OFF")
else()
    find_library(QUERN_FCONTEXT_LIBRARY "${CMAKE_STATIC_LIBRARY_PREFIX}boost_context${CMAKE_STATIC_LIBRARY_SUFFIX}")
    if(QUERN_FCONTEXT_LIBRARY)
        execute_process(COMMAND "${CMAKE_AR}" t "${QUERN_FCONTEXT_LIBRARY}" OUTPUT_VARIABLE members)
        string(REGEX MATCHALL "(make|jump)_[^\n]*\\.o" members "${members}")
        list(LENGTH members count)
    endif()
    if(NOT QUERN_FCONTEXT_LIBRARY)
        list(APPEND quern_features "switching of tasks: by ucontext, libboost_context.a is not installed")
    elseif(NOT count EQUAL 2)
        list(APPEND quern_features "switching of tasks: by ucontext, fcontext is not in ${QUERN_FCONTEXT_LIBRARY}")
    else()
        set(folder "${PROJECT_BINARY_DIR}/fcontext")
        file(MAKE_DIRECTORY "${folder}")
        execute_process(COMMAND "${CMAKE_AR}" x "${QUERN_FCONTEXT_LIBRARY}" ${members} WORKING_DIRECTORY "${folder}")
        list(TRANSFORM members PREPEND "${folder}/" OUTPUT_VARIABLE quern_fcontext_objects)
        set_source_files_properties(${quern_fcontext_objects} PROPERTIES EXTERNAL_OBJECT ON)
        set(quern_unused_fibres ucontext)
        list(APPEND quern_features "switching of tasks: by fcontext, ${QUERN_FCONTEXT_LIBRARY}")
    endif()
endif()

# ---- what the tool uses ----------------------------------------------------------------------------------------------

add_library(quern-tool-libraries INTERFACE)
quern_find(QUERN_FOUND_JANSSON jansson "quern --json" QUERN_TOOL_JANSSON)
quern_find(QUERN_FOUND_XXHASH libxxhash "checksums of quern run" QUERN_TOOL_XXHASH)
quern_find(QUERN_FOUND_PNG libpng "pictures" QUERN_TOOL_PNG)
foreach(name JANSSON XXHASH PNG)
    if(QUERN_FOUND_${name}_FOUND)
        target_compile_definitions(quern-tool-libraries INTERFACE QUERN_HAVE_${name}=1)
        target_link_libraries(quern-tool-libraries INTERFACE PkgConfig::QUERN_FOUND_${name})
    endif()
endforeach()

foreach(feature IN LISTS quern_features)
    message(STATUS "quern: ${feature}")
endforeach()
