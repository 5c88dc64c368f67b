/*
 * What a backend's function answers. A backend may be anybody's: a status of its own making becomes QUERN_INTERNAL, and
 * a failure without a sentence gets one, so that the caller never reads an older failure's.
 */
#ifndef QUERN_RUNTIME_ANSWER_H
#define QUERN_RUNTIME_ANSWER_H

#include <quern/backend.h>

#include "base/error.h"

/* status = backend->function(...), on the thread's own stack: in threads of the runtime, and in what ask.h declares,
 * through which everybody else calls a backend. */
#define QUERN_ASK(status, backend, function, ...)                                                                      \
    do {                                                                                                               \
        const unsigned quern_told = quern_fail_count();                                                                \
        (status) = (backend)->function(__VA_ARGS__);                                                                   \
        if ((status) != QUERN_SUCCESS)                                                                                 \
            (status) = quern_answer_failure((backend), #function, (status), quern_told);                               \
    } while (0)

/* The failure as the runtime passes it on; NOT_READY stays for a wait of a backend with declines_waits. told is
 * quern_fail_count from before the call. */
quern_status quern_answer_failure(const quern_backend *backend, const char *function, quern_status status,
                                  unsigned told);

/* host->failed: as quern_progress_set_failed, with a status that may be of the backend's own making. */
void quern_answer_command_failed(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                                 const char *sentence);

#endif
