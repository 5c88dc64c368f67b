/* Copies and fills by the host: a host function in the queue's order. */
#include <string.h>

#include "call.h"
#include "copy_way.h"
#include "kept.h"

typedef struct host_copy {
    quern_backend_copy copy;
    int is_fill;
    max_align_t value[]; /* of a fill */
} host_copy;

static void copy_row(const host_copy *self, char *target, const char *source)
{
    size_t count = self->copy.extents[self->copy.rank - 1], size = self->copy.element_size;
    if (!self->is_fill) {
        memcpy(target, source, count * size);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        memcpy(target + i * size, source, size);
}

/* The next index of all dimensions but the last; 0 when there is none. */
static int next_row(const quern_backend_copy *copy, size_t *index)
{
    for (uint32_t d = copy->rank - 1; d-- > 0;) {
        if (++index[d] < copy->extents[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

static void copy_rows(const host_copy *self)
{
    const quern_backend_copy *copy = &self->copy;
    size_t index[QUERN_MAX_RANK] = {0};
    do {
        char *target = copy->target;
        const char *source = copy->source;
        for (uint32_t d = 0; d + 1 < copy->rank; ++d) {
            target += (ptrdiff_t)index[d] * copy->target_pitches[d];
            source += self->is_fill ? 0 : (ptrdiff_t)index[d] * copy->source_pitches[d];
        }
        copy_row(self, target, source);
    } while (next_row(copy, index));
}

static quern_status run(void *argument)
{
    copy_rows(argument);
    return QUERN_SUCCESS;
}

quern_status quern_copy_by_host(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                const quern_backend_copy *copy, int is_fill, uint64_t *number)
{
    size_t value = is_fill ? copy->element_size : 0;
    quern_kept *kept = quern_kept_make(sizeof(host_copy) + value, is_fill ? "a fill" : "a copy");
    if (!kept)
        return QUERN_OUT_OF_MEMORY;
    host_copy *self = (host_copy *)kept->data;
    self->copy = *copy;
    self->is_fill = is_fill;
    if (is_fill)
        self->copy.source = memcpy(self->value, copy->source, value);
    int submitted;
    quern_status status =
        quern_queue_submit_call(queue, uses, count, run, self, is_fill ? "a fill" : "a copy", number, &submitted);
    if (submitted)
        quern_kept_until_finished(kept, queue->progress, *number);
    else
        quern_kept_free(kept);
    return status;
}
