/* The functions that copy. */
#include "box.h"

#include <stddef.h>

/* ---- rows ---- */

static fc_result copy_row(int target_type, uintptr_t target, int source_type, uintptr_t source, size_t bytes,
                          fc_stream stream, int waits)
{
    struct fake_box box = {.width = bytes, .height = 1, .depth = 1};
    struct fake_stream *checked = NULL;
    fc_result error = fake_stream_of(stream, &checked);
    if (error || bytes == 0)
        return error;
    error = fake_side_set(&box.target, target_type, target, &box);
    if (!error)
        error = fake_side_set(&box.source, source_type, source, &box);
    if (error)
        return error;
    if (target < source + bytes && source < target + bytes) {
        fake_violation("a copy of %zu bytes overlaps itself", bytes);
        return FC_ERROR_INVALID_VALUE;
    }
    return fake_box_submit(&box, FAKE_COPY, stream, waits);
}

/* One function: its name, its parameters before the stream, the types and addresses of the sides, the stream, and
 * whether it waits. */
#define COPY(name, parameters, target_type, target, source_type, source, stream, waits)                                \
    fc_result name parameters                                                                                          \
    {                                                                                                                  \
        fc_result error = fake_enter(#name, FAKE_NEEDS_CONTEXT);                                                       \
        if (error)                                                                                                     \
            return error;                                                                                              \
        return fake_leave(copy_row(FC_MEMORY_##target_type, (uintptr_t)target, FC_MEMORY_##source_type,                \
                                   (uintptr_t)source, bytes, stream, waits));                                          \
    }

COPY(cuMemcpy, (fc_pointer target, fc_pointer source, size_t bytes), UNIFIED, target, UNIFIED, source, NULL, 1)
COPY(cuMemcpyHtoD_v2, (fc_pointer target, const void *source, size_t bytes), DEVICE, target, HOST, source, NULL, 1)
COPY(cuMemcpyDtoH_v2, (void *target, fc_pointer source, size_t bytes), HOST, target, DEVICE, source, NULL, 1)
COPY(cuMemcpyDtoD_v2, (fc_pointer target, fc_pointer source, size_t bytes), DEVICE, target, DEVICE, source, NULL, 0)
COPY(cuMemcpyAsync, (fc_pointer target, fc_pointer source, size_t bytes, fc_stream stream), UNIFIED, target, UNIFIED,
     source, stream, 0)
COPY(cuMemcpyHtoDAsync_v2, (fc_pointer target, const void *source, size_t bytes, fc_stream stream), DEVICE, target,
     HOST, source, stream, 0)
COPY(cuMemcpyDtoHAsync_v2, (void *target, fc_pointer source, size_t bytes, fc_stream stream), HOST, target, DEVICE,
     source, stream, 0)
COPY(cuMemcpyDtoDAsync_v2, (fc_pointer target, fc_pointer source, size_t bytes, fc_stream stream), DEVICE, target,
     DEVICE, source, stream, 0)

static fc_result copy_peer(const char *name, fc_pointer target, fc_context target_context, fc_pointer source,
                           fc_context source_context, size_t bytes, fc_stream stream)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    const struct fake_context *to = fake_handle_find(FAKE_CONTEXT, target_context);
    const struct fake_context *from = fake_handle_find(FAKE_CONTEXT, source_context);
    const struct fake_memory *target_memory = fake_memory_find((uintptr_t)target);
    const struct fake_memory *source_memory = fake_memory_find((uintptr_t)source);
    if (!to || !from)
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    if (bytes && (!target_memory || !source_memory || target_memory->context != to || source_memory->context != from))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    return fake_leave(
        copy_row(FC_MEMORY_DEVICE, (uintptr_t)target, FC_MEMORY_DEVICE, (uintptr_t)source, bytes, stream, 0));
}

fc_result cuMemcpyPeer(fc_pointer target, fc_context target_context, fc_pointer source, fc_context source_context,
                       size_t bytes)
{
    return copy_peer("cuMemcpyPeer", target, target_context, source, source_context, bytes, NULL);
}

fc_result cuMemcpyPeerAsync(fc_pointer target, fc_context target_context, fc_pointer source, fc_context source_context,
                            size_t bytes, fc_stream stream)
{
    return copy_peer("cuMemcpyPeerAsync", target, target_context, source, source_context, bytes, stream);
}

/* ---- boxes ---- */

/* One side of a 3-d copy. */
struct corner {
    size_t x, y, z, pitch, height;
    int type;
    uintptr_t address;
};

static fc_result set_side(struct fake_side *side, const struct corner *corner, const struct fake_box *box)
{
    size_t width, height, plane, skipped, rows;
    if (__builtin_add_overflow(corner->x, box->width, &width) || corner->pitch < width ||
        corner->pitch > FAKE_MAX_PITCH)
        return FC_ERROR_INVALID_VALUE;
    if (__builtin_add_overflow(corner->y, box->height, &height) ||
        ((box->depth > 1 || corner->height) && corner->height < height))
        return FC_ERROR_INVALID_VALUE;
    if (__builtin_mul_overflow(corner->pitch, corner->height, &plane) ||
        __builtin_mul_overflow(plane, corner->z, &skipped) || __builtin_mul_overflow(corner->pitch, corner->y, &rows) ||
        __builtin_add_overflow(skipped, rows, &skipped) || __builtin_add_overflow(skipped, corner->x, &skipped))
        return FC_ERROR_INVALID_VALUE;
    side->pitch = corner->pitch;
    side->plane = plane;
    return fake_side_set(side, corner->type, corner->address + skipped, box);
}

static fc_result copy_box(const struct corner *target, const struct corner *source, size_t width, size_t height,
                          size_t depth, fc_stream stream, int waits)
{
    struct fake_box box = {.width = width, .height = height, .depth = depth};
    struct fake_stream *checked = NULL;
    fc_result error = fake_stream_of(stream, &checked);
    if (error || !width || !height || !depth)
        return error;
    error = set_side(&box.target, target, &box);
    if (!error)
        error = set_side(&box.source, source, &box);
    return error ? error : fake_box_submit(&box, FAKE_COPY, stream, waits);
}

static uintptr_t address_of(int type, const void *host, fc_pointer device)
{
    return type == FC_MEMORY_HOST ? (uintptr_t)host : (uintptr_t)device;
}

static fc_result copy_2d(const char *name, const fc_copy_2d *copy, fc_stream stream, int waits)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (!copy)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    struct corner target = {.x = copy->target_x,
                            .y = copy->target_y,
                            .pitch = copy->target_pitch,
                            .type = copy->target_type,
                            .address = address_of(copy->target_type, copy->target_host, copy->target_device)};
    struct corner source = {.x = copy->source_x,
                            .y = copy->source_y,
                            .pitch = copy->source_pitch,
                            .type = copy->source_type,
                            .address = address_of(copy->source_type, copy->source_host, copy->source_device)};
    return fake_leave(copy_box(&target, &source, copy->width, copy->height, 1, stream, waits));
}

fc_result cuMemcpy2D_v2(const fc_copy_2d *copy)
{
    return copy_2d("cuMemcpy2D_v2", copy, NULL, 1);
}

fc_result cuMemcpy2DUnaligned_v2(const fc_copy_2d *copy)
{
    return copy_2d("cuMemcpy2DUnaligned_v2", copy, NULL, 1);
}

fc_result cuMemcpy2DAsync_v2(const fc_copy_2d *copy, fc_stream stream)
{
    return copy_2d("cuMemcpy2DAsync_v2", copy, stream, 0);
}

static fc_result copy_3d(const char *name, const fc_copy_3d *copy, int is_peer, fc_stream stream, int waits)
{
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    if (!copy || copy->source_lod || copy->target_lod)
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (!is_peer && (copy->source_reserved || copy->target_reserved))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    if (is_peer && (!fake_handle_find(FAKE_CONTEXT, copy->source_reserved) ||
                    !fake_handle_find(FAKE_CONTEXT, copy->target_reserved)))
        return fake_leave(FC_ERROR_INVALID_CONTEXT);
    struct corner target = {copy->target_x,
                            copy->target_y,
                            copy->target_z,
                            copy->target_pitch,
                            copy->target_height,
                            copy->target_type,
                            address_of(copy->target_type, copy->target_host, copy->target_device)};
    struct corner source = {copy->source_x,
                            copy->source_y,
                            copy->source_z,
                            copy->source_pitch,
                            copy->source_height,
                            copy->source_type,
                            address_of(copy->source_type, copy->source_host, copy->source_device)};
    return fake_leave(copy_box(&target, &source, copy->width, copy->height, copy->depth, stream, waits));
}

fc_result cuMemcpy3D_v2(const fc_copy_3d *copy)
{
    return copy_3d("cuMemcpy3D_v2", copy, 0, NULL, 1);
}

fc_result cuMemcpy3DAsync_v2(const fc_copy_3d *copy, fc_stream stream)
{
    return copy_3d("cuMemcpy3DAsync_v2", copy, 0, stream, 0);
}

fc_result cuMemcpy3DPeer(const fc_copy_3d *copy)
{
    return copy_3d("cuMemcpy3DPeer", copy, 1, NULL, 1);
}

fc_result cuMemcpy3DPeerAsync(const fc_copy_3d *copy, fc_stream stream)
{
    return copy_3d("cuMemcpy3DPeerAsync", copy, 1, stream, 0);
}
