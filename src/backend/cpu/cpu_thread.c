/* The records of the threads that run kernels. */
#include "cpu_thread.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

_Thread_local struct quern_cpu_thread_slot quern_cpu_thread_slot;

/* Changes at every start, so that what a thread remembers of an earlier one does not count. Never 0 in use. */
uintptr_t quern_cpu_thread_generation = 1;

static struct {
    pthread_mutex_t mutex;
    pthread_key_t key; /* frees a record when its thread ends */
    struct quern_cpu_thread *first;
} threads = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void free_record(struct quern_cpu_thread *thread)
{
    quern_cpu_scratch_free(thread);
    quern_parker_destroy(&thread->parker);
    free(thread);
}

static void thread_ends(void *pointer)
{
    struct quern_cpu_thread *thread = pointer;
    pthread_mutex_lock(&threads.mutex);
    *thread->link = thread->next;
    if (thread->next)
        thread->next->link = thread->link;
    pthread_mutex_unlock(&threads.mutex);
    quern_cpu_thread_slot.generation = 0;
    free_record(thread);
}

quern_status quern_cpu_threads_start(void)
{
    int error = pthread_key_create(&threads.key, thread_ends);
    if (error)
        return quern_fail(QUERN_SYSTEM_ERROR, "no key for the threads' own memory: %s", strerror(error));
    ++quern_cpu_thread_generation;
    return QUERN_SUCCESS;
}

void quern_cpu_threads_stop(void)
{
    pthread_key_delete(threads.key);
    ++quern_cpu_thread_generation;
    while (threads.first) {
        struct quern_cpu_thread *thread = threads.first;
        threads.first = thread->next;
        free_record(thread);
    }
}

static void add(struct quern_cpu_thread *thread)
{
    pthread_mutex_lock(&threads.mutex);
    thread->next = threads.first;
    thread->link = &threads.first;
    if (thread->next)
        thread->next->link = &thread->next;
    threads.first = thread;
    pthread_mutex_unlock(&threads.mutex);
}

quern_status quern_cpu_thread_make(struct quern_cpu_thread **result)
{
    struct quern_cpu_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a thread's record");
    quern_status status = quern_parker_init(&thread->parker);
    if (status) {
        free(thread);
        return status;
    }
    quern_cpu_scratch_make(thread);
    add(thread);
    int error = pthread_setspecific(threads.key, thread);
    if (error) {
        thread_ends(thread);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a thread's record: %s", strerror(error));
    }
    quern_cpu_thread_slot.thread = thread;
    quern_cpu_thread_slot.generation = quern_cpu_thread_generation;
    *result = thread;
    return QUERN_SUCCESS;
}
