/* The vocabulary: which names are words of the dialect, math functions, types, and which are taken by another language.
 */
#ifndef QUERN_COMPILER_CHECK_WORDS_H
#define QUERN_COMPILER_CHECK_WORDS_H

#include <stddef.h>

typedef enum quern_word_kind {
    QUERN_WORD_EACH,        /* EACH, EACH2, … */
    QUERN_WORD_PHASE,       /* ITEMS, ALL_ITEMS, TEAM_EACH, ONCE */
    QUERN_WORD_DECLARATION, /* LOCAL, PRIVATE, READ_UNIFORM */
    QUERN_WORD_ID,          /* GROUP_ID, GLOBAL(i), …: what only a kernel knows */
    QUERN_WORD_ACCESS,      /* AT, LOAD, STORE, EXTENT */
    QUERN_WORD_ATOMIC,
    QUERN_WORD_SUBGROUP,
    QUERN_WORD_GENERIC, /* MIN, MAX, ABS */
    QUERN_WORD_POINTER, /* GLOBAL_POINTER(T), … */
    QUERN_WORD_FILE,    /* KERNEL, DEVICE, STRUCT, … */
    QUERN_WORD_OTHER
} quern_word_kind;

typedef struct quern_word {
    const char *name;
    quern_word_kind kind;
    unsigned rank; /* of EACH and ITEMS: indices that it declares; 0: fits any */
} quern_word;

/* NULL when name is no word of the dialect. */
const quern_word *quern_word_find(const char *name);

/* 1 when text, names with a blank before and behind each, has this one. */
int quern_word_is_listed(const char *text, const char *name);

/* What name is taken by ("a keyword of OpenCL C"); NULL when it is free. */
const char *quern_word_reserved(const char *name);

typedef enum quern_math_result {
    QUERN_MATH_NONE = 0, /* no math function */
    QUERN_MATH_GENERIC,  /* the result has the arguments' type */
    QUERN_MATH_INTEGER   /* isnan, popcount */
} quern_math_result;

quern_math_result quern_word_math(const char *name);

/* "sqrt" for "sqrtf" and "sqrtl", which the dialect does not have; NULL for anything else. */
const char *quern_word_math_without_suffix(const char *name);

/* 1 when name is a type that C, <stdint.h> or <quern/kernel.h> gives. */
int quern_word_is_type(const char *name);

/* 1 when it is a keyword of C, too, which several of a type can be: `unsigned`, `long`, `int`. */
int quern_word_is_type_keyword(const char *name);

/* 1 for `const`, `static`, … that may stand among a declaration's specifiers. */
int quern_word_is_qualifier(const char *name);

/* 1 when name has capitals, digits and _ only: a word that the checker may not know. */
int quern_word_is_upper(const char *name);

#endif
