/* Functions that run on the host in a queue's order: the user's, and the runtime's own. */
#ifndef QUERN_RUNTIME_CALL_H
#define QUERN_RUNTIME_CALL_H

#include "queue.h"

/* Submits one of the runtime's own, which uses count buffers; what names it. *submitted is 1 when it got a number, even
 * if it then failed: the argument has to last until that has finished. */
quern_status quern_queue_submit_call(quern_queue *queue, const quern_buffer_use *uses, size_t count,
                                     quern_status (*function)(void *argument), void *argument, const char *what,
                                     uint64_t *number, int *submitted);

/* As quern_queue_call, of a queue that is not captured: a function of the user's. */
quern_status quern_queue_call_inside(quern_queue *queue, quern_status (*function)(void *argument), void *argument);

#endif
