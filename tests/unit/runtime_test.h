/*
 * What the tests of the runtime share: devices, queues, arrays, a gate that holds a queue, and kernels
 * written by hand as `quern compile` would emit them (the dialect has tests of its own).
 */
#ifndef QUERN_TEST_RUNTIME_TEST_H
#define QUERN_TEST_RUNTIME_TEST_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <quern/dialect/cpu_abi.h>
#include <quern/quern.h>

/* Fails with the library's own sentence. */
static inline void ok_at(quern_status status, const char *call, const char *file, int line)
{
    if (status != QUERN_SUCCESS) {
        fprintf(stderr, "%s:%d: %s gave %s: %s\n", file, line, call, quern_status_name(status), quern_last_error());
        fail();
    }
}
#define ok(call) ok_at((call), #call, __FILE__, __LINE__)

/* The call gives that status, and the sentence holds every one of the words. */
static inline void refused_at(quern_status status, quern_status wanted, const char *words, const char *call,
                              const char *file, int line)
{
    char copy[256];
    if (status != wanted) {
        fprintf(stderr, "%s:%d: %s gave %s (%s), wanted %s\n", file, line, call, quern_status_name(status),
                quern_last_error(), quern_status_name(wanted));
        fail();
    }
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (!strstr(quern_last_error(), word)) {
            fprintf(stderr, "%s:%d: the sentence of %s is \"%s\" and lacks \"%s\"\n", file, line, call,
                    quern_last_error(), word);
            fail();
        }
}
#define refused(call, wanted, words) refused_at((call), wanted, words, #call, __FILE__, __LINE__)

static inline quern_device *open_device(const char *name)
{
    quern_device *device = NULL;
    ok(quern_device_open(name, &device));
    ok(quern_device_release(device)); /* handles last as long as the library */
    return device;
}

static inline quern_queue *make_queue(quern_device *device, int blocking, const char *name)
{
    quern_queue_options options = {blocking, 0, name};
    quern_queue *queue = NULL;
    ok(quern_queue_create(device, &options, &queue));
    return queue;
}

static inline quern_buffer *make_buffer(quern_device *device, quern_type type, quern_extents extents)
{
    quern_buffer *buffer = NULL;
    ok(quern_buffer_create(device, type, extents, &buffer));
    return buffer;
}

/* ---- a gate: holds a queue until it is opened ---- */

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int open, entered;
    quern_status status; /* what the host function returns */
} gate;

static inline void gate_init(gate *g, quern_status status)
{
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    g->open = g->entered = 0;
    g->status = status;
}

static inline quern_status gate_pass(void *argument)
{
    gate *g = argument;
    pthread_mutex_lock(&g->lock);
    g->entered = 1;
    pthread_cond_broadcast(&g->changed);
    while (!g->open)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return g->status;
}

static inline void gate_wait_entered(gate *g)
{
    pthread_mutex_lock(&g->lock);
    while (!g->entered)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_open(gate *g)
{
    pthread_mutex_lock(&g->lock);
    g->open = 1;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static inline void gate_destroy(gate *g)
{
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
}

/* ---- kernels ---- */

static inline void axpy_function(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    const float *x = arguments[0].address;
    float *y = arguments[1].address;
    float a = *(const float *)arguments[2].address;
    for (ptrdiff_t i = piece->dim[0].begin; i < piece->dim[0].end; ++i)
        y[i] += a * x[i];
}

/* out[y][x] = in[y][x] + 1000 y + x, with the indices of the range, offset included */
static inline void mark_function(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    const char *in = arguments[0].address;
    char *out = arguments[1].address;
    for (ptrdiff_t y = piece->dim[1].begin + piece->dim[1].offset; y < piece->dim[1].end + piece->dim[1].offset; ++y)
        for (ptrdiff_t x = piece->dim[0].begin + piece->dim[0].offset; x < piece->dim[0].end + piece->dim[0].offset;
             ++x)
            *(int32_t *)(out + y * arguments[1].pitches[0] + 4 * x) =
                *(const int32_t *)(in + y * arguments[0].pitches[0] + 4 * x) + (int32_t)(1000 * y + x);
}

/* sizes[group] = items of the group that lie in the range */
static inline void group_function(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    int32_t *sizes = arguments[0].address;
    for (ptrdiff_t g = piece->dim[0].begin; g < piece->dim[0].end; ++g) {
        ptrdiff_t left = piece->dim[0].extent - g * piece->dim[0].group;
        sizes[g] = (int32_t)(left < piece->dim[0].group ? left : piece->dim[0].group);
    }
}

#define TYPE_OF(T, KIND)                                                                                               \
    {                                                                                                                  \
        KIND, _Alignof(T), sizeof(T)                                                                                   \
    }
#define CPU_IMAGE(f)                                                                                                   \
    {                                                                                                                  \
        "cpu", "generic", (void (*)(void))(f), NULL, 0                                                                 \
    }

static const quern_parameter axpy_parameters[] = {
    {"x", "float", QUERN_PARAMETER_IN, 0, TYPE_OF(float, QUERN_KIND_FLOAT32), NULL},
    {"y", "float", QUERN_PARAMETER_INOUT, 0, TYPE_OF(float, QUERN_KIND_FLOAT32), NULL},
    {"a", "float", QUERN_PARAMETER_VALUE, 0, TYPE_OF(float, QUERN_KIND_FLOAT32), NULL},
};
static const quern_kernel_image axpy_image = CPU_IMAGE(axpy_function);
static __attribute__((unused)) quern_kernel axpy_kernel = {
    QUERN_KERNEL_VERSION, 3, "axpy", "axpy.k.c", 1, 1, 0, 0, {0, 0, 0}, 0, 0, axpy_parameters, &axpy_image, 1, 0, NULL};

static const quern_parameter mark_parameters[] = {
    {"in", "int32_t", QUERN_PARAMETER_IN_ND, 2, TYPE_OF(int32_t, QUERN_KIND_INT32), NULL},
    {"out", "int32_t", QUERN_PARAMETER_OUT_ND, 2, TYPE_OF(int32_t, QUERN_KIND_INT32), NULL},
};
static const quern_kernel_image mark_image = CPU_IMAGE(mark_function);
static __attribute__((unused)) quern_kernel mark_kernel = {
    QUERN_KERNEL_VERSION, 2, "mark", "mark.k.c", 1, 2, 0, 0, {0, 0, 0}, 0, 0, mark_parameters, &mark_image, 1, 0, NULL};

static const quern_parameter group_parameters[] = {
    {"sizes", "int32_t", QUERN_PARAMETER_OUT, 0, TYPE_OF(int32_t, QUERN_KIND_INT32), NULL},
    {"tile", "float", QUERN_PARAMETER_LOCAL, 0, TYPE_OF(float, QUERN_KIND_FLOAT32), NULL},
};
static const quern_kernel_image group_image = CPU_IMAGE(group_function);
static __attribute__((unused)) quern_kernel group_any_kernel = {
    QUERN_KERNEL_VERSION, 2, "group_any", "g.k.c", 1, 1, 1, 1, {0, 0, 0}, 0, 0, group_parameters,
    &group_image,         1, 0,           NULL};
static __attribute__((unused)) quern_kernel group_8_kernel = {
    QUERN_KERNEL_VERSION, 2, "group_8", "g.k.c", 1, 1, 1, 1, {8, 0, 0}, 0, 0, group_parameters,
    &group_image,         1, 0,         NULL};

static inline quern_status launch_axpy(quern_queue *queue, size_t n, quern_const_view x, quern_view y, float a)
{
    quern_range range = QUERN_RANGE(n);
    quern_argument arguments[3] = {quern_argument_const_view(&x), quern_argument_view(&y),
                                   quern_argument_value(QUERN_TYPE(float), &a)};
    return quern_launch(queue, &axpy_kernel, &range, arguments, 3);
}

static inline void fill_float(quern_queue *queue, quern_view view, float value)
{
    ok(quern_fill(queue, view, QUERN_TYPE(float), &value));
}

#endif
