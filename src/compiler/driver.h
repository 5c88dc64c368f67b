/* The system's C compiler: which it is, and what it is told. */
#ifndef QUERN_COMPILER_DRIVER_H
#define QUERN_COMPILER_DRIVER_H

#include "compiler.h"
#include "driver_process.h"

/* The compiler's command: the program's full path, and what stands behind it in QUERN_CC ("ccache gcc"). */
typedef struct quern_compiler {
    quern_arguments command;
} quern_compiler;

/* name: what the caller asks for; NULL for QUERN_CC, else the first of cc, gcc, clang. NOT_FOUND names what was looked
 * for. */
quern_status quern_compiler_find(const char *name, quern_compiler *compiler);
void quern_compiler_free(quern_compiler *compiler);

/* What tells this compiler from another: paths, sizes, dates. */
void quern_compiler_describe(const quern_compiler *compiler, quern_text *text);

/* What one compilation is made with. */
typedef struct quern_build {
    const quern_compiler *compiler;
    const quern_compile_options *options;
    const char *include_directory; /* of <quern/…> */
    const char *source_directory;  /* of the kernel file, for its own includes */
    quern_fp_mode fp;
} quern_build;

/* Each adds a whole command line to an empty one. */
void quern_build_version(const quern_build *build, quern_arguments *command);
void quern_build_signature(const quern_build *build, const char *unit, quern_arguments *command);
void quern_build_preprocess(const quern_build *build, const char *level, const char *unit, quern_arguments *command);
void quern_build_compile(const quern_build *build, const char *level, int warn, const char *unit, const char *object,
                         quern_arguments *command);
void quern_build_join(const quern_build *build, const char *const *objects, size_t count, const char *object,
                      quern_arguments *command);
void quern_build_share(const quern_build *build, const char *object, const char *shared, quern_arguments *command);

#endif
