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
    if (checker->helper != QUERN_NOWHERE)
        return;
    target found = find_target(checker, 'r');
    if (found.region)
        quern_check_report(checker, token, "return leaves %s; wanted continue, which ends the item",
                           checker->tokens[found.region->token].text);
    else if (found.cause != QUERN_NOWHERE && phases_follow(checker, token))
        report_dependent(checker, token, found.cause);
}

static size_t find_label(const quern_checker *checker, const char *name)
{
    if (!checker->kernel)
        return QUERN_NOWHERE;
    for (size_t i = checker->kernel->body_begin; i < checker->kernel->body_end; i++)
        if (checker->marks[i].is_label && strcmp(checker->tokens[i].text, name) == 0)
            return i;
    return QUERN_NOWHERE;
}

static void check_goto(quern_checker *checker, size_t token)
{
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
    for (const quern_check_frame *frame = checker->frame; frame && frame->kind != QUERN_FRAME_SWITCH; frame = frame->up)
        if (frame->kind == QUERN_FRAME_PHASE) {
            quern_check_report(checker, token,
                               "a %s label stands in %s, but its switch does not; wanted both on the same side",
                               checker->tokens[token].text, checker->tokens[frame->token].text);
            break;
        }
    while (checker->at < checker->end && !quern_check_next_is(checker, ":") && !quern_check_next_is(checker, ";")) {
        size_t before = checker->at;
        quern_check_assignment_expression(checker);
        if (checker->at == before)
            checker->at++;
    }
    quern_check_accept(checker, ":");
}
