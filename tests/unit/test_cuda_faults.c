/* The CUDA backend: every call of the driver fails once. The status is clean, nothing is lost or kept, nothing hangs,
 * and the same session works afterwards. */
#include "device.k.h"

#include "cuda_fixture.h"

#include "../fake_cuda/api.h"

enum { ROWS = 5, COLUMNS = 20, N = ROWS * COLUMNS, BYTES = N * 4 };

/* ---- one round of work, which takes failures as they come ---- */

struct round {
    void *device, *x, *y, *pinned, *unified;
    struct fixture_kernel kernel;
    struct fake_progress progress;
    CUresult error;
    int has_queue, failures;
};

/* A failure has a status that means something and a sentence. */
static int went(struct round *round, quern_status status)
{
    char number[16];
    if (status == QUERN_SUCCESS)
        return 1;
    snprintf(number, sizeof number, "(%d)", round->error);
    if (round->error == CUDA_ERROR_OUT_OF_MEMORY)
        assert_true(status == QUERN_OUT_OF_MEMORY || status == QUERN_SYSTEM_ERROR || status == QUERN_DEVICE_LOST);
    else
        assert_true(status == QUERN_DEVICE_LOST || status == QUERN_SYSTEM_ERROR);
    if (!strstr(quern_last_error(), number))
        fail_msg("\"%s\" lacks %s", quern_last_error(), number);
    (void)quern_fail(QUERN_SUCCESS, "%s", "");
    ++round->failures;
    return 0;
}

static quern_status allocate(struct round *round, quern_memory_kind kind, void **memory)
{
    return quern_cuda_backend.allocate(round->device, BYTES, 64, kind, memory);
}

static int prepare(struct round *round, int blocking)
{
    quern_queue_options options = {blocking, 1, NULL};
    fake_progress_make(&round->progress);
    round->has_queue = went(round, quern_cuda_backend.queue_create(
                                       round->device, &options, fake_handle(&round->progress), &round->progress.queue));
    if (!went(round, cuda_build(&round->kernel, round->device, &axpy_kernel)))
        round->kernel.compiled = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_DEVICE, &round->x)))
        round->x = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_DEVICE, &round->y)))
        round->y = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_PINNED, &round->pinned)))
        round->pinned = NULL;
    if (!went(round, allocate(round, QUERN_MEMORY_UNIFIED, &round->unified)))
        round->unified = NULL;
    return round->has_queue && round->kernel.compiled && round->x && round->y && round->pinned;
}

static quern_status fill(struct round *round, const void *value, uint32_t size)
{
    quern_backend_copy box = {.rank = 2, .element_size = size, .extents = {ROWS, COLUMNS * 4 / size}};
    box.target_pitches[0] = COLUMNS * 4;
    box.target_pitches[1] = (ptrdiff_t)size;
    box.target = box.target_memory = round->y;
    box.source = value;
    return fixture_end(&round->progress,
                       quern_cuda_backend.fill(round->progress.queue, ++round->progress.submitted, &box));
}

/* y = 3 and += 0 x by a graph, whose parts a recorder takes; NULL when one failed. */
static void *record_graph(struct round *round)
{
    static const float threes[2] = {3, 3}, odd[2] = {4, 5};
    struct fake_progress recorder = {.queue = NULL};
    void *graph = NULL;
    size_t n = N;
    float zero = 0;
    if (!went(round, quern_cuda_backend.graph_begin(round->progress.queue, &recorder.queue)))
        return NULL;
    quern_backend_copy box = {.rank = 2, .element_size = 8, .extents = {ROWS, COLUMNS / 2}};
    box.target_pitches[0] = COLUMNS * 4;
    box.target_pitches[1] = 8;
    box.target = box.target_memory = round->y;
    box.source = odd;
    int all = went(round, quern_cuda_backend.fill(recorder.queue, 0, &box));
    box.source = threes;
    all = all && went(round, quern_cuda_backend.fill(recorder.queue, 0, &box));
    quern_backend_argument arguments[3] = {fixture_view(round->x, 0, n, 4), fixture_view(round->y, 0, n, 4),
                                           fixture_value(&zero, 4)};
    arguments[0].form = QUERN_PARAMETER_IN;
    quern_backend_launch launch = fixture_launch_of(&round->kernel, 1, &n, NULL, arguments, 3);
    all = all && went(round, quern_cuda_backend.launch(recorder.queue, 0, &launch));
    if (!all)
        assert_int_equal(quern_cuda_backend.graph_end(recorder.queue, NULL), QUERN_SUCCESS);
    return all && went(round, quern_cuda_backend.graph_end(recorder.queue, &graph)) ? graph : NULL;
}

/* x = 1 by a rectangle, y = 3 by a value that CUDA has no pattern for, and then by one that it has, both again by a
 * graph, an event, y += 2 x, and back by a rectangle and by rows. */
static void work(struct round *round)
{
    static const float threes[2] = {3, 3}, odd[2] = {3, 4};
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
    (void)went(round, fill(round, odd, 8));
    (void)went(round, fill(round, threes, 8));
    void *graph = record_graph(round);
    for (int i = 0; graph && i < 2; ++i)
        (void)went(round, fixture_end(progress,
                                      quern_cuda_backend.graph_launch(progress->queue, ++progress->submitted, graph)));
    ++progress->submitted;
    quern_status recorded = fixture_end(
        progress, quern_cuda_backend.record(progress->queue, progress->submitted, (quern_event *)(void *)&event));
    (void)went(round, recorded);
    void *between = NULL;
    ++progress->submitted;
    quern_status allocated =
        quern_cuda_backend.queue_allocate(progress->queue, progress->submitted, BYTES, 64, &between);
    if (!went(round, allocated))
        assert_int_equal(quern_cuda_backend.signal(progress->queue, progress->submitted), QUERN_SUCCESS);
    (void)went(round, fixture_axpy(progress, &round->kernel, round->x, round->y, 2, N));
    assert_int_equal(quern_cuda_backend.signal(progress->queue, progress->submitted), QUERN_SUCCESS);
    box.target = round->pinned;
    box.target_is_host = 1;
    box.target_memory = NULL;
    box.source = round->y;
    box.source_memory = round->y;
    box.source_is_host = 0;
    (void)went(round, fixture_copy(progress, &box));
    (void)went(round, fixture_read(progress, found, round->y, BYTES));
    (void)went(round, fixture_synchronize(progress));
    if (graph)
        quern_cuda_backend.graph_release(round->device, graph);
    if (allocated == QUERN_SUCCESS)
        quern_cuda_backend.free(round->device, between, BYTES, QUERN_MEMORY_QUEUE);
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
        quern_cuda_backend.free(round->device, round->pinned, BYTES, QUERN_MEMORY_PINNED);
    if (round->unified)
        quern_cuda_backend.free(round->device, round->unified, BYTES, QUERN_MEMORY_UNIFIED);
}

static int run_round(void *device, int blocking, CUresult error)
{
    struct round round = {.device = device, .error = error};
    if (prepare(&round, blocking))
        work(&round);
    clean_up(&round);
    return round.failures;
}

/* ---- the n-th call ---- */

#define NAME_OF(name, parameters) #name,
static const char *const names[] = {FC_FUNCTIONS(NAME_OF)};
enum { NAMES = sizeof names / sizeof *names };

/* Functions whose failure is nobody's loss: there is another way, or the object is gone all the same. */
static int may_fail_silently(const char *function)
{
    static const char *const list[] = {"cuEventSynchronize", "cuStreamSynchronize", "cuLaunchHostFunc",
                                       "cuEventElapsedTime", "cuStreamQuery",       "cuEventRecord",
                                       "cuEventCreate",      "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
                                       "cuGetErrorName",     "cuGetErrorString"};
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
        if (strcmp(function, list[i]) == 0)
            return 1;
    return strstr(function, "Free") || strstr(function, "Destroy") || strstr(function, "Unload") ||
           strstr(function, "Release");
}

/* The round with the n-th call of the function failing, and the same without; 0 when there is no such call. */
static int run_with_fault(const char *function, size_t at, int blocking, CUresult error)
{
    struct round start = {.error = error};
    int failures = 0, sticks = error != CUDA_ERROR_OUT_OF_MEMORY;
    cuda_fake_reset();
    cuda_fake.fake_cuda_fail_at(function, at, error);
    if (went(&start, cuda_start())) {
        void *device = fixture_device();
        failures = run_round(device, blocking, error);
        int failed = cuda_fake.fake_cuda_has_failed();
        if (failed && !failures && !may_fail_silently(function))
            fail_msg("the failure of call %zu of %s is lost", at, function);
        cuda_fake.fake_cuda_fail_at(NULL, 0, 0);
        /* After an error that sticks the device is lost until the next start. */
        if (!sticks)
            assert_int_equal(run_round(device, blocking, error), 0);
        cuda_stop();
        cuda_fake_nothing_left();
        if (sticks) {
            OK(cuda_start());
            assert_int_equal(run_round(fixture_device(), blocking, error), 0);
            cuda_stop();
        }
        cuda_fake_nothing_left();
        return failed;
    }
    cuda_fake_nothing_left();
    return 1;
}

static void every_call_fails_once(CUresult error, size_t step)
{
    size_t functions = 0;
    for (int blocking = 0; blocking < 2; ++blocking)
        for (int n = 0; n < NAMES; ++n) {
            size_t at = 1;
            while (run_with_fault(names[n], at, blocking, error))
                at += step;
            functions += at > 1;
        }
    assert_true(functions > 74);
}

static void every_call_is_refused_once(void **state)
{
    (void)state;
    every_call_fails_once(CUDA_ERROR_OUT_OF_MEMORY, 1);
}

/* Any call may be the first to hear of an error that sticks. */
static void every_call_loses_the_device_once(void **state)
{
    (void)state;
    every_call_fails_once(CUDA_ERROR_ILLEGAL_ADDRESS, 3);
}

/* The n-th thing that the device does ends the context. */
static void every_command_ends_the_context_once(void **state)
{
    (void)state;
    for (int blocking = 0; blocking < 2; ++blocking)
        for (size_t at = 1; at < 40; ++at) {
            cuda_begin();
            cuda_fake.fake_cuda_break_at(at, CUDA_ERROR_ILLEGAL_ADDRESS);
            int failures = run_round(fixture_device(), blocking, CUDA_ERROR_ILLEGAL_ADDRESS);
            cuda_fake.fake_cuda_break_at(0, 0);
            assert_true(failures || at > 8);
            cuda_stop();
            cuda_fake_nothing_left();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_is_refused_once),
        cmocka_unit_test(every_call_loses_the_device_once),
        cmocka_unit_test(every_command_ends_the_context_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
