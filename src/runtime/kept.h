/* Memory that commands use and nobody owns: it is freed when they have finished. */
#ifndef QUERN_RUNTIME_KEPT_H
#define QUERN_RUNTIME_KEPT_H

#include <stddef.h>

#include "progress.h"

typedef struct quern_kept {
    quern_waiter waiter;
    max_align_t data[];
} quern_kept;

/* bytes of data; NULL, with a sentence that says what for, when memory is exhausted. */
quern_kept *quern_kept_make(size_t bytes, const char *what);

/* Frees it at once. */
void quern_kept_free(quern_kept *kept);

/* Frees it once number has finished; the queue is not locked. */
void quern_kept_until_finished(quern_kept *kept, quern_progress *progress, uint64_t number);

#endif
