/* Native handles, out and in again: what the driver's own calls do with them is for the tests of a backend. */
#include "gate.h"
#include "guarded.h"

#include <sched.h>

/* ---- which there are ---- */

static const quern_native_kind device_kinds[] = {QUERN_NATIVE_CUDA_DEVICE, QUERN_NATIVE_CUDA_CONTEXT,
                                                 QUERN_NATIVE_OPENCL_DEVICE, QUERN_NATIVE_OPENCL_CONTEXT};
static const quern_native_kind queue_kinds[] = {QUERN_NATIVE_CUDA_STREAM, QUERN_NATIVE_OPENCL_QUEUE};
static const quern_native_kind memory_kinds[] = {QUERN_NATIVE_CUDA_POINTER, QUERN_NATIVE_OPENCL_MEMORY};
enum { DEVICE_KINDS = 4, QUEUE_KINDS = 2, MEMORY_KINDS = 2 };

/* Each is given, or refused with a sentence. */
static quern_verdict devices(quern_trial *trial)
{
    size_t given = 0;
    for (size_t i = 0; i < DEVICE_KINDS; ++i) {
        void *handle = trial, *again = NULL;
        quern_status status = quern_device_get_native(trial->device, device_kinds[i], &handle);
        if (status == QUERN_NOT_SUPPORTED) {
            QUERN_WANT(trial, handle == (void *)trial, "kind %d is not supported, but the handle was set",
                       (int)device_kinds[i]);
            continue;
        }
        QUERN_TRY(trial, status);
        QUERN_TRY(trial, quern_device_get_native(trial->device, device_kinds[i], &again));
        QUERN_WANT(trial, handle == again, "kind %d is %p, and %p when asked again", (int)device_kinds[i], handle,
                   again);
        ++given;
    }
    QUERN_REFUSED(trial, quern_device_get_native(trial->device, QUERN_NATIVE_ADDRESS, (void *[]){NULL}),
                  QUERN_INVALID_ARGUMENT, "kind");
    return given ? QUERN_PASSED : quern_trial_unsupported(trial, "native handles of the device");
}

/* The kind of the list that the queue has: 1; 0 when there is none. */
static int find_queue_kind(quern_trial *trial, quern_native_kind *kind, void **handle)
{
    for (size_t i = 0; i < QUEUE_KINDS; ++i)
        if (quern_queue_get_native(trial->queue, queue_kinds[i], handle) == QUERN_SUCCESS) {
            *kind = queue_kinds[i];
            return 1;
        }
    return 0;
}

static int find_memory_kind(quern_trial *trial, quern_view view, quern_native_kind *kind, void **handle, size_t *offset)
{
    for (size_t i = 0; i < MEMORY_KINDS; ++i)
        if (quern_view_get_native(trial->queue, view, memory_kinds[i], handle, offset) == QUERN_SUCCESS) {
            *kind = memory_kinds[i];
            return 1;
        }
    return 0;
}

static quern_guarded_shape line(void)
{
    return quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(1019));
}

/* ---- queues ---- */

/* A queue over another one's native queue does all that a queue does, and leaves it as it is. */
static quern_verdict queues(quern_trial *trial)
{
    quern_native_kind kind;
    void *handle = NULL;
    quern_guarded x, y;
    int32_t value = 77;
    if (!find_queue_kind(trial, &kind, &handle))
        return quern_trial_unsupported(trial, "native handles of queues");
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", line(), &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", line(), &y));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    for (int round = 0; round < 4; ++round) {
        const quern_queue_options options = {round & 1, 0, "wrapped"};
        quern_queue *queue;
        quern_event *event;
        quern_status status = quern_queue_create_from_native(trial->device, kind, handle, &options, &queue);
        if (status == QUERN_NOT_SUPPORTED)
            return quern_trial_unsupported(trial, "queues over native queues");
        QUERN_TRY(trial, status);
        quern_trial_keep_queue(trial, queue);
        value = 77 + round;
        QUERN_TRY(trial, quern_fill(queue, x.view, QUERN_TYPE(int32_t), &value));
        QUERN_TRY(trial, quern_trial_record(trial, queue, &event));
        QUERN_TRY(trial, quern_event_wait(event));
        quern_guarded_set_value(&x, &value);
        QUERN_CHECK(quern_guarded_check(trial, queue, &x));
        /* Behind the other queue's commands, and before its later ones. */
        quern_guarded_vary(&y, (uint32_t)round);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
        QUERN_TRY(trial, quern_copy(queue, x.view, quern_view_as_const(y.view)));
        quern_guarded_set_copy(&x, &y);
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
        quern_trial_forget(trial, queue);
        QUERN_TRY(trial, quern_queue_release(queue));
    }
    return QUERN_PASSED;
}

/* ---- memory ---- */

static void count_release(void *context)
{
    __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
}

/* A second buffer over a buffer's native memory sees its elements, and leaves it as it is. */
static quern_verdict memory(quern_trial *trial)
{
    quern_native_kind kind;
    quern_guarded x, y;
    void *handle = NULL;
    size_t offset = 99;
    int *released = quern_trial_memory(trial, sizeof *released);
    quern_buffer *second;
    int32_t value = -5;
    QUERN_WANT(trial, released, "no memory for a counter");
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", line(), &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", line(), &y));
    quern_guarded_vary(&x, 3);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    if (!find_memory_kind(trial, x.all, &kind, &handle, &offset))
        return quern_trial_unsupported(trial, "native handles of memory");
    QUERN_WANT(trial, handle && offset == 0, "the handle is %p at offset %zu, wanted one at offset 0", handle, offset);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    quern_status status =
        quern_buffer_wrap_native(trial->device, kind, handle, &x.outer, count_release, released, &second);
    if (status == QUERN_NOT_SUPPORTED)
        return quern_trial_unsupported(trial, "buffers over native memory");
    QUERN_TRY(trial, status);
    quern_view part;
    status = quern_view_sub(QUERN_VIEW(second), (size_t[]){x.offset / sizeof(int32_t)}, QUERN_EXTENTS(1019), &part);
    if (status == QUERN_SUCCESS)
        status = quern_copy(trial->queue, y.view, quern_view_as_const(part));
    if (status == QUERN_SUCCESS)
        status = quern_fill(trial->queue, part, QUERN_TYPE(int32_t), &value);
    QUERN_TRY(trial, quern_buffer_release(second));
    QUERN_TRY(trial, status);
    quern_guarded_set_copy(&y, &x);
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    while (__atomic_load_n(released, __ATOMIC_SEQ_CST) == 0) /* at most a moment after the synchronise */
        sched_yield();
    QUERN_WANT(trial, *released == 1, "the memory was given back %d times, wanted once", *released);
    quern_guarded_set_value(&x, &value);
    return quern_guarded_check(trial, trial->queue, &x);
}

/* A view's handle, with the offset of its first element. */
static quern_verdict parts(quern_trial *trial)
{
    quern_native_kind kind;
    quern_guarded x;
    void *whole = NULL, *handle = NULL;
    size_t begin = 99, offset = 99;
    quern_view part;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", line(), &x));
    if (!find_memory_kind(trial, x.all, &kind, &whole, &begin))
        return quern_trial_unsupported(trial, "native handles of memory");
    QUERN_TRY(trial, quern_view_sub(x.all, (size_t[]){28}, QUERN_EXTENTS(4), &part));
    QUERN_TRY(trial, quern_view_get_native(trial->queue, part, kind, &handle, &offset));
    QUERN_WANT(trial, (char *)handle + offset == (char *)whole + begin + 28,
               "28 bytes behind %p + %zu are said to be at %p + %zu", whole, begin, handle, offset);
    return QUERN_PASSED;
}

/* ---- the host's address ---- */

typedef struct addition {
    int32_t *numbers;
    size_t count;
} addition;

static quern_status add_one(void *argument)
{
    const addition *self = argument;
    for (size_t i = 0; i < self->count; ++i)
        ++self->numbers[i];
    return QUERN_SUCCESS;
}

/* A host function that uses the address, between two commands of another queue. */
static quern_verdict addresses(quern_trial *trial)
{
    quern_guarded x;
    quern_queue *other;
    quern_gate *gate;
    quern_event *event;
    void *address = NULL;
    size_t offset = 99;
    int32_t value = 5, six = 6;
    addition *one = quern_trial_memory(trial, sizeof *one);
    QUERN_WANT(trial, one, "no memory for an argument");
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &other));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", line(), &x));
    QUERN_CHECK(quern_guarded_upload(trial, other, &x));
    if (!trial->info.host_accessible) {
        QUERN_REFUSED(trial, quern_view_get_native(trial->queue, x.view, QUERN_NATIVE_ADDRESS, &address, &offset),
                      QUERN_NOT_SUPPORTED, "host");
        return quern_trial_unsupported(trial, "memory that the host and the device both reach");
    }
    QUERN_CHECK(quern_gate_make(trial, other, QUERN_SUCCESS, &gate));
    QUERN_TRY(trial, quern_fill(other, x.view, QUERN_TYPE(int32_t), &value));
    quern_gate_open(gate);
    QUERN_TRY(trial, quern_view_get_native(trial->queue, x.view, QUERN_NATIVE_ADDRESS, &address, &offset));
    QUERN_WANT(trial, address == x.view.span.address && offset == 0, "the address is %p + %zu, wanted %p", address,
               offset, x.view.span.address);
    *one = (addition){address, x.count};
    QUERN_TRY(trial, quern_queue_call(trial->queue, add_one, one));
    QUERN_TRY(trial, quern_trial_record(trial, trial->queue, &event));
    quern_guarded_set_value(&x, &six);
    return quern_guarded_check(trial, other, &x);
}

const quern_conformance_test quern_native_tests[] = {
    {"native.devices", "handles of the device", devices, 0},
    {"native.queues", "a queue over another one's native queue", queues, 0},
    {"native.memory", "a buffer over another one's native memory", memory, 0},
    {"native.parts", "handles of views, with their offsets", parts, 0},
    {"native.addresses", "a host function uses a view's address in order", addresses, 0},
    {NULL, NULL, NULL, 0},
};
