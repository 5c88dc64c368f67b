/*
 * A scenario: a sequence of calls of the public interface that undoes itself, whatever fails on the way.
 *
 * It returns the status of the first call that failed, and has released everything that it held. Each source file of
 * scenarios covers one subject; the test faults.coverage sees to it that every public function is in one of them.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <quern/quern.h>

typedef quern_status scenario_function(void);

scenario_function scenario_shapes, scenario_sources, scenario_devices, scenario_buffers, scenario_levels,
    scenario_queues, scenario_current, scenario_copies, scenario_events, scenario_order, scenario_launches,
    scenario_groups, scenario_warm_launches, scenario_programs, scenario_failing_queue, scenario_held, scenario_pool,
    scenario_native, scenario_adapt, scenario_tasks, scenario_event_fd, scenario_cancel, scenario_graphs;

/* For use in a scenario that has `quern_status status = QUERN_SUCCESS;` and a label out: the call must succeed, or the
 * scenario ends there. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != QUERN_SUCCESS) {                                                                                 \
            scenario_failed_at(#call);                                                                                 \
            goto out;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* After out: the call must succeed even when memory is exhausted. */
#define RELEASE(call)                                                                                                  \
    do {                                                                                                               \
        quern_status released = (call);                                                                                \
        if (released != QUERN_SUCCESS)                                                                                 \
            scenario_fault(#call, released);                                                                           \
    } while (0)

/* A condition that must hold. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            scenario_fault(#condition, QUERN_SUCCESS);                                                                 \
    } while (0)

/* A backend that has only what is required, minimal:0. A loaded backend stays for the life of the process: from the
 * second run on it is there already. */
quern_status scenario_load_minimal(void);

/* A host function that counts its calls: argument is an int. */
quern_status scenario_count_call(void *argument);

/* Notes which call failed. */
void scenario_failed_at(const char *call);

/* The library's first life makes so many blocks that all later ones use, and that are never freed. */
void scenario_keeps_for_good(size_t blocks);

/* Something is wrong for good: the test fails. */
void scenario_fault(const char *what, quern_status status);

/* 1 while a call has been made to fail in this run: results may then be missing. */
int scenario_is_disturbed(void);

#endif
