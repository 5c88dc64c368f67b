/*
 * Backends that are wrong on purpose, each in one way (BREAK_…): the minimal backend of tests/plugin with a function or
 * two replaced. What the conformance suite must find in each is said in broken.list.
 */
#include <quern/backend.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const quern_backend *minimal_entry(void);

static const quern_backend *minimal;
static const quern_backend_host *host;

static quern_status break_start(const quern_backend_host *given)
{
    host = given;
    return minimal->start(given);
}

/* ---- copies ---- */

#if defined(BREAK_short_copy)
/* The last element of every row of a pitched copy is left out. */
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    quern_backend_copy shorter = *copy;
    if (copy->rank >= 2 && copy->extents[copy->rank - 1] > 1)
        --shorter.extents[copy->rank - 1];
    return minimal->copy(queue, number, &shorter);
}

#elif defined(BREAK_wide_rows)
/* Rows that are as far apart on both sides are copied with what lies between them. */
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    quern_backend_copy wider = *copy;
    if (copy->rank == 2 && copy->target_pitches[0] == copy->source_pitches[0]) {
        wider.rank = wider.element_size = 1;
        wider.extents[0] =
            (copy->extents[0] - 1) * (size_t)copy->target_pitches[0] + copy->extents[1] * copy->element_size;
        wider.target_pitches[0] = wider.source_pitches[0] = 1;
    }
    return minimal->copy(queue, number, &wider);
}

#elif defined(BREAK_first_plane)
/* Of a copy of rank 3 or more only what has the first of the outermost indices arrives. */
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    quern_backend_copy part = *copy;
    if (copy->rank >= 3)
        part.extents[0] = 1;
    return minimal->copy(queue, number, &part);
}

#elif defined(BREAK_failing_copy)
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->element_size == 12)
        return host->fail(QUERN_DEVICE_LOST, "the device is out of twelves");
    return minimal->copy(queue, number, copy);
}

#elif defined(BREAK_crash)
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->rank >= 3)
        raise(SIGSEGV);
    return minimal->copy(queue, number, copy);
}

#elif defined(BREAK_exit)
/* What a driver does that has lost its device. */
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->rank >= 3)
        exit(0);
    return minimal->copy(queue, number, copy);
}

#elif defined(BREAK_silent_exit) || defined(BREAK_quick_exit) || defined(BREAK_killed) || defined(BREAK_terminated)
/* No handler of the process hears of these. */
static void end_silently(void)
{
#if defined(BREAK_silent_exit)
    _exit(0);
#elif defined(BREAK_quick_exit)
    quick_exit(0);
#elif defined(BREAK_killed)
    raise(SIGKILL);
#else
    raise(SIGTERM);
#endif
}

static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->rank >= 3)
        end_silently();
    return minimal->copy(queue, number, copy);
}

#elif defined(BREAK_overflow) || defined(BREAK_thread_overflow)
static __attribute__((noinline)) int descend(volatile int *depth)
{
    volatile char frame[4096];
    frame[0] = (char)++*depth;
    return *depth < 0 ? frame[0] : descend(depth) + frame[0];
}

/* The stack of the calling thread overflows. */
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    volatile int depth = 0;
#if defined(BREAK_overflow)
    const int begin = copy->rank >= 3;
#else
    const int begin = gettid() != getpid(); /* only where the main thread is not asked */
#endif
    if (begin && descend(&depth) == 4711)
        return QUERN_DEVICE_LOST;
    return minimal->copy(queue, number, copy);
}

#elif defined(BREAK_abort)
static quern_status break_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    if (copy->rank >= 3)
        abort();
    return minimal->copy(queue, number, copy);
}
#endif

/* ---- launches ---- */

#if defined(BREAK_short_launch)
/* The last item along x is left out. */
static quern_status break_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    quern_backend_launch shorter = *launch;
    if (!launch->kernel->is_group && launch->rank > 0 && launch->extents[launch->rank - 1] > 1)
        --shorter.extents[launch->rank - 1];
    return minimal->launch(queue, number, &shorter);
}

#elif defined(BREAK_no_offsets)
static quern_status break_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    quern_backend_launch plain = *launch;
    memset(plain.offsets, 0, sizeof plain.offsets);
    return minimal->launch(queue, number, &plain);
}

#elif defined(BREAK_stale_values)
/* A value of an argument is that of the launch before. */
static quern_status break_launch(void *queue, uint64_t number, const quern_backend_launch *launch)
{
    static uint64_t before[QUERN_MAX_PARAMETERS];
    uint64_t present[QUERN_MAX_PARAMETERS];
    quern_backend_argument arguments[QUERN_MAX_PARAMETERS];
    quern_backend_launch stale = *launch;
    memcpy(arguments, launch->arguments, launch->argument_count * sizeof *arguments);
    memcpy(present, before, sizeof present);
    for (size_t i = 0; i < launch->argument_count; ++i)
        if (arguments[i].form == QUERN_PARAMETER_VALUE && arguments[i].size <= sizeof before[i]) {
            memcpy(&before[i], arguments[i].address, arguments[i].size);
            arguments[i].address = &present[i];
        }
    stale.arguments = arguments;
    return minimal->launch(queue, number, &stale);
}
#endif

/* ---- what has finished ---- */

#if defined(BREAK_hang)
/* Nobody is told of it. */
static quern_status break_signal(void *queue, uint64_t number)
{
    (void)queue, (void)number;
    return QUERN_SUCCESS;
}
#endif

#if defined(BREAK_no_wait)
/* A queue does not wait for others. */
static quern_status break_wait(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                               quern_event *event)
{
    (void)other, (void)other_number;
    if (event)
        host->event_release(event);
    return minimal->signal(queue, number);
}
#endif

#if defined(BREAK_early_event)
/* Events are complete when they are recorded. */
static quern_status break_record(void *queue, uint64_t number, quern_event *event)
{
    host->event_reached(event, 0);
    host->event_release(event);
    return minimal->signal(queue, number);
}
#endif

/* ---- memory ---- */

#if defined(BREAK_shared_memory)
/* All buffers of one size lie in one place. */
static struct {
    size_t bytes;
    void *memory;
} known[64];
static size_t known_count;

static quern_status break_allocate(void *device, size_t bytes, size_t alignment, quern_memory_kind kind, void **memory)
{
    for (size_t i = 0; i < known_count; ++i)
        if (known[i].bytes == bytes) {
            *memory = known[i].memory;
            return QUERN_SUCCESS;
        }
    const quern_status status = minimal->allocate(device, bytes, alignment, kind, memory);
    if (status == QUERN_SUCCESS && known_count < sizeof known / sizeof known[0]) {
        known[known_count].bytes = bytes;
        known[known_count++].memory = *memory;
    }
    return status;
}

static void break_free(void *device, void *memory, size_t bytes, quern_memory_kind kind)
{
    (void)device, (void)memory, (void)bytes, (void)kind;
}
#endif

/* ---- the end, and another beginning ---- */

#if defined(BREAK_stop_crash) || defined(BREAK_stop_exit) || defined(BREAK_stop_silent_exit) || defined(BREAK_stop_hang)
static void break_stop(void)
{
#if defined(BREAK_stop_crash)
    raise(SIGSEGV);
#elif defined(BREAK_stop_exit)
    exit(0);
#elif defined(BREAK_stop_silent_exit)
    _exit(0);
#else
    for (;;)
        pause();
#endif
}
#endif

#if defined(BREAK_one_life)
static quern_status start_once(const quern_backend_host *given)
{
    static int starts;
    if (starts++ > 0)
        return given->fail(QUERN_SYSTEM_ERROR, "the backend was used up");
    return break_start(given);
}
#endif

/* ---- the table ---- */

const quern_backend *quern_backend_entry(void)
{
    static quern_backend broken;
    minimal = minimal_entry();
    broken = *minimal;
    broken.name = "broken";
    broken.start = break_start;
#if defined(BREAK_short_copy) || defined(BREAK_wide_rows) || defined(BREAK_first_plane) ||                             \
    defined(BREAK_failing_copy) || defined(BREAK_crash) || defined(BREAK_abort) || defined(BREAK_exit) ||              \
    defined(BREAK_overflow) || defined(BREAK_thread_overflow) || defined(BREAK_silent_exit) ||                         \
    defined(BREAK_quick_exit) || defined(BREAK_killed) || defined(BREAK_terminated)
    broken.copy = break_copy;
#elif defined(BREAK_stop_crash) || defined(BREAK_stop_exit) || defined(BREAK_stop_silent_exit) ||                      \
    defined(BREAK_stop_hang)
    broken.stop = break_stop;
#elif defined(BREAK_one_life)
    broken.start = start_once;
#elif defined(BREAK_short_launch) || defined(BREAK_no_offsets) || defined(BREAK_stale_values)
    broken.launch = break_launch;
#elif defined(BREAK_hang)
    broken.signal = break_signal;
#elif defined(BREAK_no_wait)
    broken.wait = break_wait;
#elif defined(BREAK_early_event)
    broken.record = break_record;
#elif defined(BREAK_shared_memory)
    broken.allocate = break_allocate;
    broken.free = break_free;
#else
#error "this backend is not broken"
#endif
    return &broken;
}
