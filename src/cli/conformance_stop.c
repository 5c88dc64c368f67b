/*
 * What comes behind the last test of `quern conformance`: the backends stop, start once more and stop again. A result
 * is printed only of what goes wrong there.
 */
#include "conformance.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/backends.h"

static const char stop_name[] = "lifetime.stop", start_name[] = "lifetime.start_again";

/* ---- whose stop it is: the tables of backends that work get a stop that says so first ---- */

static quern_backend watched[QUERN_MOST_BACKENDS];
static const quern_backend *own[QUERN_MOST_BACKENDS]; /* NULL: as it was */
static const quern_cli_conformance_report *present_report;
static uint64_t present_timeout;

/* The texts are those of a test of the subject, which is a device or a backend. */
static int guard(const quern_cli_conformance_report *report, const char *subject, const char *test, uint64_t timeout)
{
    quern_cli_conformance_tally tally;
    quern_cli_conformance_report named = *report;
    memset(&tally, 0, sizeof tally);
    snprintf(tally.device, sizeof tally.device, "%s", subject);
    named.tallies = &tally;
    named.tally_count = 1;
    return quern_cli_conformance_guard_test(&named, subject, test, timeout);
}

/* They stop one after the other: it is the first that still works. */
static void stop_watched(void)
{
    size_t i = 0;
    while (!own[i] || atomic_load(&quern_backends_at(i)->phase) != QUERN_BACKEND_WORKS)
        ++i;
    (void)guard(present_report, own[i]->name, stop_name, present_timeout);
    own[i]->stop();
}

static void watch_stops(void)
{
    const size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i) {
        quern_backend_slot *slot = quern_backends_at(i);
        own[i] = NULL;
        if (atomic_load(&slot->phase) != QUERN_BACKEND_WORKS)
            continue;
        own[i] = slot->table;
        watched[i] = *slot->table;
        watched[i].stop = stop_watched;
        slot->table = &watched[i];
    }
}

static void leave_stops(void)
{
    const size_t count = quern_backends_count();
    for (size_t i = 0; i < count; ++i)
        if (own[i])
            quern_backends_at(i)->table = own[i];
}

/* ---- results ---- */

/* A failure of the device whose results were the index-th. */
static int add_failure(quern_cli_conformance_report *report, size_t index, const char *test, quern_outcome *outcome)
{
    quern_cli_conformance_report named = *report;
    named.tally_count = index + 1; /* results are the last one's */
    outcome->verdict = QUERN_FAILED;
    const int status = quern_cli_results_add(&named, test, outcome);
    report->printed = named.printed;
    return status;
}

static int stop_all(quern_cli_conformance_report *report, uint64_t timeout, int *stopped)
{
    quern_outcome outcome = {QUERN_FAILED, 0, ""};
    int status = guard(report, "all backends", stop_name, timeout);
    if (status)
        return status;
    present_report = report;
    present_timeout = timeout;
    watch_stops();
    const quern_status ended = quern_shutdown();
    leave_stops();
    quern_cli_guard_end();
    *stopped = ended == QUERN_SUCCESS;
    if (*stopped)
        return QUERN_CLI_RIGHT;
    snprintf(outcome.detail, sizeof outcome.detail, "quern_shutdown: %s: %s", quern_status_name(ended),
             quern_last_error());
    return add_failure(report, report->tally_count - 1, stop_name, &outcome);
}

/* ---- another life ---- */

static const quern_conformance_test *smallest_test(void)
{
    const quern_conformance_test *test;
    for (size_t i = 0; (test = quern_conformance_at(i)); ++i)
        if (!test->is_control && strcmp(test->name, "copy.zero_extents") == 0)
            return test;
    return NULL;
}

static void try_device(const char *name, quern_outcome *outcome)
{
    quern_device *device = NULL;
    const quern_conformance_test *test = smallest_test();
    if (quern_device_open(name, &device)) {
        snprintf(outcome->detail, sizeof outcome->detail, "after a stop: %s", quern_last_error());
        return;
    }
    if (test)
        quern_trial_run(test, device, NULL, 0, outcome);
    else
        snprintf(outcome->detail, sizeof outcome->detail, "there is no test to run after a stop");
    (void)quern_device_release(device);
}

static int start_again(quern_cli_conformance_report *report, uint64_t timeout)
{
    int status = QUERN_CLI_RIGHT;
    for (size_t i = 0; !status && i < report->tally_count; ++i) {
        quern_outcome outcome = {QUERN_FAILED, 0, ""};
        const char *name = report->tallies[i].device;
        status = guard(report, name, start_name, timeout);
        if (status)
            break;
        try_device(name, &outcome);
        quern_cli_guard_end();
        if (outcome.verdict != QUERN_PASSED)
            status = add_failure(report, i, start_name, &outcome);
    }
    return status;
}

int quern_cli_conformance_stop(quern_cli_conformance_report *report, uint64_t timeout)
{
    int stopped = 0;
    int status = stop_all(report, timeout, &stopped);
    if (!status && stopped)
        status = start_again(report, timeout);
    if (!status && stopped)
        status = stop_all(report, timeout, &stopped);
    return status;
}
