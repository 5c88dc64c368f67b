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

/* --- the indices --- */

typedef struct phase_form {
    const char *word;
    size_t names, arguments;
    const char *form;
} phase_form;

static const phase_form *find_form(const char *word)
{
    static const phase_form forms[] = {
        {"EACH", 1, 1, "EACH (i)"},
        {"EACH2", 2, 2, "EACH2 (y, x)"},
        {"EACH3", 3, 3, "EACH3 (z, y, x)"},
        {"EACH_INDEX", 1, 1, "EACH_INDEX (idx)"},
        {"ITEMS", 1, 1, "ITEMS (i)"},
        {"ITEMS2", 2, 2, "ITEMS2 (y, x)"},
        {"ITEMS3", 3, 3, "ITEMS3 (z, y, x)"},
        {"ALL_ITEMS", 1, 1, "ALL_ITEMS (i)"},
        {"ALL_ITEMS2", 2, 2, "ALL_ITEMS2 (y, x)"},
        {"ALL_ITEMS3", 3, 3, "ALL_ITEMS3 (z, y, x)"},
        {"TEAM_EACH", 1, 2, "TEAM_EACH (j, count)"},
        {"EACH_PACK", 2, 2, "EACH_PACK (pack, i)"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(word, forms[i].word) == 0)
            return &forms[i];
    return NULL;
}

/* 1 when the argument is one name, and no other index has it. */
static int check_index_name(quern_checker *checker, const phase_form *form, size_t (*arguments)[2], size_t i)
{
    size_t name = arguments[i][0];
    if (arguments[i][1] != name + 1 || !quern_check_is_name(checker, name)) {
        quern_check_report(checker, name < arguments[i][1] ? name : arguments[i][1],
                           "index %zu of %s is no name; wanted %s, with names of your own", i + 1, form->word,
                           form->form);
        return 0;
    }
    for (size_t k = 0; k < i; k++)
        if (arguments[k][1] == arguments[k][0] + 1 &&
            quern_check_is(checker, arguments[k][0], checker->tokens[name].text)) {
            quern_check_report(checker, name, "two indices of %s are named '%s'; wanted a name for each", form->word,
                               checker->tokens[name].text);
            return 0;
        }
    quern_check_declared_name(checker, name, "an index");
    return 1;
}

static void declare_index(quern_checker *checker, const phase_form *form, size_t name, size_t i)
{
    quern_check_type type = quern_check_index_type();
    type.arrays = strcmp(form->word, "EACH_INDEX") == 0;
    if (i == 0 && strcmp(form->word, "EACH_PACK") == 0)
        type = (quern_check_type){0};
    quern_check_declare(checker, checker->tokens[name].text, QUERN_SYMBOL_INDEX, name, type);
}

static void check_count(quern_checker *checker, const phase_form *form, const size_t range[2])
{
    quern_check_value value = quern_check_range_expression(checker, range);
    if (range[0] >= range[1])
        quern_check_report(checker, range[1], "the count of %s is missing; wanted %s", form->word, form->form);
    if (value.cause != QUERN_NOWHERE && checker->region == QUERN_NOWHERE)
        quern_check_report(checker, range[0],
                           "the count of %s depends on the item (by '%s'); wanted one that is the same for all items "
                           "of the group",
                           form->word, checker->tokens[value.cause].text);
}

/* The names that the word gives to its indices; the rest of its arguments are expressions, and belong to the outside.
 */
static void read_arguments(quern_checker *checker, const phase_form *form, size_t open, size_t region)
{
    enum { MOST = 8 };
    size_t arguments[MOST][2];
    size_t count = quern_check_arguments(checker, open, arguments, MOST);
    if (count != form->arguments)
        quern_check_report(checker, region, "%s has %zu argument%s; wanted %s", form->word, count,
                           count == 1 ? "" : "s", form->form);
    if (count > MOST)
        count = MOST;
    for (size_t i = form->names; i < count && i < form->arguments; i++)
        check_count(checker, form, arguments[i]);
    checker->region = region;
    for (size_t i = 0; i < form->names && i < count; i++)
        if (check_index_name(checker, form, arguments, i))
            declare_index(checker, form, arguments[i][0], i);
}

/* Behind ONCE: an index there would be an expression that means nothing. */
static void check_once(quern_checker *checker, size_t token)
{
    size_t close = quern_check_next_is(checker, "(") ? checker->closing[checker->at] : QUERN_NOWHERE;
    if (close == checker->at + 1 || (close == checker->at + 2 && (quern_check_is(checker, close + 1, "{") ||
                                                                  quern_check_is_name(checker, close + 1)))) {
        quern_check_report(checker, token, "ONCE has an index; wanted ONCE by itself, as one item runs it");
        checker->at = close + 1;
    }
}

void quern_check_phase(quern_checker *checker, const quern_word *word)
{
    size_t token = checker->at++, symbols = checker->symbol_count, region = checker->region;
    check_position(checker, token, word);
    const phase_form *form = find_form(word->name);
    if (!form) {
        check_once(checker, token);
    } else if (quern_check_next_is(checker, "(")) {
        size_t open = checker->at, close = checker->closing[open];
        read_arguments(checker, form, open, token);
        checker->at = close < checker->end ? close + 1 : checker->end;
    } else {
        quern_check_report(checker, token, "%s has no index; wanted %s", form->word, form->form);
    }
    quern_check_frame frame = {QUERN_FRAME_PHASE, token, QUERN_NOWHERE, checker->frame, 0};
    checker->frame = &frame;
    checker->region = token;
    quern_check_statement(checker);
    checker->frame = frame.up;
    checker->region = region;
    checker->symbol_count = symbols;
}
