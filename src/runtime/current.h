/* The calling thread's current device and queues. */
#ifndef QUERN_RUNTIME_CURRENT_H
#define QUERN_RUNTIME_CURRENT_H

/* Releases the current queues of all threads; for quern_shutdown, while no other thread uses Quern. */
void quern_current_forget_all(void);

#endif
