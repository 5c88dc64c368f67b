/* Waits that would never end; see circle.h. */
#include "circle.h"

#include <stddef.h>

#include "spin.h"

/* All links; held for some steps along a chain. */
static quern_spin links_lock;

/* 1 when who waits for node up to number waits, through others, for self. The links form no ring but one with a wait
 * for a command before the host function: that wait is about to end, and the walk ends there. */
static int leads_to(const quern_circle_node *node, uint64_t number, const quern_circle_node *self)
{
    while (node && (node == self || node->waits_for) && number >= node->call) {
        if (node == self)
            return 1;
        number = node->number;
        node = node->waits_for;
    }
    return 0;
}

int quern_circle_enter(quern_circle_link *link, quern_circle_node *self, quern_circle_node *target, uint64_t number)
{
    link->self = self;
    if (!self)
        return 0;
    quern_spin_lock(&links_lock);
    int is_ring = leads_to(target, number, self);
    if (is_ring) {
        link->self = NULL; /* leaving it is nothing then */
    } else {
        link->waited_for = self->waits_for;
        link->waited_number = self->number;
        self->waits_for = target;
        self->number = number;
    }
    quern_spin_unlock(&links_lock);
    return is_ring;
}

void quern_circle_leave(quern_circle_link *link)
{
    if (!link->self)
        return;
    quern_spin_lock(&links_lock);
    /* What it waited for may wait for it by now. The next wait in there will find that; a ring must not be. */
    const int is_ring = leads_to(link->waited_for, link->waited_number, link->self);
    link->self->waits_for = is_ring ? NULL : link->waited_for;
    link->self->number = link->waited_number;
    quern_spin_unlock(&links_lock);
}
