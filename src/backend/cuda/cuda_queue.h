/*
 * Queues of a CUDA device: one stream each.
 *
 * A launch leaves nothing behind but its number: the stream runs its commands in order, and no command fails alone,
 * since a failure ends the whole context. What has to be done when the stream has come so far is kept in a ring: to
 * reach a recorded event, to free memory that a copy reads, to tell that a host function has been called. Whoever
 * learns how far the stream is (a waiting thread, the device's thread) settles that and tells the front end the number.
 * One thread at a time does, without the lock, so the front end may run what it likes meanwhile.
 */
#ifndef QUERN_BACKEND_CUDA_QUEUE_H
#define QUERN_BACKEND_CUDA_QUEUE_H

#include "cuda_device.h"

#include <quern/backend.h>

#include <pthread.h>

/* Things that a queue keeps to be done. When all are taken, a command that needs one waits for the stream. */
enum { QUERN_CUDA_RING = 256 };

struct quern_cuda_entry {
    uint64_t number;                /* all commands up to it have finished when the stream has come so far */
    uint64_t mark;                  /* the host function behind it: the how manieth of the stream; 0: none */
    quern_event *recorded;          /* to be reached, or NULL */
    CUevent event;                  /* that tells when; may be NULL */
    struct quern_cuda_owned *owned; /* memory that a command reads, or NULL */
};

struct quern_cuda_queue {
    struct quern_cuda_device *device;
    quern_progress *progress;
    CUstream stream;
    int blocking, is_wrapped;        /* the latter: the stream is the user's */
    int is_recorder;                 /* no queue: what is put into the stream is captured; see cuda_graph.h */
    struct quern_cuda_listed listed; /* in the device's completion */
    _Atomic uint64_t marks, told;    /* host functions put into the stream, and called */

    pthread_mutex_t lock; /* guards the rest */
    pthread_cond_t changed;
    uint64_t submitted; /* the command functions up to this number have returned */
    uint64_t done;      /* the stream has come so far */
    uint64_t reported;  /* to the front end */
    uint64_t marked;    /* a host function comes for the numbers up to this one */
    uint64_t latest;    /* the latest command, for messages */
    const char *latest_what, *latest_kernel;
    int lost;           /* nothing runs any more */
    uint64_t lost_from; /* the first number that was lost and is to be reported as failed; 0: none */
    int settling;       /* a thread settles, the settler */
    pthread_t settler;
    /* Positions, which only grow. From head on entries are taken, up to tail; those before complete are to be done. */
    uint64_t head, complete, tail;
    struct quern_cuda_entry entries[QUERN_CUDA_RING];
};

/* ---- commands (cuda_queue.c) ---- */

/* A command function's work: begun, given to the stream, ended. */
struct quern_cuda_command {
    struct quern_cuda_queue *queue;
    uint64_t number;
    const char *what, *kernel;
    int runs;  /* it is to be given to the stream; the context is the thread's */
    int given; /* something was */
};

/* Not SUCCESS: the device is lost. Else command->runs tells whether it is to be run: not on a queue that has failed. It
 * is ended all the same. */
quern_status quern_cuda_command_begin(struct quern_cuda_command *command, struct quern_cuda_queue *queue,
                                      uint64_t number, const char *what, const char *kernel);

/* What the driver said when a part of the command was given to it; gives the failure. */
quern_status quern_cuda_command_given(struct quern_cuda_command *command, CUresult error);

/* Frees the memory when what was given so far has finished. */
void quern_cuda_command_own(struct quern_cuda_command *command, struct quern_cuda_owned *owned);

/* What the command function returns. A command that failed leaves nothing queued; one of a blocking queue has finished.
 */
quern_status quern_cuda_command_end(struct quern_cuda_command *command, quern_status status);

/* ---- finishing (cuda_finish.c) ---- */

/* Returns when number has finished. */
void quern_cuda_queue_wait(struct quern_cuda_queue *queue, uint64_t number);

/* Returns when the stream has done all that it was given, and what that left to do is done. */
void quern_cuda_queue_drain(struct quern_cuda_queue *queue);

/* Keeps the entry to be done; waits for the stream while the ring is full. */
void quern_cuda_queue_keep(struct quern_cuda_queue *queue, const struct quern_cuda_entry *entry);

/* Command number, the latest, is in the stream. given: it has something to run, named what and kernel. */
void quern_cuda_queue_submitted(struct quern_cuda_queue *queue, const struct quern_cuda_command *command);

/* Has a host function called behind what was given so far, so that the numbers up to number, which is the latest,
 * finish without a further call. The recorded event, if any, is reached then; event tells when. */
void quern_cuda_queue_mark(struct quern_cuda_queue *queue, uint64_t number, quern_event *recorded, CUevent event);

/* 1 when a host function is to come. */
int quern_cuda_queue_is_due(struct quern_cuda_queue *queue);

/* What the device's thread does: a host function has been called; none comes, is the device lost?; it is lost. */
void quern_cuda_queue_told(struct quern_cuda_queue *queue);
void quern_cuda_queue_look(struct quern_cuda_queue *queue);
void quern_cuda_queue_give_up(struct quern_cuda_queue *queue);

/* A queue over the stream; the context is the thread's. On failure the stream is left to the caller. */
quern_status quern_cuda_queue_make(struct quern_cuda_device *device, CUstream stream, int is_wrapped, int blocking,
                                   quern_progress *progress, void **queue);
void quern_cuda_queue_free(struct quern_cuda_queue *queue);

/* ---- functions of the backend's table ---- */

quern_status quern_cuda_queue_create(void *device, const quern_queue_options *options, quern_progress *progress,
                                     void **queue);
void quern_cuda_queue_destroy(void *queue);
quern_status quern_cuda_signal(void *queue, uint64_t number);
quern_status quern_cuda_help(void *queue, uint64_t number);
quern_status quern_cuda_record(void *queue, uint64_t number, quern_event *event);
quern_status quern_cuda_wait(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                             quern_event *event);

#endif
