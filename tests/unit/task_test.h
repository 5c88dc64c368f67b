/* What the tests of tasks share. In a task nothing may leave by a jump, so cmocka's assertions are for the test's own
 * thread; MUST and SURE end the process. */
#ifndef QUERN_TEST_TASK_TEST_H
#define QUERN_TEST_TASK_TEST_H

#include <stdatomic.h>

#include "runtime_test.h"

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s (the last sentence: %s)\n", __FILE__, __LINE__, #condition,             \
                    quern_last_error());                                                                               \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)
#define SURE(call) MUST((call) == QUERN_SUCCESS)

/* A task for a join; name may be NULL. */
static inline quern_task *spawn(const char *name, quern_task_function *function, void *argument)
{
    quern_task_options options = {NULL, name};
    quern_task *task = NULL;
    SURE(quern_spawn(name ? &options : NULL, function, argument, &task));
    MUST(task);
    return task;
}

static inline quern_task_statistics task_statistics(void)
{
    quern_task_statistics statistics;
    SURE(quern_task_get_statistics(&statistics));
    return statistics;
}

/* Yields, or sleeps a little in a thread, until the flag is set. */
static inline void await_flag(_Atomic int *flag)
{
    while (!atomic_load(flag))
        SURE(quern_yield());
}

/* Detached tasks may be about to end. */
static inline void await_all_ends(void)
{
    for (;;) {
        quern_task_statistics statistics = task_statistics();
        if (statistics.ended == statistics.spawned)
            return;
        SURE(quern_yield());
    }
}

static inline void shut_down(void)
{
    quern_status status;
    while ((status = quern_shutdown()) == QUERN_BUSY && strstr(quern_last_error(), "tasks"))
        SURE(quern_yield());
    ok(status);
}

static inline quern_status increment(void *argument)
{
    atomic_fetch_add((_Atomic int *)argument, 1);
    return QUERN_SUCCESS;
}

static inline quern_status yield_until(void *argument)
{
    await_flag(argument);
    return QUERN_SUCCESS;
}

static inline quern_status give_status(void *argument)
{
    return *(quern_status *)argument;
}

/* NOT_FOUND, with a sentence. */
static inline quern_status fail_with_a_sentence(void *argument)
{
    quern_device *device = NULL;
    (void)argument;
    return quern_device_open("no such device", &device);
}

#endif
