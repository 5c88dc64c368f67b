/* Copies between the memories of two devices of one backend, by the backend itself. */
#include "copy_way.h"

#include "ask.h"

int quern_copy_is_between_peers(const quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    const quern_backend *backend = queue->backend;
    if (!backend->peer_reach || !backend->peer_copy || !target->device || !source->device ||
        target->device->backend != source->device->backend || quern_copy_side_reaches_host(target) ||
        quern_copy_side_reaches_host(source))
        return 0;
    const quern_device *other = target->device == queue->device ? source->device : target->device;
    return quern_ask_peer_reach(queue->device, other) != 0;
}

quern_status quern_copy_describe_peer(const quern_queue *queue, const quern_copy_side *target,
                                      const quern_copy_side *source, quern_backend_copy *copy)
{
    quern_status status = quern_copy_describe(queue->device, target, source, copy);
    if (status != QUERN_SUCCESS)
        return status;
    /* The other device's memory is no host memory here. */
    copy->target_is_host = copy->source_is_host = 0;
    copy->target_memory = target->buffer->address;
    copy->source_memory = source->buffer->address;
    return QUERN_SUCCESS;
}

quern_status quern_copy_submit_peer(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    uint64_t number;
    quern_backend_copy copy;
    quern_status status = quern_copy_describe_peer(queue, target, source, &copy);
    if (status != QUERN_SUCCESS)
        return status;
    const quern_buffer_use uses[2] = {{target->buffer, 1, quern_copy_side_box(target)},
                                      {source->buffer, 0, quern_copy_side_box(source)}};
    status = quern_queue_begin(queue, uses, 2, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_ask_peer_copy(queue, number, &copy, target->device->handle, source->device->handle);
    return quern_queue_end(queue, number, status, "a copy between devices");
}
