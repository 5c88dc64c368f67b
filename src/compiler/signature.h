/*
 * What a kernel file declares: kernels, their parameters, structs, helpers; read from the tokens of
 * the signature pass.
 *
 * In the signature pass (the preprocessor run with QUERN_DIALECT_SIGNATURE defined) <quern/kernel.h>
 * defines nothing, so that KERNEL, EACH, LOCAL and all other words of the dialect stand in the
 * output as the author wrote them, while the author's own macros are expanded.
 */
#ifndef QUERN_COMPILER_SIGNATURE_H
#define QUERN_COMPILER_SIGNATURE_H

#include <quern/program.h>

#include "diagnostics.h"
#include "token.h"

typedef struct quern_signature_field {
    const quern_token *where;
    const char *name;
    const char *type_name;
    size_t count;                                /* elements; 1 unless an array */
    const struct quern_signature_struct *nested; /* a field of a STRUCT type, else NULL */
} quern_signature_field;

typedef struct quern_signature_struct { /* STRUCT(name, field(T, f), …) or field(T, f, n) for an array */
    const quern_token *where;
    const char *name;
    quern_signature_field *fields;
    size_t field_count;
} quern_signature_struct;

typedef struct quern_signature_parameter {
    const quern_token *where;
    const char *name;
    const char *type_name; /* the tokens of T, joined by blanks: "float", "struct particle" */
    quern_parameter_form form;
    uint32_t rank;                           /* of the _nd forms */
    const quern_signature_struct *structure; /* T is a STRUCT of this file, else NULL */
    const char *host_type;   /* T for host code, typedefs resolved where that is possible: "float", "struct particle" */
    const char *host_header; /* the file that host code needs for host_type, else NULL */
} quern_signature_parameter;

typedef struct quern_signature_kernel {
    const quern_token *where; /* the name */
    const char *name;
    int is_group;
    int32_t rank; /* as in quern_kernel; of a group kernel: its group's rank */
    uint32_t group_rank;
    size_t group[3]; /* slowest first, 0 for ANY */
    quern_signature_parameter *parameters;
    size_t parameter_count;
    size_t body_begin, body_end; /* indices of "{" and "}" in the token list */
    int has_wide_atomics;        /* set by the check: an atomic on 64 bits, as far as the types are known */
} quern_signature_kernel;

typedef struct quern_signature_helper { /* DEVICE T name(…) { … } */
    const quern_token *where;           /* the name */
    const char *name;
    size_t begin;                            /* index of DEVICE */
    size_t parameters_begin, parameters_end; /* "(" and ")" */
    size_t body_begin, body_end;             /* "{" and "}"; both 0 for a declaration */
    int has_wide_atomics;                    /* as of a kernel */
} quern_signature_helper;

typedef struct quern_signature {
    quern_token_list tokens; /* owned */
    quern_signature_kernel *kernels;
    size_t kernel_count;
    quern_signature_struct **structs;
    size_t struct_count;
    quern_signature_helper *helpers;
    size_t helper_count;
    void *storage; /* private */
} quern_signature;

/* Reads the records from tokens (taken over, also on failure). Faults of the author's go to diagnostics, and the status
 * is still SUCCESS. */
quern_status quern_signature_read(quern_token_list tokens, quern_signature *signature, quern_diagnostics *diagnostics);
void quern_signature_free(quern_signature *signature);

/* Checks the bodies of kernels and helpers, and everything at file scope, against the rules of the dialect and its
 * subset (docs/dialect.md), and marks those that have atomics on 64 bits. */
quern_status quern_signature_check(quern_signature *signature, quern_diagnostics *diagnostics);

#endif
