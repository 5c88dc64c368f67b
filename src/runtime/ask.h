/*
 * Calling a backend's functions.
 *
 * They run drivers, compilers and kernels, which want more stack than a task has: in a task every one of them is called
 * on the thread's own stack. What would block the thread there runs on a thread of the runtime instead (offload.h)
 * while the task is suspended, in a coroutine of the program too: commands of blocking queues, unless the thread
 * computes them itself. `help` alone is called where it is wanted (completion.h), which is in no task.
 *
 * Each function below is called as the table's one of that name. A failure that is none, or has no sentence, is mended
 * (answer.h). A thread of the runtime, which never runs a task, may call the table itself (QUERN_ASK).
 */
#ifndef QUERN_RUNTIME_ASK_H
#define QUERN_RUNTIME_ASK_H

#include "answer.h"
#include "queue.h"
#include "wait.h"

/* ---- commands: the queue is locked; they go where its commands go at present ---- */

quern_status quern_ask_copy(quern_queue *queue, uint64_t number, const quern_backend_copy *copy);
quern_status quern_ask_fill(quern_queue *queue, uint64_t number, const quern_backend_copy *fill);
quern_status quern_ask_peer_copy(quern_queue *queue, uint64_t number, const quern_backend_copy *copy,
                                 void *target_device, void *source_device);
quern_status quern_ask_call(quern_queue *queue, uint64_t number, quern_status (*function)(void *argument),
                            void *argument);
quern_status quern_ask_wait(quern_queue *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                            quern_event *event);
quern_status quern_ask_record(quern_queue *queue, uint64_t number, quern_event *event);
quern_status quern_ask_graph_launch(quern_queue *queue, uint64_t number, void *graph);

quern_status quern_ask_launch_elsewhere(quern_queue *queue, uint64_t number, const quern_backend_launch *launch);

/* Counted in instructions, so a plain thread pays for one look at where it is. */
static inline quern_status quern_ask_launch(quern_queue *queue, uint64_t number, const quern_backend_launch *launch)
{
    quern_status status;
    if (__builtin_expect(quern_wait_may_be_cooperative(), 0))
        return quern_ask_launch_elsewhere(queue, number, launch);
    QUERN_ASK(status, queue->commands, launch, queue->target, number, launch);
    return status;
}

/* These two are the backend's even while commands are held back. */
quern_status quern_ask_signal(quern_queue *queue, uint64_t number);
quern_status quern_ask_queue_allocate(quern_queue *queue, uint64_t number, size_t bytes, size_t alignment,
                                      void **memory);

/* ---- other functions of queues ---- */

quern_status quern_ask_queue_create(quern_device *device, const quern_queue_options *options, quern_progress *progress,
                                    void **queue);
quern_status quern_ask_queue_wrap(quern_device *device, uint32_t kind, void *handle, const quern_queue_options *options,
                                  quern_progress *progress, void **queue);
void quern_ask_queue_destroy(quern_queue *queue);

/* ---- backends and devices ---- */

quern_status quern_ask_start(const quern_backend *backend, const quern_backend_host *host);
void quern_ask_stop(const quern_backend *backend);
quern_status quern_ask_device_count(const quern_backend *backend, size_t *count);
quern_status quern_ask_device_open(const quern_backend *backend, size_t index, void **device);
quern_status quern_ask_device_info(const quern_device *device, quern_device_info *info);
int quern_ask_peer_reach(const quern_device *device, const quern_device *other);

/* ---- memory ---- */

quern_status quern_ask_allocate(const quern_device *device, size_t bytes, size_t alignment, quern_memory_kind kind,
                                void **memory);
void quern_ask_free(const quern_device *device, void *memory, size_t bytes, quern_memory_kind kind);
quern_status quern_ask_memory_wrap(const quern_device *device, uint32_t kind, void *handle, size_t bytes,
                                   void **memory);

/* ---- kernels ---- */

quern_status quern_ask_kernel_build(const quern_device *device, const quern_kernel *kernel, void **compiled,
                                    quern_kernel_limits *limits);
quern_status quern_ask_kernel_wrap(const quern_device *device, const quern_kernel *kernel, uint32_t kind, void *handle,
                                   void **compiled, quern_kernel_limits *limits);
void quern_ask_kernel_release(const quern_device *device, void *compiled);
quern_status quern_ask_launch_configuration(const quern_device *device, const quern_kernel *kernel, void *compiled,
                                            uint32_t rank, const size_t *extents, size_t max_items, size_t *group);
quern_status quern_ask_native(const quern_device *device, uint32_t kind, void *object, void *address, void **handle,
                              size_t *offset);

#endif
