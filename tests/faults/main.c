/*
 * Replays a scenario with the n-th call of a kind failing, for n = 1, 2, … until none fails any more.
 *
 *     faults SCENARIO memory|thread|system
 *
 * A disturbed run must end with SUCCESS or with a clean status and a sentence of its own; the same scenario without a
 * fault must succeed right afterwards, in the same process; and when the library has been shut down no block of it
 * may be left.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "scenario.h"

static const struct {
    const char *name;
    scenario_function *run;
} scenarios[] = {
    {"shapes", scenario_shapes},
    {"sources", scenario_sources},
    {"devices", scenario_devices},
    {"buffers", scenario_buffers},
    {"levels", scenario_levels},
    {"queues", scenario_queues},
    {"current", scenario_current},
    {"copies", scenario_copies},
    {"events", scenario_events},
    {"order", scenario_order},
    {"launches", scenario_launches},
    {"groups", scenario_groups},
    {"warm_launches", scenario_warm_launches},
    {"programs", scenario_programs},
    {"failing_queue", scenario_failing_queue},
    {"held", scenario_held},
    {"pool", scenario_pool},
    {"native", scenario_native},
    {"adapt", scenario_adapt},
    {"tasks", scenario_tasks},
    {"event_fd", scenario_event_fd},
    {"cancel", scenario_cancel},
    {"graphs", scenario_graphs},
};

static const char *failed_call = "";
static int faults;
static size_t permanent_blocks;

void scenario_keeps_for_good(size_t blocks)
{
    permanent_blocks = blocks;
}

void scenario_failed_at(const char *call)
{
    failed_call = call;
}

void scenario_fault(const char *what, quern_status status)
{
    if (status == QUERN_SUCCESS)
        fprintf(stderr, "does not hold: %s\n", what);
    else
        fprintf(stderr, "failed: %s: %s: %s\n", what, quern_status_name(status), quern_last_error());
    ++faults;
}

int scenario_is_disturbed(void)
{
    return fault_fired();
}

/* A short sentence that every failure has to replace. */
static void leave_known_sentence(char *sentence, size_t size)
{
    (void)quern_buffer_retain(NULL);
    snprintf(sentence, size, "%s", quern_last_error());
}

static int is_clean(fault_kind kind, quern_status status)
{
    switch (kind) {
    case FAULT_MEMORY:
        return status == QUERN_OUT_OF_MEMORY;
    case FAULT_THREAD:
        return status == QUERN_OUT_OF_MEMORY || status == QUERN_SYSTEM_ERROR;
    case FAULT_SYSTEM:
        return status == QUERN_OUT_OF_MEMORY || status == QUERN_SYSTEM_ERROR || status == QUERN_FILE_ERROR ||
               status == QUERN_COMPILE_FAILED;
    }
    return 0;
}

typedef struct attempt {
    scenario_function *run;
    fault_kind kind;
    size_t n;
    int for_good;
    size_t calls;
    int fired;
} attempt;

/* On a thread of its own, so that what belongs to the thread comes and goes too. */
static void *run_attempt(void *argument)
{
    attempt *self = argument;
    char known[256];
    leave_known_sentence(known, sizeof known);
    failed_call = "";
    fault_arm(self->kind, self->n, self->for_good);
    quern_status status = self->run();
    self->calls = fault_disarm();
    self->fired = fault_fired();
    if (status == QUERN_SUCCESS)
        return NULL;
    if (!self->fired) {
        scenario_fault(failed_call, status);
    } else if (!is_clean(self->kind, status)) {
        fprintf(stderr, "not a status for this fault: ");
        scenario_fault(failed_call, status);
    } else if (strcmp(quern_last_error(), known) == 0 || !*quern_last_error()) {
        fprintf(stderr, "%s left no sentence for %s\n", failed_call, quern_status_name(status));
        ++faults;
    }
    return NULL;
}

static void on_own_thread(attempt *attempt)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_attempt, attempt) != 0) {
        fprintf(stderr, "the test itself could not make a thread\n");
        exit(2);
    }
    pthread_join(thread, NULL);
}

/* One disturbed run, one whole one, and nothing left behind. 1 when the fault was met. */
static int replay(scenario_function *run, fault_kind kind, size_t n, int for_good, size_t *calls)
{
    attempt disturbed = {.run = run, .kind = kind, .n = n, .for_good = for_good};
    attempt whole = {.run = run, .kind = kind};
    on_own_thread(&disturbed);
    on_own_thread(&whole);
    quern_status status = quern_shutdown();
    if (status != QUERN_SUCCESS)
        scenario_fault("quern_shutdown()", status);
    (void)quern_buffer_retain(NULL); /* the sentence may have been a long one */
    if (fault_live_blocks() != permanent_blocks) {
        fprintf(stderr, "%zu blocks are left after the shutdown\n", fault_live_blocks());
        fault_print_live_blocks();
        ++faults;
    }
    if (faults)
        fprintf(stderr, "in the replay in which call %zu%s failed\n", n, for_good ? " and all after it" : "");
    if (calls)
        *calls = disturbed.calls;
    return disturbed.fired;
}

/* Every n, until there are very many (a compiler's); then the steps grow, so that the test ends in time. Memory that is
 * exhausted for good hits a caller's cleaning up, which does not differ with every n. */
static size_t next_after(size_t n, int for_good)
{
    return n < (for_good ? 20 : 100) ? n + 1 : n + n / 8;
}

int main(int count, char **arguments)
{
    static const char *const kinds[] = {
        [FAULT_MEMORY] = "memory", [FAULT_THREAD] = "thread", [FAULT_SYSTEM] = "system"};
    scenario_function *run = NULL;
    int kind = -1;
    for (size_t i = 0; count == 3 && i < sizeof scenarios / sizeof *scenarios; ++i)
        if (strcmp(scenarios[i].name, arguments[1]) == 0)
            run = scenarios[i].run;
    for (int i = 0; count == 3 && i < 3; ++i)
        if (strcmp(kinds[i], arguments[2]) == 0)
            kind = i;
    if (!run || kind < 0) {
        fprintf(stderr, "usage: faults SCENARIO memory|thread|system\n");
        return 2;
    }
    size_t calls = 0;
    if (replay(run, (fault_kind)kind, 0, 0, &calls) || faults)
        return 1; /* it does not even run undisturbed */
    size_t replays = 0;
    for (int for_good = 0; for_good < 2 && !faults; ++for_good)
        for (size_t n = 1; replay(run, (fault_kind)kind, n, for_good, NULL) && !faults; n = next_after(n, for_good))
            ++replays;
    printf("%s: %zu %s calls, %zu of them failing in turn\n", arguments[1], calls, kinds[kind], replays);
    return faults ? 1 : 0;
}
