/* What `quern run --json` tells programs. */
#include "run.h"

#include "cli.h"
#include "json.h"
#include "progress.h"

#include "compiler/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static json_t *device_json(const quern_cli_device_run *run)
{
    if (run->status)
        return json_pack("{s:o, s:o, s:n, s:n, s:n, s:o}", "device",
                         quern_cli_json_text(run->name[0] ? run->name : NULL), "status",
                         quern_cli_json_status(run->status), "seconds", "gb_per_s", "checksum", "error",
                         quern_cli_json_text(run->error ? run->error : quern_status_text(run->status)));
    return json_pack("{s:o, s:o, s:f, s:o, s:o, s:n}", "device", quern_cli_json_text(run->name), "status",
                     quern_cli_json_status(run->status), "seconds", run->seconds, "gb_per_s",
                     run->gb_per_s > 0 ? json_real(run->gb_per_s) : json_null(), "checksum",
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

static json_t *offset_json(const quern_cli_plan *plan)
{
    if (!plan)
        return json_null();
    json_t *offset = json_array();
    for (uint32_t d = 0; d < plan->range.extents.rank; ++d)
        json_array_append_new(offset, json_integer((json_int_t)plan->range.offsets[d]));
    return offset;
}

static json_t *notes_json(const quern_cli_plan *plan)
{
    json_t *notes = json_array();
    for (size_t i = 0; plan && i < plan->note_count; ++i)
        json_array_append_new(notes, quern_cli_json_text(plan->notes[i]));
    return notes;
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

static json_t *report_json(const char *kernel, const quern_cli_device_run *runs, size_t count,
                           const quern_cli_plan *plan, const quern_cli_disagreement *found, int agree)
{
    json_t *devices = json_array();
    for (size_t i = 0; i < count; ++i)
        json_array_append_new(devices, device_json(&runs[i]));
    json_t *report =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:b}", "kernel", quern_cli_json_text(kernel), "range", range_json(plan),
                  "offset", offset_json(plan), "notes", notes_json(plan), "devices", devices, "agree", agree);
    if (report && found && found->second)
        json_object_set_new(report, "difference", disagreement_json(plan, found));
    return report;
}

int quern_cli_report_json(const char *kernel, const quern_cli_device_run *runs, size_t count,
                          const quern_cli_plan *plan, const quern_cli_disagreement *found, int agree)
{
    quern_cli_progress_end();
    return quern_cli_json_print(report_json(kernel, runs, count, plan, found, agree));
}

/* "quern: cpu:0: …", and the notes, which may say why. NULL when memory is exhausted. */
static char *fault_error(const quern_cli_plan *plan, const quern_cli_device_run *run)
{
    quern_text text = {0};
    quern_text_add(&text, "%squern: %s: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", run->name, run->error);
    for (size_t i = 0; i < plan->note_count; ++i)
        quern_text_add(&text, "quern: note: %s\n", plan->notes[i]);
    return text.data;
}

void quern_cli_report_faults(const quern_cli_plan *plan, quern_cli_device_run *runs, size_t count, size_t which,
                             int json, int is_plugin, quern_cli_fault_texts texts[QUERN_CLI_FAULTS])
{
    static const char *const sentences[2][QUERN_CLI_FAULTS] = {
        {[QUERN_CLI_FAULT_ACCESS] = "kernel %s reached outside its arrays",
         [QUERN_CLI_FAULT_DIVISION] = "kernel %s divided integers by zero, or with a result that does not fit"},
        {[QUERN_CLI_FAULT_ACCESS] =
             "kernel %s reached outside its arrays, or the plug-in that ran it outside its memory",
         [QUERN_CLI_FAULT_DIVISION] =
             "kernel %s, or the plug-in that ran it, divided integers by zero, or with a result "
             "that does not fit"},
    };
    for (int fault = 0; fault < QUERN_CLI_FAULTS; ++fault) {
        quern_cli_device_run kept = runs[which];
        char sentence[256];
        snprintf(sentence, sizeof sentence, sentences[is_plugin][fault], plan->kernel->name);
        runs[which].status = QUERN_DEVICE_LOST;
        runs[which].error = sentence;
        texts[fault].error = fault_error(plan, &runs[which]);
        texts[fault].output =
            json ? quern_cli_json_dump(report_json(plan->kernel->name, runs, count, plan, NULL, 0)) : NULL;
        runs[which] = kept;
    }
}

void quern_cli_report_faults_free(quern_cli_fault_texts texts[QUERN_CLI_FAULTS])
{
    for (int fault = 0; fault < QUERN_CLI_FAULTS; ++fault) {
        free(texts[fault].error);
        free(texts[fault].output);
    }
}
