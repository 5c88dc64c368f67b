/*
 * What every reference-counted object begins with: a mark that says what it is, and its count.
 *
 * In debug builds (QUERN_DEBUG) the memory of an object that is gone is kept, marked dead, until
 * quern_shutdown, so that a use after release is an error with a sentence instead of chance.
 */
#ifndef QUERN_BASE_OBJECT_H
#define QUERN_BASE_OBJECT_H

#include <stdatomic.h>
#include <stdint.h>

#include <quern/status.h>

enum {
    QUERN_MARK_BUFFER = 0x51b0ff01,
    QUERN_MARK_QUEUE = 0x51b0ff02,
    QUERN_MARK_EVENT = 0x51b0ff03,
    QUERN_MARK_PROGRAM = 0x51b0ff04,
    QUERN_MARK_DEVICE = 0x51b0ff05,
    QUERN_MARK_GRAPH = 0x51b0ff0a,
    QUERN_MARK_DEAD = 0x51b0dead
};

typedef struct quern_object {
    _Atomic uint32_t mark;
    _Atomic uint32_t references;
    struct quern_object *next_dead; /* in debug builds */
} quern_object;

/* A new object with one reference. Counts among the live ones. */
void quern_object_init(quern_object *object, uint32_t mark);

/* SUCCESS when object is a live one of that kind and holders have a reference; else a sentence that names the
 * argument: INVALID_ARGUMENT for NULL, RELEASED, or INVALID_ARGUMENT for another kind of thing. */
quern_status quern_object_check_slow(const quern_object *object, uint32_t mark, const char *argument);

static inline quern_status quern_object_check(const quern_object *object, uint32_t mark, const char *argument)
{
    if (object && atomic_load_explicit(&object->mark, memory_order_relaxed) == mark &&
        atomic_load_explicit(&object->references, memory_order_relaxed) != 0)
        return QUERN_SUCCESS;
    return quern_object_check_slow(object, mark, argument);
}

static inline void quern_object_retain(quern_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
}

/* 1 when that was the last reference: the caller then disposes of the object, at once or later. */
static inline int quern_object_release(quern_object *object)
{
    return atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1;
}

/* Frees the memory (malloc'ed) of an object that nothing uses any more. */
void quern_object_dispose(quern_object *object);

/* The number of live objects, and freeing what debug builds kept. */
size_t quern_objects_live(void);
void quern_objects_free_dead(void);

#endif
