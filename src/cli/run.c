/* `quern run`: a kernel of a kernel file on arrays, on one device or all, compared. */
#include "run.h"

#include "cli.h"
#include "interrupt.h"
#include "json.h"
#include "npy.h"
#include "progress.h"
#include "run_output.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of the tool: its devices, and what they are to do. */
typedef struct work {
    quern_cli_run_options options;
    quern_cli_device_run *runs;
    size_t count;
    quern_cli_plan plan;
    int has_plan;
    size_t built_in; /* backends of this build, which come before those of --plugin */
} work;

/* No device at all: in their place stand the backends, each with its reason. */
static int name_backends(work *work)
{
    size_t count = 0;
    if (quern_backend_count(&count)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    work->runs = calloc(count + 1, sizeof *work->runs);
    if (!work->runs) {
        quern_cli_error("no memory for %zu backends", count);
        return QUERN_CLI_WRONG;
    }
    for (size_t i = 0; i < count; ++i) {
        const char *name = "", *reason = "";
        quern_cli_device_run *run = &work->runs[work->count++];
        run->status = QUERN_NOT_PRESENT;
        if (quern_backend_status(i, &name, &run->status, &reason))
            reason = quern_last_error();
        if (!run->status) {
            run->status = QUERN_NOT_PRESENT;
            reason = "the backend has no device here";
        }
        snprintf(run->name, sizeof run->name, "%s", name);
        run->error = strdup(reason && reason[0] ? reason : quern_status_text(run->status));
    }
    return QUERN_CLI_RIGHT;
}

/* A backend that the user has loaded and that does not work has a place as a device that failed; of the others a note
 * says what they are left out for, unless there is nothing for them to work with. */
static int add_failed_backends(work *work)
{
    size_t count = 0;
    (void)quern_backend_count(&count);
    quern_cli_device_run *more = realloc(work->runs, (work->count + count) * sizeof *more);
    if (!more) {
        quern_cli_error("no memory for %zu backends", count);
        return QUERN_CLI_WRONG;
    }
    work->runs = more;
    for (size_t i = 0; i < count; ++i) {
        const char *name = "", *reason = "";
        quern_status state = QUERN_SUCCESS;
        if (quern_backend_status(i, &name, &state, &reason) || !state)
            continue;
        if (i < work->built_in) {
            if (state != QUERN_NOT_PRESENT)
                quern_cli_error("note: %s does not work: %s", name, reason);
            continue;
        }
        quern_cli_device_run *run = &work->runs[work->count++];
        memset(run, 0, sizeof *run);
        run->status = state;
        snprintf(run->name, sizeof run->name, "%s", name);
        run->error = strdup(reason);
    }
    return QUERN_CLI_RIGHT;
}

/* Of this machine's own drivers: what they cannot use is no failure of the run. */
static void note_unusable(void)
{
    const char *name, *reason;
    for (size_t i = 0, count = 0; !quern_device_unusable_count(&count) && i < count; ++i)
        if (!quern_device_unusable(i, &name, NULL, &reason))
            quern_cli_error("note: %s does not work: %s", name, reason);
}

static int open_all(work *work)
{
    size_t count = 0;
    if (quern_device_count(&count)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    if (count == 0)
        return name_backends(work);
    work->runs = calloc(count, sizeof *work->runs);
    if (!work->runs) {
        quern_cli_error("no memory for %zu devices", count);
        return QUERN_CLI_WRONG;
    }
    for (size_t i = 0; i < count; ++i) {
        const char *name;
        if (quern_device_name(i, &name)) {
            quern_cli_library_error(NULL, quern_last_error());
            return QUERN_CLI_WRONG;
        }
        quern_cli_device_run_open(&work->runs[work->count++], name);
    }
    note_unusable();
    return add_failed_backends(work);
}

/* One device: a name of no known form is misuse; a device that is not here is a failure of the run. */
static int open_one(work *work)
{
    work->runs = calloc(1, sizeof *work->runs);
    if (!work->runs) {
        quern_cli_error("no memory for a device");
        return QUERN_CLI_WRONG;
    }
    work->count = 1;
    quern_cli_device_run_open(&work->runs[0], work->options.device);
    if (work->runs[0].status == QUERN_NOT_FOUND || work->runs[0].status == QUERN_INVALID_ARGUMENT)
        return quern_cli_misuse("run", "%s", work->runs[0].error ? work->runs[0].error : work->options.device);
    return QUERN_CLI_RIGHT;
}

/* Loads the file everywhere. MISUSE when it holds no kernel of the name, or its own name is none. */
static int load(work *work)
{
    for (size_t i = 0; i < work->count; ++i) {
        quern_cli_device_run *run = &work->runs[i];
        int was_open = !run->status;
        quern_cli_interrupts_catch();
        quern_cli_device_run_load(run, work->options.file, work->options.kernel);
        quern_cli_interrupts_release();
        if ((run->status == QUERN_NOT_FOUND && run->program) || (run->status == QUERN_INVALID_ARGUMENT && was_open))
            return quern_cli_misuse("run", "%s", run->error ? run->error : work->options.kernel);
    }
    return QUERN_CLI_RIGHT;
}

/* Fits the arguments to the kernel, and says what may be wrong with them. */
static int plan(work *work, const quern_kernel *kernel)
{
    int status = quern_cli_plan_make(&work->options, kernel, &work->plan);
    for (size_t i = 0; !status && i < work->count; ++i)
        status = quern_cli_plan_check_locals(&work->plan, &work->runs[i]);
    for (size_t i = 0; !status && i < work->plan.note_count; ++i)
        quern_cli_error("note: %s", work->plan.notes[i]);
    work->has_plan = !status;
    return status;
}

/* 1 for a device of a backend that the command line has loaded. */
static int is_plugin(const work *work, const quern_cli_device_run *run)
{
    const char *name;
    size_t length = strcspn(run->name, ":");
    for (size_t i = 0; i < work->built_in; ++i)
        if (!quern_backend_status(i, &name, NULL, NULL) && strlen(name) == length &&
            strncmp(name, run->name, length) == 0)
            return 0;
    return 1;
}

static void execute(work *work, size_t which)
{
    quern_cli_fault_texts texts[QUERN_CLI_FAULTS];
    quern_cli_report_faults(&work->plan, work->runs, work->count, which, work->options.json,
                            is_plugin(work, &work->runs[which]), texts);
    quern_cli_faults_catch(texts);
    quern_cli_device_run_execute(&work->runs[which], &work->plan);
    quern_cli_faults_release();
    quern_cli_report_faults_free(texts);
}

/* The kernel as the first device that has it knows it; NULL when none does. */
static const quern_kernel *first_kernel(const work *work)
{
    for (size_t i = 0; i < work->count; ++i)
        if (!work->runs[i].status)
            return work->runs[i].kernel;
    return NULL;
}

/* Writes the arrays asked for: results of the first device that ran, or what an array that is only read holds. */
static int write_outputs(const work *work)
{
    const quern_cli_device_run *run = NULL;
    for (size_t i = 0; i < work->count && !run; ++i)
        if (!work->runs[i].status)
            run = &work->runs[i];
    int status = QUERN_CLI_RIGHT;
    for (size_t i = 0; run && i < work->options.output_count; ++i) {
        const quern_cli_assignment *output = &work->options.outputs[i];
        int which = quern_cli_parameter_find(work->plan.kernel, output->name);
        const quern_cli_array *result = &run->results[which];
        quern_cli_progress("writing %s", output->value);
        if (quern_npy_write(output->value, result->data ? result : &work->plan.bindings[which].array)) {
            quern_cli_library_error(NULL, quern_last_error());
            status = QUERN_CLI_WRONG;
        }
    }
    return status;
}

/* 1 when an earlier device failed with the same sentence, which need not be read twice (a file that does not compile).
 */
static int said_before(const work *work, size_t which)
{
    for (size_t i = 0; i < which; ++i)
        if (work->runs[i].error && work->runs[which].error && strcmp(work->runs[i].error, work->runs[which].error) == 0)
            return 1;
    return 0;
}

/* A kernel may compute something else with another group size, which each device has chosen for itself. */
static void explain_groups(const work *work)
{
    const quern_kernel *kernel = work->plan.kernel;
    if (kernel->is_group && kernel->group[0] == 0 && work->plan.range.group_rank == 0)
        quern_cli_error("note: each device chose a group size of its own; --group gives all of them the same");
}

static int report(const work *work)
{
    quern_cli_disagreement found = {0};
    int failed = 0, status;
    if (work->has_plan)
        found = quern_cli_runs_compare(work->runs, work->count, &work->plan, work->options.ulps);
    for (size_t i = 0; i < work->count; ++i)
        failed |= work->runs[i].status != QUERN_SUCCESS;
    if (found.second)
        explain_groups(work);
    status = work->has_plan ? write_outputs(work) : QUERN_CLI_RIGHT;
    for (size_t i = 0; i < work->count; ++i)
        if (work->runs[i].status ? !said_before(work, i) : !work->options.json)
            quern_cli_report_device(work->runs, work->count, i);
    quern_cli_output_show();
    if (work->options.json)
        status |= quern_cli_report_json(work->options.kernel, work->runs, work->count,
                                        work->has_plan ? &work->plan : NULL, &found, !failed && !found.second);
    else if (work->has_plan)
        quern_cli_report_agreement(work->runs, work->count, &work->plan, &found, work->options.ulps);
    return failed || found.second ? QUERN_CLI_WRONG : status;
}

static int run(work *work)
{
    int status = work->options.device && strcmp(work->options.device, "all") == 0 ? open_all(work) : open_one(work);
    if (!status)
        status = load(work);
    const quern_kernel *kernel = status ? NULL : first_kernel(work);
    if (kernel)
        status = plan(work, kernel);
    for (size_t i = 0; work->has_plan && i < work->count; ++i)
        execute(work, i);
    if (!status)
        status = report(work);
    quern_cli_progress_end();
    return status;
}

int quern_cli_run(int argc, char **argv)
{
    work work = {0};
    int status = quern_cli_run_options_read(argc, argv, &work.options);
    if (!status && work.options.json)
        status = quern_cli_json_check();
    if (!status && work.options.json)
        quern_cli_output_hide();
    (void)quern_backend_count(&work.built_in);
    if (!status && !work.options.help)
        status = quern_cli_plugins_load(&work.options.plugins);
    if (!status && work.options.help)
        quern_cli_run_help();
    else if (!status)
        status = run(&work);
    size_t parameters = work.plan.kernel ? work.plan.kernel->parameter_count : 0;
    quern_cli_plan_free(&work.plan); /* before the programs, which hold its kernel */
    for (size_t i = 0; i < work.count; ++i)
        quern_cli_device_run_close(&work.runs[i], parameters);
    free(work.runs);
    quern_cli_run_options_free(&work.options);
    (void)quern_shutdown(); /* so that nothing is left in a driver */
    quern_cli_output_show();
    return status;
}
