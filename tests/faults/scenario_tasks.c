/* Scenarios on tasks: spawning, joining, cancelling, waiting within and without. */
#include <poll.h>
#include <unistd.h>

#include "scenario.h"

typedef struct work {
    int inside;
    quern_task *grandchild;
} work;

static quern_status do_nothing(void *argument)
{
    (void)argument;
    return QUERN_SUCCESS;
}

/* On the task's own queue, and one task further down. */
static quern_status use_queue(void *argument)
{
    work *work = argument;
    quern_queue *queue;
    quern_event *event = NULL;
    quern_status status = QUERN_SUCCESS;
    TRY(quern_task_is_inside(&work->inside));
    TRY(quern_queue_current(&queue));
    TRY(quern_queue_call(queue, do_nothing, NULL));
    TRY(quern_spawn(NULL, do_nothing, NULL, &work->grandchild));
    TRY(quern_event_record(queue, &event));
    TRY(quern_event_wait(event));
    TRY(quern_yield());
out:
    RELEASE(quern_event_release(event));
    return status;
}

/* A task that is joined although it failed has left what it spawned, which is joined here. */
static quern_status join_both(quern_task *task, work *work)
{
    quern_status status = task ? quern_join(task) : QUERN_SUCCESS;
    if (work->grandchild)
        RELEASE(quern_join(work->grandchild));
    return status;
}

/* The memory of task threads (src/task/thread.h), which a late waker may still look at. */
enum { THREAD_BLOCKS = 2 };

quern_status scenario_tasks(void)
{
    scenario_keeps_for_good(THREAD_BLOCKS);
    quern_status status = QUERN_SUCCESS;
    quern_queue *queue;
    quern_task *task = NULL;
    work work = {0, NULL};
    quern_task_statistics statistics;
    TRY(quern_wait_hooks_set(NULL));
    TRY(quern_queue_current(&queue));
    TRY(quern_queue_call(queue, do_nothing, NULL));
    TRY(quern_spawn(NULL, use_queue, &work, &task));
    TRY(quern_yield());
out:;
    quern_status joined = join_both(task, &work);
    status = status ? status : joined;
    RELEASE(quern_task_get_statistics(&statistics));
    REQUIRE(statistics.spawned == statistics.ended);
    REQUIRE(status || work.inside);
    return status;
}

/* The descriptor is there to be polled, and readable, as soon as the event is complete. */
quern_status scenario_event_fd(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_event *event = NULL;
    int fd = -1;
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_queue_create(device, NULL, &queue));
    TRY(quern_queue_call(queue, do_nothing, NULL));
    TRY(quern_event_record(queue, &event));
    TRY(quern_event_fd(event, &fd));
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    REQUIRE(poll(&poller, 1, 10000) == 1 && poller.revents == POLLIN);
out:
    if (fd >= 0)
        close(fd);
    RELEASE(quern_event_release(event));
    RELEASE(quern_queue_release(queue));
    RELEASE(quern_device_release(device));
    return status;
}

/* Cancelled or begun, by chance: it is joined either way. */
quern_status scenario_cancel(void)
{
    scenario_keeps_for_good(THREAD_BLOCKS);
    quern_status status = QUERN_SUCCESS;
    quern_task *task = NULL;
    TRY(quern_spawn(NULL, do_nothing, NULL, &task));
    quern_status cancelled = quern_task_cancel(task);
    REQUIRE(cancelled == QUERN_SUCCESS || cancelled == QUERN_BUSY);
    status = quern_join(task);
    REQUIRE(cancelled != QUERN_SUCCESS || status == QUERN_CANCELLED);
    status = status == QUERN_CANCELLED ? QUERN_SUCCESS : status;
out:
    return status;
}
