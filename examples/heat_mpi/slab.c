/*
 * A rank's slab of the plate: its memory, and the steps.
 *
 * A step has three parts. The exchange fetches the border rows and writes the halo; the interior reads the slab's own
 * rows and writes the next ones: they touch no row in conflict, so they can run side by side, as two tasks. The border
 * rows need both, and are computed when both tasks have been joined.
 */
#include "heat.h"

#include <stdlib.h>

#include "stencil.k.h"

/* What a cell loses to each of its neighbours in a step, a power of two. */
static const float diffusion = 0.125f;

quern_status slab_rows(const slab *slab, quern_buffer *buffer, size_t first, size_t count, quern_view *view)
{
    const size_t offset[2] = {first, 0};
    quern_view all;
    quern_status status = quern_buffer_view(buffer, &all);
    return status ? status : quern_view_sub(all, offset, QUERN_EXTENTS(count, slab->columns), view);
}

quern_status slab_make(const options *options, int rank, int ranks, slab *slab)
{
    /* The rows inside the edge, as evenly as they go. */
    size_t inner = options->rows - 2, number = (size_t)rank, count = (size_t)ranks;
    size_t share = inner / count, rest = inner % count;
    *slab = (struct slab){
        .rows = share + (number < rest),
        .columns = options->columns,
        .first = 1 + number * share + (number < rest ? number : rest),
        .neighbour = {rank > 0 ? rank - 1 : MPI_PROC_NULL, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL},
        .delay = options->delay,
    };
    for (int side = ABOVE; side <= BELOW; ++side) {
        slab->sent[side] = calloc(slab->columns, sizeof(float));
        slab->received[side] = calloc(slab->columns, sizeof(float));
        if (!slab->sent[side] || !slab->received[side])
            return QUERN_OUT_OF_MEMORY;
    }
    quern_device *device;
    quern_extents extents = QUERN_EXTENTS(slab->rows + 2, slab->columns);
    quern_status status = quern_device_current(&device);
    if (!status)
        status = quern_buffer_create(device, QUERN_TYPE(float), extents, &slab->now);
    if (!status)
        status = quern_buffer_create(device, QUERN_TYPE(float), extents, &slab->next);
    return status;
}

void slab_free(slab *slab)
{
    (void)quern_buffer_release(slab->now);
    (void)quern_buffer_release(slab->next);
    for (int side = ABOVE; side <= BELOW; ++side) {
        free(slab->sent[side]);
        free(slab->received[side]);
    }
}

/* A temperature from 0 to 999 that looks like chance, so that no mistake in a row's place goes unseen. */
static float first_temperature(uint64_t row, uint64_t column)
{
    uint64_t hash = (row << 32 | column) * 0x9e3779b97f4a7c15u;
    return (float)((hash >> 40) % 1000);
}

static quern_status copy_rows(quern_queue *queue, const slab *slab, size_t first, size_t count, float *cells,
                              int to_host)
{
    quern_layout layout;
    quern_span host;
    quern_view view;
    quern_status status = quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(count, slab->columns), &layout);
    if (!status)
        status = quern_span_make(cells, &layout, &host);
    if (!status)
        status = slab_rows(slab, slab->now, first, count, &view);
    if (!status && to_host)
        status = quern_copy_to_host(queue, host, quern_view_as_const(view));
    else if (!status)
        status = quern_copy_from_host(queue, view, quern_span_as_const(host));
    return status ? status : quern_queue_synchronize(queue);
}

quern_status slab_fill(slab *slab)
{
    size_t rows = slab->rows + 2, columns = slab->columns;
    float *cells = malloc(rows * columns * sizeof *cells);
    quern_queue *queue;
    quern_status status = cells ? quern_queue_current(&queue) : QUERN_OUT_OF_MEMORY;
    for (size_t y = 0; !status && y < rows; ++y)
        for (size_t x = 0; x < columns; ++x)
            cells[y * columns + x] = first_temperature(slab->first - 1 + y, x);
    if (!status)
        status = copy_rows(queue, slab, 0, rows, cells, 0);
    /* A step does not write the edge: both buffers have it from here. */
    if (!status)
        status = quern_copy(queue, QUERN_VIEW(slab->next), QUERN_CONST_VIEW(slab->now));
    if (!status)
        status = quern_queue_synchronize(queue);
    slab->exchange_seconds = slab->nap_seconds = 0;
    slab->naps = 0;
    free(cells);
    return status;
}

quern_status slab_read(const slab *slab, float *cells)
{
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    return status ? status : copy_rows(queue, slab, 1, slab->rows, cells, 1);
}

/* ---- a step ---- */

/* The rows between the first and the last one of these, which are only read. */
static quern_status compute_between(const slab *slab, quern_queue *queue, size_t first, size_t count)
{
    const ptrdiff_t inside[2] = {1, 1};
    quern_view now, next;
    quern_status status = slab_rows(slab, slab->now, first, count, &now);
    if (!status)
        status = slab_rows(slab, slab->next, first, count, &next);
    if (status)
        return status;
    quern_range range = quern_range_with_offsets(QUERN_RANGE(count - 2, slab->columns - 2), inside);
    return stencil(queue, range, quern_view_as_const(now), next, diffusion);
}

/* A task: all that can be computed without the halo. Its queue is waited for when it returns. */
static quern_status compute_interior(void *argument)
{
    const slab *slab = argument;
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    return status || slab->rows < 3 ? status : compute_between(slab, queue, 1, slab->rows);
}

static quern_status compute_borders(const slab *slab)
{
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    if (!status)
        status = compute_between(slab, queue, 0, 3);
    if (!status && slab->rows > 1)
        status = compute_between(slab, queue, slab->rows - 1, 3);
    return status;
}

/* The second task is begun when the first one has, or has ended. */
static quern_status run_tasks(slab *slab, int overlap)
{
    quern_task *exchange, *interior;
    quern_status status = quern_spawn(NULL, exchange_halo, slab, &exchange);
    if (!status && !overlap)
        status = quern_join(exchange);
    if (status)
        return status;
    status = quern_spawn(NULL, compute_interior, slab, &interior);
    if (!status)
        status = quern_join(interior);
    quern_status exchanged = overlap ? quern_join(exchange) : QUERN_SUCCESS;
    return status ? status : exchanged;
}

static void swap_buffers(slab *slab)
{
    quern_buffer *before = slab->now;
    slab->now = slab->next;
    slab->next = before;
}

quern_status slab_run(slab *slab, long steps, int overlap)
{
    quern_status status = QUERN_SUCCESS;
    for (long step = 0; !status && step < steps; ++step) {
        status = run_tasks(slab, overlap);
        if (!status)
            status = compute_borders(slab);
        swap_buffers(slab);
    }
    return status;
}

quern_status slab_run_alone(slab *slab, long steps)
{
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    for (long step = 0; !status && step < steps; ++step) {
        status = compute_between(slab, queue, 0, slab->rows + 2);
        swap_buffers(slab);
    }
    return status ? status : quern_queue_synchronize(queue);
}
