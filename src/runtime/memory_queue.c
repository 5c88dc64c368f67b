/* Buffers whose memory belongs to the order of a queue: from the device's pool, and back to it. */
#include "base/error.h"
#include "base/forked.h"
#include "graph.h"
#include "memory.h"
#include "order.h"
#include "pool.h"

int quern_memory_return_block(quern_buffer *buffer)
{
    quern_block *block = buffer->block;
    if (!quern_order_last_use(buffer, &block->progress, &block->number) || !quern_pool_put(buffer->device, block, 0))
        return 0;
    buffer->block = NULL;
    return 1;
}

/* The last command has finished. */
static void free_block(quern_buffer *buffer)
{
    if (!buffer->block)
        return;
    buffer->block->progress = NULL;
    (void)quern_pool_put(buffer->device, buffer->block, 1);
}

static quern_status make(quern_queue *queue, const quern_layout *layout, size_t bytes, size_t alignment,
                         quern_buffer **buffer)
{
    quern_block *block = NULL;
    quern_status status = bytes ? quern_pool_take(queue, bytes, alignment, &block) : QUERN_SUCCESS;
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_buffer_make(queue->device, block ? block->memory : NULL, bytes, layout, QUERN_MEMORY_QUEUE,
                               free_block, buffer);
    if (status != QUERN_SUCCESS) {
        if (block)
            (void)quern_pool_put(queue->device, block, 1);
        return status;
    }
    (*buffer)->block = block;
    if (block && block->progress)
        quern_order_set_first_use(*buffer, block->progress, block->number);
    return QUERN_SUCCESS;
}

quern_status quern_buffer_create_on_queue_with_layout(quern_queue *queue, const quern_layout *layout,
                                                      quern_buffer **buffer)
{
    size_t bytes, alignment;
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = quern_forked_check("making a buffer in a queue's order");
    if (status == QUERN_SUCCESS)
        status = quern_graph_check_free(queue, "given buffers");
    if (status == QUERN_SUCCESS)
        status = quern_memory_plan(queue->device, layout, buffer, &bytes, &alignment);
    if (status != QUERN_SUCCESS)
        return status;
    quern_graveyard_sweep();
    return make(queue, layout, bytes, alignment, buffer);
}

quern_status quern_buffer_create_on_queue(quern_queue *queue, quern_type type, quern_extents extents,
                                          quern_buffer **buffer)
{
    quern_layout layout;
    quern_status status = quern_queue_check(queue);
    if (status == QUERN_SUCCESS)
        status = quern_memory_default_layout(queue->device, type, extents, &layout);
    return status == QUERN_SUCCESS ? quern_buffer_create_on_queue_with_layout(queue, &layout, buffer) : status;
}
