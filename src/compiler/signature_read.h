/* The signature reader's own declarations, shared by the signature*.c files; not for others. */
#ifndef QUERN_COMPILER_SIGNATURE_READ_H
#define QUERN_COMPILER_SIGNATURE_READ_H

#include "arena.h"
#include "signature.h"

/* Tokens from begin up to, not including, end. */
typedef struct quern_token_range {
    size_t begin, end;
} quern_token_range;

/* A typedef of the file: the tokens between `typedef` and the new name. */
typedef struct quern_signature_typedef {
    const char *name;
    const quern_token *where;
    quern_token_range type;
    const char *fault; /* what keeps it from being an element type ("an array"), else NULL */
} quern_signature_typedef;

/* `struct NAME {` */
typedef struct quern_signature_tag {
    const char *name;
} quern_signature_tag;

typedef struct quern_signature_enumerator {
    const char *name;
    int64_t value;
} quern_signature_enumerator;

typedef struct quern_signature_reader {
    quern_signature *signature;
    const quern_token *tokens;
    size_t count;
    quern_diagnostics *diagnostics;
    quern_arena *arena;
    int out_of_memory;
    quern_signature_typedef *typedefs;
    size_t typedef_count;
    quern_signature_tag *tags;
    size_t tag_count;
    quern_signature_enumerator *enumerators;
    size_t enumerator_count;
} quern_signature_reader;

/* ---- signature_range.c: pieces of the token list ---- */

/* 1 when there is a token at i, and it is text. */
int quern_signature_is(const quern_signature_reader *reader, size_t i, const char *text);
int quern_signature_is_name(const quern_signature_reader *reader, size_t i);

/* The tokens up to the next comma at this level, or all; *range shrinks to what follows the comma. 0 when there was
 * nothing left, which `more` (1 at first) keeps track of. */
int quern_signature_next_argument(const quern_signature_reader *reader, quern_token_range *range, int *more,
                                  quern_token_range *argument);

/* The tokens joined by blanks, owned by the arena; "" when memory is exhausted. */
const char *quern_signature_join(quern_signature_reader *reader, quern_token_range range);

/* One element more in an array of the arena; NULL when memory is exhausted, which the reader remembers. */
void *quern_signature_append(quern_signature_reader *reader, void *array, size_t *count, size_t size);

/* ---- signature_name.c ---- */

/* Reports a name that is no name, or is taken by a language; what says whose it is: "the kernel's name". 1 when it is
 * good. */
int quern_signature_check_name(quern_signature_reader *reader, const quern_token *name, const char *what);

/* ---- signature_constant.c: integer constant expressions ---- */

/* 1 when the tokens are an integer constant expression without overflow. */
int quern_signature_constant(const quern_signature_reader *reader, quern_token_range range, int64_t *value);

/* ---- signature_type.c: element types ---- */

typedef struct quern_signature_type {
    const quern_signature_struct *structure; /* of a STRUCT, else NULL */
    const char *host_type;                   /* as in quern_signature_parameter */
    const char *host_header;
} quern_signature_type;

/* Finds out what type the tokens are. NULL when it is one of the subset, else what is wrong with it, a clause to put
 * behind "T ". */
const char *quern_signature_resolve(quern_signature_reader *reader, quern_token_range range,
                                    quern_signature_type *type);
void quern_signature_read_typedef(quern_signature_reader *reader, size_t at);
void quern_signature_read_tag(quern_signature_reader *reader, size_t at);
void quern_signature_read_enum(quern_signature_reader *reader, size_t at);
const quern_signature_struct *quern_signature_find_struct(const quern_signature_reader *reader, const char *name);

/* ---- signature_struct.c, signature_kernel.c, signature_helper.c: the records. Each reads the one whose word stands at
 * `at` and gives the index after it. ---- */
size_t quern_signature_read_struct(quern_signature_reader *reader, size_t at);
size_t quern_signature_read_kernel(quern_signature_reader *reader, size_t at);
size_t quern_signature_read_helper(quern_signature_reader *reader, size_t at);

/* ---- signature_parameter.c ---- */
void quern_signature_read_parameter(quern_signature_reader *reader, quern_signature_kernel *kernel,
                                    quern_token_range range);

#endif
