/*
 * Waits that would never end: who waits for whom, as far as it is known.
 *
 * A node is what can hold others up by waiting itself: a task, or a queue in whose host function somebody waits. It
 * waits for one other node at a time, and for a queue's up to a number of its commands, so what it waits for is a
 * chain; a wait that would make a ring of it is refused. Threads of the program are no nodes: nobody waits for them.
 */
#ifndef QUERN_BASE_CIRCLE_H
#define QUERN_BASE_CIRCLE_H

#include <stdint.h>

typedef struct quern_circle_node {
    struct quern_circle_node *waits_for; /* NULL: it runs, or waits for something that is no node */
    uint64_t number;                     /* up to which command, when that is a queue's */
    uint64_t call; /* a queue's own: its command whose host function runs; changes only while waits_for is NULL */
} quern_circle_node;

/* A wait while it lasts; on the waiter's stack. */
typedef struct quern_circle_link {
    quern_circle_node *self; /* NULL: the waiter is no node */
    quern_circle_node *waited_for;
    uint64_t waited_number; /* these two: what the node waited for before, and does again then */
} quern_circle_link;

/* self, which may be NULL, is about to wait for target, up to number. 1: that would never end, and nothing is noted;
 * 0: it may wait, and calls quern_circle_leave afterwards, which after a 1 does nothing. */
int quern_circle_enter(quern_circle_link *link, quern_circle_node *self, quern_circle_node *target, uint64_t number);
void quern_circle_leave(quern_circle_link *link);

#endif
