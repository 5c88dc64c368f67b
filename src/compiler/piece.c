/* Cutting the file scope into pieces, and the names that they declare. */
#include "piece.h"

#include "check_words.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets of names ---- */

static size_t hash(const char *name)
{
    uint64_t value = 14695981039346656037u; /* FNV-1a */
    for (; *name; ++name)
        value = (value ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(value ^ value >> 32);
}

/* Where the name is, or would be. */
static quern_name_slot *find_slot(const quern_name_set *set, const char *name)
{
    size_t mask = set->capacity - 1, at = hash(name) & mask;
    while (set->slots[at].name && strcmp(set->slots[at].name, name) != 0)
        at = (at + 1) & mask;
    return &set->slots[at];
}

quern_name_slot *quern_name_find(const quern_name_set *set, const char *name)
{
    quern_name_slot *slot = set->count ? find_slot(set, name) : NULL;
    return slot && slot->name ? slot : NULL;
}

static int grow(quern_name_set *set)
{
    quern_name_set larger = {NULL, set->count, set->capacity ? set->capacity * 2 : 64};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return 0;
    for (size_t i = 0; i < set->capacity; ++i)
        if (set->slots[i].name)
            *find_slot(&larger, set->slots[i].name) = set->slots[i];
    free(set->slots);
    *set = larger;
    return 1;
}

int quern_name_add(quern_name_set *set, const char *name, uint32_t flags)
{
    if (set->count >= set->capacity / 2 && !grow(set))
        return 0;
    quern_name_slot *slot = find_slot(set, name);
    set->count += slot->name == NULL;
    slot->name = name;
    slot->flags |= flags;
    return 1;
}

/* ---- declared names ---- */

static int is(const quern_signature *signature, size_t token, const char *text)
{
    return token < signature->tokens.count && quern_token_is(&signature->tokens.tokens[token], text);
}

static int is_one_of(const quern_signature *signature, size_t token, const char *const *texts)
{
    for (; *texts; ++texts)
        if (is(signature, token, *texts))
            return 1;
    return 0;
}

/* A declarator's name stands before one of these, and is no word of a type. */
static int is_declarator(const quern_signature *signature, const quern_piece *piece, size_t token)
{
    static const char *const behind[] = {"[", "=", ",", ";", "(", NULL};
    const char *name = signature->tokens.tokens[token].text;
    return token > piece->begin && is_one_of(signature, token + 1, behind) && !quern_word_reserved(name) &&
           !quern_word_is_type(name) && !quern_word_is_qualifier(name) && strncmp(name, "__", 2) != 0;
}

/* `struct NAME {`, `union NAME {`, `enum NAME {` */
static int is_tag(const quern_signature *signature, size_t token)
{
    static const char *const words[] = {"struct", "union", "enum", NULL};
    return token > 0 && is_one_of(signature, token - 1, words) && is(signature, token + 1, "{");
}

/* The "{" of a helper's body; the end of a piece without. */
static size_t body_of(const quern_signature *signature, const quern_piece *piece)
{
    if (piece->end > piece->begin + 1 && is(signature, piece->end - 1, "}"))
        for (size_t i = piece->begin; i < piece->end; ++i)
            if (is(signature, i, "{") && quern_tokens_closing(&signature->tokens, i) == piece->end - 1)
                return i;
    return piece->end;
}

static int add_name(const quern_signature *signature, quern_piece_list *list, size_t token)
{
    if (list->declared_count == list->declared_capacity) {
        size_t capacity = list->declared_capacity ? list->declared_capacity * 2 : 64;
        const char **declared = realloc(list->declared, capacity * sizeof *declared);
        if (!declared)
            return 0;
        list->declared = declared;
        list->declared_capacity = capacity;
    }
    const char *name = signature->tokens.tokens[token].text;
    list->declared[list->declared_count++] = name;
    return quern_name_add(&list->names, name, 0);
}

/* Declarators at the outermost level but not in their initialisers, tags anywhere, and what stands directly within the
 * braces of an enum. */
static int add_names_until(const quern_signature *signature, quern_piece_list *list, const quern_piece *piece,
                           size_t end)
{
    static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}", NULL};
    int depth = 0, enum_depth = -1, is_value = 0;
    for (size_t i = piece->begin; i < end; ++i) {
        if (depth == 0)
            is_value = is(signature, i, "=") || (is_value && !is(signature, i, ",") && !is(signature, i, ";"));
        if (is_one_of(signature, i, opening)) {
            ++depth;
            if (i > piece->begin && is(signature, i, "{") &&
                (is(signature, i - 1, "enum") || is(signature, i - 2, "enum")))
                enum_depth = depth;
        } else if (is_one_of(signature, i, closing)) {
            enum_depth = depth == enum_depth ? -1 : enum_depth;
            --depth;
        } else if (signature->tokens.tokens[i].kind == QUERN_TOKEN_NAME) {
            int is_enumerator = depth == enum_depth && (is(signature, i - 1, "{") || is(signature, i - 1, ","));
            if ((is_enumerator || is_tag(signature, i) ||
                 (depth == 0 && !is_value && is_declarator(signature, piece, i))) &&
                !add_name(signature, list, i))
                return 0;
        }
    }
    return 1;
}

static int add_names(const quern_signature *signature, quern_piece_list *list, quern_piece *piece)
{
    int added = 1;
    piece->first_declared = list->declared_count;
    if (piece->kind == QUERN_PIECE_STRUCT)
        added = add_name(signature, list, piece->begin + 2);
    else if (piece->kind == QUERN_PIECE_OTHER)
        added = add_names_until(signature, list, piece, body_of(signature, piece));
    piece->declared_count = list->declared_count - piece->first_declared;
    return added;
}

/* ---- pieces ---- */

static int add_piece(quern_piece_list *list, quern_piece piece)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 32;
        quern_piece *pieces = realloc(list->pieces, capacity * sizeof *pieces);
        if (!pieces)
            return 0;
        list->pieces = pieces;
        list->capacity = capacity;
    }
    list->pieces[list->count++] = piece;
    return 1;
}

/* The end of a declaration: behind its semicolon, or behind the body of a function. */
static size_t find_end(const quern_signature *signature, size_t at)
{
    static const char *const opening[] = {"(", "[", "{", NULL};
    for (; at < signature->tokens.count; ++at) {
        if (is(signature, at, ";"))
            return at + 1;
        if (!is_one_of(signature, at, opening))
            continue;
        int is_body = is(signature, at, "{") && at > 0 && is(signature, at - 1, ")");
        at = quern_tokens_closing(&signature->tokens, at);
        if (is_body)
            return at < signature->tokens.count ? at + 1 : at;
    }
    return signature->tokens.count;
}

/* Behind the piece that begins at `at`. */
static quern_piece read_piece(const quern_signature *signature, size_t at, size_t *kernel)
{
    quern_piece piece = {.kind = QUERN_PIECE_OTHER, .begin = at, .end = at + 1};
    int called = is(signature, at + 1, "(");
    if (called && (is(signature, at, "KERNEL") || is(signature, at, "GROUP_KERNEL"))) {
        piece.kind = QUERN_PIECE_KERNEL;
        piece.kernel = *kernel;
        if (*kernel < signature->kernel_count)
            piece.end = signature->kernels[(*kernel)++].body_end + 1;
    } else if (called && is(signature, at, "STRUCT")) {
        piece.kind = QUERN_PIECE_STRUCT;
        piece.end = quern_tokens_closing(&signature->tokens, at + 1) + 1;
        if (is(signature, piece.end, ";"))
            ++piece.end;
    } else {
        piece.end = find_end(signature, at);
    }
    return piece;
}

static int read_all(const quern_signature *signature, quern_piece_list *list)
{
    for (size_t at = 0, kernel = 0; at < signature->tokens.count;) {
        if (signature->tokens.tokens[at].kind == QUERN_TOKEN_PRAGMA || is(signature, at, ";")) {
            ++at;
            continue;
        }
        quern_piece piece = read_piece(signature, at, &kernel);
        if (!add_names(signature, list, &piece) || !add_piece(list, piece))
            return 0;
        at = piece.end;
    }
    return 1;
}

quern_status quern_pieces_read(const quern_signature *signature, quern_piece_list *list)
{
    *list = (quern_piece_list){0};
    if (read_all(signature, list)) {
        quern_pieces_find_needs(signature, list);
        return QUERN_SUCCESS;
    }
    quern_pieces_free(list);
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while a kernel file is cut into pieces");
}

void quern_pieces_free(quern_piece_list *list)
{
    free(list->pieces);
    free(list->declared);
    free(list->names.slots);
    *list = (quern_piece_list){0};
}
