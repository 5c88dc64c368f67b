/* Jumps: nothing leaves a phase or an EACH, and no jump keeps some items of a group from a phase that follows. */
#include "check.h"

#include <string.h>

/* The frame that the jump ends or repeats, with what lies between. */
typedef struct target {
    const quern_check_frame *frame;  /* NULL: none, or the kernel itself */
    const quern_check_frame *region; /* a phase that lies in between */
    size_t cause;                    /* of a condition in between that depends on the item */
} target;

static int stops(const quern_check_frame *frame, char jump)
{
    if (jump == 'b')
        return frame->kind == QUERN_FRAME_LOOP || frame->kind == QUERN_FRAME_SWITCH;
    /* continue ends the item, and so it stops at the phase */
    return jump == 'c' && (frame->kind == QUERN_FRAME_LOOP || frame->kind == QUERN_FRAME_PHASE);
}

static target find_target(const quern_checker *checker, char jump)
{
    target found = {NULL, NULL, QUERN_NOWHERE};
    for (const quern_check_frame *frame = checker->frame; frame; frame = frame->up) {
        if (stops(frame, jump)) {
            found.frame = frame;
            /* The switch's own condition decides who gets to its break. */
            if (frame->kind == QUERN_FRAME_SWITCH && found.cause == QUERN_NOWHERE)
                found.cause = frame->cause;
            break;
        }
        if (frame->kind == QUERN_FRAME_PHASE && !found.region)
            found.region = frame;
        if (found.cause == QUERN_NOWHERE)
            found.cause = frame->cause;
    }
    return found;
}

/* A phase stands after token, or in a loop around it. */
static int phases_follow(const quern_checker *checker, size_t token)
{
    if (checker->last_phase != QUERN_NOWHERE && checker->last_phase > token)
        return 1;
    for (const quern_check_frame *frame = checker->frame; frame; frame = frame->up)
        if (frame->kind == QUERN_FRAME_LOOP && checker->marks[frame->token].has_phase)
            return 1;
    return 0;
}

static void report_dependent(quern_checker *checker, size_t token, size_t cause)
{
    quern_check_report(
        checker, token,
        "%s depends on the item (by '%s' on line %d) and phases follow; wanted a jump that all items of the "
        "group take alike",
        checker->tokens[token].text, checker->tokens[cause].text, checker->tokens[cause].line);
}

static void check_loop_jump(quern_checker *checker, size_t token)
{
    target found = find_target(checker, checker->tokens[token].text[0]);
    if (found.region) {
        quern_check_report(checker, token, "%s leaves %s; wanted continue, which ends the item, or a loop inside to %s",
                           checker->tokens[token].text, checker->tokens[found.region->token].text,
                           checker->tokens[token].text[0] == 'b' ? "break from" : "continue");
        return;
    }
    if (!found.frame || found.cause == QUERN_NOWHERE || checker->region != QUERN_NOWHERE)
        return;
    quern_check_mark *mark = &checker->marks[found.frame->token];
    if (mark->has_phase)
        report_dependent(checker, token, found.cause);
    if (found.frame->kind == QUERN_FRAME_LOOP && mark->exit_cause == QUERN_NOWHERE) {
        mark->exit_cause = found.cause;
        checker->changed = 1;
    }
}

static void check_return(quern_checker *checker, size_t token)
{
    quern_check_returned(checker, token);
    if (checker->helper != QUERN_NOWHERE)
        return;
    target found = find_target(checker, 'r');
    if (found.region)
        quern_check_report(checker, token, "return leaves %s; wanted continue, which ends the item",
                           checker->tokens[found.region->token].text);
    else if (found.cause != QUERN_NOWHERE && phases_follow(checker, token))
        report_dependent(checker, token, found.cause);
}

/* --- goto, case and their labels --- */

static size_t find_label(const quern_checker *checker, const char *name)
{
    size_t end = checker->closing[checker->body_begin];
    for (size_t i = checker->body_begin; i < end; i++)
        if (checker->marks[i].is_label && strcmp(checker->tokens[i].text, name) == 0)
            return i;
    return QUERN_NOWHERE;
}

/* The last variable with an initialiser that is in scope; those before the first symbol do not count. */
static size_t find_initialised(const quern_checker *checker, size_t first)
{
    for (size_t i = checker->symbol_count; i > first; i--)
        if (checker->symbols[i - 1].is_initialised)
            return checker->symbols[i - 1].where;
    return QUERN_NOWHERE;
}

static int is_in_scope(const quern_checker *checker, size_t declaration)
{
    for (size_t i = checker->symbol_count; i > 0; i--)
        if (checker->symbols[i - 1].where == declaration)
            return 1;
    return 0;
}

/* C++ takes no jump past an initialiser, and OpenCL C need not take one into a loop. */
static void check_goto_target(quern_checker *checker, size_t token, size_t label)
{
    const quern_check_mark *mark = &checker->marks[label];
    const char *name = checker->tokens[label].text;
    if (mark->block != QUERN_NOWHERE && !(mark->block < token && token < checker->closing[mark->block]))
        quern_check_report(checker, token,
                           "goto %s enters the block of line %d, which not every language takes; wanted a label in a "
                           "block around the goto",
                           name, checker->tokens[mark->block].line);
    else if (mark->initialised != QUERN_NOWHERE && !is_in_scope(checker, mark->initialised))
        quern_check_report(checker, token,
                           "goto %s passes the initialiser of '%s' on line %d, which CUDA does not take; wanted '%s' "
                           "declared before the goto, or in a block that ends before the label",
                           name, checker->tokens[mark->initialised].text, checker->tokens[mark->initialised].line,
                           checker->tokens[mark->initialised].text);
}

static void check_goto(quern_checker *checker, size_t token)
{
    if (quern_check_is(checker, token + 1, "*")) {
        quern_check_report(checker, token, "a goto to an address is no part of the dialect; wanted a switch");
        return;
    }
    size_t label =
        quern_check_is_name(checker, token + 1) ? find_label(checker, checker->tokens[token + 1].text) : QUERN_NOWHERE;
    if (label == QUERN_NOWHERE)
        return;
    size_t region = checker->marks[label].region;
    size_t cause = find_target(checker, 'g').cause;
    if (region != checker->region)
        quern_check_report(checker, token, "goto %s %s %s; wanted a label on the same side",
                           checker->tokens[label].text, checker->region != QUERN_NOWHERE ? "leaves" : "enters",
                           checker->tokens[checker->region != QUERN_NOWHERE ? checker->region : region].text);
    else if (region == QUERN_NOWHERE && cause != QUERN_NOWHERE && checker->last_phase != QUERN_NOWHERE)
        report_dependent(checker, token, cause);
    else
        check_goto_target(checker, token, label);
}

/* At what follows a label. C17 and OpenCL C want a statement. */
static void check_behind_label(quern_checker *checker)
{
    if (checker->at >= checker->end)
        quern_check_report(checker, checker->at - 1,
                           "a label ends its block, which not every language takes; wanted a "
                           "statement behind it, as ; is");
    else if (quern_check_starts_type(checker, checker->at))
        quern_check_report(
            checker, checker->at,
            "a declaration follows a label, which not every language takes; wanted it in a block, { … }");
}

void quern_check_label(quern_checker *checker)
{
    quern_check_mark *mark = &checker->marks[checker->at];
    quern_check_declared_name(checker, checker->at, "a label");
    if (!mark->is_label) {
        mark->is_label = 1;
        mark->region = checker->region;
        mark->block = checker->block;
        mark->initialised = find_initialised(checker, 0);
        checker->changed = 1;
    }
    checker->at += 2;
    check_behind_label(checker);
}

/* A label of the switch behind a variable that it is in the scope of. */
static void check_case_scope(quern_checker *checker, size_t token, const quern_check_frame *frame)
{
    size_t passed = frame ? find_initialised(checker, frame->symbols) : QUERN_NOWHERE;
    if (passed != QUERN_NOWHERE)
        quern_check_report(checker, token,
                           "a jump to this %s label passes the initialiser of '%s' on line %d, which CUDA does not "
                           "take; wanted a block, { … }, around what uses '%s'",
                           checker->tokens[token].text, checker->tokens[passed].text, checker->tokens[passed].line,
                           checker->tokens[passed].text);
}

void quern_check_jump(quern_checker *checker)
{
    size_t token = checker->at++;
    switch (checker->tokens[token].text[0]) {
    case 'r':
        check_return(checker, token);
        if (checker->at < checker->end && !quern_check_next_is(checker, ";"))
            quern_check_expression(checker);
        break;
    case 'g':
        check_goto(checker, token);
        if (checker->at < checker->end && !quern_check_next_is(checker, ";"))
            checker->at++;
        break;
    default:
        check_loop_jump(checker, token);
        break;
    }
    quern_check_accept(checker, ";");
}

void quern_check_case(quern_checker *checker)
{
    size_t token = checker->at++;
    const quern_check_frame *owner = checker->frame;
    while (owner && owner->kind != QUERN_FRAME_SWITCH)
        owner = owner->up;
    check_case_scope(checker, token, owner);
    for (const quern_check_frame *frame = checker->frame; frame && frame != owner; frame = frame->up)
        if (frame->kind == QUERN_FRAME_PHASE) {
            quern_check_report(checker, token,
                               "a %s label stands in %s, but its switch does not; wanted both on the same side",
                               checker->tokens[token].text, checker->tokens[frame->token].text);
            break;
        }
    while (checker->at < checker->end && !quern_check_next_is(checker, ":") && !quern_check_next_is(checker, ";")) {
        size_t before = checker->at;
        if (quern_check_next_is(checker, "..."))
            quern_check_report(checker, checker->at,
                               "a range of case labels is no part of the dialect; wanted a label for each");
        quern_check_assignment_expression(checker);
        if (checker->at == before)
            checker->at++;
    }
    quern_check_accept(checker, ":");
    check_behind_label(checker);
}
