/* Values: the light types of what expressions denote, and the places that they lead to. */
#include "check.h"

#include <string.h>

quern_check_value quern_check_no_value(void)
{
    return (quern_check_value){.root = QUERN_NOWHERE, .cause = QUERN_NOWHERE};
}

void quern_check_combine_cause(quern_check_value *value, const quern_check_value *other)
{
    if (value->cause == QUERN_NOWHERE)
        value->cause = other->cause;
}

/* --- light types --- */

int quern_check_is_scalar(quern_check_type type)
{
    return !type.pointers && !type.arrays &&
           (type.base == QUERN_BASE_INTEGER || type.base == QUERN_BASE_FLOAT || type.base == QUERN_BASE_DOUBLE);
}

quern_check_type quern_check_index_type(void)
{
    return (quern_check_type){.base = QUERN_BASE_INTEGER, .barred = "quern_index"};
}

/* `long` has 64 bits in every language of the dialect. */
unsigned quern_check_integer_bits(const quern_check_type *type)
{
    return type->barred && strcmp(type->barred, "long") == 0 ? 64 : type->bits;
}

const char *quern_check_varying_type(const quern_check_type *type)
{
    static const char *const varying[] = {"quern_index", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"};
    for (size_t i = 0; type->barred && i < sizeof varying / sizeof varying[0]; i++)
        if (strcmp(type->barred, varying[i]) == 0)
            return varying[i];
    return NULL;
}

/* What C's usual conversions make of two integers, as far as the width goes. */
static quern_check_type integer_type(const quern_check_type *a, const quern_check_type *b)
{
    quern_check_type type = {.base = QUERN_BASE_INTEGER};
    unsigned bits_of_a = quern_check_integer_bits(a), bits_of_b = quern_check_integer_bits(b);
    const char *varying = quern_check_varying_type(a) ? quern_check_varying_type(a) : quern_check_varying_type(b);
    if (bits_of_a == 64 || bits_of_b == 64)
        type.bits = 64;
    else if (bits_of_a && bits_of_b)
        type.bits = 32;
    else if ((bits_of_a || quern_check_varying_type(a)) && (bits_of_b || quern_check_varying_type(b)))
        type.barred = varying;
    return type;
}

quern_check_type quern_check_arithmetic_type(quern_check_type a, quern_check_type b)
{
    quern_check_type type = {0};
    if (quern_check_is_scalar(a) && quern_check_is_scalar(b))
        type.base = a.base > b.base ? a.base : b.base; /* INTEGER < FLOAT < DOUBLE */
    return type.base == QUERN_BASE_INTEGER ? integer_type(&a, &b) : type;
}

quern_check_type quern_check_promoted_type(quern_check_type type)
{
    return quern_check_arithmetic_type(type, type);
}

/* --- places --- */

static int is_pointer_parameter(const quern_check_symbol *symbol)
{
    return symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->form != QUERN_PARAMETER_VALUE;
}

quern_check_value quern_check_decay(const quern_checker *checker, quern_check_value value)
{
    if (value.address || !(value.type.arrays || value.type.pointers))
        return value;
    if (value.type.arrays) {
        value.type.arrays--;
        value.type.pointers++;
    } else if (value.place == QUERN_PLACE_VARIABLE && value.root != QUERN_NOWHERE &&
               is_pointer_parameter(&checker->symbols[value.root])) {
        value.place =
            checker->symbols[value.root].form == QUERN_PARAMETER_LOCAL ? QUERN_PLACE_LOCAL : QUERN_PLACE_ELEMENT;
    } else {
        value.place = QUERN_PLACE_POINTED;
        value.root = QUERN_NOWHERE;
    }
    value.address = 1;
    return value;
}

quern_check_value quern_check_dereference(const quern_checker *checker, quern_check_value value)
{
    if (value.type.arrays && !value.address) { /* an element lies where its array lies */
        value.type.arrays--;
        return value;
    }
    value = quern_check_decay(checker, value);
    if (!value.address) { /* of no known type: it may lie anywhere */
        size_t cause = value.cause;
        value = quern_check_no_value();
        value.cause = cause;
        return value;
    }
    value.address = 0;
    if (value.type.pointers)
        value.type.pointers--;
    else
        value.type = (quern_check_type){0};
    if (value.place != QUERN_PLACE_POINTED && !value.type.pointers)
        value.type.space = QUERN_SPACE_ANY;
    return value;
}

quern_check_value quern_check_take_address(quern_check_value value)
{
    if (value.address || value.place == QUERN_PLACE_NONE) {
        size_t cause = value.cause;
        value = quern_check_no_value();
        value.cause = cause;
        return value;
    }
    value.address = 1;
    if (value.type.arrays)
        value.type = (quern_check_type){0};
    else
        value.type.pointers++;
    return value;
}

quern_check_value quern_check_member(quern_check_value value, const char *name)
{
    const quern_check_struct *structure =
        value.type.base == QUERN_BASE_STRUCT && !value.type.pointers && !value.type.arrays ? value.type.structure
                                                                                           : NULL;
    quern_check_type type = {0};
    int known = 0;
    for (size_t i = 0; structure && i < structure->field_count && !known; i++)
        if (strcmp(structure->fields[i].name, name) == 0) {
            type = structure->fields[i].type;
            known = 1;
        }
    /* A part of what a pointer leads to lies in the same memory. */
    if (value.place == QUERN_PLACE_POINTED && !type.pointers)
        type.space = value.type.space;
    value.type = type;
    return value;
}
