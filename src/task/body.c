/*
 * The memory of tasks, and their handles.
 *
 * Free bodies stand in a list of the task thread that had them last, and beyond some in one for all. They are used
 * again in turns, several at least, each with 1024 serial numbers that a handle tells apart: a handle that was joined
 * is known as one for thousands of spawns to come.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

enum { MARK = 0x51b07a5c, CHUNK_BODIES = 64, LEAST_FREE = 8, MOST_FREE = 96, MOVED = 48 };

typedef struct chunk {
    quern_task_body bodies[CHUNK_BODIES];
} chunk;

static struct {
    quern_spin lock;
    quern_task_list free;
    chunk **chunks; /* all */
    size_t chunk_count, capacity;
} memory;

/* ---- the list for all threads, under its lock ---- */

static int make_room(void)
{
    if (memory.chunk_count < memory.capacity)
        return 1;
    size_t capacity = memory.capacity ? 2 * memory.capacity : 16;
    chunk **chunks = realloc(memory.chunks, capacity * sizeof *chunks);
    if (!chunks)
        return 0;
    memory.chunks = chunks;
    memory.capacity = capacity;
    return 1;
}

static int add_chunk(void)
{
    chunk *made = make_room() ? aligned_alloc(QUERN_TASK_BODY_BYTES, sizeof *made) : NULL;
    if (!made)
        return 0;
    memory.chunks[memory.chunk_count++] = made;
    for (size_t i = 0; i < CHUNK_BODIES; ++i) {
        quern_task_body *body = &made->bodies[i];
        memset(body, 0, sizeof *body);
        body->coroutine = (quern_coroutine){
            .park = quern_task_park, .unpark = quern_task_unpark, .yield = quern_task_yield, .call = quern_task_call};
        body->mark = MARK;
        atomic_init(&body->state, (uint64_t)QUERN_TASK_FREE);
        quern_task_list_append(&memory.free, body);
    }
    return 1;
}

static quern_task_body *take_shared(void)
{
    quern_task_body *body = NULL;
    quern_spin_lock(&memory.lock);
    if (memory.free.count > LEAST_FREE || add_chunk())
        body = quern_task_list_take(&memory.free);
    quern_spin_unlock(&memory.lock);
    return body;
}

/* ---- a task thread's own list ---- */

static void fetch_some(quern_task_thread *thread)
{
    quern_spin_lock(&memory.lock);
    for (int i = 0; i < MOVED && (memory.free.count || add_chunk()); ++i)
        quern_task_list_append(&thread->bodies, quern_task_list_take(&memory.free));
    quern_spin_unlock(&memory.lock);
}

static void return_some(quern_task_thread *thread)
{
    quern_spin_lock(&memory.lock);
    for (int i = 0; i < MOVED; ++i)
        quern_task_list_append(&memory.free, quern_task_list_take(&thread->bodies));
    quern_spin_unlock(&memory.lock);
}

static quern_task_body *take_own(quern_task_thread *thread)
{
    if (thread->bodies.count <= LEAST_FREE)
        fetch_some(thread);
    return quern_task_list_take(&thread->bodies);
}

/* ---- both ---- */

quern_status quern_task_body_take(quern_task_body **result)
{
    quern_task_thread *thread = quern_task_thread_self;
    quern_task_body *body = thread ? take_own(thread) : take_shared();
    if (!body)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a task");
    uint64_t serial = quern_task_serial(atomic_load_explicit(&body->state, memory_order_relaxed)) + 1;
    atomic_store_explicit(&body->state, serial << QUERN_TASK_SERIAL_SHIFT, memory_order_relaxed);
    atomic_store_explicit(&body->permit, QUERN_TASK_RUNS, memory_order_relaxed);
    atomic_store_explicit(&body->thread, NULL, memory_order_relaxed);
    body->name[0] = '\0';
    body->sentence.short_sentence[0] = '\0';
    body->current = (quern_current){0};
    *result = body;
    return QUERN_SUCCESS;
}

void quern_task_body_give_back(quern_task_body *body)
{
    quern_task_thread *thread = quern_task_thread_self;
    uint64_t serial = quern_task_serial(atomic_load_explicit(&body->state, memory_order_relaxed));
    quern_sentence_free(&body->sentence);
    atomic_store_explicit(&body->state, serial << QUERN_TASK_SERIAL_SHIFT | QUERN_TASK_FREE, memory_order_relaxed);
    if (thread) {
        quern_task_list_append(&thread->bodies, body);
        if (thread->bodies.count > MOST_FREE)
            return_some(thread);
    } else {
        quern_spin_lock(&memory.lock);
        quern_task_list_append(&memory.free, body);
        quern_spin_unlock(&memory.lock);
    }
}

void quern_task_bodies_free(void)
{
    for (size_t i = 0; i < memory.chunk_count; ++i)
        free(memory.chunks[i]);
    free(memory.chunks);
    memory.chunks = NULL;
    memory.chunk_count = memory.capacity = 0;
    memory.free = (quern_task_list){0};
}

/* ---- handles ---- */

quern_task *quern_task_handle(quern_task_body *body)
{
    uint64_t serial = quern_task_serial(atomic_load_explicit(&body->state, memory_order_relaxed));
    return (quern_task *)(void *)((char *)body + serial % QUERN_TASK_BODY_BYTES);
}

quern_status quern_task_find(quern_task *task, quern_task_body **result, uint64_t *state)
{
    if (!task)
        return quern_fail(QUERN_INVALID_ARGUMENT, "task is NULL, wanted a task");
    uintptr_t within = (uintptr_t)task % QUERN_TASK_BODY_BYTES;
    quern_task_body *body = (quern_task_body *)(void *)((char *)(void *)task - within);
    if (body->mark != MARK)
        return quern_fail(QUERN_INVALID_ARGUMENT, "task is not a task: it was never one, or the library has been shut "
                                                  "down since");
    *state = atomic_load_explicit(&body->state, memory_order_acquire);
    if ((*state & (QUERN_TASK_FREE | QUERN_TASK_DETACHED)) ||
        quern_task_serial(*state) % QUERN_TASK_BODY_BYTES != within)
        return quern_fail(QUERN_RELEASED, "task has been joined before, wanted one that has not");
    *result = body;
    return QUERN_SUCCESS;
}

quern_task_words quern_task_name_of(const quern_task_body *body)
{
    quern_task_words words;
    if (body->name[0])
        snprintf(words.text, sizeof words.text, "task '%s'", body->name);
    else
        snprintf(words.text, sizeof words.text, "a task");
    return words;
}
