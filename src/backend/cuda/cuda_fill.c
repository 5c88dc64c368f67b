/*
 * Fills: by the driver's own where the value repeats 1, 2 or 4 bytes. Else the host sends some values, and what is
 * filled already is copied on, twice as much each time, so that a box takes few copies.
 */
#include "cuda_copy.h"

#include "base/error.h"

#include "cuda_memory.h"

#include <stdlib.h>
#include <string.h>

/* The largest pattern that CUDA fills with, and the bytes that the host sends where there is no pattern. */
enum { LARGEST_PATTERN = 4, STAGING_BYTES = 65536 };

/* ---- patterns ---- */

static CUresult set_row(CUstream stream, CUdeviceptr target, const char *value, size_t pattern, size_t bytes)
{
    uint16_t two;
    uint32_t four;
    if (pattern == 1)
        return quern_cu.MemsetD8Async(target, (unsigned char)value[0], bytes, stream);
    if (pattern == 2)
        return memcpy(&two, value, 2), quern_cu.MemsetD16Async(target, two, bytes / 2, stream);
    return memcpy(&four, value, 4), quern_cu.MemsetD32Async(target, four, bytes / 4, stream);
}

static CUresult set_rows(CUstream stream, CUdeviceptr target, const char *value, size_t pattern,
                         const struct quern_device_rectangle *r)
{
    uint16_t two;
    uint32_t four;
    if (pattern == 1)
        return quern_cu.MemsetD2D8Async(target, r->target_row, (unsigned char)value[0], r->region[0], r->region[1],
                                        stream);
    if (pattern == 2)
        return memcpy(&two, value, 2),
               quern_cu.MemsetD2D16Async(target, r->target_row, two, r->region[0] / 2, r->region[1], stream);
    return memcpy(&four, value, 4),
           quern_cu.MemsetD2D32Async(target, r->target_row, four, r->region[0] / 4, r->region[1], stream);
}

/* Every place that a row begins at is a multiple of the pattern. */
static int is_aligned(const struct quern_device_box *box, const char *target, size_t pattern)
{
    size_t all = (uintptr_t)target;
    for (int d = 0; d + 1 < box->rank; ++d)
        all |= box->target_pitches[d];
    return all % pattern == 0;
}

static quern_status fill_by_pattern(struct quern_cuda_command *command, char *target,
                                    const struct quern_device_box *whole, const char *value, size_t pattern)
{
    const struct quern_device_box_rules rules = {.dimensions = 2,
                                                 .largest_pitch = command->queue->device->largest_pitch};
    CUstream stream = command->queue->stream;
    struct quern_device_box box = *whole;
    struct quern_device_rectangle rectangle;
    struct quern_device_pieces pieces;
    quern_status status;
    memcpy(box.source_pitches, box.target_pitches, sizeof box.source_pitches);
    quern_device_pieces_begin(&pieces, &box, &rules);
    if (pieces.row >= 0)
        quern_device_rectangle_set(&rectangle, &box, &pieces);
    do {
        CUdeviceptr at = quern_cuda_pointer(target + pieces.target);
        CUresult error = pieces.row >= 0 ? set_rows(stream, at, value, pattern, &rectangle)
                                         : set_row(stream, at, value, pattern, box.extents[box.rank - 1]);
        status = quern_cuda_command_given(command, error);
    } while (status == QUERN_SUCCESS && quern_device_pieces_next(&pieces, &box));
    return status;
}

/* ---- values of the host's ---- */

/* Sends as many values as the row has or a staging block holds; *sent are their bytes. */
static quern_status send_values(struct quern_cuda_command *command, char *target, const char *value, size_t size,
                                size_t bytes, size_t *sent)
{
    size_t most = size < STAGING_BYTES ? STAGING_BYTES / size * size : size;
    *sent = bytes < most ? bytes : most;
    struct quern_cuda_owned *staging = malloc(sizeof *staging + *sent);
    if (!staging)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes of values to fill with", *sent);
    for (size_t at = 0; at < *sent; at += size)
        memcpy(staging->bytes + at, value, size);
    const struct quern_cuda_place to = {target, 0, NULL}, from = {staging->bytes, 1, NULL};
    quern_status status = quern_cuda_row_copy(command, to, from, *sent);
    if (status == QUERN_SUCCESS)
        quern_cuda_command_own(command, staging);
    else
        free(staging);
    return status;
}

/* What spreads the first values over the box. */
struct spreading {
    struct quern_cuda_command *command;
    char *target;
};

static quern_status copy_on(void *context, const struct quern_device_box *box, size_t offset)
{
    const struct spreading *spreading = context;
    const struct quern_cuda_place to = {spreading->target + offset, 0, NULL}, from = {spreading->target, 0, NULL};
    return quern_cuda_box_copy(spreading->command, to, from, box);
}

/* The same in a graph, which reads no memory of the host's: words of the value, each into every place of its own. */
static quern_status send_words(struct quern_cuda_command *command, char *target, const char *value, size_t size,
                               size_t bytes, size_t *sent)
{
    size_t most = size < STAGING_BYTES ? STAGING_BYTES / size * size : size;
    size_t word = size % 4 == 0 && (uintptr_t)target % 4 == 0 ? 4 : 1;
    CUstream stream = command->queue->stream;
    quern_status status = QUERN_SUCCESS;
    *sent = bytes < most ? bytes : most;
    for (size_t at = 0; status == QUERN_SUCCESS && at < size; at += word) {
        CUdeviceptr to = quern_cuda_pointer(target + at);
        uint32_t four;
        CUresult error;
        memcpy(&four, value + at, word == 4 ? 4 : 0);
        error = word == 4 ? quern_cu.MemsetD2D32Async(to, size, four, 1, *sent / size, stream)
                          : quern_cu.MemsetD2D8Async(to, size, (unsigned char)value[at], 1, *sent / size, stream);
        status = quern_cuda_command_given(command, error);
    }
    return status;
}

static quern_status fill_by_values(struct quern_cuda_command *command, char *target, const struct quern_device_box *box,
                                   const char *value, size_t size)
{
    struct spreading spreading = {command, target};
    size_t filled;
    size_t bytes = box->extents[box->rank - 1];
    quern_status status = command->queue->is_recorder ? send_words(command, target, value, size, bytes, &filled)
                                                      : send_values(command, target, value, size, bytes, &filled);
    return status == QUERN_SUCCESS ? quern_device_box_spread(box, filled, copy_on, &spreading) : status;
}

quern_status quern_cuda_fill(void *queue, uint64_t number, const quern_backend_copy *fill)
{
    struct quern_cuda_command command;
    struct quern_device_box box;
    quern_status status = quern_cuda_command_begin(&command, queue, number, "a fill", NULL);
    if (command.runs) {
        size_t pattern = quern_device_value_period(fill->source, fill->element_size, LARGEST_PATTERN);
        quern_device_box_of_fill(&box, fill);
        if (pattern && is_aligned(&box, fill->target, pattern))
            status = fill_by_pattern(&command, fill->target, &box, fill->source, pattern);
        else
            status = fill_by_values(&command, fill->target, &box, fill->source, fill->element_size);
    }
    return quern_cuda_command_end(&command, status);
}
