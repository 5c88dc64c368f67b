/* Reference-counted objects: marks, counts, and the dead ones that debug builds keep. */
#include "object.h"

#include <pthread.h>
#include <stdlib.h>

#include "error.h"

static _Atomic size_t live;

#ifdef QUERN_DEBUG
static pthread_mutex_t dead_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_object *dead;
#endif

void quern_object_init(quern_object *object, uint32_t mark)
{
    atomic_init(&object->mark, mark);
    atomic_init(&object->references, 1);
    object->next_dead = NULL;
    atomic_fetch_add(&live, 1);
}

static const char *kind_name(uint32_t mark)
{
    switch (mark) {
    case QUERN_MARK_BUFFER:
        return "a buffer";
    case QUERN_MARK_QUEUE:
        return "a queue";
    case QUERN_MARK_EVENT:
        return "an event";
    case QUERN_MARK_PROGRAM:
        return "a program";
    case QUERN_MARK_DEVICE:
        return "a device";
    case QUERN_MARK_GRAPH:
        return "a graph";
    default:
        return NULL;
    }
}

quern_status quern_object_check_slow(const quern_object *object, uint32_t mark, const char *argument)
{
    const char *wanted = kind_name(mark);
    if (!object)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is NULL, wanted %s", argument, wanted);
    uint32_t found = atomic_load_explicit(&object->mark, memory_order_relaxed);
    if (found == mark || found == QUERN_MARK_DEAD)
        return quern_fail(QUERN_RELEASED, "%s has been released, wanted %s that is held", argument, wanted);
    const char *kind = kind_name(found);
    if (kind)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s, wanted %s", argument, kind, wanted);
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s is not %s: it was never one, or has been released", argument, wanted);
}

void quern_object_dispose(quern_object *object)
{
    atomic_store(&object->mark, QUERN_MARK_DEAD);
    atomic_fetch_sub(&live, 1);
#ifdef QUERN_DEBUG
    pthread_mutex_lock(&dead_lock);
    object->next_dead = dead;
    dead = object;
    pthread_mutex_unlock(&dead_lock);
#else
    free(object);
#endif
}

size_t quern_objects_live(void)
{
    return atomic_load(&live);
}

void quern_objects_free_dead(void)
{
#ifdef QUERN_DEBUG
    pthread_mutex_lock(&dead_lock);
    quern_object *object = dead;
    dead = NULL;
    pthread_mutex_unlock(&dead_lock);
    while (object) {
        quern_object *next = object->next_dead;
        free(object);
        object = next;
    }
#endif
}
