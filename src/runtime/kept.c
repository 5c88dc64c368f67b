/* Memory that is freed when a command has finished. */
#include "kept.h"

#include <stdlib.h>

#include "base/error.h"
#include "completion.h"

quern_kept *quern_kept_make(size_t bytes, const char *what)
{
    size_t all;
    quern_kept *kept = quern_add_overflows(bytes, sizeof *kept, &all) ? NULL : malloc(all);
    if (!kept)
        (void)quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %s of %zu bytes", what, bytes);
    return kept;
}

void quern_kept_free(quern_kept *kept)
{
    free(kept);
}

static void has_finished(quern_waiter *waiter)
{
    free(waiter->data);
}

void quern_kept_until_finished(quern_kept *kept, quern_progress *progress, uint64_t number)
{
    kept->waiter.notify = has_finished;
    kept->waiter.data = kept;
    if (quern_progress_when_finished(progress, number, &kept->waiter))
        free(kept);
    else
        (void)quern_progress_ask(progress, number); /* else it is freed when a later number finishes */
}
