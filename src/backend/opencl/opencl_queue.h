/*
 * Queues of an OpenCL device: one in-order command queue each.
 *
 * The event of every OpenCL command is kept, in a ring, until the command has finished, so that no failure
 * is lost. Whoever learns that commands have finished (a waiting thread, a driver's callback) settles them: reports
 * what failed, reaches recorded events, and tells the front end the number. One thread at a time does that, without the
 * lock, so the front end may run what it likes meanwhile.
 */
#ifndef QUERN_BACKEND_OPENCL_QUEUE_H
#define QUERN_BACKEND_OPENCL_QUEUE_H

#include "opencl_device.h"

#include <quern/backend.h>

#include <pthread.h>
#include <stdatomic.h>

/* OpenCL commands that a queue holds. When all are taken, the submitting thread waits until half of them are free. */
enum { QUERN_OPENCL_RING = 1024 };

/* One OpenCL command. A copy may be several, of one number. */
struct quern_opencl_entry {
    cl_event event; /* NULL: complete as soon as what is before it */
    uint64_t number;
    const char *what;      /* "a copy" */
    const char *kernel;    /* of a launch: the kernel's name; else NULL */
    quern_event *recorded; /* to be reached, or NULL */
    void *owned;           /* malloc'ed memory that the command reads, or NULL */
    int told;              /* 1: a callback has told the status */
    cl_int status;
};

struct quern_opencl_queue {
    struct quern_opencl_device *device;
    quern_progress *progress;
    cl_command_queue handle;
    uintptr_t ticket; /* for callbacks */
    int blocking;
    _Atomic int is_native; /* the caller has the handle, and may put commands of his own behind ours */

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    uint64_t submitted; /* the command functions up to this number have returned */
    uint64_t reported;  /* to the front end */
    int armed;          /* a callback has been asked for and has not come */
    int arming;         /* a thread is asking for one */
    int lost;           /* waiting did not work any more: nothing is waited for */
    cl_event spent;     /* of a blocking queue's last command, which is settled; or NULL */
    int settling;       /* a thread settles, the settler */
    pthread_t settler;
    /* Positions, which only grow. From head on entries are taken, up to tail; those before complete have finished. */
    uint64_t head, complete, tail;
    struct quern_opencl_entry entries[QUERN_OPENCL_RING];
};

/* ---- commands (opencl_queue.c) ---- */

/* A command function's work: begun, some OpenCL commands pushed, ended. */
struct quern_opencl_command {
    struct quern_opencl_queue *queue;
    uint64_t number;
    const char *what, *kernel;
    size_t pushed;
};

/* 0 when the queue has failed and the command is not to be run; it is ended all the same. */
int quern_opencl_command_begin(struct quern_opencl_command *command, struct quern_opencl_queue *queue, uint64_t number,
                               const char *what, const char *kernel);

/* Room for one more OpenCL command; waits while there is none. To be called before it is enqueued. */
void quern_opencl_command_room(struct quern_opencl_command *command);

/* The OpenCL command has been enqueued, or not: error is what the driver said. owned (or NULL) is freed when it has
 * finished, or now. Gives the failure. */
quern_status quern_opencl_command_push(struct quern_opencl_command *command, cl_int error, cl_event event, void *owned);

/* What the command function returns: status. A failed command leaves nothing queued; one of a blocking queue has
 * finished. */
quern_status quern_opencl_command_end(struct quern_opencl_command *command, quern_status status);

/* ---- finishing (opencl_finish.c) ---- */

/* Returns when number has finished. */
void quern_opencl_queue_wait(struct quern_opencl_queue *queue, uint64_t number);

/* Returns when all that was pushed has finished: the device no longer uses anything. 0 when the queue has failed. */
int quern_opencl_queue_drain(struct quern_opencl_queue *queue);

/* Has the driver call back while there are commands that have not finished, so that their numbers finish without a
 * further call. */
void quern_opencl_queue_watch(struct quern_opencl_queue *queue);

/* The lock is held: waits for half of a full ring. */
void quern_opencl_queue_make_room(struct quern_opencl_queue *queue);

/* A queue that is this command queue, whose reference is taken over, whatever becomes of it. OUT_OF_MEMORY. */
quern_status quern_opencl_queue_make(struct quern_opencl_device *device, cl_command_queue handle, int blocking,
                                     quern_progress *progress, void **queue);

/* ---- functions of the backend's table ---- */

quern_status quern_opencl_queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                       void **queue);
void quern_opencl_queue_destroy(void *queue);
quern_status quern_opencl_signal(void *queue, uint64_t number);
quern_status quern_opencl_help(void *queue, uint64_t number);
quern_status quern_opencl_record(void *queue, uint64_t number, quern_event *event);

#endif
