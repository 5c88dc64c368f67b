/*
 * Where addresses go: into pointer variables, and to helpers. A pointer's type must say what memory it leads to, what
 * is only read must stay so, and no pointer takes a variable of the kernel, or what may be written, past the rules on
 * assignments.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

/* An address and the pointer that gets it. */
typedef struct use {
    size_t token;
    char what[96];                  /* "argument 1 of 'set'" */
    const char *helper;             /* NULL for a variable */
    const quern_check_type *wanted; /* the pointer's type */
    quern_check_value value;        /* the address */
    const quern_check_symbol *root; /* what it leads to, or NULL */
} use;

static int is_kernels_own(const use *it)
{
    return it->value.place == QUERN_PLACE_VARIABLE && it->root;
}

/* --- the memory that the pointer's type names --- */

static int check_space(quern_checker *checker, const use *it)
{
    quern_check_space space;
    if (it->wanted->pointers != 1 || !quern_check_find_space(&it->value, &space) || space == it->wanted->space)
        return 0;
    int is_const = it->value.type.is_const || it->wanted->is_const;
    quern_check_report(checker, it->token, "%s leads to %s, but its type is %s; wanted %s", it->what,
                       quern_check_memory_word(space), quern_check_pointer_word(it->wanted->space),
                       quern_check_wanted_word(space, is_const));
    return 1;
}

/* --- what is only read --- */

static int check_const(quern_checker *checker, const use *it)
{
    if (it->wanted->is_const || it->wanted->pointers != 1)
        return 0;
    int is_input = it->value.place == QUERN_PLACE_ELEMENT && it->root &&
                   (it->root->form == QUERN_PARAMETER_IN || it->root->form == QUERN_PARAMETER_IN_ND);
    if (is_input)
        quern_check_report(checker, it->token,
                           "%s leads to elements of '%s', which is an %s parameter, and could write them; wanted "
                           "GLOBAL_POINTER(const T)",
                           it->what, it->root->name, it->root->form == QUERN_PARAMETER_IN ? "in" : "in_nd");
    else if (it->value.type.is_const && it->value.type.pointers == 1)
        quern_check_report(checker, it->token, "%s leads to what is const, and could write it; wanted %s", it->what,
                           quern_check_wanted_word(it->wanted->space, 1));
    else
        return 0;
    return 1;
}

/* --- variables of the kernel --- */

static void report_parameter(quern_checker *checker, const use *it)
{
    if (it->root->form == QUERN_PARAMETER_VALUE)
        quern_check_report(checker, it->token,
                           "%s leads to value parameter '%s'; wanted the address of a variable that it is copied to",
                           it->what, it->root->name);
    else
        quern_check_report(checker, it->token, "%s leads to parameter '%s' itself; wanted the address of an element",
                           it->what, it->root->name);
}

/* 1 when the address of a variable is one that may go there. */
static int check_variable(quern_checker *checker, const use *it)
{
    const quern_check_symbol *root = it->root;
    int is_inside = checker->region != QUERN_NOWHERE;
    const char *word = is_inside ? checker->tokens[checker->region].text : "";
    if (root->kind == QUERN_SYMBOL_PARAMETER) {
        report_parameter(checker, it);
    } else if (root->kind == QUERN_SYMBOL_INDEX && !it->wanted->is_const) {
        quern_check_report(checker, it->token,
                           "%s leads to '%s', the index of %s, and could write it; wanted the address of a variable "
                           "declared inside it",
                           it->what, root->name, word);
    } else if (root->kind == QUERN_SYMBOL_VARIABLE && root->region != checker->region) {
        quern_check_report(checker, it->token,
                           "%s leads to '%s', a variable of the kernel, declared outside of %s on line %d; wanted the "
                           "address of a variable declared inside",
                           it->what, root->name, word, checker->tokens[root->where].line);
    } else if (root->kind == QUERN_SYMBOL_VARIABLE && !is_inside && !it->helper) {
        quern_check_report(checker, it->token,
                           "%s leads to '%s', a variable of the kernel, outside of %s; wanted the variable itself",
                           it->what, root->name, checker->kernel->is_group ? "a phase" : "EACH");
    } else {
        return 1;
    }
    return 0;
}

/* --- writing outside of phases --- */

static void check_outside(quern_checker *checker, const use *it)
{
    const char *memory = NULL;
    quern_check_space space;
    if (quern_check_find_space(&it->value, &space))
        memory = space == QUERN_SPACE_GLOBAL ? "global" : space == QUERN_SPACE_LOCAL ? "local" : NULL;
    if (!memory || it->wanted->is_const || checker->region != QUERN_NOWHERE)
        return;
    quern_check_report(checker, it->token,
                       "%s is %s memory, which '%s' could write outside of %s, by every item alike; wanted the call "
                       "inside, or a pointer to const",
                       it->what, memory, it->helper, checker->kernel->is_group ? "a phase" : "EACH");
}

/* --- all of it --- */

/* 0 when the value is no address, or goes into what is certainly no pointer. */
static int begin_use(quern_checker *checker, use *it)
{
    if (!it->wanted->pointers || it->wanted->arrays)
        return 0;
    quern_check_rows(checker, &it->value, it->token);
    it->value = quern_check_decay(checker, it->value);
    if (!it->value.address)
        return 0;
    size_t root = it->value.root;
    it->root = root != QUERN_NOWHERE ? &checker->symbols[root] : NULL;
    if (!it->wanted->is_const && checker->kernel)
        quern_check_out_element(checker, &it->value, it->token, 0);
    return 1;
}

/* --- the type that it leads to --- */

static int is_another(const quern_check_type *a, const quern_check_type *b)
{
    if (a->base == QUERN_BASE_UNKNOWN || b->base == QUERN_BASE_UNKNOWN || b->base == QUERN_BASE_VOID)
        return 0;
    if (a->base == QUERN_BASE_STRUCT && b->base == QUERN_BASE_STRUCT)
        return a->structure && b->structure && a->structure != b->structure;
    return a->base != b->base || (a->base == QUERN_BASE_INTEGER && a->bits && b->bits && a->bits != b->bits);
}

/* C only warns of it, or not even that. */
static int check_type(quern_checker *checker, const use *it)
{
    const quern_check_type *type = &it->value.type;
    if (type->pointers != 1 || type->arrays || it->wanted->pointers != 1 || !is_another(type, it->wanted))
        return 0;
    quern_check_report(checker, it->token,
                       "%s gets the address of another type, which C++ does not convert by itself; wanted a cast, or "
                       "the right type",
                       it->what);
    return 1;
}

/* 1 when nothing is wrong with it. */
static int check_use(quern_checker *checker, const use *it)
{
    if (check_space(checker, it))
        return 0;
    if (checker->kernel && it->value.place == QUERN_PLACE_MINE) {
        quern_check_report(checker, it->token, "%s leads to MINE; wanted the address of a variable declared inside %s",
                           it->what,
                           checker->region != QUERN_NOWHERE ? checker->tokens[checker->region].text : "a phase");
        return 0;
    }
    if (checker->kernel && is_kernels_own(it) && !check_variable(checker, it))
        return 0;
    return !check_const(checker, it) && !check_type(checker, it);
}

int quern_check_pointer_argument(quern_checker *checker, size_t token, const char *helper, size_t number,
                                 const quern_check_type *parameter, quern_check_value value)
{
    use it = {token, "", helper, parameter, value, NULL};
    snprintf(it.what, sizeof it.what, "argument %zu of '%.60s'", number, helper);
    if (!begin_use(checker, &it) || !check_use(checker, &it) || !checker->kernel)
        return 0;
    check_outside(checker, &it);
    return is_kernels_own(&it) && !parameter->is_const;
}

void quern_check_pointer_value(quern_checker *checker, size_t token, const char *name, const quern_check_type *pointer,
                               quern_check_value value)
{
    use it = {token, "the pointer that is assigned", NULL, pointer, value, NULL};
    if (name)
        snprintf(it.what, sizeof it.what, "pointer '%.60s'", name);
    if (begin_use(checker, &it))
        check_use(checker, &it);
}

void quern_check_rows(quern_checker *checker, const quern_check_value *value, size_t token)
{
    if (value->address || value->place != QUERN_PLACE_VARIABLE || value->root == QUERN_NOWHERE)
        return;
    const quern_check_symbol *symbol = &checker->symbols[value->root];
    if (symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->rank)
        quern_check_report(checker, token,
                           "'%s' is an _nd parameter, whose rows lie a pitch apart, but is used like a plain one; "
                           "wanted AT(%s, …) with %u ind%s",
                           symbol->name, symbol->name, symbol->rank, symbol->rank == 1 ? "ex" : "ices");
}
