/* Copies: checks, and the way that the elements take. */
#include <quern/copy.h>

#include "base/error.h"
#include "copy_side.h"
#include "copy_way.h"
#include "graph.h"

/* One side lives on the queue's device. */
static quern_status check_devices(const quern_queue *queue, const quern_copy_side *target,
                                  const quern_copy_side *source)
{
    if (target->device == queue->device || source->device == queue->device)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_WRONG_DEVICE, "queue is of %s, wanted a queue of the device of target or source (%s)",
                      queue->device->info.name, target->device ? target->device->info.name : source->device->info.name);
}

static quern_status copy_sides(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = quern_copy_side_check(target);
    if (status == QUERN_SUCCESS)
        status = quern_copy_side_check(source);
    if (status == QUERN_SUCCESS)
        status = quern_copy_check_shapes(target, source);
    if (status == QUERN_SUCCESS)
        status = check_devices(queue, target, source);
    if (status != QUERN_SUCCESS)
        return status;
    int is_empty = quern_copy_is_empty(target->layout);
    if (!is_empty)
        status = quern_copy_check_overlap(target, source);
    if (status != QUERN_SUCCESS)
        return status;
    if (quern_queue_is_captured(queue) && quern_graph_record_copy(queue, target, source, is_empty, &status))
        return status;
    return is_empty ? QUERN_SUCCESS : quern_copy_submit(queue, target, source);
}

quern_status quern_copy(quern_queue *queue, quern_view target, quern_const_view source)
{
    quern_copy_side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    quern_copy_side from = {"source", source.span.address, &source.span.layout, source.buffer, source.device};
    if (!to.buffer || !from.buffer)
        return quern_copy_side_no_buffer(to.buffer ? "source" : "target");
    return copy_sides(queue, &to, &from);
}

quern_status quern_copy_from_host(quern_queue *queue, quern_view target, quern_const_span source)
{
    quern_copy_side to = {"target", target.span.address, &target.span.layout, target.buffer, target.device};
    quern_copy_side from = {"source", source.address, &source.layout, NULL, NULL};
    if (!to.buffer)
        return quern_copy_side_no_buffer("target");
    return copy_sides(queue, &to, &from);
}

quern_status quern_copy_to_host(quern_queue *queue, quern_span target, quern_const_view source)
{
    quern_copy_side to = {"target", target.address, &target.layout, NULL, NULL};
    quern_copy_side from = {"source", source.span.address, &source.span.layout, source.buffer, source.device};
    if (!from.buffer)
        return quern_copy_side_no_buffer("source");
    return copy_sides(queue, &to, &from);
}
