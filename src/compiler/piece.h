/*
 * The file scope of a kernel file in pieces: kernels, helpers, structs, tables, types. What is written for a device
 * goes piece by piece, since a device may lack what some of them need.
 */
#ifndef QUERN_COMPILER_PIECE_H
#define QUERN_COMPILER_PIECE_H

#include "signature.h"

typedef enum quern_piece_kind {
    QUERN_PIECE_KERNEL,
    QUERN_PIECE_STRUCT, /* STRUCT(…), and a semicolon behind it */
    QUERN_PIECE_OTHER   /* a helper, a table, a type */
} quern_piece_kind;

typedef struct quern_piece {
    quern_piece_kind kind;
    size_t begin, end;                     /* its tokens, up to but not including end */
    size_t kernel;                         /* of a KERNEL: its index in the signature */
    size_t first_declared, declared_count; /* its part of the list's declared */
    uint32_t needs;                        /* QUERN_NEEDS_… */
} quern_piece;

/* A set of names, each with flags. Starts as {0}. */
typedef struct quern_name_slot {
    const char *name; /* NULL: empty */
    uint32_t flags;
} quern_name_slot;

typedef struct quern_name_set {
    quern_name_slot *slots;
    size_t count, capacity;
} quern_name_set;

typedef struct quern_piece_list {
    quern_piece *pieces;
    size_t count, capacity;
    const char **declared; /* names, piece by piece */
    size_t declared_count, declared_capacity;
    quern_name_set names; /* what the file scope declares, with the QUERN_NEEDS_… of the pieces that declare it */
} quern_piece_list;

/* Cuts the file scope. The signature must have passed its check. OUT_OF_MEMORY. */
quern_status quern_pieces_read(const quern_signature *signature, quern_piece_list *list);
void quern_pieces_free(quern_piece_list *list);

/* ---- between the piece*.c files ---- */

/* The name's slot; NULL when it is not in the set. */
quern_name_slot *quern_name_find(const quern_name_set *set, const char *name);

/* Adds flags to the name, which must last as long as the set. 0 when memory is exhausted. */
int quern_name_add(quern_name_set *set, const char *name, uint32_t flags);

/* Finds out what each piece needs, by itself and by the names that it uses. */
void quern_pieces_find_needs(const quern_signature *signature, quern_piece_list *list);

#endif
