/* Phases and EACH: where they may stand, and what they declare. */
#include "check.h"

#include <string.h>

static int line_of(const quern_checker *checker, size_t token)
{
    return checker->tokens[token].line;
}

void quern_check_barrier_position(quern_checker *checker, size_t token)
{
    if (checker->last_phase == QUERN_NOWHERE || checker->last_phase < token) {
        checker->last_phase = token;
        checker->changed = 1;
    }
    size_t cause = QUERN_NOWHERE;
    for (quern_check_frame *frame = checker->frame; frame && frame->kind != QUERN_FRAME_PHASE; frame = frame->up) {
        quern_check_mark *mark = &checker->marks[frame->token];
        if (!mark->has_phase) {
            mark->has_phase = 1;
            checker->changed = 1;
        }
        if (cause == QUERN_NOWHERE)
            cause = frame->cause;
    }
    if (cause != QUERN_NOWHERE)
        quern_check_report(
            checker, token,
            "%s stands under a condition that depends on the item (by '%s' on line %d); wanted one that is the "
            "same for all items of the group",
            checker->tokens[token].text, checker->tokens[cause].text, line_of(checker, cause));
}

/* 1 when the word may stand in this kind of function. */
static int check_owner(quern_checker *checker, size_t token, const quern_word *word)
{
    if (checker->helper != QUERN_NOWHERE) {
        quern_check_report(checker, token, "%s stands in helper '%s'; wanted it in a kernel", word->name,
                           checker->signature->helpers[checker->helper].name);
        return 0;
    }
    if (word->kind == QUERN_WORD_EACH && checker->kernel->is_group) {
        quern_check_report(checker, token,
                           "%s stands in '%s', which is a GROUP_KERNEL; wanted ITEMS, ALL_ITEMS, TEAM_EACH or ONCE",
                           word->name, checker->kernel->name);
        return 0;
    }
    if (word->kind == QUERN_WORD_PHASE && !checker->kernel->is_group) {
        quern_check_report(checker, token,
                           "%s stands in '%s', which is a KERNEL and has no groups; wanted EACH, or a GROUP_KERNEL",
                           word->name, checker->kernel->name);
        return 0;
    }
    return 1;
}

static void check_rank(quern_checker *checker, size_t token, const quern_word *word)
{
    const quern_signature_kernel *kernel = checker->kernel;
    if (word->kind == QUERN_WORD_PHASE && word->rank && kernel->group_rank >= 1 && kernel->group_rank <= 3 &&
        word->rank != kernel->group_rank)
        quern_check_report(checker, token, "%s visits %u dimension%s, but a group of '%s' has %u; wanted %s%.0u",
                           word->name, word->rank, word->rank == 1 ? "" : "s", kernel->name, kernel->group_rank,
                           word->name[0] == 'A' ? "ALL_ITEMS" : "ITEMS",
                           kernel->group_rank > 1 ? kernel->group_rank : 0);
}

static void check_position(quern_checker *checker, size_t token, const quern_word *word)
{
    if (!check_owner(checker, token, word))
        return;
    check_rank(checker, token, word);
    if (checker->region == QUERN_NOWHERE) {
        quern_check_barrier_position(checker, token);
        return;
    }
    if (word->kind == QUERN_WORD_PHASE)
        quern_check_report(checker, token,
                           "%s stands inside %s of line %d; wanted it outside, a phase never stands in a phase",
                           word->name, checker->tokens[checker->region].text, line_of(checker, checker->region));
    else
        quern_check_report(checker, token, "%s stands inside %s of line %d; wanted it outside", word->name,
                           checker->tokens[checker->region].text, line_of(checker, checker->region));
}

/* The names that the word gives to its indices; the rest of its arguments are expressions, and belong to the outside.
 */
static void read_arguments(quern_checker *checker, const quern_word *word, size_t open, size_t region)
{
    size_t arguments[8][2];
    size_t count = quern_check_arguments(checker, open, arguments, 8);
    size_t names = word->rank;
    if (!names)
        names = strcmp(word->name, "EACH_PACK") == 0 ? 2 : 1;
    for (size_t i = names; i < count && i < 8; i++) {
        quern_check_value value = quern_check_range_expression(checker, arguments[i]);
        if (value.cause != QUERN_NOWHERE && checker->region == QUERN_NOWHERE)
            quern_check_report(
                checker, arguments[i][0],
                "the count of %s depends on the item (by '%s'); wanted one that is the same for all items of "
                "the group",
                word->name, checker->tokens[value.cause].text);
    }
    checker->region = region;
    for (size_t i = 0; i < names && i < count && i < 8; i++) {
        if (!quern_check_is_name(checker, arguments[i][0]))
            continue;
        quern_check_declared_name(checker, arguments[i][0], "an index");
        quern_check_type type = {.base = QUERN_BASE_INTEGER};
        type.arrays = strcmp(word->name, "EACH_INDEX") == 0;
        if (names == 2 && !word->rank && i == 0) /* the pack of EACH_PACK */
            type = (quern_check_type){0};
        quern_check_declare(checker, checker->tokens[arguments[i][0]].text, QUERN_SYMBOL_INDEX, arguments[i][0], type);
    }
}

void quern_check_phase(quern_checker *checker, const quern_word *word)
{
    size_t token = checker->at++, symbols = checker->symbol_count, region = checker->region;
    check_position(checker, token, word);
    if (strcmp(word->name, "ONCE") != 0 && quern_check_next_is(checker, "(")) {
        size_t open = checker->at, close = checker->closing[open];
        read_arguments(checker, word, open, token);
        checker->at = close < checker->end ? close + 1 : checker->end;
    }
    quern_check_frame frame = {QUERN_FRAME_PHASE, token, QUERN_NOWHERE, checker->frame};
    checker->frame = &frame;
    checker->region = token;
    quern_check_statement(checker);
    checker->frame = frame.up;
    checker->region = region;
    checker->symbol_count = symbols;
}
