/* The commands of a queue: how they lie in the ring, and how they run. */
#ifndef QUERN_BACKEND_CPU_COMMAND_H
#define QUERN_BACKEND_CPU_COMMAND_H

#include "cpu_copy.h"
#include "cpu_job.h"
#include "cpu_queue.h"

enum quern_cpu_record_kind {
    QUERN_CPU_RECORD_LAUNCH = QUERN_CPU_RECORD_FIRST,
    QUERN_CPU_RECORD_COPY,
    QUERN_CPU_RECORD_CALL,
    QUERN_CPU_RECORD_WAIT,
    QUERN_CPU_RECORD_EVENT,
    QUERN_CPU_RECORD_SIGNAL
};

/* Behind it, in this order: dimensions, arguments, extents and pitches of views, values. */
struct quern_cpu_launch_record {
    struct quern_cpu_record head;
    const char *name; /* of the kernel */
    struct quern_cpu_launch launch;
};

/* A copy or a fill. Behind it a fill's value. */
struct quern_cpu_copy_record {
    struct quern_cpu_record head;
    struct quern_cpu_copy copy;
};

struct quern_cpu_call_record {
    struct quern_cpu_record head;
    quern_status (*function)(void *argument);
    void *argument;
};

struct quern_cpu_wait_record {
    struct quern_cpu_record head;
    quern_progress *other;
    uint64_t other_number;
    struct quern_cpu_queue *other_queue; /* NULL when it is not of this backend */
    quern_event *event;                  /* or NULL */
};

struct quern_cpu_event_record {
    struct quern_cpu_record head;
    quern_event *event;
};

/* The leader runs the command. One that waits for another queue has nothing to wait for any more. */
void quern_cpu_command_run(struct quern_cpu_queue *queue, struct quern_cpu_thread *self,
                           struct quern_cpu_record *record);

/* The functions of the backend's table. */
quern_status quern_cpu_copy(void *queue, uint64_t number, const quern_backend_copy *copy);
quern_status quern_cpu_fill(void *queue, uint64_t number, const quern_backend_copy *fill);
quern_status quern_cpu_launch(void *queue, uint64_t number, const quern_backend_launch *launch);
quern_status quern_cpu_signal(void *queue, uint64_t number);
quern_status quern_cpu_call(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument);
quern_status quern_cpu_wait(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                            quern_event *event);
quern_status quern_cpu_record_event(void *queue, uint64_t number, quern_event *event);

#endif
