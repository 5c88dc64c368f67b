/* Making tasks, and taking them back before they begin. */
#include <string.h>

#include "base/forked.h"
#include "runtime/device.h"
#include "thread.h"

static quern_status check_arguments(const quern_task_options *options, quern_task_function *function)
{
    quern_status status = quern_forked_check("quern_spawn");
    if (status != QUERN_SUCCESS)
        return status;
    if (!function)
        return quern_fail(QUERN_INVALID_ARGUMENT, "function is NULL, wanted what the task is to run");
    return options && options->device ? quern_device_check(options->device, "options->device") : QUERN_SUCCESS;
}

static void set_name(quern_task_body *body, const char *name)
{
    size_t length = strnlen(name, QUERN_TASK_NAME_SIZE - 1);
    for (size_t i = 0; i < length; ++i) /* it appears in sentences, which are one line */
        body->name[i] = (unsigned char)name[i] < ' ' || name[i] == 127 ? ' ' : name[i];
    body->name[length] = '\0';
}

quern_status quern_spawn(const quern_task_options *options, quern_task_function *function, void *argument,
                         quern_task **task)
{
    quern_task_body *body = NULL;
    quern_status status = check_arguments(options, function);
    if (status == QUERN_SUCCESS)
        status = quern_task_threads_start();
    if (status == QUERN_SUCCESS)
        status = quern_task_body_take(&body);
    if (status != QUERN_SUCCESS)
        return status;
    /* From here on: the library's devices stay while a task is there, so the task's needs no holder. */
    status = quern_current_fork(options ? options->device : NULL, &body->current);
    if (status != QUERN_SUCCESS) {
        quern_task_body_give_back(body);
        return status;
    }
    body->function = function;
    body->argument = argument;
    if (options && options->name)
        set_name(body, options->name);
    if (task)
        *task = quern_task_handle(body); /* first: the task may look for it there */
    else
        atomic_fetch_or_explicit(&body->state, QUERN_TASK_DETACHED, memory_order_relaxed);
    QUERN_TASK_COUNT(spawned);
    quern_task_submit(body);
    return QUERN_SUCCESS;
}

quern_status quern_task_cancel(quern_task *task)
{
    quern_task_body *body = NULL;
    uint64_t state = 0;
    quern_status status = quern_forked_check("quern_task_cancel");
    if (status == QUERN_SUCCESS)
        status = quern_task_find(task, &body, &state);
    if (status != QUERN_SUCCESS)
        return status;
    quern_task_fresh *fresh = atomic_load_explicit(&body->in, memory_order_relaxed);
    if (!fresh || !quern_task_fresh_withdraw(fresh, body, quern_task_serial(state)))
        return quern_fail(QUERN_BUSY, "task has begun or ended, wanted one that has not begun");
    quern_task_drop(body, QUERN_CANCELLED);
    return QUERN_SUCCESS;
}
