/* Failures of backends; see answer.h. */
#include "answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

/* One of the list, but not SUCCESS, and not NOT_READY, which says that a thing goes on. */
static int is_failure(quern_status status)
{
    return status != QUERN_SUCCESS && status != QUERN_NOT_READY && quern_status_is_known(status);
}

/* Of a status that is no failure's. */
static const char *fault(quern_status status)
{
    return quern_status_is_known(status) ? "which is no failure" : "which is none";
}

quern_status quern_answer_failure(const quern_backend *backend, const char *function, quern_status status,
                                  unsigned told)
{
    const int has_sentence = quern_fail_count() != told && *quern_last_error();
    if (is_failure(status) && has_sentence)
        return status;
    if (status == QUERN_NOT_READY && backend->declines_waits && strcmp(function, "wait") == 0)
        return status; /* an answer: the front end is to hold it back */
    if (is_failure(status))
        return quern_fail(status, "backend \"%s\" gave %s from %s without a sentence: %s", backend->name,
                          quern_status_name(status), function, quern_status_text(status));
    return quern_fail(QUERN_INTERNAL, "backend \"%s\" gave status %d from %s, %s%s%s", backend->name, (int)status,
                      function, fault(status), has_sentence ? ": " : "", has_sentence ? quern_last_error() : "");
}

void quern_answer_command_failed(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                                 const char *sentence)
{
    char *told = NULL;
    if (is_failure(status)) {
        quern_progress_set_failed(progress, number, status, what, sentence);
        return;
    }
    const int has_sentence = sentence && *sentence;
    /* Not by quern_fail: the calling thread's sentence is another matter. */
    if (asprintf(&told, "backend \"%s\" gave status %d to failed, %s%s%s", progress->backend->name, (int)status,
                 fault(status), has_sentence ? ": " : "", has_sentence ? sentence : "") < 0)
        told = NULL;
    quern_progress_set_failed(progress, number, QUERN_INTERNAL, what, told ? told : sentence);
    free(told);
}
