/*
 * The memories of a device: which one an address leads to. Languages for devices keep them apart in their types, so an
 * address cannot be made to lead elsewhere, nor be chosen from two memories.
 */
#include "check.h"

int quern_check_find_space(const quern_check_value *value, quern_check_space *space)
{
    switch (value->place) {
    case QUERN_PLACE_ELEMENT:
        *space = QUERN_SPACE_GLOBAL;
        return 1;
    case QUERN_PLACE_LOCAL:
        *space = QUERN_SPACE_LOCAL;
        return 1;
    case QUERN_PLACE_CONSTANT:
        *space = QUERN_SPACE_CONSTANT;
        return 1;
    case QUERN_PLACE_POINTED: /* a plain pointer can only have come by a variable's address */
        *space = value->type.space;
        return 1;
    case QUERN_PLACE_VARIABLE:
    case QUERN_PLACE_MINE:
        *space = QUERN_SPACE_ANY;
        return 1;
    default:
        return 0;
    }
}

/* ---- in words ---- */

const char *quern_check_memory_word(quern_check_space space)
{
    static const char *const words[] = {"a variable's memory", "global memory", "local memory", "constant memory"};
    return words[space];
}

const char *quern_check_pointer_word(quern_check_space space)
{
    static const char *const words[] = {"a plain pointer", "a GLOBAL_POINTER", "a LOCAL_POINTER", "a CONSTANT_POINTER"};
    return words[space];
}

const char *quern_check_wanted_word(quern_check_space space, int is_const)
{
    static const char *const words[][2] = {{"a plain pointer", "a plain pointer to const"},
                                           {"GLOBAL_POINTER(T)", "GLOBAL_POINTER(const T)"},
                                           {"LOCAL_POINTER(T)", "LOCAL_POINTER(const T)"},
                                           {"CONSTANT_POINTER(T)", "CONSTANT_POINTER(T)"}};
    return words[space][is_const != 0];
}

/* ---- casts and choices ---- */

void quern_check_cast(quern_checker *checker, size_t token, const quern_check_type *to, const quern_check_value *value)
{
    quern_check_space space;
    if (to->pointers != 1 || to->arrays || !value->address || !quern_check_find_space(value, &space) ||
        space == to->space)
        return;
    quern_check_report(checker, token, "a cast to %s of what leads to %s; wanted a cast to %s",
                       quern_check_pointer_word(to->space), quern_check_memory_word(space),
                       quern_check_wanted_word(space, to->is_const));
}

void quern_check_comparison(quern_checker *checker, size_t token, const quern_check_value *left,
                            const quern_check_value *right)
{
    quern_check_space a, b;
    if (left->address && right->address && quern_check_find_space(left, &a) && quern_check_find_space(right, &b) &&
        a != b)
        quern_check_report(checker, token, "%s stands between addresses in %s and in %s; wanted two in one memory",
                           checker->tokens[token].text, quern_check_memory_word(a), quern_check_memory_word(b));
}

void quern_check_choice(quern_checker *checker, size_t token, const quern_check_type *condition,
                        const quern_check_value *yes, const quern_check_value *no)
{
    quern_check_space a, b;
    int is_float = condition->base == QUERN_BASE_FLOAT || condition->base == QUERN_BASE_DOUBLE;
    if (is_float && !condition->pointers && !condition->arrays)
        quern_check_report(checker, token,
                           "the condition of ?: is a %s, which OpenCL C does not take; wanted a comparison, as != 0 is",
                           condition->base == QUERN_BASE_FLOAT ? "float" : "double");
    if (yes->address && no->address && quern_check_find_space(yes, &a) && quern_check_find_space(no, &b) && a != b)
        quern_check_report(checker, token, "?: chooses between %s and %s; wanted two addresses in one memory",
                           quern_check_memory_word(a), quern_check_memory_word(b));
}
