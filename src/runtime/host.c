/* The table of functions that backends call, each implemented where its subject is. */
#include "host.h"

#include "base/error.h"
#include "event.h"
#include "progress.h"

const quern_backend_host quern_host = {
    .version = QUERN_BACKEND_VERSION,
    .size = sizeof(quern_backend_host),
    .fail = quern_fail,
    .finished = quern_progress_set_finished,
    .failed = quern_progress_set_failed,
    .is_failed = quern_progress_is_failed,
    .finished_number = quern_progress_finished_number,
    .when_finished = quern_progress_when_finished,
    .queue_pin = quern_progress_pin,
    .queue_unpin = quern_progress_unpin,
    .event_reached = quern_event_set_reached,
    .event_status = quern_event_completion,
    .event_release = quern_event_drop,
};
