/* What the tests on held commands share: backends of all kinds, kernels for them, and arrays of numbers. */
#ifndef QUERN_TEST_QUEUE_TEST_H
#define QUERN_TEST_QUEUE_TEST_H

#include "queue_backend.h"

/* ---- the backends ---- */

VARIANT(lazy, 0, 0, 2, .help = NULL);
VARIANT(eager, 1, 0, 1, .help = NULL);
VARIANT(all, 1, 1, 1, .finishes_all = 1);
VARIANT(helps, 0, 0, 1, .help = variant_help);
VARIANT(waits, 0, 0, 1, .wait = variant_wait);
VARIANT(calls, 0, 0, 1, .call = variant_call);
VARIANT(full, 0, 0, 2, .wait = variant_wait, .call = variant_call, .record = variant_record, .fill = variant_fill);

static const char *const variant_devices[] = {"lazy:0", "eager:0", "all:0", "helps:0", "waits:0", "calls:0", "full:0"};
enum { VARIANTS = sizeof variant_devices / sizeof *variant_devices };

static int add_variants(void **state)
{
    static const quern_backend *const tables[] = {&lazy_backend,  &eager_backend, &all_backend, &helps_backend,
                                                  &waits_backend, &calls_backend, &full_backend};
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
        ok(quern_backends_add(tables[i], NULL, "the test"));
    return 0;
}

/* ---- kernels ---- */

/* y[i] = 3 y[i] + x[i] + a: the order of launches can be seen. */
static void mix_function(const quern_backend_launch *launch)
{
    const uint64_t *x = launch->arguments[0].address;
    uint64_t *y = launch->arguments[1].address, a;
    memcpy(&a, launch->arguments[2].address, sizeof a);
    for (size_t i = 0; i < launch->items; ++i)
        y[i] = 3 * y[i] + x[i] + a;
}

static const quern_parameter mix_parameters[] = {
    {"x", "uint64_t", QUERN_PARAMETER_IN, 0, TYPE_OF(uint64_t, QUERN_KIND_UINT64), NULL},
    {"y", "uint64_t", QUERN_PARAMETER_INOUT, 0, TYPE_OF(uint64_t, QUERN_KIND_UINT64), NULL},
    {"a", "uint64_t", QUERN_PARAMETER_VALUE, 0, TYPE_OF(uint64_t, QUERN_KIND_UINT64), NULL},
};
static const quern_kernel_image mix_image = {"all", "generic", (void (*)(void))mix_function, NULL, 0};
static quern_kernel mix_kernel = {QUERN_KERNEL_VERSION, 3,          "mix", "mix.k.c", 1,   1, 0, 0, {0, 0, 0}, 0, 0,
                                  mix_parameters,       &mix_image, 1,     0,         NULL};

/* Passes the gate that its value is the address of. */
static void stop_function(const quern_backend_launch *launch)
{
    gate *g;
    memcpy(&g, launch->arguments[0].address, sizeof g);
    (void)gate_pass(g);
}

static const quern_parameter stop_parameters[] = {
    {"gate", "uint64_t", QUERN_PARAMETER_VALUE, 0, TYPE_OF(uint64_t, QUERN_KIND_UINT64), NULL},
};
static const quern_kernel_image stop_image = {"all", "generic", (void (*)(void))stop_function, NULL, 0};
static quern_kernel stop_kernel = {QUERN_KERNEL_VERSION, 1,           "stop", "stop.k.c", 1,   1, 0, 0, {0, 0, 0}, 0, 0,
                                   stop_parameters,      &stop_image, 1,      0,          NULL};

static inline quern_status launch_stop(quern_queue *queue, gate *g)
{
    uint64_t value = (uintptr_t)g;
    quern_range range = QUERN_RANGE(1);
    quern_argument argument = quern_argument_value(QUERN_TYPE(uint64_t), &value);
    return quern_launch(queue, &stop_kernel, &range, &argument, 1);
}

static inline quern_status launch_mix(quern_queue *queue, size_t n, quern_const_view x, quern_view y, uint64_t a)
{
    quern_range range = QUERN_RANGE(n);
    quern_argument arguments[3] = {quern_argument_const_view(&x), quern_argument_view(&y),
                                   quern_argument_value(QUERN_TYPE(uint64_t), &a)};
    return quern_launch(queue, &mix_kernel, &range, arguments, 3);
}

/* ---- host functions ---- */

static inline quern_status count_up(void *argument)
{
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST);
    return QUERN_SUCCESS;
}

static inline int count_of(int *count)
{
    return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static inline quern_status fail_with_sentence(void *argument)
{
    quern_device *device = NULL;
    (void)argument;
    return quern_device_open(NULL, &device); /* INVALID_ARGUMENT, with a sentence */
}

/* ---- arrays ---- */

enum { N = 61 };

static inline quern_buffer *make_numbers(quern_queue *queue, quern_device *device, uint64_t value)
{
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N));
    ok(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(uint64_t), &value));
    return buffer;
}

static inline quern_span span_of(void *memory, quern_type type, quern_extents extents)
{
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(type, extents, &layout));
    ok(quern_span_make(memory, &layout, &span));
    return span;
}

/* All of them are value. */
static inline void expect_numbers(quern_queue *queue, quern_buffer *buffer, uint64_t value)
{
    uint64_t numbers[N];
    memset(numbers, 0xa5, sizeof numbers);
    ok(quern_copy_to_host(queue, span_of(numbers, QUERN_TYPE(uint64_t), QUERN_EXTENTS(N)), QUERN_CONST_VIEW(buffer)));
    ok(quern_queue_synchronize(queue));
    for (int i = 0; i < N; ++i)
        assert_int_equal(numbers[i], value);
}

#endif
