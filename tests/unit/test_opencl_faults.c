/* The OpenCL backend: every call of the driver fails once. The status is clean, nothing is lost or kept, nothing hangs,
 * and the same session works afterwards. */
#include "opencl_fixture.h"

enum { ROWS = 5, COLUMNS = 20, N = ROWS * COLUMNS, BYTES = N * 4 };

static struct quern_opencl_shim *shim;

/* ---- one round of work, which takes failures as they come ---- */

struct round {
    void *device, *x, *y, *pinned, *unified;
    struct fixture_kernel kernel;
    struct fake_progress progress;
    int has_queue, failures;
};

/* A failure has a status that means something and a sentence. */
static int went(struct round *round, quern_status status)
{
    if (status == QUERN_SUCCESS)
        return 1;
    assert_true(status == QUERN_OUT_OF_MEMORY || status == QUERN_SYSTEM_ERROR);
    assert_non_null(strstr(quern_last_error(), "CL_OUT_OF_RESOURCES (-5)"));
    (void)quern_fail(QUERN_SUCCESS, "%s", "");
    ++round->failures;
    return 0;
}

static quern_status allocate(struct round *round, quern_memory_kind kind, void **memory)
{
    return quern_opencl_backend.allocate(round->device, BYTES, 64, kind, memory);
}

static int prepare(struct round *round, int blocking)
{
    quern_queue_options options = {blocking, 0, NULL};
    fake_progress_make(&round->progress);
    round->has_queue = went(round, quern_opencl_backend.queue_create(
                                       round->device, &options, fake_handle(&round->progress), &round->progress.queue));
    if (!went(round, opencl_build(&round->kernel, round->device, "axpy", axpy_text, 1, 0)))
        round->kernel.compiled = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_DEVICE, &round->x)))
        round->x = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_DEVICE, &round->y)))
        round->y = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_PINNED, &round->pinned)))
        round->pinned = NULL;
    quern_device_info info;
    OK(quern_opencl_backend.device_info(round->device, &info));
    quern_status status = info.unified_memory ? allocate(round, QUERN_MEMORY_UNIFIED, &round->unified) : QUERN_SUCCESS;
    if (status != QUERN_SUCCESS) { /* OpenCL gives no reason here */
        assert_int_equal(status, QUERN_OUT_OF_MEMORY);
        round->unified = NULL;
        ++round->failures;
    }
    return round->has_queue && round->kernel.compiled && round->x && round->y && round->pinned;
}

static quern_status fill(struct round *round, float value)
{
    quern_backend_copy box = {.rank = 2, .element_size = 4, .extents = {ROWS, COLUMNS}};
    box.target_pitches[0] = COLUMNS * 4;
    box.target_pitches[1] = 4;
    box.target = box.target_memory = round->y;
    box.source = &value;
    return fixture_end(&round->progress,
                       quern_opencl_backend.fill(round->progress.queue, ++round->progress.submitted, &box));
}

/* x = 1 by a rectangle, y = 3, an event, y += 2 x, y += x by a rectangle of the device, and back. */
static void work(struct round *round)
{
    struct fake_progress *progress = &round->progress;
    struct fake_event event = {.references = 1, .progress = progress};
    float found[N] = {0};
    int before = round->failures;
    for (int i = 0; i < N; ++i)
        ((float *)round->pinned)[i] = 1;
    quern_backend_copy box = {.rank = 2, .element_size = 4, .extents = {ROWS, COLUMNS - 1}};
    box.target_pitches[0] = box.source_pitches[0] = COLUMNS * 4;
    box.target_pitches[1] = box.source_pitches[1] = 4;
    box.target = box.target_memory = round->x;
    box.source = round->pinned;
    box.source_is_host = 1;
    (void)went(round, fixture_copy(progress, &box));
    (void)went(round, fill(round, 3));
    ++progress->submitted;
    quern_status recorded = fixture_end(
        progress, quern_opencl_backend.record(progress->queue, progress->submitted, (quern_event *)(void *)&event));
    (void)went(round, recorded);
    (void)went(round, fixture_axpy(progress, &round->kernel, round->x, round->y, 2, N));
    assert_int_equal(quern_opencl_backend.signal(progress->queue, progress->submitted), QUERN_SUCCESS);
    box.target = box.target_memory = round->pinned;
    box.target_is_host = 1;
    box.target_memory = NULL;
    box.source = round->y;
    box.source_memory = round->y;
    box.source_is_host = 0;
    (void)went(round, fixture_copy(progress, &box));
    (void)went(round, fixture_read(progress, found, round->y, BYTES));
    (void)went(round, fixture_synchronize(progress));
    if (recorded == QUERN_SUCCESS) {
        assert_int_equal(event.reached, 1);
        assert_int_equal(event.references, 0);
    } else {
        assert_int_equal(event.references, 1);
    }
    for (int i = 0; round->failures == before && i < N; ++i)
        if (i % COLUMNS != COLUMNS - 1) {
            assert_true(found[i] == 5);
            assert_true(((float *)round->pinned)[i] == 5);
        }
}

static void clean_up(struct round *round)
{
    if (round->has_queue)
        fixture_queue_end(&round->progress);
    else
        pthread_mutex_destroy(&round->progress.mutex);
    if (round->kernel.compiled)
        fixture_release(&round->kernel);
    if (round->x)
        fixture_free(round->device, round->x, BYTES);
    if (round->y)
        fixture_free(round->device, round->y, BYTES);
    if (round->pinned)
        quern_opencl_backend.free(round->device, round->pinned, BYTES, QUERN_MEMORY_PINNED);
    if (round->unified)
        quern_opencl_backend.free(round->device, round->unified, BYTES, QUERN_MEMORY_UNIFIED);
}

static int run_round(void *device, int blocking)
{
    struct round round = {.device = device};
    if (prepare(&round, blocking))
        work(&round);
    clean_up(&round);
    return round.failures;
}

/* ---- the n-th call ---- */

static int is_among(const char *function, const char *const *functions)
{
    while (*functions && strcmp(*functions, function) != 0)
        ++functions;
    return *functions != NULL;
}

/* Functions whose failure is nobody's loss: there is another way, what is not known counts as not there, or the object
 * is gone all the same. A binary of the cache that does not do is compiled again. */
static int may_fail_silently(const char *function, int cached)
{
    static const char *const always[] = {"Flush",
                                         "Finish",
                                         "WaitForEvents",
                                         "RetainEvent",
                                         "GetEventInfo",
                                         "GetEventProfilingInfo",
                                         "SetEventCallback",
                                         "GetDeviceInfo",
                                         "GetProgramInfo",
                                         "GetKernelWorkGroupInfo",
                                         "EnqueueUnmapMemObject",
                                         "SVMFree",
                                         NULL};
    static const char *const of_binaries[] = {"CreateProgramWithBinary", "BuildProgram", "CreateKernel", NULL};
    return strncmp(function, "Release", 7) == 0 || is_among(function, always) ||
           (cached && is_among(function, of_binaries));
}

static void run_with_fault(const char *function, long at, int blocking, int cached)
{
    struct round start = {0};
    int failures = 0;
    if (!cached)
        fake_cache_clear();
    opencl_shim_rest(shim);
    opencl_shim_fail(shim, function, at, CL_OUT_OF_RESOURCES);
    if (went(&start, opencl_start())) {
        void *device = fixture_device();
        failures = run_round(device, blocking);
        const char *failed = shim->failed;
        if (failed && !failures && !may_fail_silently(failed, cached))
            fail_msg("the failure of call %ld, cl%s, is lost", at, failed);
        opencl_shim_fail(shim, NULL, 0, 0);
        assert_int_equal(run_round(device, blocking), 0);
        opencl_stop();
    }
    opencl_shim_nothing_left(shim);
}

/* How many calls a run without a fault makes. */
static long count_calls(int blocking)
{
    opencl_shim_rest(shim);
    OK(opencl_start());
    assert_int_equal(run_round(fixture_device(), blocking), 0);
    opencl_stop();
    return shim->calls;
}

static void every_call_fails_once(void **state)
{
    (void)state;
    shim = opencl_shim();
    if (!shim)
        skip();
    for (int blocking = 0; blocking < 2; ++blocking) {
        (void)count_calls(blocking); /* so that the binary lies in the cache */
        long calls = count_calls(blocking);
        assert_true(calls > 50);
        for (long at = 1; at <= calls; ++at)
            run_with_fault(NULL, at, blocking, 1);
    }
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* Compiling the text, without an entry in the cache. */
static void every_call_of_a_first_compilation_fails_once(void **state)
{
    (void)state;
    static const char *const functions[] = {"CreateProgramWithSource", "BuildProgram", "GetProgramInfo", "CreateKernel",
                                            "GetKernelWorkGroupInfo",  "SetKernelArg"};
    shim = opencl_shim();
    if (!shim)
        skip();
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
        for (long at = 1; at <= 2; ++at)
            run_with_fault(functions[f], at, 0, 0);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

/* A device that vanishes anywhere: at the start, while it is prepared, while it works, while it is let go. */
static void a_device_vanishes_anywhere(void **state)
{
    (void)state;
    shim = opencl_shim();
    if (!shim)
        skip();
    (void)count_calls(0);
    long calls = count_calls(0);
    for (long at = 1; at <= calls; at += 3) {
        opencl_shim_rest(shim);
        opencl_shim_vanish(shim, at);
        if (opencl_start() == QUERN_SUCCESS) {
            struct round round = {.device = fixture_device()};
            quern_queue_options options = {0, 0, NULL};
            fake_progress_make(&round.progress);
            if (!quern_opencl_backend.queue_create(round.device, &options, fake_handle(&round.progress),
                                                   &round.progress.queue)) {
                void *memory = NULL;
                float host[N] = {0};
                if (!allocate(&round, QUERN_MEMORY_DEVICE, &memory)) {
                    (void)fixture_write(&round.progress, memory, host, BYTES);
                    (void)fixture_read(&round.progress, host, memory, BYTES);
                    quern_status status = fixture_synchronize(&round.progress);
                    assert_true(status == QUERN_SUCCESS || status == QUERN_DEVICE_LOST);
                    fixture_free(round.device, memory, BYTES);
                }
                fixture_queue_end(&round.progress);
            } else {
                pthread_mutex_destroy(&round.progress.mutex);
            }
            opencl_stop();
        }
        opencl_shim_nothing_left(shim);
    }
    opencl_shim_rest(shim);
    unsetenv("QUERN_OPENCL_LIBRARY");
}

static int clear_cache(void **state)
{
    (void)state;
    fake_cache_clear();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(every_call_of_a_first_compilation_fails_once),
        cmocka_unit_test(a_device_vanishes_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, clear_cache);
}
