/* The end of a task: what it gives, and who is told. */
#include <string.h>

#include "thread.h"

static const char *sentence_of(const quern_task_body *body)
{
    return body->sentence.long_sentence ? body->sentence.long_sentence : body->sentence.short_sentence;
}

quern_status quern_task_settle(quern_task_body *body, quern_status status)
{
    if (status == QUERN_SUCCESS)
        return quern_current_end(&body->current, 1);
    if (status == QUERN_NOT_READY || !quern_status_is_known(status)) {
        const char *sentence = sentence_of(body);
        status = quern_fail(QUERN_HOST_FUNCTION_FAILED, "its function returned %d, which is no failure's status%s%s",
                            (int)status, *sentence ? ": " : "", sentence);
    }
    /* What fails beside it must not take the place of its sentence. */
    (void)quern_sentence_use(NULL);
    (void)quern_current_end(&body->current, 0);
    (void)quern_sentence_use(&body->sentence);
    return status;
}

void quern_task_drop(quern_task_body *body, quern_status status)
{
    (void)quern_current_end(&body->current, 0);
    quern_task_publish(body, status);
}

void quern_task_publish(quern_task_body *body, quern_status status)
{
    body->status = status;
    QUERN_TASK_COUNT(ended);
    uint64_t before = atomic_fetch_or_explicit(&body->state, QUERN_TASK_ENDED, memory_order_acq_rel);
    if (before & QUERN_TASK_AWAITED) {
        quern_wait_wake(body->joiner);
    } else if (before & QUERN_TASK_DETACHED) {
        quern_task_body_give_back(body);
        QUERN_TASK_COUNT(gone);
    }
}

/* 1 for "task 'name' failed: …": a task has passed on what a join gave it. */
static int names_a_failed_task(const char *sentence)
{
    static const char before[] = "task '", after[] = "' failed: ";
    if (strncmp(sentence, before, sizeof before - 1) != 0)
        return 0;
    const char *end = strstr(sentence + sizeof before, after);
    return end && end - sentence < (ptrdiff_t)sizeof(quern_task_words);
}

/* Without "a task failed: " in front. */
static const char *cause_in(const char *sentence)
{
    static const char nameless[] = "a task failed: ";
    return strncmp(sentence, nameless, sizeof nameless - 1) == 0 ? sentence + sizeof nameless - 1 : sentence;
}

quern_status quern_task_report(const quern_task_body *body)
{
    const char *sentence = sentence_of(body);
    if (body->status == QUERN_SUCCESS)
        return QUERN_SUCCESS;
    quern_task_words words = quern_task_name_of(body);
    if (body->status == QUERN_CANCELLED && !*sentence)
        return quern_fail(QUERN_CANCELLED, "%s was cancelled before it began", words.text);
    if (!*sentence)
        return quern_fail(body->status, "%s failed: its function returned %s (%s), without a sentence", words.text,
                          quern_status_name(body->status), quern_status_text(body->status));
    /* In a chain of joins the innermost task that has a name is named, and no other. */
    if (names_a_failed_task(sentence))
        return quern_fail(body->status, "%s", sentence);
    return quern_fail(body->status, "%s failed: %s", words.text, cause_in(sentence));
}
