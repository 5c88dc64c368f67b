/*
 * The memory of tasks, and their handles.
 *
 * Free bodies stand in a list of the task thread that had them last, and beyond some in one for all. They are used
 * again in turns.
 *
 * A handle is the index of a body and the serial number of the task that it is now. With pointers of 64 bits a serial
 * number comes again after 2^37 tasks of one body, which takes days of nothing but spawning; serial numbers go on after
 * a shutdown, so a handle from before it is none either. The bits that mark a handle are those of no object's address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

enum { CHUNK_BODIES = 64, LEAST_FREE = 8, MOST_FREE = 96, MOVED = 48 };

/* A handle's bits, from the lowest: 1, the index, the serial number; and on top, where there is room, 1 again. */
enum {
    POINTER_BITS = 8 * (int)sizeof(uintptr_t),
    IS_WIDE = POINTER_BITS >= 64,
    INDEX_BITS = IS_WIDE ? 25 : 18,
    SERIAL_BITS = POINTER_BITS - 1 - INDEX_BITS - IS_WIDE,
    MOST_CHUNKS = (1 << INDEX_BITS) / CHUNK_BODIES,
    FIRST_CAPACITY = 16
};
#define INDEX_MASK (((uintptr_t)1 << INDEX_BITS) - 1)
#define SERIAL_MASK (((uintptr_t)1 << SERIAL_BITS) - 1)
#define MARKS ((uintptr_t)1 | (uintptr_t)IS_WIDE << (POINTER_BITS - 1))

typedef struct chunk {
    quern_task_body bodies[CHUNK_BODIES];
} chunk;

/* All chunks. Read without a lock, so one that is full stays when a larger one takes its place. */
typedef struct table {
    struct table *before;
    size_t capacity;
    chunk *_Atomic chunks[];
} table;

static struct {
    quern_spin lock;
    quern_task_list free;
    table *_Atomic table;
    size_t chunk_count;
    uint64_t serial; /* where new bodies begin: no task of an earlier life had a greater one */
} memory;

/* ---- the list for all threads, under its lock ---- */

/* A table with a free place, or NULL. */
static table *make_room(void)
{
    table *present = atomic_load_explicit(&memory.table, memory_order_relaxed);
    if (memory.chunk_count == MOST_CHUNKS || (present && memory.chunk_count < present->capacity))
        return memory.chunk_count == MOST_CHUNKS ? NULL : present;
    size_t capacity = present ? 2 * present->capacity : FIRST_CAPACITY;
    table *larger = calloc(1, sizeof *larger + capacity * sizeof larger->chunks[0]);
    if (!larger)
        return NULL;
    larger->before = present;
    larger->capacity = capacity;
    for (size_t i = 0; i < memory.chunk_count; ++i)
        atomic_init(&larger->chunks[i], atomic_load_explicit(&present->chunks[i], memory_order_relaxed));
    atomic_store_explicit(&memory.table, larger, memory_order_release);
    return larger;
}

static int add_chunk(void)
{
    table *room = make_room();
    chunk *made = room ? aligned_alloc(QUERN_TASK_LINES, sizeof *made) : NULL;
    if (!made)
        return 0;
    for (size_t i = 0; i < CHUNK_BODIES; ++i) {
        quern_task_body *body = &made->bodies[i];
        memset(body, 0, sizeof *body);
        body->coroutine = (quern_coroutine){
            .park = quern_task_park, .unpark = quern_task_unpark, .yield = quern_task_yield, .call = quern_task_call};
        body->index = (uint32_t)(memory.chunk_count * CHUNK_BODIES + i);
        atomic_init(&body->state, memory.serial << QUERN_TASK_SERIAL_SHIFT | QUERN_TASK_FREE);
        quern_task_list_append(&memory.free, body);
    }
    atomic_store_explicit(&room->chunks[memory.chunk_count++], made, memory_order_release);
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

static void free_chunk(chunk *old)
{
    for (size_t i = 0; i < CHUNK_BODIES; ++i) {
        uint64_t serial = quern_task_serial(atomic_load_explicit(&old->bodies[i].state, memory_order_relaxed));
        if (serial > memory.serial)
            memory.serial = serial;
    }
    free(old);
}

void quern_task_bodies_free(void)
{
    table *each = atomic_exchange_explicit(&memory.table, NULL, memory_order_relaxed);
    for (size_t i = 0; i < memory.chunk_count; ++i)
        free_chunk(atomic_load_explicit(&each->chunks[i], memory_order_relaxed));
    while (each) {
        table *before = each->before;
        free(each);
        each = before;
    }
    memory.chunk_count = 0;
    memory.free = (quern_task_list){0};
}

/* ---- handles ---- */

quern_task *quern_task_handle(quern_task_body *body)
{
    uint64_t serial = quern_task_serial(atomic_load_explicit(&body->state, memory_order_relaxed));
    uintptr_t bits = ((uintptr_t)serial & SERIAL_MASK) << INDEX_BITS | body->index;
    return (quern_task *)(bits << 1 | MARKS);
}

/* The body with that index, or NULL. */
static quern_task_body *body_at(size_t index)
{
    const table *present = atomic_load_explicit(&memory.table, memory_order_acquire);
    if (!present || index / CHUNK_BODIES >= present->capacity)
        return NULL;
    chunk *its = atomic_load_explicit(&present->chunks[index / CHUNK_BODIES], memory_order_acquire);
    return its ? &its->bodies[index % CHUNK_BODIES] : NULL;
}

quern_status quern_task_find(quern_task *task, quern_task_body **result, uint64_t *state)
{
    if (!task)
        return quern_fail(QUERN_INVALID_ARGUMENT, "task is NULL, wanted a task");
    uintptr_t bits = (uintptr_t)task;
    quern_task_body *body = (bits & MARKS) == MARKS ? body_at(bits >> 1 & INDEX_MASK) : NULL;
    *state = body ? atomic_load_explicit(&body->state, memory_order_acquire) : 0;
    /* How many tasks the body has been since. More than half of what there are: one that it has not been yet. */
    uintptr_t since = ((uintptr_t)quern_task_serial(*state) - (bits >> (1 + INDEX_BITS))) & SERIAL_MASK;
    if (!body || since > SERIAL_MASK / 2)
        return quern_fail(QUERN_INVALID_ARGUMENT, "task is not a task: it was never one, or the library has been shut "
                                                  "down since");
    if (since || (*state & (QUERN_TASK_FREE | QUERN_TASK_DETACHED)))
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
