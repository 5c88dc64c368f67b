/* The calling thread's error sentence, and checked arithmetic: what every other part stands on. */
#ifndef QUERN_BASE_ERROR_H
#define QUERN_BASE_ERROR_H

#include <quern/status.h>

/* Leaves the sentence and returns status, so that a check is `return quern_fail(QUERN_…, "…", …);`. */
quern_status quern_fail(quern_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Leaves a sentence of any length (a compiler's log) as it is. */
quern_status quern_fail_text(quern_status status, const char *text);

/* How many sentences the calling thread has left so far: whether somebody else's function has left one. Read at every
 * command, so without a call. */
extern _Thread_local unsigned quern_sentences __attribute__((tls_model("initial-exec"), visibility("hidden")));
static inline unsigned quern_fail_count(void)
{
    return quern_sentences;
}

/*
 * Where a sentence is kept. A thread has one; a task has its own, which who switches tasks puts in place of the
 * thread's. All zeros: no sentence yet.
 */
enum { QUERN_SHORT_SENTENCE = 512 };
typedef struct quern_sentence_slot {
    char *long_sentence; /* malloc'ed, used instead when not NULL */
    char short_sentence[QUERN_SHORT_SENTENCE];
} quern_sentence_slot;

/* From now on the calling thread's sentences go there; NULL: to the thread's own slot. Gives what was in place before.
 */
quern_sentence_slot *quern_sentence_use(quern_sentence_slot *slot);

/* Frees what the slot holds. */
void quern_sentence_free(quern_sentence_slot *slot);

/* 1 for a status of the list, 0 for any other number. */
int quern_status_is_known(quern_status status);

/* *result = a op b; 1 when that overflows, else 0. */
#define quern_add_overflows(a, b, result) __builtin_add_overflow(a, b, result)
#define quern_multiply_overflows(a, b, result) __builtin_mul_overflow(a, b, result)

#endif
