/*
 * Events, and the device's clock.
 *
 * CUDA tells the time between two events as a float of milliseconds, whose steps grow with it. So times are told from
 * an event that is never long ago: one that was reached more than a while after the reference becomes the reference.
 */
#include "cuda_device.h"

#include <time.h>

/* As long after the reference an event becomes the next one; then a step is less than 8 ns. */
#define FAR_MILLISECONDS 100.0f

static int64_t host_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- events ---- */

CUresult quern_cuda_event_take(struct quern_cuda_device *device, CUevent *event)
{
    *event = NULL;
    pthread_mutex_lock(&device->clock_lock);
    if (device->spare_count)
        *event = device->spare[--device->spare_count];
    pthread_mutex_unlock(&device->clock_lock);
    return *event ? CUDA_SUCCESS : quern_cu.EventCreate(event, CU_EVENT_DEFAULT);
}

void quern_cuda_event_give(struct quern_cuda_device *device, CUevent event)
{
    int kept;
    pthread_mutex_lock(&device->clock_lock);
    kept = device->spare_count < QUERN_CUDA_SPARE_EVENTS;
    if (kept)
        device->spare[device->spare_count++] = event;
    pthread_mutex_unlock(&device->clock_lock);
    if (!kept)
        (void)quern_cu.EventDestroy(event);
}

/* ---- the clock ---- */

/* An event that has been reached, on a stream that has nothing else. */
static CUresult reach_now(struct quern_cuda_device *device, CUevent *event)
{
    CUstream stream;
    CUresult error = quern_cuda_event_take(device, event);
    if (error)
        return error;
    error = quern_cu.StreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, 0);
    if (!error) {
        error = quern_cu.EventRecord(*event, stream);
        if (!error)
            error = quern_cu.EventSynchronize(*event);
        (void)quern_cu.StreamDestroy(stream);
    }
    if (error)
        quern_cuda_event_give(device, *event);
    return error;
}

quern_status quern_cuda_clock_start(struct quern_cuda_device *device)
{
    CUevent event = NULL;
    pthread_mutex_lock(&device->clock_lock);
    int runs = device->reference != NULL;
    pthread_mutex_unlock(&device->clock_lock);
    if (runs)
        return QUERN_SUCCESS;
    CUresult error = reach_now(device, &event);
    if (error)
        return quern_cuda_device_fail(device, error, "starting the clock of %s", device->info.name);
    pthread_mutex_lock(&device->clock_lock);
    if (!device->reference) {
        device->reference = event;
        device->reference_time = host_clock();
        event = NULL;
    }
    pthread_mutex_unlock(&device->clock_lock);
    if (event) /* another thread was faster */
        quern_cuda_event_give(device, event);
    return QUERN_SUCCESS;
}

void quern_cuda_clock_stop(struct quern_cuda_device *device)
{
    if (!quern_cuda_enter_to_release(device))
        return;
    while (device->spare_count)
        (void)quern_cu.EventDestroy(device->spare[--device->spare_count]);
    if (device->reference)
        (void)quern_cu.EventDestroy(device->reference);
    device->reference = NULL;
    quern_cuda_leave();
}

/* The clock's lock is held. The time of the event; *event is what is to be given back. */
static int64_t tell(struct quern_cuda_device *device, CUevent *event)
{
    float milliseconds = 0;
    if (!device->reference || quern_cu.EventElapsedTime(&milliseconds, device->reference, *event))
        return host_clock();
    int64_t time = device->reference_time + (int64_t)((double)milliseconds * 1e6);
    if (milliseconds > FAR_MILLISECONDS) {
        CUevent old = device->reference;
        device->reference = *event;
        device->reference_time = time;
        *event = old;
    }
    return time;
}

int64_t quern_cuda_event_settle(struct quern_cuda_device *device, CUevent event)
{
    if (!event)
        return host_clock();
    pthread_mutex_lock(&device->clock_lock);
    int64_t time = tell(device, &event);
    pthread_mutex_unlock(&device->clock_lock);
    quern_cuda_event_give(device, event);
    return time;
}
