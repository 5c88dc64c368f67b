/*
 * MINE(name, i): an item's own value, and no other's. On a device it is a variable, which neither an index nor another
 * item reaches, so the index must be that of the phase, as it stands.
 */
#include "check_call.h"

#include <string.h>

/* (i) and ((i)) are i: macros put brackets around their arguments. */
static void strip_brackets(const quern_checker *checker, size_t range[2])
{
    while (range[1] > range[0] + 2 && quern_check_is(checker, range[0], "(") &&
           checker->closing[range[0]] == range[1] - 1) {
        range[0]++;
        range[1]--;
    }
}

/* The index of the phase with this number, or 0 where one item runs alone, which is the first. */
static const char *own_index(const quern_checker *checker, size_t number)
{
    size_t arguments[3][2], region = checker->region;
    if (quern_check_is(checker, region, "ONCE"))
        return "0";
    size_t count =
        quern_check_is(checker, region + 1, "(") ? quern_check_arguments(checker, region + 1, arguments, 3) : 0;
    return number < count && number < 3 ? checker->tokens[arguments[number][0]].text : NULL;
}

static void report_index(quern_checker *checker, const quern_check_made *made)
{
    static const char *const ways[][4] = {{"", "0", "0, 0", "0, 0, 0"}, {"", "i", "y, x", "z, y, x"}};
    int is_once = quern_check_is(checker, checker->region, "ONCE");
    uint32_t rank = checker->kernel->group_rank;
    quern_check_report(checker, made->name,
                       "MINE(%s, …) has not the item's own index, and no item reaches another's value; wanted "
                       "MINE(%s, %s)%s%s",
                       checker->tokens[made->ranges[0][0]].text, checker->tokens[made->ranges[0][0]].text,
                       ways[!is_once][rank < 4 ? rank : 0], is_once ? "" : " with the index of ",
                       is_once ? "" : checker->tokens[checker->region].text);
}

void quern_check_mine(quern_checker *checker, const quern_check_made *made)
{
    if (!checker->kernel || !checker->kernel->is_group || made->count < 1)
        return;
    if (checker->region == QUERN_NOWHERE) {
        quern_check_report(checker, made->name,
                           "MINE stands outside of a phase, where no item is at hand; wanted it inside a phase");
        return;
    }
    if (quern_check_is(checker, checker->region, "TEAM_EACH")) {
        quern_check_report(checker, made->name,
                           "MINE stands in TEAM_EACH, whose index is no item; wanted it in ITEMS, ALL_ITEMS or ONCE");
        return;
    }
    int is_own = made->count - 1 == checker->kernel->group_rank;
    for (size_t i = 1; i < made->count && is_own; i++) {
        size_t range[2] = {made->ranges[i][0], made->ranges[i][1]};
        const char *own = own_index(checker, i - 1);
        strip_brackets(checker, range);
        is_own = !own || (range[1] == range[0] + 1 && strcmp(checker->tokens[range[0]].text, own) == 0);
    }
    if (!is_own)
        report_index(checker, made);
}
