/* The C that `quern compile` writes: the header for host code, and what it adds to the author's file. */
#ifndef QUERN_COMPILER_EMIT_H
#define QUERN_COMPILER_EMIT_H

#include "piece.h"
#include "signature.h"
#include "text.h"

/* The text of the whole file for the compiler of a backend's devices. */
typedef struct quern_device_text {
    const char *backend, *language;
    quern_text text;
} quern_device_text;

/* The CUDA text compiled: PTX for one architecture and one variant of the text (base/nvrtc.h). */
typedef struct quern_ptx_image {
    int architecture, index_bits, linear;
    char *data; /* with a NUL that counts */
    size_t size;
} quern_ptx_image;

typedef struct quern_emission {
    const quern_signature *signature;
    const char *path;               /* the kernel file, as the author names it */
    const char *prefix;             /* "" for none */
    const char *const *levels;      /* ended by NULL */
    const quern_piece_list *pieces; /* NULL: the kernels' needs are not known */
    const quern_device_text *texts;
    size_t text_count;
    const char *fp; /* how floating point is meant in them: "strict" */
    const quern_ptx_image *ptx;
    size_t ptx_count;
} quern_emission;

/* NAME.k.h: structs, typed launch functions, descriptors. */
void quern_emit_header(quern_text *text, const quern_emission *emission);

/*
 * A translation unit: the author's text with its own lines, and before and behind it what Quern needs.
 * quern_emit_level: the functions of one level, nothing more. quern_emit_program: also descriptors with the images of
 * all levels, and launch functions. quern_emit_module: also descriptors, and the table that a run-time module exports.
 */
void quern_emit_level(quern_text *text, const quern_emission *emission, const quern_text *source);
void quern_emit_program(quern_text *text, const quern_emission *emission, const quern_text *source);
void quern_emit_module(quern_text *text, const quern_emission *emission, const quern_text *source);

/* What QUERN_LEVEL is defined as, the end of the functions' names: "_x86_64_v3", or "_x86_64_v3_my_" with a prefix, so
 * that a kernel file compiled with two prefixes can be linked into one program. */
void quern_emit_level_suffix(quern_text *text, const char *level, const char *prefix);

/* ---- between the emit*.c files ---- */

/* The last part of a path. */
const char *quern_emit_base_name(const char *path);

/* "in_nd" */
const char *quern_emit_form_word(quern_parameter_form form);

/* "quern_const_view": the type of the launch function's argument. */
const char *quern_emit_argument_type(const quern_signature_parameter *parameter);

/* Reports kernel names that cannot be names of host code, in a compilation with this prefix. */
void quern_emit_check_names(const quern_emission *emission, quern_diagnostics *diagnostics);

/* Adds up the bytes of the kernel's LOCAL arrays (word "LOCAL") or PRIVATE variables as a C expression; those whose
 * size is no plain constant are left out. */
void quern_emit_memory(quern_text *text, const quern_signature *signature, const quern_signature_kernel *kernel,
                       const char *word);

#endif
