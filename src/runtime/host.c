/* The table of functions that backends call, each implemented where its subject is. */
#include "host.h"

#include "answer.h"
#include "backends.h"
#include "base/error.h"
#include "compiler/cache_binary.h"
#include "event.h"
#include "layout.h"
#include "progress.h"

/* A loaded backend names its queues by the table that it has itself, of which the runtime calls a copy. */
static void *queue_pin(quern_progress *progress, const void *backend_table)
{
    return quern_progress_pin(progress, quern_backends_table(backend_table));
}

const quern_backend_host quern_host = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend_host),
    .fail = quern_fail,
    .finished = quern_progress_set_finished,
    .failed = quern_answer_command_failed,
    .is_failed = quern_progress_is_failed,
    .finished_number = quern_progress_finished_number,
    .when_finished = quern_progress_when_finished,
    .queue_pin = queue_pin,
    .queue_unpin = quern_progress_unpin,
    .event_reached = quern_event_set_reached,
    .event_status = quern_event_completion,
    .event_release = quern_event_drop,
    .layout = quern_launch_choose_layout,
    .group_size = quern_launch_default_group,
    .cache_load = quern_cache_binary_load,
    .cache_store = quern_cache_binary_store,
};
