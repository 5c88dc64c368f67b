/* The end of the library's life in a process, or of one of its lives. */
#include "shutdown.h"

#include <pthread.h>

#include "background.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/object.h"
#include "current.h"
#include "device.h"
#include "kernel.h"
#include "offload.h"
#include "pool.h"
#include "progress.h"
#include "queue.h"

static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_shutdown_part *parts;

void quern_shutdown_add(quern_shutdown_part *part)
{
    pthread_mutex_lock(&parts_lock);
    if (!part->is_added) {
        part->is_added = 1;
        part->next = parts;
        parts = part;
    }
    pthread_mutex_unlock(&parts_lock);
}

/* No other thread uses the library now: what a part does may take its time, without the lock. */
static quern_shutdown_part *first_part(void)
{
    pthread_mutex_lock(&parts_lock);
    quern_shutdown_part *first = parts;
    pthread_mutex_unlock(&parts_lock);
    return first;
}

static quern_status stop_parts(void)
{
    quern_status status = QUERN_SUCCESS;
    for (quern_shutdown_part *part = first_part(); part && status == QUERN_SUCCESS; part = part->next)
        status = part->stop();
    return status;
}

quern_status quern_shutdown(void)
{
    quern_status status = quern_forked_check("quern_shutdown");
    if (status == QUERN_SUCCESS)
        status = stop_parts();
    if (status != QUERN_SUCCESS)
        return status;
    quern_current_forget_all();
    quern_graveyard_drain();
    size_t live = quern_objects_live();
    if (live)
        return quern_fail(QUERN_BUSY, "still held: %zu of queues, buffers, events, programs and graphs, wanted none",
                          live);
    quern_background_stop();
    quern_offload_stop();
    quern_kernels_forget_all();
    quern_pools_free();
    quern_devices_stop();
    quern_progress_free_all();
    quern_objects_free_dead();
    for (quern_shutdown_part *part = first_part(); part; part = part->next)
        part->free();
    return QUERN_SUCCESS;
}
