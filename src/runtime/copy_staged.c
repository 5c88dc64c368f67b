/*
 * Copies between the memories of two devices that do not reach each other.
 *
 * A queue of the other device, made for the copy, moves that side's elements: from or to the own side, if that is host
 * memory, else from or to memory on the host, which a copy of the given queue fills or reads. It begins when the given
 * queue has come so far and that goes on when it has ended, so that the copy is one command of the given queue in
 * all that can be seen. The memory on the host is as large as the elements.
 */
#include <string.h>

#include <quern/event.h>

#include "base/error.h"
#include "copy_way.h"
#include "event.h"
#include "kept.h"

/* Memory on the host for the elements of a side, packed, as a side of its own. */
typedef struct stage {
    quern_kept *kept;
    quern_layout layout;
    quern_copy_side side;
    quern_progress *progress; /* of the last command that uses it, NULL while there is none */
    uint64_t number;
} stage;

static quern_status make_stage(const quern_copy_side *side, stage *stage)
{
    quern_extents extents = {.rank = side->layout->rank};
    memcpy(extents.n, side->layout->extents, sizeof extents.n);
    size_t bytes;
    quern_status status = quern_layout_packed(side->layout->type, extents, &stage->layout);
    if (status == QUERN_SUCCESS)
        status = quern_layout_bytes(&stage->layout, &bytes);
    if (status != QUERN_SUCCESS)
        return status;
    stage->kept = quern_kept_make(bytes, "a copy between two devices on the host");
    if (!stage->kept)
        return QUERN_OUT_OF_MEMORY;
    stage->side = (quern_copy_side){"the memory between", stage->kept->data, &stage->layout, NULL, NULL};
    stage->progress = NULL;
    return QUERN_SUCCESS;
}

static void end_stage(stage *stage)
{
    if (stage->progress)
        quern_kept_until_finished(stage->kept, stage->progress, stage->number);
    else
        quern_kept_free(stage->kept);
}

/* A copy between a side and the stage. */
static quern_status copy(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source, stage *stage)
{
    uint64_t number = 0;
    quern_status status = quern_copy_submit_plain(queue, target, source, &number);
    if (number) { /* else it was not even begun; a failure of what was begun may come from a command before it */
        stage->progress = queue->progress;
        stage->number = number;
    }
    return status;
}

/* Later commands of queue wait for what first has been given. */
static quern_status go_on_after(quern_queue *queue, quern_queue *first)
{
    quern_event *event;
    quern_status status = quern_event_record_inside(first, "a copy", &event);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_queue_wait_uncounted(queue, event);
    (void)quern_event_release(event);
    return status;
}

/* The other queue's part: from where queue is, to where it goes on. */
static quern_status detour(quern_queue *queue, quern_queue *other, const quern_copy_side *target,
                           const quern_copy_side *source, stage *stage)
{
    quern_status status = go_on_after(other, queue);
    if (status == QUERN_SUCCESS)
        status = copy(other, target, source, stage);
    return status == QUERN_SUCCESS ? go_on_after(queue, other) : status;
}

static quern_status by_stage(quern_queue *queue, quern_queue *other, const quern_copy_side *target,
                             const quern_copy_side *source)
{
    stage stage;
    quern_status status = make_stage(target, &stage);
    if (status != QUERN_SUCCESS)
        return status;
    if (target->device == queue->device) {
        status = detour(queue, other, &stage.side, source, &stage);
        if (status == QUERN_SUCCESS)
            status = copy(queue, target, &stage.side, &stage);
    } else {
        status = copy(queue, &stage.side, source, &stage);
        if (status == QUERN_SUCCESS)
            status = detour(queue, other, target, &stage.side, &stage);
    }
    end_stage(&stage);
    return status;
}

quern_status quern_copy_submit_staged(quern_queue *queue, const quern_copy_side *target, const quern_copy_side *source)
{
    int to_own = target->device == queue->device;
    const quern_copy_side *own = to_own ? target : source;
    quern_queue_options options = {0, 0, "between devices"};
    quern_queue *other;
    quern_status status = quern_queue_create(to_own ? source->device : target->device, &options, &other);
    if (status != QUERN_SUCCESS)
        return status;
    if (quern_copy_side_reaches_host(own)) {
        stage none = {.progress = NULL};
        status = detour(queue, other, target, source, &none);
    } else {
        status = by_stage(queue, other, target, source);
    }
    /* What order made the other queue wait for is a wait of the copy's. */
    atomic_fetch_add(&queue->wait_count, atomic_load(&other->wait_count));
    (void)quern_queue_release(other);
    return status;
}
