/* PTX of a kernel file's CUDA text, made by NVRTC when it is there, to be embedded beside the text. */
#ifndef QUERN_COMPILER_COMPILE_PTX_H
#define QUERN_COMPILER_COMPILE_PTX_H

#include "base/nvrtc.h"
#include "emit.h"

enum { QUERN_PTX_MOST_ARCHITECTURES = 64 };

/* What is to be embedded. */
typedef struct quern_ptx_choice {
    const quern_nvrtc_info *nvrtc; /* NULL: nothing is compiled */
    char *fault; /* of an NVRTC that cannot be used, where none need be; NULL when there is simply none */
    int architectures[QUERN_PTX_MOST_ARCHITECTURES];
    size_t count;
    int is_wish; /* without NVRTC there is simply no PTX */
} quern_ptx_choice;

/* Reads quern_compile_options.cuda_architectures. INVALID_ARGUMENT for what is no architecture, NOT_SUPPORTED for one
 * that NVRTC does not know, NOT_PRESENT when NVRTC is needed and is not there. The choice is to be given up whatever
 * the status. */
quern_status quern_ptx_choose(const char *list, quern_ptx_choice *choice);
void quern_ptx_choice_free(quern_ptx_choice *choice);

typedef struct quern_ptx_list {
    quern_ptx_image *images;
    size_t count;
    quern_text notes; /* warnings for the author, whole lines */
    int is_noted;     /* those of an image's PTX are among them */
} quern_ptx_list;

/* Compiles the emission's CUDA text for all architectures and variants. COMPILE_FAILED with NVRTC's log. The list is to
 * be freed whatever the status. */
quern_status quern_ptx_compile(const quern_ptx_choice *choice, const quern_emission *emission, int verbose,
                               quern_ptx_list *list);
void quern_ptx_free(quern_ptx_list *list);

/* ---- compile_ptx_notes.c ---- */

/* The warnings of NVRTC's log, as C compilers write theirs: `FILE:LINE: warning: TEXT`. log may be NULL. */
void quern_ptx_note_log(quern_text *notes, const char *log);

/* 1 when NVRTC's log of a compilation that failed has no other error than kernels whose arguments are too large; they
 * are then noted, unless they are already. */
int quern_ptx_note_arguments(quern_text *notes, const quern_signature *signature, const char *log, int architecture);

/* Kernels and tables that no GPU can hold. */
void quern_ptx_note_limits(quern_text *notes, const quern_signature *signature, const char *ptx);

#endif
