/*
 * A thread of each device that learns from the driver that commands have finished, and tells the front end.
 *
 * CUDA calls a host function in a stream's turn, but lets it call no CUDA, which the front end may want to when it
 * hears of a number. So the function only wakes this thread. After an error that ends the context no function comes any
 * more; so the thread looks every now and then while one is due.
 */
#ifndef QUERN_BACKEND_CUDA_COMPLETION_H
#define QUERN_BACKEND_CUDA_COMPLETION_H

#include <quern/status.h>

#include <pthread.h>

struct quern_cuda_device;
struct quern_cuda_queue;

/* A queue's place in the lists; under the completion's lock. */
struct quern_cuda_listed {
    struct quern_cuda_queue *next, *next_with_news;
    int has_news, given_up;
};

struct quern_cuda_completion {
    struct quern_cuda_device *device;
    pthread_mutex_t lock; /* never held while CUDA or the front end is called; guards the rest */
    pthread_cond_t wake, left;
    pthread_t thread;
    int runs, stop;
    int asleep;                        /* the thread waits without an end */
    struct quern_cuda_queue *queues;   /* all */
    struct quern_cuda_queue *news;     /* that a host function told of */
    struct quern_cuda_queue *served;   /* that the thread is at */
    struct quern_cuda_queue *deceased; /* of a lost device: a late host function may still come upon them */
};

void quern_cuda_completion_init(struct quern_cuda_completion *completion, struct quern_cuda_device *device);
/* Ends the thread; there are no queues any more. */
void quern_cuda_completion_stop(struct quern_cuda_completion *completion);
/* Frees the rest; the context is gone. */
void quern_cuda_completion_free(struct quern_cuda_completion *completion);

/* Takes the queue into the list, and starts the thread unless it runs. SYSTEM_ERROR. */
quern_status quern_cuda_completion_add(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue);
/* Takes it off the list. The thread has left it then; not to be called by the thread. */
void quern_cuda_completion_remove(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue);
/* Keeps a queue that has been removed until the end. */
void quern_cuda_completion_bury(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue);

/* A host function has been put into a stream: the thread is to look whether it comes. */
void quern_cuda_completion_watch(struct quern_cuda_completion *completion);
/* A host function of the queue has been called. */
void quern_cuda_completion_tell(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue);
/* The device is lost. */
void quern_cuda_completion_wake(struct quern_cuda_completion *completion);

#endif
