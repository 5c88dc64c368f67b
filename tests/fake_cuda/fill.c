/* The functions that fill with one value. None of them waits, the synchronous ones neither. */
#include "box.h"

static fc_result fill(const char *name, fc_pointer target, size_t pitch, unsigned value, unsigned value_bytes,
                      size_t width, size_t height, fc_stream stream)
{
    struct fake_box box = {.height = height, .depth = 1, .value = value, .value_bytes = value_bytes};
    struct fake_stream *checked = NULL;
    fc_result error = fake_enter(name, FAKE_NEEDS_CONTEXT);
    if (error)
        return error;
    error = fake_stream_of(stream, &checked);
    if (error || !width || !height)
        return fake_leave(error);
    if (__builtin_mul_overflow(width, (size_t)value_bytes, &box.width) || target % value_bytes ||
        (height > 1 && (pitch % value_bytes || pitch < box.width || pitch > FAKE_MAX_PITCH)))
        return fake_leave(FC_ERROR_INVALID_VALUE);
    box.target.pitch = pitch;
    error = fake_side_set(&box.target, FC_MEMORY_DEVICE, (uintptr_t)target, &box);
    return fake_leave(error ? error : fake_box_submit(&box, FAKE_FILL, stream, 0));
}

#define FILL(bits, type)                                                                                               \
    fc_result cuMemsetD##bits##_v2(fc_pointer target, type value, size_t count)                                        \
    {                                                                                                                  \
        return fill("cuMemsetD" #bits "_v2", target, 0, value, bits / 8, count, 1, NULL);                              \
    }                                                                                                                  \
    fc_result cuMemsetD##bits##Async(fc_pointer target, type value, size_t count, fc_stream stream)                    \
    {                                                                                                                  \
        return fill("cuMemsetD" #bits "Async", target, 0, value, bits / 8, count, 1, stream);                          \
    }                                                                                                                  \
    fc_result cuMemsetD2D##bits##Async(fc_pointer target, size_t pitch, type value, size_t width, size_t height,       \
                                       fc_stream stream)                                                               \
    {                                                                                                                  \
        return fill("cuMemsetD2D" #bits "Async", target, pitch, value, bits / 8, width, height, stream);               \
    }

FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
