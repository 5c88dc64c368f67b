/* Conformance, subject "argument": kernels of many parameters, up to 64, launched without a typed function. */
#include "kernels_argument.h"

#include <string.h>

#include "argument_many.k.h"

enum { EIGHT = 8, MOST = 64, N = 17 };

/* The types that come in turn (kernels/argument_many.k.c). */
static quern_type type_of(size_t k)
{
    static const quern_type_kind kinds[EIGHT] = {QUERN_KIND_INT8,   QUERN_KIND_INT32, QUERN_KIND_UINT8,
                                                 QUERN_KIND_INT64,  QUERN_KIND_INT16, QUERN_KIND_FLOAT32,
                                                 QUERN_KIND_UINT16, QUERN_KIND_UINT32};
    return quern_type_scalar(kinds[k % EIGHT]);
}

/* Number n of type k at bytes; gives back what it is there. */
static int64_t put(size_t k, int64_t n, void *bytes)
{
    const int8_t a = (int8_t)n;
    const int32_t b = (int32_t)(n * 1000003);
    const uint8_t c = (uint8_t)n;
    const int64_t d = n * 1000000000039;
    const int16_t e = (int16_t)(n * 331);
    const float f = (float)n;
    const uint16_t g = (uint16_t)(n * 991);
    const uint32_t h = (uint32_t)n * 4000000007u;
    const void *const from[EIGHT] = {&a, &b, &c, &d, &e, &f, &g, &h};
    const int64_t is[EIGHT] = {a, b, c, d, e, n, g, h};
    memcpy(bytes, from[k % EIGHT], type_of(k).size);
    return is[k % EIGHT];
}

/* The first count arguments of a launch: values that differ; and the sum of each times its place. */
static int64_t set_values(size_t count, quern_argument *arguments, int64_t *values)
{
    int64_t sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (int64_t)(k + 1) * put(k, (int64_t)(3 * k) - 50, &values[k]);
        arguments[k] = quern_argument_value(type_of(k), &values[k]);
    }
    return sum;
}

quern_verdict quern_argument_counts(quern_trial *trial)
{
    static quern_kernel *const kernels[] = {&argument_1_kernel, &argument_9_kernel, &argument_17_kernel,
                                            &argument_33_kernel, &argument_57_kernel};
    static const size_t counts[] = {0, 8, 16, 32, 56};
    const quern_range range = QUERN_RANGE(N);
    quern_guarded y;
    int64_t wanted[N];
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    for (size_t k = 0; k < QUERN_LENGTH(kernels); ++k) {
        quern_argument arguments[MOST];
        int64_t values[MOST];
        const int64_t sum = set_values(counts[k], arguments, values);
        arguments[counts[k]] = quern_argument_view(&y.view);
        QUERN_TRY(trial, quern_launch(trial->queue, kernels[k], &range, arguments, counts[k] + 1));
        for (int64_t i = 0; i < N; ++i)
            wanted[i] = sum + i;
        QUERN_CHECK(quern_guarded_want(trial, trial->queue, &y, wanted));
    }
    QUERN_TRY(trial, argument_2(trial->queue, range, -11, y.view));
    for (int64_t i = 0; i < N; ++i)
        wanted[i] = i - 11;
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

/* 1 and a verdict when the device cannot take so many bytes of arguments; the sentence says so. */
static int is_too_many(quern_trial *trial, quern_status status, quern_verdict *verdict)
{
    if (status != QUERN_LIMIT_EXCEEDED || !strstr(quern_last_error(), "bytes"))
        return 0;
    *verdict = quern_trial_unsupported(trial, "%s", quern_last_error());
    return 1;
}

quern_verdict quern_argument_sixty_four(quern_trial *trial)
{
    enum { VALUES = 56, SIZE = 5 };
    quern_argument arguments[MOST];
    int64_t values[VALUES], wanted[N];
    int32_t in1[N], in3[2 * N];
    int16_t in2[N];
    uint8_t in5[N];
    int64_t out4[2 * N] = {0};
    const int8_t last = -3;
    quern_guarded y, a, b, c, d, e;
    quern_verdict verdict;
    const quern_range range = QUERN_RANGE(N);
    QUERN_NEED_GROUP(trial, SIZE);
    const int64_t sum = set_values(VALUES, arguments, values);
    for (int i = 0; i < N; ++i) {
        in1[i] = 100 * i;
        in2[i] = (int16_t)(7 * i - 50);
        in3[i] = -i;
        in3[N + i] = 1000 + i;
        in5[i] = (uint8_t)(250 - i);
        out4[N + i] = wanted[i] = sum + in1[i] + 3 * in2[i] + 5 * in3[N + i] + 7 * in5[i] + 64 * last;
    }
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &y));
    QUERN_CHECK(quern_conformance_array(trial, "in1", QUERN_TYPE(int32_t), N, in1, &a));
    QUERN_CHECK(quern_conformance_array(trial, "in2", QUERN_TYPE(int16_t), N, in2, &b));
    QUERN_CHECK(quern_conformance_array_nd(trial, "in3", QUERN_TYPE(int32_t), QUERN_EXTENTS(2, N), in3, &c));
    QUERN_CHECK(quern_conformance_array_nd(trial, "out4", QUERN_TYPE(int64_t), QUERN_EXTENTS(1, 2, N), NULL, &d));
    QUERN_CHECK(quern_conformance_array_nd(trial, "in5", QUERN_TYPE(uint8_t), QUERN_EXTENTS(N), in5, &e));
    const quern_argument rest[] = {quern_argument_view(&y.view), quern_argument_view(&a.view),
                                   quern_argument_view(&b.view), quern_argument_view(&c.view),
                                   quern_argument_view(&d.view), quern_argument_view(&e.view),
                                   quern_argument_length(SIZE),  quern_argument_value(QUERN_TYPE(int8_t), &last)};
    memcpy(arguments + VALUES, rest, sizeof rest);
    const quern_status status = quern_launch(trial->queue, &argument_64_kernel, &range, arguments, MOST);
    if (is_too_many(trial, status, &verdict))
        return verdict;
    QUERN_TRY(trial, status);
    for (int i = 0; i < N; ++i) {
        in2[i] = (int16_t)(in2[i] + 1);
        in5[i] = (uint8_t)(in5[i] + 1);
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &y, wanted));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &b, in2));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &d, out4));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &e, in5));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &a));
    return quern_guarded_check(trial, trial->queue, &c);
}

quern_verdict quern_argument_arrays(quern_trial *trial)
{
    enum { INPUTS = MOST - 1 };
    quern_argument arguments[MOST];
    quern_guarded *arrays;
    int64_t wanted[N] = {0};
    quern_verdict verdict;
    const quern_range range = QUERN_RANGE(N);
    QUERN_MEMORY(trial, arrays, MOST * sizeof *arrays);
    for (size_t k = 0; k < INPUTS; ++k) {
        unsigned char bytes[N * sizeof(int64_t)];
        for (size_t i = 0; i < N; ++i)
            wanted[i] += (int64_t)(k + 1) * put(k, (int64_t)(k + 5 * i) - 60, bytes + i * type_of(k).size);
        QUERN_CHECK(quern_conformance_array(trial, "one of 63 inputs", type_of(k), N, bytes, &arrays[k]));
        arguments[k] = quern_argument_view(&arrays[k].view);
    }
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), N, NULL, &arrays[INPUTS]));
    arguments[INPUTS] = quern_argument_view(&arrays[INPUTS].view);
    const quern_status status = quern_launch(trial->queue, &argument_64_arrays_kernel, &range, arguments, MOST);
    if (is_too_many(trial, status, &verdict)) {
        for (size_t k = 0; k < MOST; ++k)
            QUERN_CHECK(quern_guarded_check(trial, trial->queue, &arrays[k]));
        return verdict;
    }
    QUERN_TRY(trial, status);
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &arrays[INPUTS], wanted));
    for (size_t k = 0; k < INPUTS; ++k)
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &arrays[k]));
    return QUERN_PASSED;
}
