/* The way of a copy; see copy_way.h. */
#include "copy_way.h"

#include "ask.h"

size_t quern_copy_uses(const quern_copy_side *target, const quern_copy_side *source, quern_buffer_use *uses)
{
    size_t count = 0;
    if (target->buffer)
        uses[count++] = (quern_buffer_use){target->buffer, 1, quern_copy_side_box(target)};
    if (source->buffer)
        uses[count++] = (quern_buffer_use){source->buffer, 0, quern_copy_side_box(source)};
    return count;
}

int quern_copy_is_by_host(const quern_queue *queue, const quern_backend_copy *copy)
{
    return copy->target_is_host && copy->source_is_host && !queue->device->info.host_accessible;
}

quern_status quern_copy_submit_plain(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source,
                                     uint64_t *number)
{
    quern_backend_copy copy;
    quern_buffer_use uses[2];
    quern_status status = quern_copy_describe(queue->device, target, source, &copy);
    if (status != QUERN_SUCCESS)
        return status;
    size_t count = quern_copy_uses(target, source, uses);
    if (quern_copy_is_by_host(queue, &copy))
        return quern_copy_by_host(queue, uses, count, &copy, 0, number);
    status = quern_queue_begin(queue, uses, count, number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_ask_copy(queue, *number, &copy);
    return quern_queue_end(queue, *number, status, "a copy");
}

/* 1 when a queue of the device gets at the side's memory. */
static int is_reached(const quern_queue *queue, const quern_copy_side *side)
{
    return side->device == queue->device || quern_copy_side_reaches_host(side);
}

int quern_copy_is_plain(const quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    return is_reached(queue, target) && is_reached(queue, source);
}

quern_status quern_copy_submit(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    uint64_t number;
    if (quern_copy_is_plain(queue, target, source))
        return quern_copy_submit_plain(queue, target, source, &number);
    if (quern_copy_is_between_peers(queue, target, source))
        return quern_copy_submit_peer(queue, target, source);
    return quern_copy_submit_staged(queue, target, source);
}
