/* The end of the library's life in a process, or of one of its lives. */
#include "background.h"
#include "base/error.h"
#include "base/object.h"
#include "current.h"
#include "device.h"
#include "kernel.h"
#include "pool.h"
#include "progress.h"
#include "queue.h"

quern_status quern_shutdown(void)
{
    quern_current_forget_all();
    quern_graveyard_drain();
    size_t live = quern_objects_live();
    if (live)
        return quern_fail(QUERN_BUSY, "still held: %zu of queues, buffers, events, programs and graphs, wanted none",
                          live);
    quern_background_stop();
    quern_kernels_forget_all();
    quern_pools_free();
    quern_devices_stop();
    quern_progress_free_all();
    quern_objects_free_dead();
    return QUERN_SUCCESS;
}
