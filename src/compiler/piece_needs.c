/*
 * What a piece of the file scope needs of a device: doubles, atomics on 64-bit numbers.
 *
 * A piece needs what its own tokens show, and what the names need that it uses. A helper may be declared before
 * anything shows what it needs, so the pieces are gone through until nothing new is found.
 */
#include "piece.h"

#include <string.h>

/* 1.0, 1e9 and 0x1p3 without f */
static int is_double_number(const char *text)
{
    int is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char last = text[strlen(text) - 1];
    return strpbrk(text, is_hex ? "pP" : ".eE") && last != 'f' && last != 'F';
}

/* The constants of <quern/kernel.h> that are doubles. */
static int is_double_name(const char *name)
{
    return strcmp(name, "double") == 0 || strncmp(name, "M_", 2) == 0 || strncmp(name, "DBL_", 4) == 0;
}

static uint32_t needs_of_token(const quern_piece_list *list, const quern_token *token)
{
    if (token->kind == QUERN_TOKEN_NUMBER)
        return is_double_number(token->text) ? QUERN_NEEDS_FP64 : 0;
    if (token->kind != QUERN_TOKEN_NAME)
        return 0;
    const quern_name_slot *slot = quern_name_find(&list->names, token->text);
    return slot ? slot->flags : is_double_name(token->text) ? QUERN_NEEDS_FP64 : 0;
}

/* What the checker has seen of the types of atomics. */
static uint32_t needs_of_atomics(const quern_signature *signature, const quern_piece *piece)
{
    if (piece->kind == QUERN_PIECE_KERNEL)
        return piece->kernel < signature->kernel_count && signature->kernels[piece->kernel].has_wide_atomics
                   ? QUERN_NEEDS_ATOMICS64
                   : 0;
    for (size_t i = 0; i < signature->helper_count; ++i)
        if (signature->helpers[i].begin >= piece->begin && signature->helpers[i].begin < piece->end &&
            signature->helpers[i].has_wide_atomics)
            return QUERN_NEEDS_ATOMICS64;
    return 0;
}

/* 1 when something new was found. */
static int look_at(const quern_signature *signature, quern_piece_list *list, quern_piece *piece)
{
    uint32_t needs = piece->needs;
    for (size_t i = piece->begin; i < piece->end; ++i)
        needs |= needs_of_token(list, &signature->tokens.tokens[i]);
    if (needs == piece->needs)
        return 0;
    piece->needs = needs;
    for (size_t i = 0; i < piece->declared_count; ++i)
        quern_name_find(&list->names, list->declared[piece->first_declared + i])->flags |= needs;
    return 1;
}

void quern_pieces_find_needs(const quern_signature *signature, quern_piece_list *list)
{
    int changed = 1;
    for (size_t i = 0; i < list->count; ++i) {
        quern_piece *piece = &list->pieces[i];
        piece->needs = needs_of_atomics(signature, piece);
        for (size_t k = 0; piece->needs && k < piece->declared_count; ++k)
            quern_name_find(&list->names, list->declared[piece->first_declared + k])->flags |= piece->needs;
    }
    while (changed) {
        changed = 0;
        for (size_t i = 0; i < list->count; ++i)
            changed |= look_at(signature, list, &list->pieces[i]);
    }
}
