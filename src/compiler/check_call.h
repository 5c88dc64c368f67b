/* A call as check_calls.c takes it apart; shared with check_dialect.c, which reads the dialect's words. */
#ifndef QUERN_COMPILER_CHECK_CALL_H
#define QUERN_COMPILER_CHECK_CALL_H

#include "check.h"

enum { QUERN_MOST_ARGUMENTS = 64 };

typedef struct quern_check_made {
    size_t name;      /* the token of what is called */
    const char *text; /* its text */
    size_t ranges[QUERN_MOST_ARGUMENTS][2];
    size_t count; /* of the arguments that are kept */
    size_t after; /* the token behind the ")" */
} quern_check_made;

/* One argument, from 0. */
quern_check_value quern_check_argument(quern_checker *checker, const quern_check_made *made, size_t i);
/* Reads the arguments from first on; the result has no type, and depends on the item when one of them does. */
quern_check_value quern_check_read_arguments(quern_checker *checker, const quern_check_made *made, size_t first);
/* The arguments of a function that is generic in the type: MIN, sqrt. */
quern_check_value quern_check_generic(quern_checker *checker, const quern_check_made *made);
/* The call of a word of the dialect. */
quern_check_value quern_check_word_call(quern_checker *checker, const quern_word *word, const quern_check_made *made);

/* --- check_print.c --- */
/* At PRINT. */
quern_check_value quern_check_print(quern_checker *checker, const quern_check_made *made);

/* --- check_mine.c --- */
/* At MINE: its indices must be the item's own. */
void quern_check_mine(quern_checker *checker, const quern_check_made *made);

#endif
