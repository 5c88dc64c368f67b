/* What `quern run` tells people: a line a device, and whether they agree. */
#include "run.h"

#include "cli.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PLACE_TEXT = 64 + 128 + 24 * QUERN_MAX_RANK };

/* "y[3][5].velocity[2]" */
static const char *place_text(const quern_cli_plan *plan, const quern_cli_disagreement *found, char text[PLACE_TEXT])
{
    int used = snprintf(text, 64, "%.60s", plan->kernel->parameters[found->parameter].name);
    for (uint32_t d = 0; d < found->rank; ++d)
        used += snprintf(text + used, 24, "[%zu]", found->index[d]);
    snprintf(text + used, (size_t)(PLACE_TEXT - used), "%s", found->place.field);
    return text;
}

/* A time with a unit that suits it. */
static const char *seconds_text(double seconds, char text[32])
{
    static const struct {
        double scale;
        const char *unit;
    } units[] = {{1, "s"}, {1e3, "ms"}, {1e6, "µs"}, {1e9, "ns"}};
    int unit = seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : seconds >= 1e-6 ? 2 : 3;
    snprintf(text, 32, "%.*f %s", unit == 3 ? 0 : 3, seconds * units[unit].scale, units[unit].unit);
    return text;
}

void quern_cli_report_device(const quern_cli_device_run *runs, size_t count, size_t which)
{
    const quern_cli_device_run *run = &runs[which];
    char time[32], bandwidth[48] = "";
    int width = 0;
    quern_cli_progress_end();
    if (run->status) {
        char prefix[96];
        snprintf(prefix, sizeof prefix, "%s%s", run->name,
                 run->status == QUERN_COMPILE_FAILED ? ": the kernel file does not compile" : "");
        quern_cli_library_error(prefix[0] ? prefix : NULL, run->error ? run->error : quern_status_text(run->status));
        return;
    }
    for (size_t i = 0; i < count; ++i)
        width = (int)strlen(runs[i].name) > width ? (int)strlen(runs[i].name) : width;
    if (run->gb_per_s > 0)
        snprintf(bandwidth, sizeof bandwidth, "  %.3f GB/s", run->gb_per_s);
    printf("%-*s  %s%s  checksum %s\n", width, run->name, seconds_text(run->seconds, time), bandwidth,
           run->checksum[0] ? run->checksum : "not in this build");
}

void quern_cli_report_agreement(const quern_cli_device_run *runs, size_t count, const quern_cli_plan *plan,
                                const quern_cli_disagreement *found, uint64_t ulps)
{
    size_t ran = 0;
    char place[PLACE_TEXT], distance[48] = "";
    quern_cli_progress_end();
    for (size_t i = 0; i < count; ++i)
        ran += runs[i].status == QUERN_SUCCESS;
    if (found->second) {
        if (found->place.has_ulps)
            snprintf(distance, sizeof distance, " (%" PRIu64 " ulp apart)", found->place.ulps);
        printf("devices differ first at %s: %s on %s, %s on %s%s\n", place_text(plan, found, place), found->place.first,
               found->first->name, found->place.second, found->second->name, distance);
        return;
    }
    if (ran < count && ran < 2)
        return;
    const char *who = ran < count ? "the other devices" : "devices";
    if (ulps > 0 && ran > 1)
        printf("%s agree within %" PRIu64 " ulp\n", who, ulps);
    else
        printf("%s agree%s\n", who, ran == 1 ? " (only one ran)" : "");
}
