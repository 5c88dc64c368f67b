/*
 * Compiling kernel files: into an object for a program (`quern compile`), or into a shared object
 * that is loaded at run time, through a cache.
 */
#ifndef QUERN_COMPILER_COMPILER_H
#define QUERN_COMPILER_COMPILER_H

#include <quern/program.h>

typedef enum quern_fp_mode { QUERN_FP_STRICT = 0, QUERN_FP_CONTRACT, QUERN_FP_FAST } quern_fp_mode;

typedef struct quern_compile_options {
    const char *compiler;         /* NULL: QUERN_CC, else the first of cc, gcc, clang */
    const char *const *arguments; /* more for the C compiler (-I…, -D…), ended by NULL; or NULL */
    quern_fp_mode fp;
    const char *const *levels; /* instruction-set levels, ended by NULL; NULL: v2, v3, v4, or the machine's own for a
                                  load at run time */
    const char *cuda_architectures; /* PTX for these: "75,sm_90", also oldest, newest and all that NVRTC knows; "auto":
                                       for the oldest if there is an NVRTC; "none" or NULL: none. Not for a load */
    const char *prefix;             /* of the launch functions and descriptors; NULL: none */
    int verbose;                    /* print the commands that are run, on stderr */
    int debug;                      /* -g */
    const char *depfile; /* write what the outputs depend on there, as make's rules; NULL: nowhere. Not for a load */
    char **warnings;     /* gets the compilers' warnings, to be freed, or NULL when there are none; may be NULL */
} quern_compile_options;

/* Writes DIRECTORY/NAME.k.h and DIRECTORY/NAME.k.o, both or neither. COMPILE_FAILED with all messages in
 * quern_last_error(). */
quern_status quern_compile_file(const char *path, const char *directory, const quern_compile_options *options);

/* The text of a kernel file for the compiler of a backend's devices, as it is embedded; to be freed. backend: "opencl"
 * or "cuda". NOT_FOUND for one that takes no text. */
quern_status quern_compile_text(const char *path, const char *backend, const quern_compile_options *options,
                                char **text);

/* A kernel file compiled for this machine's CPU and loaded. options may be NULL. */
typedef struct quern_module quern_module;
quern_status quern_module_load(const char *path, const quern_compile_options *options, quern_module **module);

/* Its kernels: an array of pointers, valid until unload. */
void quern_module_kernels(const quern_module *module, quern_kernel *const **kernels, size_t *count);
void quern_module_unload(quern_module *module);

#endif
