/*
 * The text of a kernel file for a device's compiler, made of the tokens of the signature pass.
 *
 * emit_device*.c know what all languages have in common: the order of things, lines, names, where a phase ends. What
 * one language has of its own is a quern_device_language: emit_opencl.c, emit_cuda.c. The words of the dialect that a
 * macro can stand for are left as they are; the language's headers, which the text begins with, define them.
 */
#ifndef QUERN_COMPILER_EMIT_DEVICE_H
#define QUERN_COMPILER_EMIT_DEVICE_H

#include "compiler.h"
#include "emit.h"
#include "piece.h"

typedef struct quern_device_writer quern_device_writer;

typedef struct quern_device_language {
    const char *backend;        /* "opencl" */
    const char *name;           /* of the language, in an image's target: "opencl-c-1.2" */
    const char *const *headers; /* what the text begins with, by the names of embedded.h; ended by NULL */
    const char *literal[3];     /* a value of a type, MAKE(T, …): before T, between T and the members, behind them */
    const char *math;           /* what stands before the name in a call of a mathematical function */
    const char *global, *local; /* what stands before T in a pointer to that memory. local NULL: a `local` parameter is
                                   no argument, but a word, the place of its elements in quern_dynamic */
    const char *restricted;     /* the word restrict */
    /* What depends on how floating point is meant; before the headers. */
    void (*begin)(quern_device_writer *writer, quern_fp_mode fp);
    /* The kernel's head as far as its parameters' bracket. */
    void (*add_head)(quern_text *head, const quern_signature_kernel *kernel);
    /* Writes what C has and this language has not. Gives the index behind it; 0: the token stands as it is. Or NULL. */
    size_t (*write_word)(quern_device_writer *writer, size_t at, size_t end);
} quern_device_language;

extern const quern_device_language quern_language_opencl;
extern const quern_device_language quern_language_cuda;

/* Writes the whole text of the kernel file at path. */
void quern_emit_device(quern_text *text, const quern_signature *signature, const quern_piece_list *pieces,
                       const char *path, quern_fp_mode fp, const quern_device_language *language);

/* ---- for the languages ---- */

/* Lines of the text's own: the writer is at the begin of a line before and behind it. */
void quern_device_line(quern_device_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What stands before a name of the author's: "", or a prefix where the bare name could be taken in the language. */
const char *quern_device_prefix(const quern_device_writer *writer, const char *name);

/* A parameter's type, its names with their prefixes; to be freed. NULL when memory is exhausted. */
char *quern_device_type(quern_device_writer *writer, const char *type_name);

/* ---- words of the launch (dialect/device_abi.h) ---- */

/* The number of the first word of a parameter, and with parameter_count the number of all. */
size_t quern_device_word(const quern_device_language *language, const quern_signature_kernel *kernel, size_t parameter);

/* The dimensions that have words: the kernel's rank, or 6. */
uint32_t quern_device_dimensions(const quern_signature_kernel *kernel);

/* ---- between the emit_device*.c files ---- */

struct quern_device_writer {
    quern_text *text;
    const quern_signature *signature;
    const quern_piece_list *pieces;
    const quern_device_language *language;
    const quern_signature_kernel *kernel; /* whose body is written, or NULL */
    int reads_between_phases;             /* it reads what phases may write, outside of them */
    size_t after_phase;                   /* where a phase that follows the last one directly would begin */
    const char *file;                     /* of what is written next; NULL: not known */
    int line;
    int depth;               /* of braces */
    int parentheses;         /* of those that are open */
    const quern_token *last; /* written in this line; NULL at its begin */
    int is_last_unary;       /* it is an operator that belongs to what follows it */
};

/* The token with its blanks, at its line, a name of the author's with its prefix. */
void quern_device_token(quern_device_writer *writer, size_t token);

/* Something that is not the author's, in the line that is being written. */
void quern_device_insert(quern_device_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves to the token's line. */
void quern_device_place(quern_device_writer *writer, const quern_token *token);

/* Moves to the token's line and writes the blanks before it; something is then inserted in its place. */
void quern_device_begin(quern_device_writer *writer, size_t token);

/* The kernel's head, its "{", and the declarations that the author's words need. */
void quern_device_open_kernel(quern_device_writer *writer, const quern_signature_kernel *kernel);

/* Tokens of a body or of the file scope, with the words that are more than a macro can do. */
void quern_device_tokens(quern_device_writer *writer, size_t begin, size_t end);

/* 1 when the kernel reads memory between phases that phases may write. */
int quern_device_reads_between_phases(const quern_signature *signature, const quern_signature_kernel *kernel);

/* The index behind the statement that begins at the token. */
size_t quern_device_statement_end(const quern_token_list *tokens, size_t token, size_t end);

/* Behind a word in front of a statement, with its brackets: `while (x)`, `ITEMS (i)`, `case 1:`; 0 when there is none.
 */
size_t quern_device_prefix_end(const quern_token_list *tokens, size_t token, size_t end);

#endif
