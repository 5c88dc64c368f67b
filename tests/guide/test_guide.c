/* The backend of docs/writing-a-backend.md, driven by hand: it is complete, and does what the page says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <quern/backend.h>

#include "faults.k.h"

extern const quern_backend quern_serial_backend;

/* ---- a front end of the least kind ---- */

struct quern_progress {
    uint64_t finished;
    quern_status failure;
};

static char sentence[256];

static quern_status host_fail(quern_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status;
}

static void finished(quern_progress *progress, uint64_t number)
{
    progress->finished = number;
}

static void failed(quern_progress *progress, uint64_t number, quern_status status, const char *what, const char *why)
{
    (void)number;
    progress->failure = status;
    snprintf(sentence, sizeof sentence, "%s: %s", what, why);
}

static int is_failed(quern_progress *progress)
{
    return progress->failure != QUERN_SUCCESS;
}

static const quern_backend_host host = {.version = QUERN_BACKEND_VERSION,
                                        .size = sizeof host,
                                        .fail = host_fail,
                                        .finished = finished,
                                        .failed = failed,
                                        .is_failed = is_failed};

static const quern_backend *const backend = &quern_serial_backend;

typedef struct fixture {
    void *device, *queue;
    quern_progress progress;
} fixture;

static int set_up(void **state)
{
    static fixture self;
    memset(&self, 0, sizeof self);
    *state = &self;
    size_t count = 0;
    return backend->start(&host) || backend->device_count(&count) || count != 1 ||
           backend->device_open(0, &self.device) ||
           backend->queue_create(self.device, NULL, &self.progress, &self.queue);
}

static int tear_down(void **state)
{
    fixture *self = *state;
    backend->queue_destroy(self->queue);
    backend->stop();
    return 0;
}

static void all_required_functions_are_there(void **state)
{
    (void)state;
    quern_device_info info;
    assert_int_equal(backend->version, QUERN_BACKEND_VERSION);
    assert_int_equal(backend->size, sizeof *backend);
    assert_true(backend->start && backend->stop && backend->device_count && backend->device_open &&
                backend->device_info && backend->allocate && backend->free && backend->queue_create &&
                backend->queue_destroy && backend->kernel_build && backend->kernel_release && backend->copy &&
                backend->launch && backend->signal);
    assert_int_equal(backend->device_info(NULL, &info), QUERN_SUCCESS);
    assert_int_equal(info.compute_units, 1);
}

static void memory_is_aligned_and_kinds_are_honest(void **state)
{
    fixture *self = *state;
    void *memory = NULL;
    assert_int_equal(backend->allocate(self->device, 1009, 256, QUERN_MEMORY_DEVICE, &memory), QUERN_SUCCESS);
    assert_int_equal((uintptr_t)memory % 256, 0);
    backend->free(self->device, memory, 1009, QUERN_MEMORY_DEVICE);
    assert_int_equal(backend->allocate(self->device, 8, 8, QUERN_MEMORY_UNIFIED, &memory), QUERN_NOT_SUPPORTED);
    assert_true(*sentence);
}

static void a_copy_leaves_the_padding_alone(void **state)
{
    fixture *self = *state;
    int16_t source[2][5][3], target[2][6][7];
    for (int plane = 0; plane < 2; ++plane)
        for (int row = 0; row < 5; ++row)
            for (int column = 0; column < 3; ++column)
                source[plane][row][column] = (int16_t)(100 * plane + 10 * row + column);
    memset(target, 0x55, sizeof target);
    const quern_backend_copy copy = {.target = target,
                                     .source = source,
                                     .rank = 3,
                                     .element_size = 2,
                                     .extents = {2, 5, 3},
                                     .target_pitches = {sizeof target[0], sizeof target[0][0], 2},
                                     .source_pitches = {sizeof source[0], sizeof source[0][0], 2}};
    assert_int_equal(backend->copy(self->queue, 1, &copy), QUERN_SUCCESS);
    assert_int_equal(self->progress.finished, 1);
    for (int plane = 0; plane < 2; ++plane)
        for (int row = 0; row < 6; ++row)
            for (int column = 0; column < 7; ++column)
                assert_int_equal(target[plane][row][column],
                                 row < 5 && column < 3 ? 100 * plane + 10 * row + column : 0x5555);
}

static void *build(fixture *self, const quern_kernel *kernel)
{
    void *compiled = NULL;
    quern_kernel_limits limits;
    assert_int_equal(backend->kernel_build(self->device, kernel, &compiled, &limits), QUERN_SUCCESS);
    return compiled;
}

static void a_kernel_runs_over_its_range(void **state)
{
    enum { N = 1009 };
    fixture *self = *state;
    static float x[N], y[N];
    float a = 3;
    for (int i = 0; i < N; ++i) {
        x[i] = (float)i;
        y[i] = 1;
    }
    const quern_backend_argument arguments[3] = {
        {.form = QUERN_PARAMETER_IN, .size = 4, .address = x},
        {.form = QUERN_PARAMETER_INOUT, .size = 4, .address = y},
        {.form = QUERN_PARAMETER_VALUE, .size = 4, .address = &a},
    };
    const quern_backend_launch launch = {.kernel = &fault_saxpy_kernel,
                                         .compiled = build(self, &fault_saxpy_kernel),
                                         .rank = 1,
                                         .extents = {N},
                                         .items = N,
                                         .argument_count = 3,
                                         .arguments = arguments};
    assert_int_equal(backend->launch(self->queue, 1, &launch), QUERN_SUCCESS);
    assert_int_equal(self->progress.finished, 1);
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == 1 + 3 * (float)i);
    backend->kernel_release(self->device, launch.compiled);
}

/* The groups of 16 reverse their own elements, with local memory of that length. */
static void groups_have_local_memory(void **state)
{
    enum { GROUP = 16, N = 5 * GROUP };
    fixture *self = *state;
    double x[N];
    for (int i = 0; i < N; ++i)
        x[i] = i;
    const quern_backend_argument arguments[2] = {
        {.form = QUERN_PARAMETER_INOUT, .size = 8, .address = x},
        {.form = QUERN_PARAMETER_LOCAL, .size = 8, .length = GROUP},
    };
    quern_backend_launch launch = {.kernel = &fault_reverse_kernel,
                                   .compiled = build(self, &fault_reverse_kernel),
                                   .rank = 1,
                                   .extents = {N},
                                   .group = {GROUP},
                                   .groups = {N / GROUP},
                                   .items = N,
                                   .argument_count = 2,
                                   .arguments = arguments};
    assert_int_equal(backend->launch(self->queue, 1, &launch), QUERN_SUCCESS);
    assert_int_equal(self->progress.failure, QUERN_SUCCESS);
    for (int i = 0; i < N; ++i)
        assert_true(x[i] == i / GROUP * GROUP + GROUP - 1 - i % GROUP);

    /* More local memory than there is: the command fails, its number finishes, and later commands are not run. */
    const quern_backend_argument greedy[2] = {arguments[0],
                                              {.form = QUERN_PARAMETER_LOCAL, .size = 8, .length = 1 << 20}};
    launch.arguments = greedy;
    assert_int_equal(backend->launch(self->queue, 2, &launch), QUERN_SUCCESS);
    assert_int_equal(self->progress.failure, QUERN_OUT_OF_MEMORY);
    assert_int_equal(self->progress.finished, 2);
    launch.arguments = arguments;
    assert_int_equal(backend->launch(self->queue, 3, &launch), QUERN_SUCCESS);
    assert_int_equal(self->progress.finished, 3);
    assert_true(x[0] == GROUP - 1);
    assert_int_equal(backend->signal(self->queue, 4), QUERN_SUCCESS);
    assert_int_equal(self->progress.finished, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_required_functions_are_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_is_aligned_and_kinds_are_honest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_copy_leaves_the_padding_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_kernel_runs_over_its_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_have_local_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
