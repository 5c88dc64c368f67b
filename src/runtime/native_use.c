/* Memory whose native handle was taken for a queue; see native_use.h. */
#include "native_use.h"

#include <stdlib.h>

#include "base/error.h"
#include "completion.h"
#include "graph.h"
#include "held.h"

/* Room for one more; the queue is locked. */
static quern_status reserve(quern_queue *queue)
{
    size_t count = atomic_load(&queue->native_count);
    if (count < queue->native_capacity)
        return QUERN_SUCCESS;
    size_t capacity = count ? 2 * count : 4;
    quern_buffer_use *grown = realloc(queue->native_uses, capacity * sizeof *grown);
    if (!grown)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of %zu native handles of a queue", capacity);
    queue->native_uses = grown;
    queue->native_capacity = capacity;
    return QUERN_SUCCESS;
}

/* The very same again needs no second entry. */
static int is_known(const quern_queue *queue, const quern_buffer_use *use)
{
    size_t count = atomic_load(&queue->native_count);
    for (size_t i = 0; i < count; ++i)
        if (queue->native_uses[i].buffer == use->buffer && quern_box_covers(&queue->native_uses[i].box, &use->box))
            return 1;
    return 0;
}

static void add(quern_queue *queue, const quern_buffer_use *use)
{
    if (is_known(queue, use))
        return;
    size_t count = atomic_load(&queue->native_count);
    quern_object_retain(&use->buffer->object);
    queue->native_uses[count] = *use;
    atomic_store(&queue->native_count, count + 1);
}

quern_status quern_native_begin_use(quern_queue *queue, const quern_buffer_use *use)
{
    uint64_t number;
    quern_status status = quern_graph_check_free(queue, "given native memory");
    if (status == QUERN_SUCCESS)
        status = quern_queue_lock(queue);
    if (status != QUERN_SUCCESS)
        return status;
    status = reserve(queue);
    if (status != QUERN_SUCCESS) {
        quern_lock_release(&queue->lock);
        return status;
    }
    status = quern_queue_begin_locked(queue, use, 1, &number);
    if (status != QUERN_SUCCESS)
        return status;
    add(queue, use);
    status = quern_queue_finish_number(queue, number);
    int is_held = quern_queue_is_holding(queue);
    status = quern_queue_end(queue, number, status, "a use by native commands");
    return status == QUERN_SUCCESS && is_held ? quern_progress_wait(queue->progress, number) : status;
}

quern_buffer_use *quern_native_take_uses(quern_queue *queue, size_t *count)
{
    quern_buffer_use *uses = queue->native_uses;
    *count = atomic_load(&queue->native_count);
    queue->native_uses = NULL;
    queue->native_capacity = 0;
    atomic_store(&queue->native_count, 0);
    return uses;
}

void quern_native_release(quern_buffer_use *uses, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        (void)quern_buffer_release(uses[i].buffer);
    free(uses);
}
