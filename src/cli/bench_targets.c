/* quern bench: which devices are measured. */
#include "base/error.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static quern_status add_devices(quern_bench_targets *list)
{
    size_t count = 0;
    quern_status status = quern_device_count(&count);
    for (size_t i = 0; !status && i < count && list->count < QUERN_BENCH_MAX_TARGETS; ++i) {
        const char *name;
        quern_bench_target *target = &list->targets[list->count++];
        status = quern_device_name(i, &name);
        if (!status)
            snprintf(target->device, sizeof target->device, "%s", name);
    }
    return status;
}

/* "not present: " and the backend's sentence. */
static quern_status explain(quern_bench_target *target, quern_status state, const char *reason)
{
    const char *what = state == QUERN_NOT_PRESENT ? "not present" : "does not work";
    if (asprintf(&target->reason, "%s: %s", what, reason) >= 0)
        return QUERN_SUCCESS;
    target->reason = NULL;
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of devices");
}

static quern_status add_backends_without(quern_bench_targets *list)
{
    size_t count = 0;
    quern_status status = quern_backend_count(&count);
    for (size_t i = 0; !status && i < count && list->count < QUERN_BENCH_MAX_TARGETS; ++i) {
        const char *name, *reason;
        quern_status state;
        status = quern_backend_status(i, &name, &state, &reason);
        if (status || !state)
            continue;
        quern_bench_target *target = &list->targets[list->count++];
        snprintf(target->device, sizeof target->device, "%s", name);
        status = explain(target, state, reason);
    }
    return status;
}

static quern_status add_unusable(quern_bench_targets *list)
{
    size_t count = 0;
    quern_status status = quern_device_unusable_count(&count);
    for (size_t i = 0; !status && i < count && list->count < QUERN_BENCH_MAX_TARGETS; ++i) {
        const char *name, *reason;
        status = quern_device_unusable(i, &name, NULL, &reason);
        if (status)
            break;
        quern_bench_target *target = &list->targets[list->count++];
        snprintf(target->device, sizeof target->device, "%s", name);
        status = explain(target, QUERN_SYSTEM_ERROR, reason);
    }
    return status;
}

quern_status quern_bench_choose(const quern_bench_options *options, quern_bench_targets *list)
{
    if (options->device && strcmp(options->device, "all") == 0) {
        quern_status status = add_devices(list);
        if (!status)
            status = add_unusable(list);
        return status ? status : add_backends_without(list);
    }
    if (options->device && strlen(options->device) >= sizeof list->targets[0].device)
        return quern_fail(QUERN_NOT_FOUND, "no device has such a long name");
    snprintf(list->targets[0].device, sizeof list->targets[0].device, "%s", options->device ? options->device : "");
    list->count = 1;
    return QUERN_SUCCESS;
}

void quern_bench_targets_release(quern_bench_targets *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->targets[i].reason);
    list->count = 0;
}
