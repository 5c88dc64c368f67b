/* Fills. A backend without one copies a row of values, again and again. */
#include <quern/copy.h>

#include <string.h>

#include "ask.h"
#include "copy_side.h"
#include "copy_way.h"
#include "graph.h"
#include "kept.h"

enum { ROW_BYTES = 65536 }; /* of values that are copied, unless a rank of 6 leaves no way to repeat a part of a row */

/* A fill as copies of one row of values, with source pitches of 0. */
typedef struct row_copies {
    size_t row;   /* values */
    size_t count; /* of the copies: whole rows, and what is left */
    quern_backend_copy copies[2];
} row_copies;

static void repeat_source(quern_backend_copy *copy)
{
    for (uint32_t d = 0; d + 1 < copy->rank; ++d)
        copy->source_pitches[d] = 0;
    copy->source_pitches[copy->rank - 1] = (ptrdiff_t)copy->element_size;
}

/* Long rows are rows of shorter ones. */
static void plan_rows(const quern_backend_copy *fill, row_copies *plan)
{
    uint32_t last = fill->rank - 1;
    size_t columns = fill->extents[last], size = fill->element_size, row = size < ROW_BYTES ? ROW_BYTES / size : 1;
    plan->copies[0] = *fill;
    plan->count = 1;
    if (columns <= row || fill->rank == QUERN_MAX_RANK) {
        plan->row = columns;
        repeat_source(&plan->copies[0]);
        return;
    }
    plan->row = row;
    quern_backend_copy *whole = &plan->copies[0];
    whole->rank = fill->rank + 1;
    whole->extents[last] = columns / row;
    whole->target_pitches[last] = (ptrdiff_t)(row * size);
    whole->extents[last + 1] = row;
    whole->target_pitches[last + 1] = (ptrdiff_t)size;
    repeat_source(whole);
    if (columns % row) {
        quern_backend_copy *rest = &plan->copies[plan->count++];
        *rest = *fill;
        rest->target = (char *)fill->target + columns / row * row * size;
        rest->extents[last] = columns % row;
        repeat_source(rest);
    }
}

static quern_kept *make_row(const quern_backend_copy *fill, size_t count)
{
    quern_kept *kept = quern_kept_make(count * fill->element_size, "a row of values to fill with");
    for (size_t i = 0; kept && i < count; ++i)
        memcpy((char *)kept->data + i * fill->element_size, fill->source, fill->element_size);
    return kept;
}

static quern_status fill_by_copies(quern_queue *queue, const quern_buffer_use *use, const quern_backend_copy *fill)
{
    row_copies plan;
    plan_rows(fill, &plan);
    quern_kept *row = make_row(fill, plan.row);
    if (!row)
        return QUERN_OUT_OF_MEMORY;
    uint64_t first;
    quern_status status = quern_queue_begin_several(queue, use, 1, plan.count, &first);
    if (status != QUERN_SUCCESS) {
        quern_kept_free(row);
        return status;
    }
    uint64_t last = first + plan.count - 1;
    for (size_t i = 0; status == QUERN_SUCCESS && i < plan.count; ++i) {
        plan.copies[i].source = row->data;
        status = quern_ask_copy(queue, first + i, &plan.copies[i]);
    }
    status = quern_queue_end(queue, last, status, "a fill");
    quern_kept_until_finished(row, queue->progress, last);
    return status;
}

quern_status quern_fill_submit(quern_queue *queue, const quern_copy_side *target, const void *value)
{
    quern_backend_copy fill;
    quern_status status = quern_copy_describe(queue->device, target, NULL, &fill);
    if (status != QUERN_SUCCESS)
        return status;
    fill.source = value;
    quern_buffer_use use = {target->buffer, 1, quern_copy_side_box(target)};
    uint64_t number;
    if (fill.target_is_host && !queue->device->info.host_accessible)
        return quern_copy_by_host(queue, &use, 1, &fill, 1, &number);
    if (!queue->backend->fill)
        return fill_by_copies(queue, &use, &fill);
    status = quern_queue_begin(queue, &use, 1, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_ask_fill(queue, number, &fill);
    return quern_queue_end(queue, number, status, "a fill");
}

quern_status quern_fill(quern_queue *queue, quern_view target, quern_type type, const void *value)
{
    quern_copy_side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    quern_status status = quern_queue_check(queue);
    if (status != QUERN_SUCCESS)
        return status;
    if (!to.buffer)
        return quern_copy_side_no_buffer("target");
    if (!value)
        return quern_fail(QUERN_INVALID_ARGUMENT, "value is NULL, wanted the address of a value");
    status = quern_copy_side_check(&to);
    if (status != QUERN_SUCCESS)
        return status;
    if (!quern_type_equal(type, to.layout->type))
        return quern_fail(QUERN_INVALID_TYPE, "value is of %s (%u bytes), wanted %s (%u bytes) as target",
                          quern_type_name(type), type.size, quern_type_name(to.layout->type), to.layout->type.size);
    if (to.device != queue->device)
        return quern_fail(QUERN_WRONG_DEVICE, "queue is of %s, wanted a queue of the device of target (%s)",
                          queue->device->info.name, to.device->info.name);
    int is_empty = quern_copy_is_empty(to.layout);
    if (quern_queue_is_captured(queue) && quern_graph_record_fill(queue, &to, value, is_empty, &status))
        return status;
    return is_empty ? QUERN_SUCCESS : quern_fill_submit(queue, &to, value);
}
