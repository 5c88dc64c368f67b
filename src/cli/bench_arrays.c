/* quern bench: the arrays that the contenders share. */
#include "base/error.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

quern_status quern_bench_array(const quern_bench *bench, quern_bench_work *work, int index, quern_type type,
                               quern_extents extents, size_t padding)
{
    size_t origin[QUERN_MAX_RANK] = {0};
    quern_extents whole = extents;
    quern_view view;

    whole.n[whole.rank - 1] += padding;
    quern_status status = quern_buffer_create(bench->device, type, whole, &work->buffer[index]);
    if (!status)
        status = quern_buffer_view(work->buffer[index], &view);
    if (!status)
        status = quern_view_sub(view, origin, extents, &work->view[index]);
    if (status)
        return status;

    const quern_layout *layout = &work->view[index].span.layout;
    size_t bytes = type.size;
    for (uint32_t d = 0; d < layout->rank; ++d)
        bytes += (extents.n[d] - 1) * (size_t)layout->pitches[d];
    work->bytes_of[index] = bytes;
    work->host[index] = bench->info.host_accessible ? view.span.address : calloc(1, bytes);
    return work->host[index] ? QUERN_SUCCESS : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
}

/* The elements where the baselines read them. */
static quern_span host_span(const quern_bench_work *work, int index)
{
    quern_span span = work->view[index].span;
    span.address = work->host[index];
    span.alignment = span.layout.type.alignment;
    return span;
}

quern_status quern_bench_to_host(const quern_bench *bench, quern_bench_work *work, int index)
{
    if (bench->info.host_accessible)
        return QUERN_SUCCESS;
    return quern_copy_to_host(bench->blocking, host_span(work, index), quern_view_as_const(work->view[index]));
}

quern_status quern_bench_from_host(const quern_bench *bench, quern_bench_work *work, int index)
{
    if (bench->info.host_accessible)
        return QUERN_SUCCESS;
    return quern_copy_from_host(bench->blocking, work->view[index], quern_span_as_const(host_span(work, index)));
}

quern_status quern_bench_spoil_array(const quern_bench *bench, quern_bench_work *work, int index)
{
    memset(work->host[index], 0xff, work->bytes_of[index]);
    return quern_bench_from_host(bench, work, index);
}

void quern_bench_work_release(const quern_bench *bench, quern_bench_work *work)
{
    for (int i = 0; i < QUERN_BENCH_ARRAYS; ++i) {
        if (!bench->info.host_accessible)
            free(work->host[i]);
        (void)quern_buffer_release(work->buffer[i]);
    }
}
