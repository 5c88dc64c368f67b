/* Conformance, subject "layout": views with pitches, halos, empty ranges, group sizes for kernels that have no groups.
 */
#include "kernels_layout.h"

#include <string.h>

#include "layout.k.h"
#include "layout_groups.k.h"
#include "layout_views.k.h"

/* ---- views ---- */

typedef quern_status launch_reverse(quern_queue *queue, quern_range range, quern_const_view x, quern_view y,
                                    quern_view sizes);

/* Guards on all sides; rows that begin anywhere; rows and planes with bytes between them; no gaps at all. */
enum { SHAPES = 4 };

static quern_guarded_shape shape_of(int which, quern_extents extents)
{
    quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(int16_t), extents);
    if (which == 1)
        shape.alignment = 2;
    if (which == 2) {
        shape.row_padding = 10;
        shape.empty_rows = 1;
    }
    if (which == 3)
        shape = quern_guarded_packed(QUERN_TYPE(int16_t), extents);
    return shape;
}

/* y = x backwards along every dimension is y = x backwards by number. */
static quern_verdict check_reverse(quern_trial *trial, launch_reverse *launch, quern_extents extents, int from, int to)
{
    const size_t mark = quern_trial_mark(trial);
    quern_guarded x, y, sizes;
    int64_t wanted_sizes[QUERN_MAX_RANK];
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape_of(from, extents), &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape_of(to, extents), &y));
    QUERN_CHECK(quern_conformance_array(trial, "sizes", QUERN_TYPE(int64_t), extents.rank, NULL, &sizes));
    quern_guarded_vary(&x, 1);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    QUERN_TRY(trial, launch(trial->queue, quern_range_make(extents), quern_view_as_const(x.view), y.view, sizes.view));
    for (size_t i = 0; i < x.count; ++i)
        memcpy(quern_guarded_element(&y, i), quern_guarded_element(&x, x.count - 1 - i), sizeof(int16_t));
    for (uint32_t d = 0; d < extents.rank; ++d)
        wanted_sizes[d] = (int64_t)extents.n[d];
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &y));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &sizes, wanted_sizes));
    quern_trial_release(trial, mark);
    return QUERN_PASSED;
}

static quern_verdict all_shapes(quern_trial *trial, launch_reverse *launch, quern_extents extents)
{
    for (int from = 0; from < SHAPES; ++from)
        for (int to = 0; to < SHAPES; ++to)
            QUERN_CHECK(check_reverse(trial, launch, extents, from, to));
    return QUERN_PASSED;
}

quern_verdict quern_layout_views(quern_trial *trial)
{
    QUERN_CHECK(all_shapes(trial, layout_reverse_1, QUERN_EXTENTS(257)));
    QUERN_CHECK(all_shapes(trial, layout_reverse_2, QUERN_EXTENTS(13, 37)));
    QUERN_CHECK(all_shapes(trial, layout_reverse_2, QUERN_EXTENTS(1, 1)));
    QUERN_CHECK(all_shapes(trial, layout_reverse_3, QUERN_EXTENTS(5, 7, 11)));
    return all_shapes(trial, layout_reverse_6, QUERN_EXTENTS(2, 3, 1, 2, 5, 7));
}

/* ---- halos ---- */

enum { ROWS = 23, COLUMNS = 41 };

static int32_t stencil_at(const int32_t *u, size_t y, size_t x)
{
    return 1000 * u[(y - 1) * COLUMNS + x] + 100 * u[(y + 1) * COLUMNS + x] + 10 * u[y * COLUMNS + x - 1] +
           u[y * COLUMNS + x + 1];
}

quern_verdict quern_layout_stencil(quern_trial *trial)
{
    static const size_t inside[2] = {1, 1};
    static const ptrdiff_t offsets[2] = {1, 1};
    static int32_t before[ROWS * COLUMNS], after[ROWS * COLUMNS];
    quern_guarded u, v, w;
    quern_view sub;
    uint64_t state = 5;
    for (size_t i = 0; i < ROWS * COLUMNS; ++i)
        before[i] = after[i] = (int32_t)(quern_conformance_random(&state) % 2001) - 1000;
    QUERN_CHECK(quern_conformance_array_nd(trial, "u", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), before, &u));
    QUERN_CHECK(quern_conformance_array_nd(trial, "v", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), before, &v));
    QUERN_CHECK(
        quern_conformance_array_nd(trial, "w", QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS - 2, COLUMNS - 2), NULL, &w));
    /* The whole views and a range with offsets; the interior's view, whose neighbours lie outside of it. */
    const quern_range interior = QUERN_RANGE(ROWS - 2, COLUMNS - 2);
    QUERN_TRY(trial, layout_stencil(trial->queue, quern_range_with_offsets(interior, offsets),
                                    quern_view_as_const(u.view), v.view));
    QUERN_TRY(trial, quern_view_sub(u.view, inside, QUERN_EXTENTS(ROWS - 2, COLUMNS - 2), &sub));
    QUERN_TRY(trial, layout_stencil(trial->queue, interior, quern_view_as_const(sub), w.view));
    for (size_t y = 1; y < ROWS - 1; ++y)
        for (size_t x = 1; x < COLUMNS - 1; ++x) {
            const int32_t value = stencil_at(before, y, x);
            after[y * COLUMNS + x] = value;
            memcpy(quern_guarded_element(&w, (y - 1) * (COLUMNS - 2) + x - 1), &value, sizeof value);
        }
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &u));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &v, after));
    return quern_guarded_check(trial, trial->queue, &w);
}

/* ---- nothing to do ---- */

/* layout_each_2 without a translation for any device: whoever builds it fails. */
static quern_kernel without_images(void)
{
    quern_kernel kernel = layout_each_2_kernel;
    kernel.images = NULL;
    kernel.image_count = 0;
    kernel.state = NULL;
    return kernel;
}

static quern_status launch_kernel(quern_trial *trial, quern_kernel *kernel, quern_range range,
                                  const quern_guarded *visits, const quern_guarded *marks)
{
    static const int64_t zero = 0;
    const quern_argument arguments[] = {quern_argument_view(&visits->view), quern_argument_view(&marks->view),
                                        quern_argument_value(QUERN_TYPE(int64_t), &zero),
                                        quern_argument_value(QUERN_TYPE(int64_t), &zero)};
    return quern_launch(trial->queue, kernel, &range, arguments, QUERN_LENGTH(arguments));
}

quern_verdict quern_layout_empty(quern_trial *trial)
{
    static quern_kernel kernel; /* the library keeps what belongs to it until it is shut down */
    const size_t empty[][2] = {{0, 5}, {5, 0}, {0, 0}, {0, SIZE_MAX / 4}};
    quern_guarded visits, marks;
    QUERN_CHECK(quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t), QUERN_EXTENTS(5, 5), NULL, &visits));
    QUERN_CHECK(quern_conformance_array_nd(trial, "marks", QUERN_TYPE(uint32_t), QUERN_EXTENTS(5, 5), NULL, &marks));
    if (!kernel.name)
        kernel = without_images();
    for (size_t k = 0; k < QUERN_LENGTH(empty); ++k) {
        const quern_range range = QUERN_RANGE(empty[k][0], empty[k][1]);
        QUERN_TRY(trial, launch_kernel(trial, &kernel, range, &visits, &marks));
        QUERN_TRY(trial, layout_each_2(trial->queue, range, visits.view, marks.view, 0, 0));
        QUERN_TRY(trial, layout_group_2(trial->queue, quern_range_with_group(range, QUERN_EXTENTS(1, 1)), visits.view,
                                        marks.view));
    }
    /* The same kernel over one item has to be compiled, and cannot be. */
    QUERN_REFUSED(trial, launch_kernel(trial, &kernel, QUERN_RANGE(1, 1), &visits, &marks), QUERN_NOT_SUPPORTED,
                  "layout_each_2");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &visits));
    return quern_guarded_check(trial, trial->queue, &marks);
}

/* ---- groups for kernels without ---- */

quern_verdict quern_layout_hints(quern_trial *trial)
{
    const quern_extents hints[] = {QUERN_EXTENTS(1),       QUERN_EXTENTS(7),      QUERN_EXTENTS(64),
                                   QUERN_EXTENTS(1, 1),    QUERN_EXTENTS(3, 5),   QUERN_EXTENTS(2, 32),
                                   QUERN_EXTENTS(1, 2, 3), QUERN_EXTENTS(4, 1, 8)};
    const quern_extents ranges[] = {QUERN_EXTENTS(1),      QUERN_EXTENTS(257),     QUERN_EXTENTS(1, 1),
                                    QUERN_EXTENTS(31, 53), QUERN_EXTENTS(1, 1, 1), QUERN_EXTENTS(5, 7, 19)};
    quern_layout_launch *const launches[] = {NULL, quern_layout_each_1, quern_layout_each_2, quern_layout_each_3};
    const int64_t origin[QUERN_MAX_RANK] = {3, -2, 1};
    quern_guarded visits, marks;
    for (size_t h = 0; h < QUERN_LENGTH(hints); ++h)
        for (size_t r = 0; r < QUERN_LENGTH(ranges); ++r)
            if (ranges[r].rank == hints[h].rank && quern_conformance_group_fits(trial, hints[h].rank, hints[h].n))
                QUERN_CHECK(quern_layout_check_range(trial, launches[hints[h].rank], ranges[r], origin, hints[h]));
    QUERN_CHECK(quern_conformance_array_nd(trial, "visits", QUERN_TYPE(int32_t), QUERN_EXTENTS(9), NULL, &visits));
    QUERN_CHECK(quern_conformance_array_nd(trial, "marks", QUERN_TYPE(uint32_t), QUERN_EXTENTS(9), NULL, &marks));
    QUERN_CHECK(quern_conformance_need_largest_group(trial));
    const quern_range range = QUERN_RANGE(9);
    const size_t too_many = (size_t)trial->info.largest_group_items + 1;
    QUERN_REFUSED(
        trial,
        layout_each_1(trial->queue, quern_range_with_group(range, QUERN_EXTENTS(too_many)), visits.view, marks.view, 0),
        QUERN_LIMIT_EXCEEDED, "group");
    QUERN_REFUSED(
        trial,
        layout_each_1(trial->queue, quern_range_with_group(range, QUERN_EXTENTS(3, 3)), visits.view, marks.view, 0),
        QUERN_INVALID_SHAPE, "rank");
    QUERN_REFUSED(
        trial, layout_each_1(trial->queue, quern_range_with_group(range, QUERN_EXTENTS(0)), visits.view, marks.view, 0),
        QUERN_INVALID_ARGUMENT, "group");
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &visits));
    return quern_guarded_check(trial, trial->queue, &marks);
}
