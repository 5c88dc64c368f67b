/* Programs: kernel files compiled and loaded at run time. */
#include "program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/coroutine.h"
#include "base/error.h"
#include "base/forked.h"
#include "base/near.h"
#include "completion.h"
#include "graveyard.h"
#include "kernel.h"
#include "memo.h"
#include "offload.h"
#include "queue.h"
#include "wait.h"

enum { MOST_NAMES = 1024 }; /* compared with a mistyped one */

static quern_status check(const quern_program *program)
{
    return quern_object_check((const quern_object *)program, QUERN_MARK_PROGRAM, "program");
}

/* ---- whose a kernel is ---- */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list of all that are held */
static quern_program *all_programs;

static void list_add(quern_program *program)
{
    pthread_mutex_lock(&list_lock);
    program->next = all_programs;
    all_programs = program;
    pthread_mutex_unlock(&list_lock);
}

static void list_remove(quern_program *program)
{
    pthread_mutex_lock(&list_lock);
    quern_program **link = &all_programs;
    while (*link != program)
        link = &(*link)->next;
    *link = program->next;
    pthread_mutex_unlock(&list_lock);
}

static int has_kernel(const quern_program *program, const quern_kernel *kernel)
{
    for (size_t i = 0; i < program->kernel_count; ++i)
        if (program->kernels[i] == kernel)
            return 1;
    return 0;
}

/* One reference more, unless the last is just being given up. */
static int retain_held(quern_program *program)
{
    uint32_t references = atomic_load(&program->object.references);
    while (references && !atomic_compare_exchange_weak(&program->object.references, &references, references + 1))
        ;
    return references != 0;
}

quern_program *quern_program_of(const quern_kernel *kernel)
{
    pthread_mutex_lock(&list_lock);
    quern_program *found = all_programs;
    while (found && !has_kernel(found, kernel))
        found = found->next;
    if (found && !retain_held(found))
        found = NULL;
    pthread_mutex_unlock(&list_lock);
    return found;
}

/* ---- loading, which runs the C compiler and the dynamic linker ---- */

typedef struct loading {
    const char *path;
    quern_module *module;
} loading;

static quern_status load_module(void *argument)
{
    loading *own = argument;
    return quern_module_load(own->path, NULL, &own->module);
}

/* How many tasks' compilers run at a time: a thousand tasks may each want one. */
enum { LANES = 8 };
static quern_lock lanes[LANES];
static _Atomic unsigned next_lane;

static quern_status load(loading *own)
{
    if (quern_process_is_forked() || !quern_wait_is_cooperative())
        return load_module(own);
    quern_lock *lane = &lanes[atomic_fetch_add_explicit(&next_lane, 1, memory_order_relaxed) % LANES];
    quern_status status = quern_lock_take(lane);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_offload(load_module, own);
    quern_lock_release(lane);
    return status;
}

static void unload_module(void *argument)
{
    quern_module_unload(argument);
}

quern_status quern_program_load(quern_device *device, const char *path, quern_program **program)
{
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    if (!path || !*path)
        return quern_fail(QUERN_INVALID_ARGUMENT, "path is %s, wanted the path of a kernel file",
                          path ? "\"\"" : "NULL");
    if (!program)
        return quern_fail(QUERN_INVALID_ARGUMENT, "program is NULL, wanted a place for the result");
    quern_graveyard_sweep();
    quern_program *made = calloc(1, sizeof *made);
    char *copy = strdup(path);
    if (!made || !copy) {
        free(made);
        free(copy);
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a program object");
    }
    loading loading = {path, NULL};
    status = load(&loading);
    if (status != QUERN_SUCCESS) {
        free(made);
        free(copy);
        return status;
    }
    made->module = loading.module;
    made->device = device;
    made->path = copy;
    quern_module_kernels(made->module, &made->kernels, &made->kernel_count);
    quern_object_init(&made->object, QUERN_MARK_PROGRAM);
    list_add(made);
    *program = made;
    return QUERN_SUCCESS;
}

quern_status quern_program_retain(quern_program *program)
{
    quern_status status = check(program);
    if (status == QUERN_SUCCESS)
        quern_object_retain(&program->object);
    return status;
}

void quern_program_destroy(quern_program *program)
{
    for (size_t i = 0; i < program->kernel_count; ++i)
        quern_kernel_forget(program->kernels[i]);
    atomic_fetch_add_explicit(&quern_kernels_forgotten, 1, memory_order_relaxed);
    quern_call_on_thread_stack(unload_module, program->module);
    quern_order_table_free(&program->last_uses);
    free(program->path);
    quern_object_dispose(&program->object);
}

quern_status quern_program_release(quern_program *program)
{
    if (!program)
        return QUERN_SUCCESS;
    quern_status status = check(program);
    if (status != QUERN_SUCCESS || !quern_object_release(&program->object) || quern_process_is_forked())
        return status; /* in such a process nothing is freed that other threads had in use */
    list_remove(program);
    /* Without memory to remember what runs the code stays loaded for the time being: nothing breaks. */
    program->undated = quern_queues_snapshot(&program->last_uses) != QUERN_SUCCESS;
    for (size_t i = 0; i < program->last_uses.count; ++i)
        (void)quern_progress_ask(program->last_uses.entries[i].progress, program->last_uses.entries[i].number);
    quern_graveyard_bury_program(program);
    quern_graveyard_sweep();
    return QUERN_SUCCESS;
}

static quern_status name_near_ones(const quern_program *program, const char *name)
{
    char near[256];
    const char *names[MOST_NAMES];
    size_t count = program->kernel_count < MOST_NAMES ? program->kernel_count : MOST_NAMES;
    for (size_t i = 0; i < count; ++i)
        names[i] = program->kernels[i]->name;
    quern_near_names(name, names, count, near, sizeof near);
    return quern_fail(QUERN_NOT_FOUND, "no kernel \"%s\" in %s%s", name, program->path, near);
}

quern_status quern_program_kernel(quern_program *program, const char *name, quern_kernel **kernel)
{
    quern_status status = check(program);
    if (status != QUERN_SUCCESS)
        return status;
    if (!name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "name is NULL, wanted a kernel's name");
    if (!kernel)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kernel is NULL, wanted a place for the result");
    for (size_t i = 0; i < program->kernel_count; ++i)
        if (strcmp(program->kernels[i]->name, name) == 0) {
            *kernel = program->kernels[i];
            return QUERN_SUCCESS;
        }
    return name_near_ones(program, name);
}

quern_status quern_program_kernel_count(quern_program *program, size_t *count)
{
    quern_status status = check(program);
    if (status != QUERN_SUCCESS)
        return status;
    if (!count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "count is NULL, wanted a place for the result");
    *count = program->kernel_count;
    return QUERN_SUCCESS;
}

quern_status quern_program_kernel_at(quern_program *program, size_t index, quern_kernel **kernel)
{
    quern_status status = check(program);
    if (status != QUERN_SUCCESS)
        return status;
    if (!kernel)
        return quern_fail(QUERN_INVALID_ARGUMENT, "kernel is NULL, wanted a place for the result");
    if (index >= program->kernel_count)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index is %zu, wanted less than the %zu kernels of %s", index,
                          program->kernel_count, program->path);
    *kernel = program->kernels[index];
    return QUERN_SUCCESS;
}

quern_status quern_kernel_prepare(quern_kernel *kernel, quern_device *device)
{
    const quern_built_kernel *built;
    quern_status status = quern_kernel_check(kernel);
    if (status == QUERN_SUCCESS)
        status = quern_device_check(device, "device");
    return status == QUERN_SUCCESS ? quern_kernel_on_device(kernel, device, &built) : status;
}
