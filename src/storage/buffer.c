/* Buffers: the object, its views and its end. Memory and the order of uses are the runtime's. */
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include <quern/levels.h>

#include "base/error.h"
#include "host_access.h"

/* The largest power of two, at most 4096, that address and outer pitches are multiples of. */
static size_t alignment_of(const void *address, const quern_layout *layout)
{
    size_t bits = (size_t)(uintptr_t)address | 4096;
    for (uint32_t d = 0; d + 1 < layout->rank; ++d)
        bits |= (size_t)layout->pitches[d];
    return bits & (~bits + 1);
}

/* The pitches are nested, the innermost is the element's size, and all are multiples of the element's alignment. */
static uint32_t is_regular(const quern_layout *layout)
{
    size_t inside = layout->type.size;
    for (uint32_t d = layout->rank; d-- > 0;) {
        ptrdiff_t pitch = layout->pitches[d];
        int innermost = d + 1 == layout->rank;
        if (innermost ? pitch != (ptrdiff_t)inside : pitch < (ptrdiff_t)inside)
            return 0;
        if (pitch & (ptrdiff_t)(layout->type.alignment - 1))
            return 0;
        inside = (size_t)pitch * layout->extents[d];
    }
    return 1;
}

static _Atomic uint64_t last_serial;

quern_status quern_buffer_make(quern_device *device, void *address, size_t bytes, const quern_layout *layout,
                               quern_memory_kind kind, void (*free_memory)(quern_buffer *buffer), quern_buffer **buffer)
{
    quern_buffer *made = aligned_alloc(QUERN_BUFFER_ALIGNMENT, sizeof *made);
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a buffer object of %zu bytes", sizeof *made);
    quern_extents extents = {layout->rank, {0}};
    memcpy(extents.n, layout->extents, sizeof extents.n);
    int packed = 0;
    quern_status status = quern_extents_count(extents, &made->elements);
    if (status == QUERN_SUCCESS)
        status = quern_layout_is_packed(layout, &packed);
    if (status != QUERN_SUCCESS) {
        free(made);
        return status;
    }
    made->packed = (uint16_t)packed;
    made->host_only =
        (kind == QUERN_MEMORY_HOST || kind == QUERN_MEMORY_PINNED) && device && !quern_device_host_accessible(device);
    made->regular = is_regular(layout);
    quern_object_init(&made->object, QUERN_MARK_BUFFER);
    made->serial = atomic_fetch_add_explicit(&last_serial, 1, memory_order_relaxed) + 1;
    made->device = device;
    made->address = address;
    made->bytes = bytes;
    made->layout = *layout;
    made->alignment = alignment_of(address, layout);
    made->kind = kind;
    made->free_memory = free_memory;
    made->release = NULL;
    made->context = NULL;
    made->block = NULL;
    quern_use_list_init(&made->uses);
    *buffer = made;
    return QUERN_SUCCESS;
}

int quern_buffer_holds(const quern_buffer *buffer, const void *address, const quern_layout *layout)
{
    uintptr_t begin = (uintptr_t)buffer->address, at = (uintptr_t)address;
    if (at < begin || at - begin > buffer->bytes)
        return 0;
    size_t reach = layout->type.size;
    for (uint32_t d = 0; d < layout->rank; ++d) {
        size_t along;
        if (layout->extents[d] <= 1)
            continue;
        if (layout->pitches[d] < 0 ||
            quern_multiply_overflows(layout->extents[d] - 1, (size_t)layout->pitches[d], &along) ||
            quern_add_overflows(reach, along, &reach))
            return 0;
    }
    return reach <= buffer->bytes - (at - begin);
}

int quern_buffer_host_accessible(const quern_device *device, const quern_buffer *buffer)
{
    return quern_device_host_accessible(device) ||
           (buffer && (buffer->kind == QUERN_MEMORY_HOST || buffer->kind == QUERN_MEMORY_PINNED ||
                       buffer->kind == QUERN_MEMORY_UNIFIED));
}

void quern_buffer_destroy(quern_buffer *buffer)
{
    if (buffer->free_memory)
        buffer->free_memory(buffer);
    if (buffer->release)
        buffer->release(buffer->context);
    quern_use_list_free(&buffer->uses);
    quern_object_dispose(&buffer->object);
}

quern_status quern_buffer_retain(quern_buffer *buffer)
{
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status == QUERN_SUCCESS)
        quern_object_retain(&buffer->object);
    return status;
}

static quern_const_view const_view(const quern_buffer *buffer)
{
    quern_const_view view;
    memset(&view, 0, sizeof view);
    view.span.address = buffer->address;
    view.span.alignment = buffer->alignment;
    view.span.layout = buffer->layout;
    view.device = buffer->device;
    view.buffer = (quern_buffer *)buffer; /* the owner's reference, never a way to write */
    return view;
}

static quern_view mutable_view(quern_buffer *buffer)
{
    quern_view view;
    memset(&view, 0, sizeof view);
    view.span.address = buffer->address;
    view.span.alignment = buffer->alignment;
    view.span.layout = buffer->layout;
    view.device = buffer->device;
    view.buffer = buffer;
    return view;
}

quern_status quern_buffer_view(quern_buffer *buffer, quern_view *view)
{
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status != QUERN_SUCCESS)
        return status;
    if (!view)
        return quern_fail(QUERN_INVALID_ARGUMENT, "view is NULL, wanted a place for the result");
    *view = mutable_view(buffer);
    return QUERN_SUCCESS;
}

quern_status quern_buffer_const_view(const quern_buffer *buffer, quern_const_view *view)
{
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status != QUERN_SUCCESS)
        return status;
    if (!view)
        return quern_fail(QUERN_INVALID_ARGUMENT, "view is NULL, wanted a place for the result");
    *view = const_view(buffer);
    return QUERN_SUCCESS;
}

quern_status quern_buffer_layout(const quern_buffer *buffer, quern_layout *layout)
{
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status != QUERN_SUCCESS)
        return status;
    if (!layout)
        return quern_fail(QUERN_INVALID_ARGUMENT, "layout is NULL, wanted a place for the result");
    *layout = buffer->layout;
    return QUERN_SUCCESS;
}

quern_status quern_buffer_device(const quern_buffer *buffer, quern_device **device)
{
    quern_status status = quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer");
    if (status != QUERN_SUCCESS)
        return status;
    if (!device)
        return quern_fail(QUERN_INVALID_ARGUMENT, "device is NULL, wanted a place for the result");
    *device = buffer->device;
    return QUERN_SUCCESS;
}

static int is_live(const quern_buffer *buffer)
{
    return buffer && quern_object_check((const quern_object *)buffer, QUERN_MARK_BUFFER, "buffer") == QUERN_SUCCESS;
}

/* What the view of a buffer that is no live one says of it. A debug build keeps the object, so that whoever takes the
 * view can say that it was released. */
static quern_buffer *remembered(quern_buffer *buffer)
{
#ifdef QUERN_DEBUG
    return buffer;
#else
    (void)buffer;
    return NULL;
#endif
}

quern_view quern_level_view_of_buffer(quern_buffer *const *buffer)
{
    quern_view view;
    if (is_live(*buffer))
        return mutable_view(*buffer);
    memset(&view, 0, sizeof view);
    view.buffer = remembered(*buffer);
    return view;
}

quern_const_view quern_level_const_view_of_buffer(const quern_buffer *const *buffer)
{
    quern_const_view view;
    if (is_live(*buffer))
        return const_view(*buffer);
    memset(&view, 0, sizeof view);
    view.buffer = remembered((quern_buffer *)*buffer);
    return view;
}
