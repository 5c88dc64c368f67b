/*
 * The exchange of the halo, as a task: what waits in here, for the device or for the network, leaves the thread to
 * other tasks.
 */
#include "heat.h"

#include <time.h>

static quern_status host_row(float *cells, size_t columns, quern_span *span)
{
    quern_layout layout;
    quern_status status = quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(1, columns), &layout);
    return status ? status : quern_span_make(cells, &layout, span);
}

/* The slab's outermost own rows, to the host. */
static quern_status fetch_borders(slab *slab, quern_queue *queue)
{
    quern_status status = QUERN_SUCCESS;
    for (int side = ABOVE; !status && side <= BELOW; ++side) {
        quern_view view;
        quern_span host;
        status = slab_rows(slab, slab->now, side == ABOVE ? 1 : slab->rows, 1, &view);
        if (!status)
            status = host_row(slab->sent[side], slab->columns, &host);
        if (!status)
            status = quern_copy_to_host(queue, host, quern_view_as_const(view));
    }
    return status ? status : quern_queue_synchronize(queue);
}

/* What was received, into the halo; at the plate's edge there is nothing. */
static quern_status store_halo(slab *slab, quern_queue *queue)
{
    quern_status status = QUERN_SUCCESS;
    for (int side = ABOVE; !status && side <= BELOW; ++side) {
        quern_view view;
        quern_span host;
        if (slab->neighbour[side] == MPI_PROC_NULL)
            continue;
        status = slab_rows(slab, slab->now, side == ABOVE ? 0 : slab->rows + 1, 1, &view);
        if (!status)
            status = host_row(slab->received[side], slab->columns, &host);
        if (!status)
            status = quern_copy_from_host(queue, view, quern_span_as_const(host));
    }
    return status ? status : quern_queue_synchronize(queue);
}

/* Lets the thread's other tasks run; then a short sleep, in which a kernel can use this core: ranks may be more than
 * cores. Whoever has a core to spare for each rank leaves the sleep out. */
static quern_status wait_a_little(slab *slab)
{
    const struct timespec nap = {.tv_nsec = 20000};
    quern_status status = quern_yield();
    double begin = MPI_Wtime();
    nanosleep(&nap, NULL);
    slab->nap_seconds += MPI_Wtime() - begin; /* longer than was asked for */
    ++slab->naps;
    return status;
}

quern_status exchange_halo(void *argument)
{
    slab *slab = argument;
    double begin = MPI_Wtime();
    quern_queue *queue; /* the task's own: what the other task queues is not waited for */
    quern_status status = quern_queue_current(&queue);
    if (!status)
        status = fetch_borders(slab, queue);
    if (status)
        return status;

    MPI_Request requests[4];
    int columns = (int)slab->columns, done = 0;
    for (int side = ABOVE; side <= BELOW; ++side) {
        /* Messages upwards have the tag ABOVE: one that comes from above went down. */
        MPI_Irecv(slab->received[side], columns, MPI_FLOAT, slab->neighbour[side], BELOW - side, MPI_COMM_WORLD,
                  &requests[2 * side]);
        MPI_Isend(slab->sent[side], columns, MPI_FLOAT, slab->neighbour[side], side, MPI_COMM_WORLD,
                  &requests[2 * side + 1]);
    }
    /* An MPI_Wait would block the thread and all of its tasks. */
    for (;;) {
        if (!done)
            MPI_Testall(4, requests, &done, MPI_STATUSES_IGNORE);
        if (done && (status || MPI_Wtime() - begin >= slab->delay))
            break;
        if (!status)
            status = wait_a_little(slab); /* after a failure all the same until MPI is done with the rows */
    }
    if (!status)
        status = store_halo(slab, queue);
    slab->exchange_seconds += MPI_Wtime() - begin;
    return status;
}
