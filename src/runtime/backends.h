/*
 * The backends of the process: those of this build and those that were loaded, each started when somebody needs it.
 *
 * A slot is never removed: its pointer and its table stay good for the life of the process. All functions are
 * thread-safe but quern_backends_stop.
 */
#ifndef QUERN_RUNTIME_BACKENDS_H
#define QUERN_RUNTIME_BACKENDS_H

#include <pthread.h>
#include <stdatomic.h>

#include "device.h"

/* A name and its NUL: "backend:number" has to fit quern_device_info.name, the name alone .backend. */
enum { QUERN_BACKEND_NAME_SIZE = 16, QUERN_MOST_BACKENDS = 64 };

typedef enum quern_backend_phase {
    QUERN_BACKEND_IDLE = 0, /* not started yet, or stopped by quern_shutdown */
    QUERN_BACKEND_WORKS,
    QUERN_BACKEND_FAILED
} quern_backend_phase;

/* A device that could not be opened. */
typedef struct quern_unusable {
    char name[32];
    quern_status status;
    const char *reason; /* good until quern_shutdown */
} quern_unusable;

typedef struct quern_backend_slot {
    const quern_backend *table; /* what the runtime calls */
    const void *identity;       /* the table as the backend itself knows it; the same for those of this build */
    void *module;               /* dlopen's handle; NULL for those of this build */

    pthread_mutex_t lock;   /* held while it starts; guards what follows */
    _Atomic int phase;      /* once WORKS, the devices may be read without the lock */
    quern_status status;    /* of a failed start */
    const char *reason;     /* its sentence, good until quern_shutdown */
    struct reason *reasons; /* all that there were */
    quern_device **devices;
    size_t device_count;
    quern_unusable *unusable;
    size_t unusable_count;

    quern_backend own; /* of a loaded one: its table, padded with NULL to the size that this library knows */
    char name[QUERN_BACKEND_NAME_SIZE];
} quern_backend_slot;

/* All of them in the order of preference, loaded ones last. */
size_t quern_backends_count(void);
quern_backend_slot *quern_backends_at(size_t index);

/* The one whose name is the first length bytes of name; NULL when there is none. */
quern_backend_slot *quern_backends_find(const char *name, size_t length);

/*
 * Starts the backend unless that was done. SUCCESS, or why it does not work: reason (which may be NULL) is then its
 * sentence, and the thread's own sentence is of no meaning. A start that failed for want of memory is done again when
 * retry is 1; other failures stay until quern_shutdown.
 */
quern_status quern_backend_start(quern_backend_slot *slot, int retry, const char **reason);

/* Starts all, whether they work or not. */
void quern_backends_start_all(int retry);

/* Adds a loaded backend, whose table is sound (plugin.h) and good for the life of the process; path is for the
 * sentence. INVALID_ARGUMENT when its name is taken, LIMIT_EXCEEDED when there are too many. */
quern_status quern_backends_add(const quern_backend *table, void *module, const char *path);

/* The table that the runtime calls for the one that a backend knows as its own; NULL when there is none. */
const quern_backend *quern_backends_table(const void *identity);

/* Stops all and frees their devices; 1 when there was anything to stop. For quern_shutdown. */
int quern_backends_stop(void);

#endif
