/* NVRTC's functions, between the nvrtc*.c files and the tests; others use nvrtc.h. */
#ifndef QUERN_BASE_NVRTC_LIBRARY_H
#define QUERN_BASE_NVRTC_LIBRARY_H

#include "nvrtc.h"

/* NVIDIA's ABI in our own words, so that no header of theirs is needed: programs are pointers, results are numbers. */
typedef void *quern_nvrtc_program;

enum quern_nvrtc_result {
    QUERN_NVRTC_SUCCESS = 0,
    QUERN_NVRTC_OUT_OF_MEMORY = 1,
    QUERN_NVRTC_COMPILATION = 6, /* the text is at fault; the log says how */
    QUERN_NVRTC_BUILTINS = 7     /* libnvrtc-builtins is missing or another version's */
};

#define QUERN_NVRTC_FUNCTIONS(X)                                                                                       \
    X(Version, int, (int *major, int *minor))                                                                          \
    X(GetNumSupportedArchs, int, (int *count))                                                                         \
    X(GetSupportedArchs, int, (int *architectures))                                                                    \
    X(GetErrorString, const char *, (int result))                                                                      \
    X(CreateProgram, int,                                                                                              \
      (quern_nvrtc_program * program, const char *text, const char *name, int header_count,                            \
       const char *const *headers, const char *const *header_names))                                                   \
    X(CompileProgram, int, (quern_nvrtc_program program, int option_count, const char *const *options))                \
    X(GetProgramLogSize, int, (quern_nvrtc_program program, size_t * size))                                            \
    X(GetProgramLog, int, (quern_nvrtc_program program, char *log))                                                    \
    X(GetPTXSize, int, (quern_nvrtc_program program, size_t * size))                                                   \
    X(GetPTX, int, (quern_nvrtc_program program, char *ptx))                                                           \
    X(GetCUBINSize, int, (quern_nvrtc_program program, size_t * size))                                                 \
    X(GetCUBIN, int, (quern_nvrtc_program program, char *cubin))                                                       \
    X(DestroyProgram, int, (quern_nvrtc_program * program))

typedef struct quern_nvrtc_functions {
#define QUERN_NVRTC_FUNCTION(name, result, arguments) result(*name) arguments;
    QUERN_NVRTC_FUNCTIONS(QUERN_NVRTC_FUNCTION)
#undef QUERN_NVRTC_FUNCTION
} quern_nvrtc_functions;

/* Valid once quern_nvrtc_open has succeeded. */
extern quern_nvrtc_functions quern_nvrtc;

/*
 * Opens the library and looks its functions up. path (of path_size bytes) gets the library's. NULL, or why there is
 * none, written into reason; *absent then says whether none was named or found. One call in a process.
 */
const char *quern_nvrtc_library_open(char *path, size_t path_size, char *reason, size_t reason_size, int *absent);

/* Loads libnvrtc-builtins of this version from beside the library, where the dynamic linker might not look when NVRTC
 * asks for it. NULL, or what is wrong with a file that NVRTC will load, and that would end the process. */
const char *quern_nvrtc_library_parts(const char *path, int major, int minor);

/* quern_nvrtc_compile; *log gets what NVRTC said in any case, malloc'ed, or NULL. log may be NULL. */
quern_status quern_nvrtc_compile_and_tell(const char *text, size_t text_size, const char *name,
                                          const quern_nvrtc_target *target, quern_nvrtc_form form, void **data,
                                          size_t *size, char **log);

/* "75, 80, 86": the architectures there are, for messages. Cut to size. */
void quern_nvrtc_list(const quern_nvrtc_info *info, char *text, size_t size);

#endif
