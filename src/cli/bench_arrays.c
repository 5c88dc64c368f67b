/*
 * quern bench: the arrays that the contenders work on.
 *
 * On a device whose memory the host can use they are the very same for all. Elsewhere the loops on the host have a
 * copy, and the hand-written OpenCL program one more, with the same bytes at the same distances. The bare CUDA driver
 * works in Quern's own.
 */
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
    work->const_view[index] = quern_view_as_const(work->view[index]);

    const quern_layout *layout = &work->view[index].span.layout;
    size_t bytes = type.size;
    for (uint32_t d = 0; d < layout->rank; ++d)
        bytes += (extents.n[d] - 1) * (size_t)layout->pitches[d];
    work->bytes_of[index] = bytes;
    work->host[index] = bench->info.host_accessible ? view.span.address : calloc(1, bytes);
    if (!work->host[index])
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes", bytes);
    return bench->opencl ? quern_handwritten_array_create(bench->opencl, bytes, &work->opencl[index]) : QUERN_SUCCESS;
}

/* The elements where the loops on the host find them. */
static quern_span host_span(const quern_bench_work *work, int index)
{
    quern_span span = work->view[index].span;
    span.address = work->host[index];
    span.alignment = span.layout.type.alignment;
    return span;
}

static quern_status view_to_host(const quern_bench *bench, quern_bench_work *work, int index)
{
    if (bench->info.host_accessible)
        return QUERN_SUCCESS;
    return quern_copy_to_host(bench->blocking, host_span(work, index), quern_view_as_const(work->view[index]));
}

static quern_status host_to_opencl(const quern_bench *bench, quern_bench_work *work, int index)
{
    if (!bench->opencl)
        return QUERN_SUCCESS;
    return quern_handwritten_array_write(bench->opencl, work->opencl[index], work->host[index], work->bytes_of[index]);
}

quern_status quern_bench_share(const quern_bench *bench, quern_bench_work *work, int index)
{
    quern_status status = view_to_host(bench, work, index);
    return status ? status : host_to_opencl(bench, work, index);
}

quern_status quern_bench_fetch(const quern_bench *bench, quern_bench_work *work, int index)
{
    switch (work->who) {
    case QUERN_BENCH_PLAIN:
    case QUERN_BENCH_OPENMP:
        return QUERN_SUCCESS;
    case QUERN_BENCH_OPENCL:
        return quern_handwritten_array_read(bench->opencl, work->opencl[index], work->host[index],
                                            work->bytes_of[index]);
    default:
        return view_to_host(bench, work, index);
    }
}

quern_status quern_bench_spoil_array(const quern_bench *bench, quern_bench_work *work, int index)
{
    quern_status status = QUERN_SUCCESS;
    memset(work->host[index], 0xff, work->bytes_of[index]);
    if (!bench->info.host_accessible)
        status = quern_copy_from_host(bench->blocking, work->view[index], quern_span_as_const(host_span(work, index)));
    return status ? status : host_to_opencl(bench, work, index);
}

void quern_bench_work_release(const quern_bench *bench, quern_bench_work *work)
{
    for (int i = 0; i < QUERN_BENCH_ARRAYS; ++i) {
        if (!bench->info.host_accessible)
            free(work->host[i]);
        if (bench->opencl)
            quern_handwritten_array_release(bench->opencl, work->opencl[i]);
        (void)quern_buffer_release(work->buffer[i]);
    }
    if (bench->driver)
        quern_bare_forget_places(bench->driver);
}
