/* What `quern run --json` tells programs. */
#include "run.h"

#include "cli.h"
#include "json.h"
#include "progress.h"

static json_t *device_json(const quern_cli_device_run *run)
{
    if (run->status)
        return json_pack("{s:o, s:o, s:n, s:n, s:n, s:o}", "device",
                         quern_cli_json_text(run->name[0] ? run->name : NULL), "status",
                         quern_cli_json_status(run->status), "seconds", "gb_per_s", "checksum", "error",
                         quern_cli_json_text(run->error ? run->error : quern_status_text(run->status)));
    return json_pack("{s:o, s:o, s:f, s:f, s:o, s:n}", "device", quern_cli_json_text(run->name), "status",
                     quern_cli_json_status(run->status), "seconds", run->seconds, "gb_per_s", run->gb_per_s, "checksum",
                     quern_cli_json_text(run->checksum[0] ? run->checksum : NULL), "error");
}

static json_t *range_json(const quern_cli_plan *plan)
{
    if (!plan)
        return json_null();
    json_t *range = json_array();
    for (uint32_t d = 0; d < plan->range.extents.rank; ++d)
        json_array_append_new(range, json_integer((json_int_t)plan->range.extents.n[d]));
    return range;
}

static json_t *disagreement_json(const quern_cli_plan *plan, const quern_cli_disagreement *found)
{
    json_t *list = json_array();
    for (uint32_t d = 0; d < found->rank; ++d)
        json_array_append_new(list, json_integer((json_int_t)found->index[d]));
    json_t *ulps = json_null();
    if (found->place.has_ulps)
        ulps = found->place.ulps > INT64_MAX ? json_real((double)found->place.ulps)
                                             : json_integer((json_int_t)found->place.ulps);
    return json_pack("{s:o, s:o, s:s, s:[o, o], s:[s, s], s:o}", "argument",
                     quern_cli_json_text(plan->kernel->parameters[found->parameter].name), "index", list, "field",
                     found->place.field, "devices", quern_cli_json_text(found->first->name),
                     quern_cli_json_text(found->second->name), "values", found->place.first, found->place.second, "ulp",
                     ulps);
}

int quern_cli_report_json(const char *kernel, const quern_cli_device_run *runs, size_t count,
                          const quern_cli_plan *plan, const quern_cli_disagreement *found, int agree)
{
    json_t *devices = json_array();
    quern_cli_progress_end();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(devices, device_json(&runs[i]));
    json_t *report = json_pack("{s:o, s:o, s:o, s:b}", "kernel", quern_cli_json_text(kernel), "range", range_json(plan),
                               "devices", devices, "agree", agree);
    if (report && found->second)
        json_object_set_new(report, "difference", disagreement_json(plan, found));
    return quern_cli_json_print(report);
}
