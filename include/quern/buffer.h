/*
 * Quern: buffers: memory on a device, reference counted.
 *
 * The fourth level of data storage. The creator holds one reference. When the last is released the
 * memory is freed once, after the last command that uses it has finished; release never waits.
 * Functions on one buffer may be called from several threads.
 */
#ifndef QUERN_BUFFER_H
#define QUERN_BUFFER_H

#include <quern/queue.h>
#include <quern/view.h>

typedef enum quern_memory_kind {
    QUERN_MEMORY_DEVICE = 0, /* the device's own memory; host memory on the CPU */
    QUERN_MEMORY_HOST,       /* pageable host memory */
    QUERN_MEMORY_PINNED,     /* host memory that the device reaches by DMA; NOT_SUPPORTED where it cannot */
    QUERN_MEMORY_UNIFIED,    /* one address for host and device; NOT_SUPPORTED where there is none */
    QUERN_MEMORY_QUEUE,      /* the device's own, of quern_buffer_create_on_queue */
    QUERN_MEMORY_WRAPPED     /* the device's own, but the caller's: of quern_buffer_wrap_native (native.h) */
} quern_memory_kind;

/* What a device keeps of the memory of quern_buffer_create_on_queue; counts since it was started. */
typedef struct quern_pool_statistics {
    uint64_t requests;   /* buffers with elements that were asked for */
    uint64_t reused;     /* of these, those that got memory which was kept */
    uint64_t kept_bytes; /* that no buffer has, at this moment */
    uint64_t kept_blocks;
    uint64_t returned_blocks; /* given back to the device: by quern_device_trim, for want of memory, past the limit */
} quern_pool_statistics;

QUERN_BEGIN_DECLARATIONS

/*
 * Memory for extents elements of the type. Rows begin at the device's preferred alignment
 * (quern_layout_aligned); rank 1 is never padded. The contents are undefined. A zero extent allocates nothing and
 * every command on it does nothing. OVERFLOW, OUT_OF_MEMORY, LIMIT_EXCEEDED (larger than the device's largest).
 */
QUERN_API quern_status quern_buffer_create(quern_device *device, quern_type type, quern_extents extents,
                                           quern_buffer **buffer);

/* The same with a layout of the caller's and a kind of memory: one of the first four. */
QUERN_API quern_status quern_buffer_create_with_layout(quern_device *device, const quern_layout *layout,
                                                       quern_memory_kind kind, quern_buffer **buffer);

/*
 * Memory for what lives as long as a few commands of a queue: creating and releasing it costs no call of the driver in
 * the long run, and holds up no queue. The device keeps what was released in a pool, by size, and gives it out again:
 * at once for the same queue, whose order keeps the old commands before the new ones; for another queue when the
 * commands have finished. The buffer is a usual one otherwise: any queue may use it, and waits for the allocation if
 * that is not done. It may take up to a quarter more memory than its elements. Never waits.
 *
 * What is kept is limited (to an eighth of the device's memory), and given back by quern_device_trim, by
 * quern_shutdown, and when an allocation on the device fails for want of memory, which is then tried again.
 * Errors as of quern_buffer_create.
 */
QUERN_API quern_status quern_buffer_create_on_queue(quern_queue *queue, quern_type type, quern_extents extents,
                                                    quern_buffer **buffer);
QUERN_API quern_status quern_buffer_create_on_queue_with_layout(quern_queue *queue, const quern_layout *layout,
                                                                quern_buffer **buffer);

/* Gives back to the device what its pool keeps and no command uses any more. */
QUERN_API quern_status quern_device_trim(quern_device *device);
QUERN_API quern_status quern_device_get_pool_statistics(quern_device *device, quern_pool_statistics *statistics);

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
