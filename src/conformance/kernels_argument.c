/*
 * Conformance, subject "argument": values and structs of every size. kernels_argument_many.c has kernels of many
 * parameters, kernels_argument_views.c views and what is refused.
 */
#include "kernels_argument.h"

#include <string.h>

#include "argument.k.h"
#include "double.k.h"

/* ---- none ---- */

static quern_verdict none(quern_trial *trial)
{
    QUERN_NEED_GROUP(trial, 3);
    QUERN_TRY(trial, argument_none(trial->queue, QUERN_RANGE(257)));
    QUERN_TRY(trial, argument_none_group(trial->queue, QUERN_RANGE(257)));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    QUERN_TRY(trial,
              quern_launch(trial->queue, &argument_none_kernel, &(quern_range){.extents = QUERN_EXTENTS(3)}, NULL, 0));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    return QUERN_PASSED;
}

/* ---- values ---- */

typedef quern_status launch_values(quern_queue *queue, quern_range range, int8_t a, int64_t b, uint8_t third, int16_t d,
                                   uint8_t fifth, int32_t f, int8_t g, uint64_t h, uint16_t k, float m, int8_t n,
                                   uint32_t o, quern_view y);

static quern_verdict check_values(quern_trial *trial, launch_values *launch)
{
    enum { N = 19, COLUMNS = 12 };
    static const int64_t values[COLUMNS] = {-128, INT64_MIN / 3,     255,   -32768, 1,  INT32_MIN,
                                            127,  INT64_MAX / 5 * 3, 65535, -3328,  -1, UINT32_MAX};
    int64_t wanted[N * COLUMNS];
    quern_guarded y;
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), QUERN_LENGTH(wanted), NULL, &y));
    QUERN_TRY(trial,
              launch(trial->queue, QUERN_RANGE(N), (int8_t)values[0], values[1], (uint8_t)values[2], (int16_t)values[3],
                     (uint8_t)values[4], (int32_t)values[5], (int8_t)values[6], (uint64_t)values[7],
                     (uint16_t)values[8], -3.25f, (int8_t)values[10], (uint32_t)values[11], y.view));
    for (size_t i = 0; i < N; ++i)
        for (size_t k = 0; k < COLUMNS; ++k)
            wanted[COLUMNS * i + k] = values[k] + (int64_t)i;
    return quern_guarded_want(trial, trial->queue, &y, wanted);
}

static quern_verdict values(quern_trial *trial)
{
    return check_values(trial, argument_values);
}

static quern_verdict control(quern_trial *trial)
{
    return check_values(trial, argument_control);
}

/* ---- structs ---- */

static argument_nested make_nested(int seed)
{
    argument_nested n;
    memset(&n, seed, sizeof n); /* the padding too: nobody may mind */
    n.head = (int16_t)(seed * 111);
    for (int k = 0; k < 2; ++k) {
        n.two[k].small = (int8_t)(k ? -seed : seed);
        n.two[k].number = seed * 1000003 + k;
        n.two[k].middle = (int16_t)(seed * -77 + k);
    }
    n.wide = (int64_t)seed * -1000000000039;
    n.tail = (uint8_t)(seed * 13);
    return n;
}

static int same_nested(const argument_nested *a, const argument_nested *b)
{
    int same = a->head == b->head && a->wide == b->wide && a->tail == b->tail;
    for (int k = 0; k < 2; ++k)
        same = same && a->two[k].small == b->two[k].small && a->two[k].number == b->two[k].number &&
               a->two[k].middle == b->two[k].middle;
    return same;
}

static quern_verdict structs(quern_trial *trial)
{
    enum { N = 31, COLUMNS = 16 };
    const argument_byte a = {201};
    const argument_padded b = {-5, 123456789, -321};
    const argument_nested c = make_nested(7);
    argument_wide d;
    int64_t wanted[N * COLUMNS];
    argument_nested present[N];
    quern_guarded y, back;
    memset(&d, 0xee, sizeof d);
    for (int k = 0; k < 3; ++k)
        d.flags[k] = (uint8_t)(100 + 50 * k);
    for (int k = 0; k < 24; ++k)
        d.table[k] = k * k * -1001;
    d.inner = make_nested(-9);
    QUERN_CHECK(quern_conformance_array(trial, "y", QUERN_TYPE(int64_t), QUERN_LENGTH(wanted), NULL, &y));
    QUERN_CHECK(quern_conformance_array(trial, "back", QUERN_TYPE(argument_nested), N, NULL, &back));
    QUERN_TRY(trial, argument_structs(trial->queue, QUERN_RANGE(N), a, b, c, -77, d, y.view, back.view));
    for (int i = 0; i < N; ++i) {
        const int64_t row[COLUMNS] = {a.only,
                                      b.small,
                                      b.number,
                                      b.middle,
                                      c.head,
                                      c.two[0].small + 1000 * (int64_t)c.two[0].number,
                                      c.two[1].middle + 1000 * (int64_t)c.two[1].number,
                                      c.wide,
                                      c.tail,
                                      -77,
                                      d.flags[0] + 256 * d.flags[2],
                                      d.table[i % 24],
                                      d.inner.two[1].number,
                                      d.inner.wide,
                                      sizeof(argument_wide),
                                      sizeof(argument_nested)};
        memcpy(wanted + COLUMNS * i, row, sizeof row);
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &y, wanted));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &back, present));
    for (int i = 0; i < N; ++i) {
        argument_nested whole = d.inner;
        whole.head = (int16_t)i;
        QUERN_WANT(trial, same_nested(&present[i], &whole), "back[%d] differs from the struct that was passed", i);
    }
    return QUERN_PASSED;
}

/* ---- doubles ---- */

static quern_verdict doubles(quern_trial *trial)
{
    enum { N = 43 };
    const int8_t a = -7;
    const double b = 1e-9 / 3;
    const float c = 0.1f;
    const double_pair d = {3, -1e200 / 7, 2.7f};
    double x[N], wanted[3 * N];
    quern_guarded in, out;
    QUERN_NEED_FP64(trial);
    for (int i = 0; i < N; ++i) {
        const volatile double product = b * (x[i] = 1.0 / (i + 3)), tagged = x[i] * d.tag;
        wanted[i] = product + a;
        wanted[N + i] = d.wide - tagged;
        wanted[2 * N + i] = (double)c + (double)d.narrow;
    }
    QUERN_CHECK(quern_conformance_array(trial, "x", QUERN_TYPE(double), N, x, &in));
    QUERN_CHECK(quern_conformance_array_nd(trial, "y", QUERN_TYPE(double), QUERN_EXTENTS(3, N), NULL, &out));
    QUERN_TRY(trial, double_values(trial->queue, QUERN_RANGE(N), a, b, c, d, quern_view_as_const(in.view), out.view));
    return quern_guarded_want(trial, trial->queue, &out, wanted);
}

const quern_conformance_test quern_argument_tests[] = {
    {"argument.none", "kernels without parameters", none, 0},
    {"argument.values", "values of every integer type and float, mixed", values, 0},
    {"argument.structs", "structs by value: padding, nested structs, arrays", structs, 0},
    {"argument.doubles", "doubles and structs with doubles by value", doubles, 0},
    {"argument.counts", "1 to 57 parameters of mixed sizes", quern_argument_counts, 0},
    {"argument.sixty_four", "64 parameters of every form", quern_argument_sixty_four, 0},
    {"argument.arrays", "64 arrays, or a message that names the device's limit in bytes", quern_argument_arrays, 0},
    {"argument.views", "views of every form and element size at odd offsets", quern_argument_views, 0},
    {"argument.parts", "one buffer in several arguments", quern_argument_parts, 0},
    {"argument.refused", "wrong counts, kinds, types, ranks and shapes run nothing", quern_argument_refused, 0},
    {"argument.overlap", "what is written overlaps nothing", quern_argument_overlap, 0},
    {"argument.control", "two values taken one for the other are found", control, 1},
    {NULL, NULL, NULL, 0}};
