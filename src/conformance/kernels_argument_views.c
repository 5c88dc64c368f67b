/* Conformance, subject "argument": views at odd places, parts of one buffer, and what a launch refuses. */
#include "kernels_argument.h"

#include <string.h>

#include "argument.k.h"

/* ---- every form and size ---- */

enum { N = 19, VIEWS = 12 };

enum { A, B, C, D, E, F, G, H, K, M, RANK_5, RANK_6 };

/* An array whose first element lies `lead` elements into its memory, whatever its rank. */
static quern_verdict make_view(quern_trial *trial, const char *name, quern_type type, quern_extents extents,
                               int is_packed, size_t lead, quern_guarded *array)
{
    quern_guarded_shape shape = is_packed ? quern_guarded_packed(type, extents) : quern_guarded_pitched(type, extents);
    shape.lead = lead;
    if (extents.rank > 0)
        shape.before[extents.rank - 1] = lead;
    shape.alignment = type.alignment; /* rows begin anywhere, too */
    return quern_guarded_make(trial, trial->device, name, shape, array);
}

static quern_verdict make_views(quern_trial *trial, size_t lead, quern_guarded *views)
{
    const struct {
        const char *name;
        quern_type type;
        quern_extents extents;
        int is_packed;
    } shapes[VIEWS] = {{"a", QUERN_TYPE(int8_t), QUERN_EXTENTS(N), 1},
                       {"b", QUERN_TYPE(int16_t), QUERN_EXTENTS(N), 1},
                       {"c", QUERN_TYPE(int32_t), QUERN_EXTENTS(N), 1},
                       {"d", QUERN_TYPE(int64_t), QUERN_EXTENTS(N), 1},
                       {"e", QUERN_TYPE(uint8_t), QUERN_EXTENTS(N), 0},
                       {"f", QUERN_TYPE(int16_t), QUERN_EXTENTS(5, 7), 0},
                       {"g", QUERN_TYPE(uint32_t), QUERN_EXTENTS(2, 3, N), 0},
                       {"h", QUERN_TYPE(uint8_t), QUERN_EXTENTS(N), 1},
                       {"k", QUERN_TYPE(int64_t), QUERN_EXTENTS(3, N), 0},
                       {"m", QUERN_TYPE(float), QUERN_EXTENTS(2, 1, 2, 5), 0},
                       {"n", QUERN_TYPE(int32_t), QUERN_EXTENTS(1, 2, 1, 2, 3), 0},
                       {"o", QUERN_TYPE(uint16_t), QUERN_EXTENTS(2, 1, 2, 1, 2, 11), 0}};
    for (size_t k = 0; k < VIEWS; ++k) {
        QUERN_CHECK(make_view(trial, shapes[k].name, shapes[k].type, shapes[k].extents, shapes[k].is_packed,
                              lead + k % 2, &views[k]));
        quern_guarded_vary(&views[k], (uint32_t)(k + lead));
    }
    /* Numbers whose sums do not overflow. */
    for (size_t i = 0; i < N; ++i) {
        const int64_t far = (int64_t)i * 1000000000039 - 7;
        memcpy(quern_guarded_element(&views[D], i), &far, sizeof far);
    }
    for (size_t i = 0; i < views[M].count; ++i) {
        const float number = (float)i * 1.5f;
        memcpy(quern_guarded_element(&views[M], i), &number, sizeof number);
    }
    for (size_t k = 0; k < VIEWS; ++k)
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &views[k]));
    return QUERN_PASSED;
}

#define ELEMENT(T, array, number) (*(T *)(void *)quern_guarded_element(&(array), (number)))

/* What argument_views does, on the images. */
static void set_wanted(quern_guarded *v)
{
    for (size_t i = 0; i < N; ++i) {
        int64_t sum = ELEMENT(int8_t, v[A], i) + 3 * ELEMENT(int16_t, v[B], i) +
                      5 * (int64_t)ELEMENT(int32_t, v[C], i) + ELEMENT(int64_t, v[D], i) +
                      7 * ELEMENT(uint8_t, v[E], i) + 11 * ELEMENT(int16_t, v[F], i % 5 * 7 + i % 7);
        /* [1][0][1][i % 5] of 2 1 2 5; [0][1][0][1][i % 3] of 1 2 1 2 3; [1][0][1][0][1][i % 11] of 2 1 2 1 2 11 */
        sum += 13 * (int64_t)ELEMENT(float, v[M], 15 + i % 5) + 17 * (int64_t)ELEMENT(int32_t, v[RANK_5], 9 + i % 3) +
               19 * ELEMENT(uint16_t, v[RANK_6], 77 + i % 11);
        ELEMENT(uint8_t, v[H], i) = (uint8_t)(sum & 255);
        ELEMENT(int64_t, v[K], N + i) = sum;
        ELEMENT(uint32_t, v[G], 5 * N + i) += (uint32_t)i;
        ELEMENT(int32_t, v[C], i) = (int32_t)((uint32_t)ELEMENT(int32_t, v[C], i) + 1);
    }
}

quern_verdict quern_argument_views(quern_trial *trial)
{
    static const size_t leads[] = {0, 1, 3, 6, 13};
    for (size_t k = 0; k < QUERN_LENGTH(leads); ++k) {
        const size_t mark = quern_trial_mark(trial);
        quern_guarded v[VIEWS];
        QUERN_CHECK(make_views(trial, leads[k], v));
        QUERN_TRY(trial, argument_views(trial->queue, QUERN_RANGE(N), quern_view_as_const(v[A].view),
                                        quern_view_as_const(v[B].view), v[C].view, quern_view_as_const(v[D].view),
                                        quern_view_as_const(v[E].view), quern_view_as_const(v[F].view), v[G].view,
                                        v[H].view, v[K].view, quern_view_as_const(v[M].view),
                                        quern_view_as_const(v[RANK_5].view), quern_view_as_const(v[RANK_6].view)));
        set_wanted(v);
        for (size_t n = 0; n < VIEWS; ++n)
            QUERN_CHECK(quern_guarded_check(trial, trial->queue, &v[n]));
        quern_trial_release(trial, mark);
    }
    return QUERN_PASSED;
}

/* ---- one buffer ---- */

enum { ROWS = 7, COLUMNS = 5, PARTS = ROWS * COLUMNS, WHOLE = 173, WIDTH = 13 };

static quern_status part_of(const quern_guarded *whole, size_t from, size_t count, quern_view *part)
{
    return quern_view_sub(whole->view, &from, QUERN_EXTENTS(count), part);
}

quern_verdict quern_argument_parts(quern_trial *trial)
{
    enum { FROM_A = 1, FROM_B = 20, FROM_C = 55, FROM_D = 90 }; /* a and b, which are only read, share elements */
    static const size_t left_from[2] = {1, 1}, right_from[2] = {1, 1 + COLUMNS};
    int32_t values[WHOLE], plane[(ROWS + 2) * WIDTH];
    quern_guarded whole, both;
    quern_view a, b, c, d, left, right;
    uint64_t state = 51;
    for (size_t i = 0; i < WHOLE; ++i)
        values[i] = (int32_t)(quern_conformance_random(&state) % 1000);
    for (size_t i = 0; i < QUERN_LENGTH(plane); ++i)
        plane[i] = (int32_t)(quern_conformance_random(&state) % 1000);
    QUERN_CHECK(quern_conformance_array(trial, "whole", QUERN_TYPE(int32_t), WHOLE, values, &whole));
    QUERN_CHECK(
        quern_conformance_array_nd(trial, "both", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS + 2, WIDTH), plane, &both));
    QUERN_TRY(trial, part_of(&whole, FROM_A, PARTS, &a));
    QUERN_TRY(trial, part_of(&whole, FROM_B, PARTS, &b));
    QUERN_TRY(trial, part_of(&whole, FROM_C, PARTS, &c));
    QUERN_TRY(trial, part_of(&whole, FROM_D, PARTS, &d));
    QUERN_TRY(trial, quern_view_sub(both.view, left_from, QUERN_EXTENTS(ROWS, COLUMNS), &left));
    QUERN_TRY(trial, quern_view_sub(both.view, right_from, QUERN_EXTENTS(ROWS, COLUMNS), &right));
    QUERN_TRY(trial, argument_parts(trial->queue, QUERN_RANGE(PARTS), quern_view_as_const(a), quern_view_as_const(b), c,
                                    d, quern_view_as_const(left), right));
    for (size_t i = 0; i < PARTS; ++i) {
        const size_t row = 1 + i % ROWS, column = 1 + i / ROWS;
        values[FROM_D + i] = values[FROM_A + i] + 10 * values[FROM_B + i] + 100 * values[FROM_C + i];
        values[FROM_C + i] = -values[FROM_C + i];
        plane[row * WIDTH + column + COLUMNS] = 1000 + plane[row * WIDTH + column];
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &whole, values));
    return quern_guarded_want(trial, trial->queue, &both, plane);
}

/* ---- refused ---- */

quern_verdict quern_argument_overlap(quern_trial *trial)
{
    static const size_t right_from[2] = {1, COLUMNS};
    quern_guarded whole, other, both;
    quern_view a, b, c, d, left, right;
    QUERN_CHECK(quern_conformance_array(trial, "whole", QUERN_TYPE(int32_t), WHOLE, NULL, &whole));
    QUERN_CHECK(quern_conformance_array(trial, "other", QUERN_TYPE(int32_t), WHOLE, NULL, &other));
    QUERN_CHECK(
        quern_conformance_array_nd(trial, "both", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS + 2, WIDTH), NULL, &both));
    QUERN_TRY(trial, part_of(&whole, 0, PARTS, &a));
    QUERN_TRY(trial, part_of(&whole, PARTS, PARTS, &b));
    QUERN_TRY(trial, part_of(&other, 0, PARTS, &c));
    QUERN_TRY(trial, part_of(&whole, 2 * PARTS - 1, PARTS, &d)); /* its first element is b's last */
    QUERN_TRY(trial, quern_view_sub(both.view, (size_t[]){1, 1}, QUERN_EXTENTS(ROWS, COLUMNS), &left));
    QUERN_TRY(trial,
              quern_view_sub(both.view, right_from, QUERN_EXTENTS(ROWS, COLUMNS), &right)); /* one column of both */
    const quern_range range = QUERN_RANGE(PARTS);
#define PARTS_LAUNCH(a, b, c, d, left, right)                                                                          \
    argument_parts(trial->queue, range, quern_view_as_const(a), quern_view_as_const(b), c, d,                          \
                   quern_view_as_const(left), right)
    quern_guarded apart;
    QUERN_CHECK(
        quern_conformance_array_nd(trial, "apart", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), NULL, &apart));
    QUERN_REFUSED(trial, PARTS_LAUNCH(a, b, c, d, left, apart.view), QUERN_OVERLAP, "'d'");
    QUERN_REFUSED(trial, PARTS_LAUNCH(a, b, a, c, left, apart.view), QUERN_OVERLAP, "'c'");
    QUERN_REFUSED(trial, PARTS_LAUNCH(a, b, c, c, left, apart.view), QUERN_OVERLAP, "'c'");
    QUERN_REFUSED(trial, PARTS_LAUNCH(a, b, c, whole.view, left, apart.view), QUERN_OVERLAP, "'d'");
    QUERN_REFUSED(trial, PARTS_LAUNCH(a, a, b, c, left, right), QUERN_OVERLAP, "'right'");
#undef PARTS_LAUNCH
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &whole));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &other));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &apart));
    return quern_guarded_check(trial, trial->queue, &both);
}

/* argument_refusals, right; a test spoils one argument after the other. */
typedef struct refusal {
    quern_trial *trial;
    quern_guarded a, b, c;
    int32_t d;
    argument_pair e;
    quern_argument arguments[6];
    quern_range range;
} refusal;

enum { REFUSED_ITEMS = 14, REFUSED_GROUP = 4 };

static quern_verdict make_refusal(quern_trial *trial, refusal *refusal)
{
    int32_t values[REFUSED_ITEMS];
    memset(refusal, 0, sizeof *refusal);
    refusal->trial = trial;
    for (int32_t i = 0; i < REFUSED_ITEMS; ++i)
        values[i] = 10 * i;
    QUERN_CHECK(quern_conformance_array(trial, "a", QUERN_TYPE(int32_t), REFUSED_ITEMS, values, &refusal->a));
    QUERN_CHECK(quern_conformance_array(trial, "b", QUERN_TYPE(float), REFUSED_ITEMS, NULL, &refusal->b));
    QUERN_CHECK(quern_conformance_array_nd(trial, "c", QUERN_TYPE(int16_t), QUERN_EXTENTS(2, REFUSED_ITEMS), NULL,
                                           &refusal->c));
    refusal->d = 5;
    refusal->e.first = 300;
    refusal->e.second = -7;
    const quern_argument arguments[] = {quern_argument_view(&refusal->a.view),
                                        quern_argument_view(&refusal->b.view),
                                        quern_argument_view(&refusal->c.view),
                                        quern_argument_value(QUERN_TYPE(int32_t), &refusal->d),
                                        quern_argument_value(QUERN_TYPE(argument_pair), &refusal->e),
                                        quern_argument_length(REFUSED_GROUP)};
    memcpy(refusal->arguments, arguments, sizeof arguments);
    refusal->range = quern_range_with_group(QUERN_RANGE(REFUSED_ITEMS), QUERN_EXTENTS(REFUSED_GROUP));
    return QUERN_PASSED;
}

static quern_status launch_with(const refusal *refusal, size_t spoiled, quern_argument argument)
{
    quern_argument arguments[6];
    memcpy(arguments, refusal->arguments, sizeof arguments);
    arguments[spoiled] = argument;
    return quern_launch(refusal->trial->queue, &argument_refusals_kernel, &refusal->range, arguments, 6);
}

/* Views that are none for the parameter. */
static quern_verdict spoil_views(quern_trial *trial, const refusal *r)
{
    const quern_const_view read_only = quern_view_as_const(r->b.view);
    quern_view outside = r->a.view, pitched, nowhere = r->a.view;
    quern_guarded plane;
    QUERN_CHECK(quern_conformance_array_nd(trial, "plane", QUERN_TYPE(int32_t), QUERN_EXTENTS(4, 5), NULL, &plane));
    pitched = plane.view;
    outside.span.layout.extents[0] = 100000;
    nowhere.buffer = NULL;
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(&r->b.view)), QUERN_INVALID_TYPE, "'a'");
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(NULL)), QUERN_INVALID_ARGUMENT, "'a'");
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(&outside)), QUERN_INVALID_SHAPE, "'a'");
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(&pitched)), QUERN_INVALID_SHAPE, "contiguous");
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(&nowhere)), QUERN_INVALID_ARGUMENT, "'a'");
    QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_length(14)), QUERN_INVALID_ARGUMENT, "'a'");
    QUERN_REFUSED(trial, launch_with(r, 1, quern_argument_const_view(&read_only)), QUERN_READ_ONLY, "'b'");
    QUERN_REFUSED(trial, launch_with(r, 2, quern_argument_view(&r->a.view)), QUERN_INVALID_TYPE, "'c'");
    for (size_t k = 0; k < trial->other_count && k < 2; ++k) {
        quern_buffer *buffer;
        quern_view foreign;
        QUERN_TRY(trial, quern_trial_buffer(trial, trial->others[k], QUERN_TYPE(int32_t), QUERN_EXTENTS(REFUSED_ITEMS),
                                            &buffer));
        QUERN_TRY(trial, quern_buffer_view(buffer, &foreign));
        QUERN_REFUSED(trial, launch_with(r, 0, quern_argument_view(&foreign)), QUERN_WRONG_DEVICE, "'a'");
    }
    return QUERN_PASSED;
}

static quern_verdict spoil_values(quern_trial *trial, const refusal *r)
{
    const int64_t wide = 5;
    quern_range plane = QUERN_RANGE(2, 7);
    QUERN_REFUSED(trial, launch_with(r, 3, quern_argument_value(QUERN_TYPE(int64_t), &wide)), QUERN_INVALID_TYPE,
                  "'d'");
    QUERN_REFUSED(trial, launch_with(r, 3, quern_argument_value(QUERN_TYPE(float), &wide)), QUERN_INVALID_TYPE, "'d'");
    QUERN_REFUSED(trial, launch_with(r, 3, quern_argument_value(QUERN_TYPE(int32_t), NULL)), QUERN_INVALID_ARGUMENT,
                  "'d'");
    QUERN_REFUSED(trial, launch_with(r, 3, quern_argument_view(&r->a.view)), QUERN_INVALID_ARGUMENT, "'d'");
    QUERN_REFUSED(trial, launch_with(r, 4, quern_argument_value(quern_type_struct(12, 4), r->c.image)),
                  QUERN_INVALID_TYPE, "'e'");
    QUERN_REFUSED(trial, launch_with(r, 4, quern_argument_value(QUERN_TYPE(int64_t), &wide)), QUERN_INVALID_TYPE,
                  "'e'");
    QUERN_REFUSED(trial, launch_with(r, 5, quern_argument_value(QUERN_TYPE(int32_t), &r->d)), QUERN_INVALID_ARGUMENT,
                  "'f'");
    QUERN_REFUSED(trial, launch_with(r, 5, quern_argument_length(SIZE_MAX / 2)), QUERN_OVERFLOW, "'f'");
    QUERN_REFUSED(trial, quern_launch(trial->queue, &argument_refusals_kernel, &r->range, r->arguments, 5),
                  QUERN_INVALID_ARGUMENT, "5 arguments, wanted 6");
    QUERN_REFUSED(trial, quern_launch(trial->queue, &argument_refusals_kernel, &r->range, NULL, 6),
                  QUERN_INVALID_ARGUMENT, "arguments");
    QUERN_REFUSED(trial, quern_launch(trial->queue, &argument_refusals_kernel, NULL, r->arguments, 6),
                  QUERN_INVALID_ARGUMENT, "range");
    QUERN_REFUSED(trial, quern_launch(trial->queue, &argument_refusals_kernel, &plane, r->arguments, 6),
                  QUERN_INVALID_SHAPE, "rank 2");
    return QUERN_PASSED;
}

quern_verdict quern_argument_refused(quern_trial *trial)
{
    refusal refusal;
    float wanted[REFUSED_ITEMS];
    int16_t wanted_c[2 * REFUSED_ITEMS] = {0};
    QUERN_NEED_GROUP(trial, REFUSED_GROUP);
    QUERN_CHECK(make_refusal(trial, &refusal));
    QUERN_CHECK(spoil_views(trial, &refusal));
    QUERN_CHECK(spoil_values(trial, &refusal));
    /* Nothing has run, and the queue is as good as before. */
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &refusal.a));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &refusal.b));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &refusal.c));
    QUERN_TRY(trial, launch_with(&refusal, 5, refusal.arguments[5]));
    for (int i = 0; i < REFUSED_ITEMS; ++i) {
        wanted[i] = (float)(10 * i + 5);
        wanted_c[i] = 307;
    }
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &refusal.b, wanted));
    return quern_guarded_want(trial, trial->queue, &refusal.c, wanted_c);
}
