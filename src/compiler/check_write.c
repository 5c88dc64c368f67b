/* Who may write what: the rules on assignments, and what an assignment makes depend on the item. */
#include "check.h"

void quern_check_mark_cause(quern_checker *checker, size_t token, size_t cause)
{
    if (token >= checker->count || cause == QUERN_NOWHERE || checker->marks[token].cause != QUERN_NOWHERE)
        return;
    checker->marks[token].cause = cause;
    checker->changed = 1;
}

size_t quern_check_control_cause(const quern_checker *checker, size_t declaration)
{
    for (const quern_check_frame *frame = checker->frame; frame; frame = frame->up) {
        if (frame->cause != QUERN_NOWHERE)
            return frame->cause;
        /* Some items have left the loop by a break: a variable that lives on behind the loop then differs. */
        if (frame->kind == QUERN_FRAME_LOOP && declaration < frame->token &&
            checker->marks[frame->token].exit_cause != QUERN_NOWHERE)
            return checker->marks[frame->token].exit_cause;
    }
    return QUERN_NOWHERE;
}

/* "assigned inside ITEMS", with the phase's own word. */
static const char *region_word(const quern_checker *checker)
{
    return checker->tokens[checker->region].text;
}

static void write_variable_inside(quern_checker *checker, const quern_check_symbol *symbol, size_t token)
{
    if (symbol->kind == QUERN_SYMBOL_INDEX) {
        quern_check_report(checker, token,
                           "'%s', the index of %s, is assigned; wanted an assignment to a variable declared inside it",
                           symbol->name, region_word(checker));
    } else if (symbol->region == QUERN_NOWHERE && symbol->kind == QUERN_SYMBOL_VARIABLE) {
        quern_check_report(
            checker, token,
            "'%s' is assigned inside %s, but is a variable of the kernel, declared outside of it on line %d; "
            "wanted a parameter's element, LOCAL, MINE or a variable declared inside",
            symbol->name, region_word(checker), checker->tokens[symbol->where].line);
    } else if (symbol->kind == QUERN_SYMBOL_PARAMETER) {
        quern_check_report(checker, token, "parameter '%s' itself is assigned inside %s; wanted an assignment to %s",
                           symbol->name, region_word(checker),
                           symbol->form == QUERN_PARAMETER_VALUE ? "a variable declared inside" : "its elements");
    }
}

static void write_variable_outside(quern_checker *checker, const quern_check_symbol *symbol, size_t token,
                                   const quern_check_value *source)
{
    if (symbol->kind == QUERN_SYMBOL_PARAMETER && symbol->form == QUERN_PARAMETER_VALUE)
        quern_check_report(checker, token, "value parameter '%s' is assigned; wanted an assignment to a variable",
                           symbol->name);
    if (symbol->kind != QUERN_SYMBOL_VARIABLE)
        return;
    if (source && source->cause != QUERN_NOWHERE)
        quern_check_mark_cause(checker, symbol->where, source->cause);
    quern_check_mark_cause(checker, symbol->where, quern_check_control_cause(checker, symbol->where));
}

static void write_element(quern_checker *checker, const quern_check_symbol *symbol, size_t token)
{
    int is_input = symbol->form == QUERN_PARAMETER_IN || symbol->form == QUERN_PARAMETER_IN_ND;
    if (is_input)
        quern_check_report(checker, token, "an element of '%s' is written, which is an %s parameter; wanted %s",
                           symbol->name, symbol->form == QUERN_PARAMETER_IN ? "in" : "in_nd",
                           symbol->form == QUERN_PARAMETER_IN ? "out or inout" : "out_nd or inout_nd");
    else if (checker->region == QUERN_NOWHERE)
        quern_check_report(checker, token,
                           "an element of '%s' is written outside of %s, by every item alike; wanted it inside",
                           symbol->name, checker->kernel->is_group ? "a phase" : "EACH");
}

void quern_check_out_element(quern_checker *checker, const quern_check_value *value, size_t token, int reads_old)
{
    if (!checker->kernel || value->place != QUERN_PLACE_ELEMENT || value->root == QUERN_NOWHERE)
        return;
    const quern_check_symbol *symbol = &checker->symbols[value->root];
    int is_rows = symbol->form == QUERN_PARAMETER_OUT_ND;
    if ((symbol->form != QUERN_PARAMETER_OUT && !is_rows) || symbol->where == QUERN_NOWHERE)
        return;
    quern_check_mark *mark = &checker->marks[symbol->where];
    if (!reads_old && !mark->is_assigned) {
        mark->is_assigned = 1;
        checker->changed = 1;
    } else if (reads_old && !mark->is_assigned && checker->region != QUERN_NOWHERE) {
        quern_check_report(checker, token,
                           "%s reads an old element of '%s', which is an %s parameter that this kernel never just "
                           "assigns; wanted %s",
                           checker->tokens[token].text, symbol->name, is_rows ? "out_nd" : "out",
                           is_rows ? "inout_nd" : "inout");
    }
}

void quern_check_write(quern_checker *checker, const quern_check_value *value, size_t token,
                       const quern_check_value *source)
{
    if (!checker->kernel || value->address)
        return;
    const quern_check_symbol *root = value->root != QUERN_NOWHERE ? &checker->symbols[value->root] : NULL;
    int is_outside = checker->region == QUERN_NOWHERE;
    switch (value->place) {
    case QUERN_PLACE_VARIABLE:
        if (root && is_outside)
            write_variable_outside(checker, root, token, source);
        else if (root)
            write_variable_inside(checker, root, token);
        break;
    case QUERN_PLACE_ELEMENT:
        if (root)
            write_element(checker, root, token);
        break;
    case QUERN_PLACE_LOCAL:
        if (is_outside && checker->kernel->is_group)
            quern_check_report(
                checker, token,
                "local memory is written outside of a phase, by every item alike; wanted it inside a phase");
        break;
    case QUERN_PLACE_CONSTANT:
        quern_check_report(checker, token, "'%s' is written, which is a CONSTANT table; wanted LOCAL or a variable",
                           root ? root->name : "it");
        break;
    case QUERN_PLACE_POINTED:
        if (is_outside && (value->type.space == QUERN_SPACE_GLOBAL || value->type.space == QUERN_SPACE_LOCAL))
            quern_check_report(checker, token,
                               "%s memory is written outside of %s, by every item alike; wanted it inside",
                               value->type.space == QUERN_SPACE_GLOBAL ? "global" : "local",
                               checker->kernel->is_group ? "a phase" : "EACH");
        break;
    default:
        break;
    }
}
