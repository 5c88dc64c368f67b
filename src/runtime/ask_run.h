/* A call of a backend's function with its arguments in one place, so that it can be made on another stack. */
#ifndef QUERN_RUNTIME_ASK_RUN_H
#define QUERN_RUNTIME_ASK_RUN_H

#include <quern/backend.h>

/* What every such call begins with. */
typedef struct quern_asking {
    quern_status (*call)(const struct quern_asking *self); /* calls the function */
    const char *function;                                  /* its name */
    const quern_backend *backend;
    quern_status status; /* what came of it */
} quern_asking;

/* Calls it on the thread's own stack, and gives the status as the runtime passes it on. */
quern_status quern_asking_run(quern_asking *asking);

/* The same for what blocks its thread: quern_offload. */
quern_status quern_asking_offload(quern_asking *asking);

#endif
