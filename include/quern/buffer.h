/*
 * Quern: buffers: memory on a device, reference counted.
 *
 * The fourth level of data storage. The creator holds one reference. When the last is released the
 * memory is freed once, after the last command that uses it has finished; release never waits.
 * Functions on one buffer may be called from several threads.
 */
#ifndef QUERN_BUFFER_H
#define QUERN_BUFFER_H

#include <quern/view.h>

typedef enum quern_memory_kind {
    QUERN_MEMORY_DEVICE = 0, /* the device's own memory; host memory on the CPU */
    QUERN_MEMORY_HOST,       /* pageable host memory */
    QUERN_MEMORY_PINNED,     /* host memory that the device reaches by DMA; NOT_SUPPORTED where it cannot */
    QUERN_MEMORY_UNIFIED     /* one address for host and device; NOT_SUPPORTED where there is none */
} quern_memory_kind;

QUERN_BEGIN_DECLARATIONS

/*
 * Memory for extents elements of the type. Rows begin at the device's preferred alignment
 * (quern_layout_aligned); rank 1 is never padded. The contents are undefined. A zero extent allocates nothing and
 * every command on it does nothing. OVERFLOW, OUT_OF_MEMORY, LIMIT_EXCEEDED (larger than the device's largest).
 */
QUERN_API quern_status quern_buffer_create(quern_device *device, quern_type type, quern_extents extents,
                                           quern_buffer **buffer);

/* The same with a layout of the caller's and a kind of memory. */
QUERN_API quern_status quern_buffer_create_with_layout(quern_device *device, const quern_layout *layout,
                                                       quern_memory_kind kind, quern_buffer **buffer);

/*
 * A buffer over memory that the caller owns. release(context) is called once, when the buffer's last reference is
 * gone and the last command on it has finished, from whichever thread that happens on; it may be NULL and must not
 * call Quern. On failure it is not called. NOT_SUPPORTED on a device that does not share the host's memory.
 */
QUERN_API quern_status quern_buffer_wrap(quern_device *device, void *address, const quern_layout *layout,
                                         void (*release)(void *context), void *context, quern_buffer **buffer);

/* One more reference. */
QUERN_API quern_status quern_buffer_retain(quern_buffer *buffer);

/* One reference less; NULL is fine. */
QUERN_API quern_status quern_buffer_release(quern_buffer *buffer);

/* The view of all elements. */
QUERN_API quern_status quern_buffer_view(quern_buffer *buffer, quern_view *view);
QUERN_API quern_status quern_buffer_const_view(const quern_buffer *buffer, quern_const_view *view);

/* The layout, and the device. */
QUERN_API quern_status quern_buffer_layout(const quern_buffer *buffer, quern_layout *layout);
QUERN_API quern_status quern_buffer_device(const quern_buffer *buffer, quern_device **device);

QUERN_END_DECLARATIONS

#endif
