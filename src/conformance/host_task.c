/*
 * Tasks: what is spawned comes behind what its spawner has queued, without anybody waiting for that; and a task that
 * waits for the device leaves its thread to others.
 *
 * A trial belongs to one thread at a time: a task that uses it does so while the test waits in its join.
 *
 * Gates give way after a while. On a busy machine that may be before the other tasks have come to run, so what shows
 * only while a gate holds is tried some times: a wait that blocks its thread would be seen to do so every time.
 */
#include <stdatomic.h>

#include "gate.h"
#include "guarded.h"
#include "steps.h"

enum { ATTEMPTS = 20 };

/* ---- the order of spawner and task ---- */

typedef struct family {
    quern_trial *trial;
    quern_device *parents, *childs; /* devices */
    quern_steps *steps;
    _Atomic int child_ran;
    int was_closed; /* the child's function had run while the parent's queue was held */
    int child_done; /* the child's queued work had, when its join returned */
} family;

static quern_status child(void *argument)
{
    family *family = argument;
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    if (!status)
        status = quern_steps_call(family->steps, queue, 1);
    atomic_store(&family->child_ran, 1);
    return status;
}

static quern_status parent(void *argument)
{
    family *family = argument;
    const quern_task_options options = {family->childs, "child"};
    quern_queue *queue;
    quern_gate *gate = NULL;
    quern_task *task = NULL;
    quern_status status = quern_queue_current(&queue);
    if (!status && quern_gate_make(family->trial, queue, QUERN_SUCCESS, &gate) != QUERN_PASSED)
        return QUERN_INTERNAL;
    if (!status)
        status = quern_steps_call(family->steps, queue, 0);
    if (!status)
        status = quern_spawn(&options, child, family, &task);
    while (!status && !atomic_load(&family->child_ran) && quern_gate_is_closed(gate))
        status = quern_yield();
    family->was_closed = gate && quern_gate_is_closed(gate) && atomic_load(&family->child_ran);
    if (gate)
        quern_gate_open(gate);
    quern_status joined = task ? quern_join(task) : QUERN_SUCCESS;
    family->child_done = quern_steps_at(family->steps, 1) > 0;
    return status ? status : joined;
}

static quern_verdict spawn_once(quern_trial *trial, quern_device *parents, quern_device *childs, int *was_closed)
{
    family family = {.trial = trial, .parents = parents, .childs = childs, .steps = quern_steps_make(trial)};
    const quern_task_options options = {parents, "parent"};
    quern_task *task;
    QUERN_WANT(trial, family.steps, "no memory for steps");
    QUERN_TRY(trial, quern_spawn(&options, parent, &family, &task));
    QUERN_TRY(trial, quern_join(task));
    *was_closed = family.was_closed;
    QUERN_WANT(trial, family.child_done, "the child's join returned before the work that it had queued was done");
    return quern_steps_check(trial, family.steps, 0, 1);
}

static quern_verdict spawn_family(quern_trial *trial, quern_device *parents, quern_device *childs)
{
    int was_closed = 0;
    for (int attempt = 0; !was_closed && attempt < ATTEMPTS; ++attempt)
        QUERN_CHECK(spawn_once(trial, parents, childs, &was_closed));
    QUERN_WANT(trial, was_closed, "the child's function did not run while its spawner's queue was held");
    return QUERN_PASSED;
}

static quern_verdict spawn_order(quern_trial *trial)
{
    for (int repetition = 0; repetition < 3; ++repetition)
        QUERN_CHECK(spawn_family(trial, trial->device, trial->device));
    return QUERN_PASSED;
}

static quern_verdict spawn_order_other_devices(quern_trial *trial)
{
    if (trial->other_count == 0)
        return quern_trial_unsupported(trial, "there is no other device");
    for (size_t i = 0; i < trial->other_count; ++i) {
        quern_device_info info;
        QUERN_TRY(trial, quern_device_get_info(trial->others[i], &info));
        QUERN_CHECK(quern_trial_within(trial, spawn_family(trial, trial->device, trial->others[i]), "a child on %s",
                                       info.name));
        QUERN_CHECK(quern_trial_within(trial, spawn_family(trial, trial->others[i], trial->device), "a parent on %s",
                                       info.name));
    }
    return QUERN_PASSED;
}

/* ---- waiting ---- */

enum { MOST_WAITERS = 64 };

typedef enum way { BY_SYNCHRONIZE, BY_EVENT, BY_BLOCKING_QUEUE } way;

typedef struct crowd {
    way way;
    size_t count;
    quern_queue *queues[MOST_WAITERS], *blocking[MOST_WAITERS];
    quern_event *events[MOST_WAITERS];
    quern_gate *gates[MOST_WAITERS];
    _Atomic size_t begun, next;
    size_t closed; /* gates that held when all had begun and the task that does not wait ran */
} crowd;

static quern_status wait_for_one(void *argument)
{
    crowd *crowd = argument;
    size_t self = atomic_fetch_add(&crowd->next, 1);
    atomic_fetch_add(&crowd->begun, 1);
    if (crowd->way == BY_BLOCKING_QUEUE)
        return quern_queue_wait(crowd->blocking[self], crowd->events[self]);
    return crowd->way == BY_EVENT ? quern_event_wait(crowd->events[self])
                                  : quern_queue_synchronize(crowd->queues[self]);
}

static quern_status open_all(void *argument)
{
    crowd *crowd = argument;
    quern_status status = QUERN_SUCCESS;
    while (!status && atomic_load(&crowd->begun) < crowd->count && quern_gate_is_closed(crowd->gates[0]))
        status = quern_yield();
    for (size_t i = 0; i < crowd->count; ++i)
        crowd->closed += quern_gate_is_closed(crowd->gates[i]) != 0;
    for (size_t i = 0; i < crowd->count; ++i)
        quern_gate_open(crowd->gates[i]);
    return status;
}

static quern_verdict run_crowd(quern_trial *trial, crowd *crowd)
{
    static const quern_queue_options blocking = {1, 0, "blocking"};
    quern_task *waiters[MOST_WAITERS], *opener;
    for (size_t i = 0; i < crowd->count; ++i) {
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, NULL, &crowd->queues[i]));
        QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &blocking, &crowd->blocking[i]));
        QUERN_CHECK(quern_gate_make(trial, crowd->queues[i], QUERN_SUCCESS, &crowd->gates[i]));
        QUERN_TRY(trial, quern_trial_record(trial, crowd->queues[i], &crowd->events[i]));
    }
    for (size_t i = 0; i < crowd->count; ++i)
        QUERN_TRY(trial, quern_spawn(NULL, wait_for_one, crowd, &waiters[i]));
    QUERN_TRY(trial, quern_spawn(NULL, open_all, crowd, &opener));
    QUERN_TRY(trial, quern_join(opener));
    for (size_t i = 0; i < crowd->count; ++i)
        QUERN_TRY(trial, quern_join(waiters[i]));
    return QUERN_PASSED;
}

/* One more than there are threads, so that one that blocks would be missed. */
static quern_verdict wait_in_tasks(quern_trial *trial, way way)
{
    static const quern_task_options options = {NULL, "first"};
    crowd crowd = {.way = way};
    quern_task_statistics statistics;
    quern_task *task;
    QUERN_TRY(trial, quern_spawn(&options, open_all, &crowd, &task)); /* of none: starts the threads */
    QUERN_TRY(trial, quern_join(task));
    QUERN_TRY(trial, quern_task_get_statistics(&statistics));
    if (statistics.threads + 1 > MOST_WAITERS)
        return quern_trial_unsupported(trial, "more than %d task threads", MOST_WAITERS - 1);
    size_t count = (size_t)statistics.threads + 1, begun = 0;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        crowd = (struct crowd){.way = way, .count = count};
        QUERN_CHECK(run_crowd(trial, &crowd));
        begun = atomic_load(&crowd.begun);
        if (crowd.closed == count && begun == count)
            return QUERN_PASSED;
    }
    return quern_trial_fail(
        trial, __FILE__, __LINE__,
        "of %zu tasks that wait for the device %zu had begun, and %zu queues were held, when the next task ran; "
        "wanted all: a wait blocks its thread",
        count, begun, crowd.closed);
}

static quern_verdict synchronize_in_tasks(quern_trial *trial)
{
    return wait_in_tasks(trial, BY_SYNCHRONIZE);
}

static quern_verdict event_wait_in_tasks(quern_trial *trial)
{
    return wait_in_tasks(trial, BY_EVENT);
}

static quern_verdict blocking_queue_in_tasks(quern_trial *trial)
{
    return wait_in_tasks(trial, BY_BLOCKING_QUEUE);
}

/* ---- ends ---- */

static quern_status fail_on_queue(void *argument)
{
    (void)argument;
    return QUERN_HOST_FUNCTION_FAILED;
}

static quern_status queue_failure(void *argument)
{
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    return status ? status : quern_queue_call(queue, fail_on_queue, argument);
}

typedef struct deserter {
    quern_trial *trial;
    quern_gate *gate;
    quern_event *end; /* of what it leaves behind */
} deserter;

static quern_status leave_work(void *argument)
{
    deserter *deserter = argument;
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    if (!status && quern_gate_make(deserter->trial, queue, QUERN_SUCCESS, &deserter->gate) != QUERN_PASSED)
        return QUERN_INTERNAL;
    if (!status)
        status = quern_trial_record(deserter->trial, queue, &deserter->end);
    return status ? status : QUERN_NOT_FOUND;
}

/* The failure of what a task has queued is the join's; a task that fails by itself is not waited for. */
static quern_verdict failures(quern_trial *trial)
{
    const quern_task_options options = {trial->device, "failing"};
    deserter deserter = {.trial = trial};
    quern_task *task;
    QUERN_TRY(trial, quern_spawn(&options, queue_failure, NULL, &task));
    QUERN_REFUSED(trial, quern_join(task), QUERN_HOST_FUNCTION_FAILED, "failing");
    QUERN_TRY(trial, quern_spawn(&options, leave_work, &deserter, &task));
    QUERN_REFUSED(trial, quern_join(task), QUERN_NOT_FOUND, "failing");
    QUERN_WANT(trial, deserter.gate && quern_gate_is_closed(deserter.gate),
               "the join of a task that failed waited for its queue");
    quern_gate_open(deserter.gate);
    QUERN_TRY(trial, quern_event_wait(deserter.end)); /* the gate lasts no longer than the trial */
    return QUERN_PASSED;
}

/* ---- data ---- */

enum { TASKS = 12 };

typedef struct filler {
    quern_guarded array;
    int32_t value;
} filler;

/* On the task's own queue, read back there. */
static quern_status fill_and_read(void *argument)
{
    filler *filler = argument;
    quern_queue *queue;
    quern_status status = quern_queue_current(&queue);
    for (int i = 0; !status && i < 5; ++i) {
        const int32_t value = filler->value + i;
        status = quern_fill(queue, filler->array.view, QUERN_TYPE(int32_t), &value);
        if (!status && i % 2)
            status = quern_queue_synchronize(queue);
    }
    return status;
}

static quern_verdict data_of_tasks(quern_trial *trial)
{
    const quern_task_options options = {trial->device, "filler"};
    filler fillers[TASKS];
    quern_task *tasks[TASKS];
    for (int i = 0; i < TASKS; ++i) {
        fillers[i].value = 1000 * i;
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "array",
                                       quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 11)),
                                       &fillers[i].array));
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &fillers[i].array));
    }
    for (int i = 0; i < TASKS; ++i)
        QUERN_TRY(trial, quern_spawn(&options, fill_and_read, &fillers[i], &tasks[i]));
    for (int i = 0; i < TASKS; ++i)
        QUERN_TRY(trial, quern_join(tasks[i]));
    for (int i = 0; i < TASKS; ++i) {
        const int32_t last = fillers[i].value + 4;
        quern_guarded_set_value(&fillers[i].array, &last);
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &fillers[i].array));
    }
    return QUERN_PASSED;
}

const quern_conformance_test quern_task_tests[] = {
    {"task.spawn_order", "a task's queue comes behind its spawner's, and the host waits for neither", spawn_order, 0},
    {"task.spawn_order_other_devices", "the same from and to every other device", spawn_order_other_devices, 0},
    {"task.synchronize", "tasks that wait for queues leave their threads to others", synchronize_in_tasks, 0},
    {"task.event_wait", "tasks that wait for events likewise", event_wait_in_tasks, 0},
    {"task.blocking_queue", "tasks whose blocking queues wait for events likewise", blocking_queue_in_tasks, 0},
    {"task.failures", "a join gives the failure of the task's work; a failed task is not waited for", failures, 0},
    {"task.data", "many tasks, each on a queue of its own", data_of_tasks, 0},
    {NULL, NULL, NULL, 0}};
