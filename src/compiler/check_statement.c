/* Reads statements: blocks, conditions, loops, labels; hands everything else to the files of their own. */
#include "check.h"

#include <string.h>

/* What nobody understood is skipped to the next ";" of this level, or to a block, which may be read again. */
static void recover(quern_checker *checker)
{
    while (checker->at < checker->end && !quern_check_next_is(checker, "{")) {
        if (quern_check_accept(checker, ";"))
            return;
        size_t close = checker->closing[checker->at];
        checker->at = close > checker->at && close < checker->end ? close + 1 : checker->at + 1;
    }
}

static void read_block(quern_checker *checker)
{
    size_t close = checker->closing[checker->at], outer_end = checker->end, symbols = checker->symbol_count;
    size_t outer_block = checker->block;
    checker->block = checker->at++;
    checker->end = close < outer_end ? close : outer_end;
    checker->block_depth++;
    while (checker->at < checker->end)
        quern_check_statement(checker);
    checker->block_depth--;
    checker->block = outer_block;
    checker->symbol_count = symbols;
    checker->end = outer_end;
    checker->at = close < outer_end ? close + 1 : outer_end;
}

/* A statement under another one: what it declares ends with it. */
static void read_branch(quern_checker *checker)
{
    size_t symbols = checker->symbol_count;
    checker->block_depth++;
    quern_check_statement(checker);
    checker->block_depth--;
    checker->symbol_count = symbols;
}

/* "(condition)" */
static quern_check_value read_condition(quern_checker *checker)
{
    if (!quern_check_next_is(checker, "("))
        return quern_check_no_value();
    size_t open = checker->at, close = checker->closing[open];
    size_t inner_end = close < checker->end ? close : checker->end;
    quern_check_value value = quern_check_range_expression(checker, (size_t[2]){open + 1, inner_end});
    checker->at = close < checker->end ? close + 1 : checker->end;
    return value;
}

static void read_if(quern_checker *checker)
{
    size_t token = checker->at++;
    quern_check_value condition = read_condition(checker);
    quern_check_frame frame = {QUERN_FRAME_CONDITION, token, condition.cause, checker->frame, 0};
    checker->frame = &frame;
    read_branch(checker);
    if (quern_check_accept(checker, "else"))
        read_branch(checker);
    checker->frame = frame.up;
}

static void read_guarded(quern_checker *checker, quern_check_frame_kind kind)
{
    size_t token = checker->at++;
    quern_check_value condition = read_condition(checker);
    quern_check_frame frame = {kind, token, condition.cause, checker->frame, checker->symbol_count};
    checker->frame = &frame;
    read_branch(checker);
    checker->frame = frame.up;
}

/* The condition stands behind the body, so that what it depends on is known from the pass before. */
static void read_do(quern_checker *checker)
{
    size_t token = checker->at++;
    quern_check_frame frame = {QUERN_FRAME_LOOP, token, checker->marks[token].cause, checker->frame, 0};
    checker->frame = &frame;
    read_branch(checker);
    checker->frame = frame.up;
    if (!quern_check_accept(checker, "while"))
        return;
    quern_check_value condition = read_condition(checker);
    quern_check_mark_cause(checker, token, condition.cause);
    quern_check_accept(checker, ";");
}

static void skip_to_semicolon(quern_checker *checker)
{
    while (checker->at < checker->end && !quern_check_accept(checker, ";")) {
        size_t close = checker->closing[checker->at];
        checker->at = close > checker->at && close < checker->end ? close + 1 : checker->at + 1;
    }
}

/* "(first; condition; step)": gives the step's tokens, which are read in the loop's own frame. */
static quern_check_value read_for_head(quern_checker *checker, size_t step[2])
{
    size_t close = checker->closing[checker->at], outer_end = checker->end;
    quern_check_value condition = quern_check_no_value();
    checker->at++;
    checker->end = close < outer_end ? close : outer_end;
    if (quern_check_starts_declaration(checker))
        quern_check_declaration(checker);
    else if (!quern_check_next_is(checker, ";"))
        quern_check_expression(checker);
    if (!quern_check_is(checker, checker->at - 1, ";") || quern_check_next_is(checker, ";"))
        skip_to_semicolon(checker);
    if (!quern_check_next_is(checker, ";"))
        condition = quern_check_expression(checker);
    skip_to_semicolon(checker);
    step[0] = checker->at;
    step[1] = checker->end;
    checker->end = outer_end;
    checker->at = close < outer_end ? close + 1 : outer_end;
    return condition;
}

static void read_for(quern_checker *checker)
{
    size_t token = checker->at++, symbols = checker->symbol_count;
    if (!quern_check_next_is(checker, "("))
        return;
    size_t step[2];
    quern_check_value condition = read_for_head(checker, step);
    quern_check_frame frame = {QUERN_FRAME_LOOP, token, condition.cause, checker->frame, 0};
    checker->frame = &frame;
    if (step[0] < step[1])
        quern_check_range_expression(checker, step);
    read_branch(checker);
    checker->frame = frame.up;
    checker->symbol_count = symbols;
}

static void read_expression_statement(quern_checker *checker)
{
    size_t before = checker->at;
    quern_check_expression(checker);
    if (quern_check_accept(checker, ";"))
        return;
    /* `WORD (x) statement`: the statement after a word that is not known here is read as one of its own. */
    if (checker->at > before && quern_check_is(checker, checker->at - 1, ")") && checker->at < checker->end)
        return;
    recover(checker);
}

static void read_declaration_statement(quern_checker *checker)
{
    quern_check_declaration(checker);
    if (!quern_check_is(checker, checker->at - 1, ";") && !quern_check_is(checker, checker->at - 1, "}"))
        recover(checker);
}

/* 1 when a keyword was there, and its statement has been read. */
static int read_keyword(quern_checker *checker)
{
    static const struct {
        const char *word;
        char kind;
    } keywords[] = {{"if", 'i'},           {"for", 'f'},     {"while", 'w'},   {"do", 'd'},
                    {"switch", 's'},       {"case", 'c'},    {"default", 'c'}, {"break", 'j'},
                    {"continue", 'j'},     {"return", 'j'},  {"goto", 'j'},    {"else", 'e'},
                    {"asm", 'a'},          {"__asm__", 'a'}, {"__asm", 'a'},   {"_Static_assert", 'a'},
                    {"static_assert", 'a'}};
    const char *text = quern_check_peek(checker, 0)->text;
    char kind = 0;
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0] && !kind; i++)
        if (strcmp(text, keywords[i].word) == 0)
            kind = keywords[i].kind;
    switch (kind) {
    case 'i':
        read_if(checker);
        break;
    case 'f':
        read_for(checker);
        break;
    case 'w':
        read_guarded(checker, QUERN_FRAME_LOOP);
        break;
    case 'd':
        read_do(checker);
        break;
    case 's':
        read_guarded(checker, QUERN_FRAME_SWITCH);
        break;
    case 'c':
        quern_check_case(checker);
        if (checker->at < checker->end)
            quern_check_statement(checker);
        break;
    case 'j':
        quern_check_jump(checker);
        break;
    case 'e': /* without its if */
        checker->at++;
        break;
    case 'a':
        recover(checker);
        break;
    default:
        return 0;
    }
    return 1;
}

static void read_name_statement(quern_checker *checker)
{
    if (read_keyword(checker))
        return;
    const quern_token *token = quern_check_peek(checker, 0);
    const quern_word *word =
        quern_check_find(checker, token->text) == QUERN_NOWHERE ? quern_word_find(token->text) : NULL;
    if (word && (word->kind == QUERN_WORD_EACH || word->kind == QUERN_WORD_PHASE)) {
        quern_check_phase(checker, word);
    } else if (word && word->kind == QUERN_WORD_DECLARATION) {
        quern_check_memory(checker);
        quern_check_accept(checker, ";");
    } else if (quern_token_is(quern_check_peek(checker, 1), ":")) {
        quern_check_label(checker);
        if (checker->at < checker->end)
            quern_check_statement(checker);
    } else if (quern_check_starts_declaration(checker)) {
        read_declaration_statement(checker);
    } else {
        read_expression_statement(checker);
    }
}

void quern_check_statement(quern_checker *checker)
{
    size_t before = checker->at;
    if (!quern_check_enter(checker)) {
        checker->at = checker->end;
        return;
    }
    while (quern_check_peek(checker, 0)->kind == QUERN_TOKEN_PRAGMA)
        checker->at++;
    if (checker->at >= checker->end)
        ;
    else if (quern_check_next_is(checker, "{"))
        read_block(checker);
    else if (quern_check_accept(checker, ";"))
        ;
    else if (quern_check_is_name(checker, checker->at))
        read_name_statement(checker);
    else
        read_expression_statement(checker);
    if (checker->at == before && checker->at < checker->end)
        checker->at++;
    quern_check_leave(checker);
}
