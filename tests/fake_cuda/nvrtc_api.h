/*
 * NVRTC's interface as far as the fake one has it, in words of our own, and what tests tell the fake beside it.
 *
 * libfake_nvrtc.so "compiles" CUDA C++ into PTX or machine code that only libfake_cuda.so takes: it holds the name of
 * the kernel file and of the entries. The text goes through the preprocessor of the C compiler (QUERN_CC, else cc), so
 * that conditions and #error count; brackets must match; else it is not looked at. The environment:
 *
 *     QUERN_FAKE_NVRTC_VERSION     13.0 unless set
 *     QUERN_FAKE_NVRTC_ARCHS       "75,80,86,89,90,100,120" unless set
 *     QUERN_FAKE_NVRTC_FAIL_FUNCTION, _FAIL_AT, _FAIL_ERROR   as fake_nvrtc_fail_at
 */
#ifndef FAKE_NVRTC_API_H
#define FAKE_NVRTC_API_H

#include <stddef.h>

typedef void *fn_program;

/* X(name, value) */
#define FN_RESULTS(X)                                                                                                  \
    X(SUCCESS, 0)                                                                                                      \
    X(ERROR_OUT_OF_MEMORY, 1)                                                                                          \
    X(ERROR_PROGRAM_CREATION_FAILURE, 2)                                                                               \
    X(ERROR_INVALID_INPUT, 3)                                                                                          \
    X(ERROR_INVALID_PROGRAM, 4)                                                                                        \
    X(ERROR_INVALID_OPTION, 5)                                                                                         \
    X(ERROR_COMPILATION, 6)                                                                                            \
    X(ERROR_BUILTIN_OPERATION_FAILURE, 7)                                                                              \
    X(ERROR_INTERNAL_ERROR, 11)

enum {
#define FN_RESULT(name, value) FN_##name = value,
    FN_RESULTS(FN_RESULT)
#undef FN_RESULT
};

/* X(name, result, parameters) */
#define FN_FUNCTIONS(X)                                                                                                \
    X(nvrtcVersion, int, (int *major, int *minor))                                                                     \
    X(nvrtcGetNumSupportedArchs, int, (int *count))                                                                    \
    X(nvrtcGetSupportedArchs, int, (int *architectures))                                                               \
    X(nvrtcGetErrorString, const char *, (int result))                                                                 \
    X(nvrtcCreateProgram, int,                                                                                         \
      (fn_program * program, const char *text, const char *name, int count, const char *const *headers,                \
       const char *const *header_names))                                                                               \
    X(nvrtcDestroyProgram, int, (fn_program * program))                                                                \
    X(nvrtcCompileProgram, int, (fn_program program, int count, const char *const *options))                           \
    X(nvrtcGetPTXSize, int, (fn_program program, size_t * size))                                                       \
    X(nvrtcGetPTX, int, (fn_program program, char *ptx))                                                               \
    X(nvrtcGetCUBINSize, int, (fn_program program, size_t * size))                                                     \
    X(nvrtcGetCUBIN, int, (fn_program program, char *cubin))                                                           \
    X(nvrtcGetProgramLogSize, int, (fn_program program, size_t * size))                                                \
    X(nvrtcGetProgramLog, int, (fn_program program, char *log))                                                        \
    X(fake_nvrtc_fail_at, void, (const char *function, size_t n, int error)) /* as fake_cuda_fail_at */                \
    X(fake_nvrtc_programs, size_t, (void))                                   /* that there are */                      \
    X(fake_nvrtc_calls, size_t, (const char *function))

#define FN_TYPE(name, result, parameters) typedef result name##_function parameters;
FN_FUNCTIONS(FN_TYPE)
#undef FN_TYPE

#endif
