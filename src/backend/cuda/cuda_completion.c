/* The thread that tells the front end what has finished. */
#include "cuda_completion.h"

#include "base/error.h"
#include "base/thread.h"

#include "cuda_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Between two looks at a stream whose host function has not come. */
enum { LOOK_MILLISECONDS = 100 };

/* ---- the lists; the lock is held ---- */

static struct quern_cuda_queue *take_news(struct quern_cuda_completion *completion)
{
    struct quern_cuda_queue *queue = completion->news;
    if (queue) {
        completion->news = queue->listed.next_with_news;
        queue->listed.has_news = 0;
    }
    return queue;
}

/* A queue of a lost device that does not know yet. */
static struct quern_cuda_queue *take_lost(struct quern_cuda_completion *completion)
{
    if (!atomic_load(&completion->device->lost))
        return NULL;
    for (struct quern_cuda_queue *queue = completion->queues; queue; queue = queue->listed.next)
        if (!queue->listed.given_up) {
            queue->listed.given_up = 1;
            return queue;
        }
    return NULL;
}

static struct quern_cuda_queue *find_due(struct quern_cuda_completion *completion)
{
    for (struct quern_cuda_queue *queue = completion->queues; queue; queue = queue->listed.next)
        if (!queue->listed.given_up && quern_cuda_queue_is_due(queue))
            return queue;
    return NULL;
}

static void remove_from(struct quern_cuda_queue **list, struct quern_cuda_queue *queue, size_t link_offset)
{
    while (*list && *list != queue)
        list = (struct quern_cuda_queue **)(void *)((char *)*list + link_offset);
    if (*list)
        *list = *(struct quern_cuda_queue **)(void *)((char *)queue + link_offset);
}

/* ---- the thread ---- */

/* The lock is held, but not while the function runs. */
static void serve(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue,
                  void (*function)(struct quern_cuda_queue *))
{
    completion->served = queue;
    pthread_mutex_unlock(&completion->lock);
    function(queue);
    pthread_mutex_lock(&completion->lock);
    completion->served = NULL;
    pthread_cond_broadcast(&completion->left);
}

/* The lock is held. 1 when nothing came. */
static int wait_a_while(struct quern_cuda_completion *completion)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += LOOK_MILLISECONDS * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_nsec -= 1000000000L;
        ++end.tv_sec;
    }
    return pthread_cond_timedwait(&completion->wake, &completion->lock, &end) == ETIMEDOUT;
}

static void *run(void *argument)
{
    struct quern_cuda_completion *completion = argument;
    struct quern_cuda_queue *queue;
    pthread_mutex_lock(&completion->lock);
    while (!completion->stop) {
        if ((queue = take_news(completion)) != NULL) {
            serve(completion, queue, quern_cuda_queue_told);
        } else if ((queue = take_lost(completion)) != NULL) {
            serve(completion, queue, quern_cuda_queue_give_up);
        } else if (find_due(completion)) {
            if (wait_a_while(completion) && (queue = find_due(completion)) != NULL)
                serve(completion, queue, quern_cuda_queue_look);
        } else {
            completion->asleep = 1;
            pthread_cond_wait(&completion->wake, &completion->lock);
            completion->asleep = 0;
        }
    }
    pthread_mutex_unlock(&completion->lock);
    return NULL;
}

/* The lock is held. */
static quern_status start(struct quern_cuda_completion *completion)
{
    completion->stop = 0;
    int error = quern_thread_create(&completion->thread, "quern-cuda", 0, run, completion);
    if (error)
        return quern_fail(QUERN_SYSTEM_ERROR, "no thread that hears of finished commands of %s can be started: %s",
                          completion->device->info.name, strerror(error));
    completion->runs = 1;
    return QUERN_SUCCESS;
}

/* ---- life ---- */

void quern_cuda_completion_init(struct quern_cuda_completion *completion, struct quern_cuda_device *device)
{
    pthread_condattr_t attributes;
    memset(completion, 0, sizeof *completion);
    completion->device = device;
    pthread_mutex_init(&completion->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&completion->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_cond_init(&completion->left, NULL);
}

void quern_cuda_completion_stop(struct quern_cuda_completion *completion)
{
    pthread_mutex_lock(&completion->lock);
    int runs = completion->runs;
    completion->stop = 1;
    completion->runs = 0;
    pthread_cond_signal(&completion->wake);
    pthread_mutex_unlock(&completion->lock);
    if (runs)
        pthread_join(completion->thread, NULL);
}

void quern_cuda_completion_free(struct quern_cuda_completion *completion)
{
    while (completion->deceased) {
        struct quern_cuda_queue *queue = completion->deceased;
        completion->deceased = queue->listed.next;
        quern_cuda_queue_free(queue);
    }
    pthread_cond_destroy(&completion->left);
    pthread_cond_destroy(&completion->wake);
    pthread_mutex_destroy(&completion->lock);
}

quern_status quern_cuda_completion_add(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&completion->lock);
    quern_status status = completion->runs ? QUERN_SUCCESS : start(completion);
    if (status == QUERN_SUCCESS) {
        queue->listed.next = completion->queues;
        completion->queues = queue;
    }
    pthread_mutex_unlock(&completion->lock);
    return status;
}

void quern_cuda_completion_remove(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&completion->lock);
    /* A host function is a thing of the driver's that points at the queue. */
    while (quern_cuda_queue_is_due(queue) && !atomic_load(&completion->device->lost))
        pthread_cond_wait(&completion->left, &completion->lock);
    remove_from(&completion->queues, queue, offsetof(struct quern_cuda_queue, listed.next));
    if (queue->listed.has_news)
        remove_from(&completion->news, queue, offsetof(struct quern_cuda_queue, listed.next_with_news));
    queue->listed.has_news = 0;
    while (completion->served == queue)
        pthread_cond_wait(&completion->left, &completion->lock);
    pthread_mutex_unlock(&completion->lock);
}

void quern_cuda_completion_bury(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&completion->lock);
    queue->listed.has_news = 1; /* nobody tells of it any more */
    queue->listed.next = completion->deceased;
    completion->deceased = queue;
    pthread_mutex_unlock(&completion->lock);
}

/* ---- news ---- */

void quern_cuda_completion_watch(struct quern_cuda_completion *completion)
{
    pthread_mutex_lock(&completion->lock);
    if (completion->asleep)
        pthread_cond_signal(&completion->wake);
    pthread_mutex_unlock(&completion->lock);
}

void quern_cuda_completion_tell(struct quern_cuda_completion *completion, struct quern_cuda_queue *queue)
{
    pthread_mutex_lock(&completion->lock);
    atomic_fetch_add(&queue->told, 1);
    pthread_cond_broadcast(&completion->left);
    if (!queue->listed.has_news) {
        queue->listed.has_news = 1;
        queue->listed.next_with_news = completion->news;
        completion->news = queue;
        pthread_cond_signal(&completion->wake);
    }
    pthread_mutex_unlock(&completion->lock);
}

void quern_cuda_completion_wake(struct quern_cuda_completion *completion)
{
    pthread_mutex_lock(&completion->lock);
    pthread_cond_signal(&completion->wake);
    pthread_cond_broadcast(&completion->left);
    pthread_mutex_unlock(&completion->lock);
}
