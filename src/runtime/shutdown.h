/* What quern_shutdown stops and frees beside what the runtime itself has: parts of the library that stand upon it. */
#ifndef QUERN_RUNTIME_SHUTDOWN_H
#define QUERN_RUNTIME_SHUTDOWN_H

#include <quern/status.h>

typedef struct quern_shutdown_part {
    quern_status (*stop)(void); /* before all else. A failure, with its sentence, is the shutdown's, which ends there */
    void (*free)(void);         /* after all else */
    struct quern_shutdown_part *next;
    int is_added;
} quern_shutdown_part;

/* From now on, in all lives of the library; once more does nothing. A shutdown may fail between the two calls. */
void quern_shutdown_add(quern_shutdown_part *part);

#endif
