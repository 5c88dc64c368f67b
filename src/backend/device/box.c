/* Taking boxes apart. */
#include "box.h"

#include <string.h>

void quern_device_box_of(struct quern_device_box *box, const quern_backend_copy *copy)
{
    box->rank = (int)copy->rank;
    for (int d = 0; d < box->rank; ++d) {
        box->extents[d] = copy->extents[d];
        box->target_pitches[d] = (size_t)copy->target_pitches[d];
        box->source_pitches[d] = (size_t)copy->source_pitches[d];
    }
    box->extents[box->rank - 1] *= copy->element_size;
}

void quern_device_box_of_fill(struct quern_device_box *box, const quern_backend_copy *fill)
{
    memset(box, 0, sizeof *box);
    box->rank = (int)fill->rank;
    for (int d = 0; d < box->rank; ++d) {
        box->extents[d] = fill->extents[d];
        box->target_pitches[d] = (size_t)fill->target_pitches[d];
    }
    box->extents[box->rank - 1] *= fill->element_size;
    box->target_pitches[box->rank - 1] = 1; /* of a byte */
}

/* ---- choosing ---- */

static int may_be_rows(const struct quern_device_box *box, const struct quern_device_box_rules *rules, int d)
{
    size_t bytes = box->extents[box->rank - 1], target = box->target_pitches[d], source = box->source_pitches[d];
    if (rules->same_pitches && target != source)
        return 0;
    if (rules->largest_pitch && (target > rules->largest_pitch || source > rules->largest_pitch))
        return 0;
    return target >= bytes && source >= bytes;
}

/* Slices are told by the rows between them, so no limit of a pitch holds for them. */
static int may_be_slices_of(const struct quern_device_box *box, const struct quern_device_box_rules *rules, int d,
                            int row)
{
    size_t rows = box->extents[row];
    if (rules->same_pitches && box->target_pitches[d] != box->source_pitches[d])
        return 0;
    return box->target_pitches[d] % box->target_pitches[row] == 0 &&
           box->source_pitches[d] % box->source_pitches[row] == 0 &&
           box->target_pitches[d] / box->target_pitches[row] >= rows &&
           box->source_pitches[d] / box->source_pitches[row] >= rows;
}

void quern_device_pieces_begin(struct quern_device_pieces *pieces, const struct quern_device_box *box,
                               const struct quern_device_box_rules *rules)
{
    size_t most = 1;
    memset(pieces, 0, sizeof *pieces);
    pieces->row = pieces->slice = -1;
    for (int row = 0; rules->dimensions > 1 && row + 1 < box->rank; ++row) {
        if (!may_be_rows(box, rules, row))
            continue;
        if (box->extents[row] > most) {
            most = box->extents[row];
            pieces->row = row;
            pieces->slice = -1;
        }
        for (int slice = 0; rules->dimensions > 2 && slice + 1 < box->rank; ++slice)
            if (slice != row && may_be_slices_of(box, rules, slice, row) &&
                box->extents[row] * box->extents[slice] > most) {
                most = box->extents[row] * box->extents[slice];
                pieces->row = row;
                pieces->slice = slice;
            }
    }
}

int quern_device_pieces_next(struct quern_device_pieces *pieces, const struct quern_device_box *box)
{
    for (int d = box->rank - 2; d >= 0; --d) {
        if (d == pieces->row || d == pieces->slice)
            continue;
        pieces->target += box->target_pitches[d];
        pieces->source += box->source_pitches[d];
        if (++pieces->index[d] < box->extents[d])
            return 1;
        pieces->target -= pieces->index[d] * box->target_pitches[d];
        pieces->source -= pieces->index[d] * box->source_pitches[d];
        pieces->index[d] = 0;
    }
    return 0;
}

void quern_device_rectangle_set(struct quern_device_rectangle *rectangle, const struct quern_device_box *box,
                                const struct quern_device_pieces *pieces)
{
    int row = pieces->row, slice = pieces->slice;
    rectangle->region[0] = box->extents[box->rank - 1];
    rectangle->region[1] = box->extents[row];
    rectangle->region[2] = slice < 0 ? 1 : box->extents[slice];
    rectangle->target_row = box->target_pitches[row];
    rectangle->source_row = box->source_pitches[row];
    rectangle->target_slice = slice < 0 ? rectangle->region[1] * rectangle->target_row : box->target_pitches[slice];
    rectangle->source_slice = slice < 0 ? rectangle->region[1] * rectangle->source_row : box->source_pitches[slice];
}

/* ---- filling ---- */

size_t quern_device_value_period(const char *value, size_t size, size_t most)
{
    for (size_t period = 1; period <= most; period *= 2)
        if (size % period == 0 && memcmp(value, value + period, size - period) == 0)
            return period;
    return 0;
}

/* Along dimension d, of which the first count indices are filled: fills the others. Dimensions behind it are whole. */
static quern_status spread_along(const struct quern_device_box *whole, int d, size_t count,
                                 quern_status (*copy)(void *, const struct quern_device_box *, size_t), void *context)
{
    quern_status status = QUERN_SUCCESS;
    struct quern_device_box box = {.rank = whole->rank - d};
    for (int i = 0; i < box.rank; ++i) {
        box.extents[i] = whole->extents[d + i];
        box.target_pitches[i] = box.source_pitches[i] = whole->target_pitches[d + i];
    }
    while (status == QUERN_SUCCESS && count < whole->extents[d]) {
        size_t left = whole->extents[d] - count;
        box.extents[0] = left < count ? left : count;
        status = copy(context, &box, count * whole->target_pitches[d]);
        count += box.extents[0];
    }
    return status;
}

quern_status quern_device_box_spread(const struct quern_device_box *whole, size_t filled,
                                     quern_status (*copy)(void *context, const struct quern_device_box *box,
                                                          size_t offset),
                                     void *context)
{
    quern_status status = QUERN_SUCCESS;
    for (int d = whole->rank - 1; status == QUERN_SUCCESS && d >= 0; --d)
        status = spread_along(whole, d, d == whole->rank - 1 ? filled : 1, copy, context);
    return status;
}
