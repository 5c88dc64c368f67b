/* The calling thread's current device and queues. */
#ifndef QUERN_RUNTIME_CURRENT_H
#define QUERN_RUNTIME_CURRENT_H

/* Releases what the calling thread has; for quern_shutdown. */
void quern_current_forget(void);

#endif
