/*
 * Copies.
 *
 * Pageable memory of the host is the driver's business: it stages what it cannot reach, and holds up the calling thread
 * as long as it needs. The memory itself stays until the number has finished, as the front end has it.
 */
#include "cuda_copy.h"

#include "cuda_memory.h"

#include <string.h>

static struct quern_cuda_place moved(struct quern_cuda_place place, size_t bytes)
{
    place.address += bytes;
    return place;
}

/* ---- rows ---- */

quern_status quern_cuda_row_copy(struct quern_cuda_command *command, struct quern_cuda_place target,
                                 struct quern_cuda_place source, size_t bytes)
{
    CUstream stream = command->queue->stream;
    CUdeviceptr to = quern_cuda_pointer(target.address), from = quern_cuda_pointer(source.address);
    CUresult error;
    if (source.context)
        error = quern_cu.MemcpyPeerAsync(to, target.context, from, source.context, bytes, stream);
    else if (source.is_host)
        error = quern_cu.MemcpyHtoDAsync(to, source.address, bytes, stream);
    else if (target.is_host)
        error = quern_cu.MemcpyDtoHAsync(target.address, from, bytes, stream);
    else
        error = quern_cu.MemcpyDtoDAsync(to, from, bytes, stream);
    return quern_cuda_command_given(command, error);
}

/* ---- rectangles ---- */

static CUresult copy_rows(CUstream stream, const struct quern_device_rectangle *r, struct quern_cuda_place target,
                          struct quern_cuda_place source)
{
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = source.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.srcHost = source.is_host ? source.address : NULL;
    copy.srcDevice = source.is_host ? 0 : quern_cuda_pointer(source.address);
    copy.srcPitch = r->source_row;
    copy.dstMemoryType = target.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstHost = target.is_host ? target.address : NULL;
    copy.dstDevice = target.is_host ? 0 : quern_cuda_pointer(target.address);
    copy.dstPitch = r->target_row;
    copy.WidthInBytes = r->region[0];
    copy.Height = r->region[1];
    return quern_cu.Memcpy2DAsync(&copy, stream);
}

static CUresult copy_slices(CUstream stream, const struct quern_device_rectangle *r, struct quern_cuda_place target,
                            struct quern_cuda_place source)
{
    CUDA_MEMCPY3D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = source.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.srcHost = source.is_host ? source.address : NULL;
    copy.srcDevice = source.is_host ? 0 : quern_cuda_pointer(source.address);
    copy.srcPitch = r->source_row;
    copy.srcHeight = r->source_slice / r->source_row;
    copy.dstMemoryType = target.is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    copy.dstHost = target.is_host ? target.address : NULL;
    copy.dstDevice = target.is_host ? 0 : quern_cuda_pointer(target.address);
    copy.dstPitch = r->target_row;
    copy.dstHeight = r->target_slice / r->target_row;
    copy.WidthInBytes = r->region[0];
    copy.Height = r->region[1];
    copy.Depth = r->region[2];
    copy.srcContext = source.context;
    copy.dstContext = target.context;
    return source.context ? quern_cu.Memcpy3DPeerAsync(&copy, stream) : quern_cu.Memcpy3DAsync(&copy, stream);
}

/* The rows of the rectangle, one by one. */
static quern_status copy_each_row(struct quern_cuda_command *command, const struct quern_device_rectangle *r,
                                  struct quern_cuda_place target, struct quern_cuda_place source)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t z = 0; z < r->region[2]; ++z)
        for (size_t y = 0; status == QUERN_SUCCESS && y < r->region[1]; ++y)
            status = quern_cuda_row_copy(command, moved(target, z * r->target_slice + y * r->target_row),
                                         moved(source, z * r->source_slice + y * r->source_row), r->region[0]);
    return status;
}

static quern_status copy_rectangle(struct quern_cuda_command *command, const struct quern_device_rectangle *r,
                                   struct quern_cuda_place target, struct quern_cuda_place source)
{
    CUstream stream = command->queue->stream;
    CUresult error = r->region[2] == 1 && !source.context ? copy_rows(stream, r, target, source)
                                                          : copy_slices(stream, r, target, source);
    /* Within a device the driver may refuse pitches that are none of its own. */
    if (error == CUDA_ERROR_INVALID_VALUE)
        return copy_each_row(command, r, target, source);
    return quern_cuda_command_given(command, error);
}

/* ---- boxes ---- */

quern_status quern_cuda_box_copy(struct quern_cuda_command *command, struct quern_cuda_place target,
                                 struct quern_cuda_place source, const struct quern_device_box *box)
{
    const struct quern_device_box_rules rules = {.dimensions = 3,
                                                 .largest_pitch = command->queue->device->largest_pitch};
    struct quern_device_rectangle rectangle;
    struct quern_device_pieces pieces;
    quern_status status;
    quern_device_pieces_begin(&pieces, box, &rules);
    if (pieces.row >= 0)
        quern_device_rectangle_set(&rectangle, box, &pieces);
    do {
        struct quern_cuda_place to = moved(target, pieces.target), from = moved(source, pieces.source);
        status = pieces.row >= 0 ? copy_rectangle(command, &rectangle, to, from)
                                 : quern_cuda_row_copy(command, to, from, box->extents[box->rank - 1]);
    } while (status == QUERN_SUCCESS && quern_device_pieces_next(&pieces, box));
    return status;
}

quern_status quern_cuda_copy(void *queue, uint64_t number, const quern_backend_copy *copy)
{
    struct quern_cuda_command command;
    struct quern_device_box box;
    quern_status status = quern_cuda_command_begin(&command, queue, number, "a copy", NULL);
    if (command.runs) {
        const struct quern_cuda_place target = {copy->target, copy->target_is_host != 0, NULL};
        const struct quern_cuda_place source = {(char *)(uintptr_t)copy->source, copy->source_is_host != 0, NULL};
        quern_device_box_of(&box, copy);
        status = quern_cuda_box_copy(&command, target, source, &box);
    }
    return quern_cuda_command_end(&command, status);
}
