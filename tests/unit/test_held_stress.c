/*
 * Many threads on shared queues whose backends cannot wait, call, fill or record.
 *
 * Each thread has buffers of its own, and knows what must be in them: its commands go to queues at random, and only the
 * order that the buffers ask for makes that come true. Queues are released and replaced while others use them, private
 * queues fail in the middle.
 */
#include "queue_test.h"

enum { THREADS = 4, QUEUES = 14, BUFFERS = 3, STEPS = 300 };

typedef struct slot {
    pthread_mutex_t lock;
    quern_device *device;
    quern_queue *queue;
} slot;

static slot slots[QUEUES];
static _Atomic long called;

typedef struct worker {
    pthread_t thread;
    uint64_t random;
    long calls;
    quern_device *device;
    quern_buffer *buffers[BUFFERS];
    uint64_t values[BUFFERS];
    quern_event *event; /* the latest */
} worker;

static uint32_t any(worker *self, uint32_t below)
{
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(self->random >> 33) % below;
}

/* A queue that is held until released, of the device or, for NULL, of any. */
static quern_queue *take_queue(worker *self, const quern_device *device)
{
    slot *from;
    do
        from = &slots[any(self, QUEUES)];
    while (device && from->device != device);
    pthread_mutex_lock(&from->lock);
    quern_queue *queue = from->queue;
    MUST(quern_queue_retain(queue) == QUERN_SUCCESS);
    pthread_mutex_unlock(&from->lock);
    return queue;
}

#define SURE(call)                                                                                                     \
    do {                                                                                                               \
        quern_status sure_status = (call);                                                                             \
        if (sure_status != QUERN_SUCCESS)                                                                              \
            fprintf(stderr, "%s: %s: %s\n", #call, quern_status_name(sure_status), quern_last_error());                \
        MUST(sure_status == QUERN_SUCCESS);                                                                            \
    } while (0)

static quern_status count_call(void *argument)
{
    (void)argument;
    atomic_fetch_add(&called, 1);
    return QUERN_SUCCESS;
}

static quern_status fail_now(void *argument)
{
    (void)argument;
    return QUERN_DEVICE_LOST;
}

static void replace_queue(worker *self)
{
    slot *at = &slots[any(self, QUEUES)];
    quern_queue_options options = {0, (int)any(self, 3) - 1, "shared"};
    quern_queue *made = NULL;
    SURE(quern_queue_create(at->device, &options, &made));
    pthread_mutex_lock(&at->lock);
    quern_queue *old = at->queue;
    at->queue = made;
    pthread_mutex_unlock(&at->lock);
    SURE(quern_queue_release(old));
}

static void make_buffer_anew(worker *self, uint32_t i)
{
    quern_queue *queue = take_queue(self, self->device);
    if (self->buffers[i])
        SURE(quern_buffer_release(self->buffers[i]));
    self->values[i] = any(self, 1000);
    SURE(quern_buffer_create(self->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &self->buffers[i]));
    SURE(quern_fill(queue, QUERN_VIEW(self->buffers[i]), QUERN_TYPE(uint64_t), &self->values[i]));
    SURE(quern_queue_release(queue));
}

/* A queue of its own that fails, is waited for, and goes with its commands queued. */
static void fail_somewhere(worker *self)
{
    quern_queue *queue = NULL, *later = NULL;
    quern_queue_options options = {any(self, 4) == 0, 0, "private"};
    uint64_t value = 1;
    quern_buffer *scratch = NULL;
    quern_event *event = NULL, *end = NULL;
    SURE(quern_queue_create(self->device, &options, &queue));
    SURE(quern_queue_create(self->device, NULL, &later));
    SURE(quern_buffer_create(self->device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &scratch));
    SURE(quern_fill(queue, QUERN_VIEW(scratch), QUERN_TYPE(uint64_t), &value));
    if (self->event)
        SURE(quern_queue_wait(queue, self->event));
    quern_status expected = options.blocking ? QUERN_DEVICE_LOST : QUERN_SUCCESS;
    MUST(quern_queue_call(queue, fail_now, NULL) == expected);
    MUST(quern_queue_call(queue, count_call, NULL) == expected); /* not called */
    MUST(quern_fill(queue, QUERN_VIEW(scratch), QUERN_TYPE(uint64_t), &value) == expected);
    SURE(quern_event_record(queue, &event));
    SURE(quern_queue_wait(later, event));
    SURE(quern_queue_call(later, count_call, NULL)); /* nor this */
    SURE(quern_event_record(later, &end));
    SURE(quern_buffer_release(scratch));
    SURE(quern_queue_release(queue));
    SURE(quern_queue_release(later));
    MUST(quern_event_wait(any(self, 2) ? end : event) == QUERN_DEVICE_LOST);
    MUST(quern_event_wait(end) == QUERN_DEVICE_LOST);
    SURE(quern_event_release(event));
    SURE(quern_event_release(end));
}

static void use_events(worker *self)
{
    quern_queue *one = take_queue(self, NULL), *two = take_queue(self, NULL);
    if (self->event)
        SURE(quern_event_release(self->event));
    SURE(quern_event_record(one, &self->event));
    SURE(quern_queue_wait(two, self->event));
    if (any(self, 8) == 0)
        SURE(quern_event_wait(self->event));
    SURE(quern_queue_release(one));
    SURE(quern_queue_release(two));
}

static void use_buffers(worker *self)
{
    quern_queue *queue = take_queue(self, self->device);
    uint32_t i = any(self, BUFFERS), j = (i + 1 + any(self, BUFFERS - 1)) % BUFFERS;
    uint64_t value = any(self, 1000);
    switch (any(self, 4)) {
    case 0:
        SURE(quern_copy(queue, QUERN_VIEW(self->buffers[j]), QUERN_CONST_VIEW(self->buffers[i])));
        self->values[j] = self->values[i];
        break;
    case 1:
        SURE(quern_fill(queue, QUERN_VIEW(self->buffers[j]), QUERN_TYPE(uint64_t), &value));
        self->values[j] = value;
        break;
    default:
        SURE(launch_mix(queue, N, QUERN_CONST_VIEW(self->buffers[i]), QUERN_VIEW(self->buffers[j]), value));
        self->values[j] = 3 * self->values[j] + self->values[i] + value;
        break;
    }
    SURE(quern_queue_release(queue));
}

static void check_buffer(worker *self, uint32_t i)
{
    uint64_t numbers[N] = {0};
    quern_layout layout;
    quern_span span;
    quern_event *event = NULL;
    quern_queue *queue = take_queue(self, self->device);
    SURE(quern_layout_packed(QUERN_TYPE(uint64_t), QUERN_EXTENTS(N), &layout));
    SURE(quern_span_make(numbers, &layout, &span));
    SURE(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(self->buffers[i])));
    SURE(quern_event_record(queue, &event));
    SURE(quern_event_wait(event));
    for (int k = 0; k < N; ++k)
        MUST(numbers[k] == self->values[i]);
    SURE(quern_event_release(event));
    SURE(quern_queue_release(queue));
}

static void step(worker *self)
{
    uint32_t what = any(self, 32);
    if (what == 0) {
        replace_queue(self);
    } else if (what == 1) {
        fail_somewhere(self);
    } else if (what == 2) {
        make_buffer_anew(self, any(self, BUFFERS));
    } else if (what == 3) {
        check_buffer(self, any(self, BUFFERS));
    } else if (what < 8) {
        use_events(self);
    } else if (what < 12) {
        quern_queue *queue = take_queue(self, NULL);
        SURE(quern_queue_call(queue, count_call, NULL));
        ++self->calls;
        if (what == 11)
            SURE(quern_queue_synchronize(queue));
        SURE(quern_queue_release(queue));
    } else {
        use_buffers(self);
    }
}

static void *work(void *argument)
{
    worker *self = argument;
    for (uint32_t i = 0; i < BUFFERS; ++i)
        make_buffer_anew(self, i);
    for (int i = 0; i < STEPS; ++i)
        step(self);
    for (uint32_t i = 0; i < BUFFERS; ++i) {
        check_buffer(self, i);
        SURE(quern_buffer_release(self->buffers[i]));
    }
    if (self->event)
        SURE(quern_event_release(self->event));
    return NULL;
}

static void run_threads(uint64_t seed, const char *const *devices)
{
    worker workers[THREADS];
    memset(workers, 0, sizeof workers);
    long calls = 0;
    atomic_store(&called, 0);
    for (int i = 0; i < QUEUES; ++i) {
        pthread_mutex_init(&slots[i].lock, NULL);
        slots[i].device = open_device(devices[i % VARIANTS]);
        slots[i].queue = make_queue(slots[i].device, 0, "shared");
    }
    for (int i = 0; i < THREADS; ++i) {
        workers[i].random = seed * 1000 + (uint64_t)i;
        workers[i].device = slots[(i + (int)seed) % VARIANTS].device;
        MUST(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        pthread_join(workers[i].thread, NULL);
        calls += workers[i].calls;
    }
    for (int i = 0; i < QUEUES; ++i)
        ok(quern_queue_release(slots[i].queue));
    ok(quern_shutdown()); /* waits for what was released */
    assert_int_equal(atomic_load(&called), calls);
    for (int i = 0; i < QUEUES; ++i)
        pthread_mutex_destroy(&slots[i].lock);
}

static void test_all_kinds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
        run_threads(seed, variant_devices);
}

/* Where everything is held. */
static void test_one_kind(void **state)
{
    static const char *const devices[VARIANTS] = {"lazy:0", "lazy:1", "lazy:0", "lazy:1", "lazy:0", "lazy:1", "lazy:0"};
    (void)state;
    for (uint64_t seed = 7; seed <= 9; ++seed)
        run_threads(seed, devices);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_one_kind),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
