/* The table of tickets. A place in it is used again, with another generation, so that an old ticket does not fit. */
#include "opencl_tickets.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 20, MOST_PLACES = 1 << PLACE_BITS };

struct place {
    struct quern_opencl_queue *queue; /* NULL: free, or withdrawn */
    uintptr_t generation;
    unsigned inside;
    int taken;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static struct place *places;
static size_t place_count;
static uintptr_t generations; /* never the same again, also not after the table was freed */

/* The lock is held. A free place, or NULL. */
static struct place *find_free(void)
{
    for (size_t i = 0; i < place_count; ++i)
        if (!places[i].taken)
            return &places[i];
    size_t count = place_count ? 2 * place_count : 16;
    struct place *grown = count <= MOST_PLACES ? realloc(places, count * sizeof *grown) : NULL;
    if (!grown)
        return NULL;
    memset(grown + place_count, 0, (count - place_count) * sizeof *grown);
    places = grown;
    struct place *place = &places[place_count];
    place_count = count;
    return place;
}

/* The lock is held. The ticket's place; NULL when it is another's by now. */
static struct place *find(uintptr_t ticket)
{
    size_t i = ticket & (MOST_PLACES - 1);
    return i < place_count && places[i].taken && places[i].generation == ticket >> PLACE_BITS ? &places[i] : NULL;
}

quern_status quern_opencl_ticket_issue(struct quern_opencl_queue *queue, uintptr_t *ticket)
{
    pthread_mutex_lock(&lock);
    struct place *place = find_free();
    if (place) {
        place->taken = 1;
        place->queue = queue;
        place->generation = ++generations & (UINTPTR_MAX >> PLACE_BITS);
        place->inside = 0;
        *ticket = place->generation << PLACE_BITS | (uintptr_t)(place - places);
    }
    pthread_mutex_unlock(&lock);
    return place ? QUERN_SUCCESS : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for another queue of OpenCL");
}

struct quern_opencl_queue *quern_opencl_ticket_enter(uintptr_t ticket)
{
    pthread_mutex_lock(&lock);
    struct place *place = find(ticket);
    struct quern_opencl_queue *queue = place ? place->queue : NULL;
    if (queue)
        ++place->inside;
    pthread_mutex_unlock(&lock);
    return queue;
}

void quern_opencl_ticket_leave(uintptr_t ticket)
{
    pthread_mutex_lock(&lock);
    if (--find(ticket)->inside == 0)
        pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&lock);
}

void quern_opencl_ticket_withdraw(uintptr_t ticket)
{
    pthread_mutex_lock(&lock);
    find(ticket)->queue = NULL;
    while (find(ticket)->inside) /* looked up anew: the table may have moved meanwhile */
        pthread_cond_wait(&left, &lock);
    find(ticket)->taken = 0;
    pthread_mutex_unlock(&lock);
}

void quern_opencl_tickets_free(void)
{
    pthread_mutex_lock(&lock);
    free(places);
    places = NULL;
    place_count = 0;
    pthread_mutex_unlock(&lock);
}
