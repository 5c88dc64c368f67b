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

quern_check_type quern_check_arithmetic_type(quern_check_type a, quern_check_type b)
{
    quern_check_type type = {0};
    if (quern_check_is_scalar(a) && quern_check_is_scalar(b))
        type.base = a.base > b.base ? a.base : b.base; /* INTEGER < FLOAT < DOUBLE */
    if (type.base == QUERN_BASE_INTEGER && a.bits && b.bits)
        type.bits = a.bits == 64 || b.bits == 64 ? 64 : 32;
    return type;
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
