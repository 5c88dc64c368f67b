/*
 * What was released while its commands still ran: queues and programs wait here.
 *
 * They are destroyed by a later call that creates or releases something, never on a thread that finishes
 * commands, since a driver's callback may not call the driver.
 */
#ifndef QUERN_RUNTIME_GRAVEYARD_H
#define QUERN_RUNTIME_GRAVEYARD_H

#include "program.h"
#include "queue.h"

void quern_graveyard_bury_queue(quern_queue *queue);
void quern_graveyard_bury_program(quern_program *program);

/* Destroys a queue whose commands have finished; in queue.c. */
void quern_queue_destroy(quern_queue *queue);

#endif
