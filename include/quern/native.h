/*
 * Quern: the driver's own handles of devices, queues, memory and kernels, out and in: for work beside other libraries.
 *
 * Out: a handle is borrowed. It is good while the object is held that it was asked of, and is neither to be released
 * nor destroyed. A kind that the device's backend does not have is NOT_SUPPORTED; the sentence names those that it has.
 *
 * In: a queue over the caller's stream, a buffer over the caller's memory, a kernel in the caller's module. They are
 * used like any others, with all checks, and are not destroyed with Quern's object. On failure they are left alone.
 *
 * Order. Quern orders what it sees. What the caller himself puts into a native queue it does not see, so:
 *
 * - The native queue keeps its own order: what the caller puts in runs behind the commands that Quern was given before
 *   (on a queue that holds nothing back, see below) and before those that it is given later.
 * - Memory is asked for on behalf of a queue (quern_view_get_native), and that counts as a write by the queue: it is
 *   ordered after all conflicting uses by other queues, on the device, before the handle is used. The queue's next
 *   event or synchronise counts as the last of the writes, and ends them: so other queues that use the memory after
 *   that event was recorded wait for all that the caller put in before it. What the caller puts in between is seen by
 *   nobody: record an event, or synchronise, when you are done, and before another queue uses the memory.
 * - An event that is recorded on a queue whose native handle was taken, or that was made from one, stands for the
 *   caller's own commands as well, and quern_queue_synchronize waits for them. quern_queue_query and the statistics
 *   know Quern's commands alone.
 * - A failure of the caller's own commands is the caller's to find, but for one that loses the device.
 *
 * A queue holds commands back on the host while it waits for something that its device cannot wait for: a host
 * function, or another queue where the backend cannot wait for that. What the caller puts into the native queue
 * meanwhile overtakes them. quern_view_get_native therefore waits until nothing is held back; after a later host
 * function, or a later command that waits for another queue, synchronise before the next native command.
 */
#ifndef QUERN_NATIVE_H
#define QUERN_NATIVE_H

#include <quern/program.h>
#include <quern/queue.h>

/* What a handle is. The hundreds say of what: 1 a device, 2 a queue, 3 memory, 4 a kernel. The second half of each
 * hundred belongs to backends that are loaded (quern_backend_load). */
typedef enum quern_native_kind {
    QUERN_NATIVE_CUDA_DEVICE = 101,   /* CUdevice, a number: (CUdevice)(intptr_t)handle */
    QUERN_NATIVE_CUDA_CONTEXT = 102,  /* CUcontext: the device's primary one */
    QUERN_NATIVE_OPENCL_DEVICE = 103, /* cl_device_id */
    QUERN_NATIVE_OPENCL_CONTEXT = 104,

    QUERN_NATIVE_CUDA_STREAM = 201,  /* CUstream */
    QUERN_NATIVE_OPENCL_QUEUE = 202, /* cl_command_queue, in order */

    QUERN_NATIVE_ADDRESS = 301,       /* an address of the host, where the host reaches the memory */
    QUERN_NATIVE_CUDA_POINTER = 302,  /* CUdeviceptr: (CUdeviceptr)handle */
    QUERN_NATIVE_OPENCL_MEMORY = 303, /* cl_mem */

    QUERN_NATIVE_CUDA_MODULE = 401,   /* CUmodule */
    QUERN_NATIVE_CUDA_FUNCTION = 402, /* CUfunction, of the variant for 32-bit indices on the grid */

    QUERN_NATIVE_FORCE_INT = 0x7fffffff
} quern_native_kind;

QUERN_BEGIN_DECLARATIONS

/* ---- out ---- */

/* INVALID_ARGUMENT for a kind of another hundred, NOT_SUPPORTED for one that the device's backend does not have. */
QUERN_API quern_status quern_device_get_native(quern_device *device, quern_native_kind kind, void **handle);

/* The same. From then on quern_queue_synchronize and events of the queue also wait for what the caller puts in. */
QUERN_API quern_status quern_queue_get_native(quern_queue *queue, quern_native_kind kind, void **handle);

/*
 * The memory that the view's first element lies in, for commands that the caller himself gives to the queue's native
 * one, or runs in a host function on the queue: see Order above. *offset is the bytes from where the handle's memory
 * begins to that element (0 where the handle is an address); offset may be NULL, and then a handle that would need one
 * is NOT_SUPPORTED. The queue keeps the buffer until its next event or synchronise. The view is one of the queue's
 * device (WRONG_DEVICE) and has elements (INVALID_SHAPE). Const views have no native handle, since nothing keeps who
 * has one from writing.
 *
 * QUERN_NATIVE_ADDRESS is to be had of every device that is host_accessible, and of memory of the kinds HOST, PINNED
 * and UNIFIED. The host itself uses it when the queue has come so far: in a host function, or after a synchronise.
 */
QUERN_API quern_status quern_view_get_native(quern_queue *queue, quern_view view, quern_native_kind kind, void **handle,
                                             size_t *offset);

/* Of the kernel as it is built for the device; it is built if it was not. Good until its program is released or
 * quern_shutdown. */
QUERN_API quern_status quern_kernel_get_native(quern_kernel *kernel, quern_device *device, quern_native_kind kind,
                                               void **handle);

/* ---- in ---- */

/* A handle that the driver says is none, such as a destroyed one where it notices, is INVALID_ARGUMENT. */

/*
 * A queue over a stream or command queue of the caller's, of the device and of the context that
 * quern_device_get_native gives (WRONG_DEVICE otherwise, where the driver tells). It must keep its order
 * (NOT_SUPPORTED) and has to last until the queue was released and all its commands have finished. options as for
 * quern_queue_create, but the priority is the handle's own: one that is not 0 is INVALID_ARGUMENT. Two queues
 * over one handle are ordered by that, though Quern does not know it. A handle of NULL is CUDA's default stream, and
 * else INVALID_ARGUMENT.
 */
QUERN_API quern_status quern_queue_create_from_native(quern_device *device, quern_native_kind kind, void *handle,
                                                      const quern_queue_options *options, quern_queue **queue);

/*
 * A buffer over device memory of the caller's, which begins where the handle's does (of a part take sub-views). The
 * rest as for quern_buffer_wrap: release(context) is called once, when the last reference is gone and the last command
 * has finished; it may be NULL and must not call Quern. Memory that the driver knows to be smaller than the layout is
 * INVALID_SHAPE, of another context WRONG_DEVICE. The layout has elements (INVALID_SHAPE). Two buffers over the same
 * memory are not ordered against each other. QUERN_NATIVE_ADDRESS is quern_buffer_wrap.
 */
QUERN_API quern_status quern_buffer_wrap_native(quern_device *device, quern_native_kind kind, void *handle,
                                                const quern_layout *layout, void (*release)(void *context),
                                                void *context, quern_buffer **buffer);

/*
 * Has launches of the kernel on the device take it from a module that the caller loaded there, of the text that
 * `quern compile --print cuda` gives of the same kernel file, compiled with QUERN_INDEX_BITS=64 and QUERN_LINEAR=1, the
 * variant that fits every range. Arguments are checked as ever; that the module is of that text is the caller's to see
 * to. It has to last until the kernel's program is released or quern_shutdown. NOT_FOUND when the module lacks the
 * kernel; BUSY when the kernel has been built for the device already.
 */
QUERN_API quern_status quern_kernel_prepare_from_native(quern_kernel *kernel, quern_device *device,
                                                        quern_native_kind kind, void *handle);

QUERN_END_DECLARATIONS

#endif
