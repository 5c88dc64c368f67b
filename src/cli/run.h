/* The parts of `quern run`: the command line, its fit to the kernel, the work on a device, the report. */
#ifndef QUERN_CLI_RUN_H
#define QUERN_CLI_RUN_H

#include "array.h"
#include "cli.h"
#include "compare.h"
#include "run_fault.h"

#include <quern/device.h>
#include <quern/range.h>

/* ---- the command line (run_options.c) ---- */

/* ARG=VALUE, or of -o ARG=FILE. */
typedef struct quern_cli_assignment {
    const char *name, *value;
} quern_cli_assignment;

typedef struct quern_cli_run_options {
    const char *file, *kernel;
    const char *device;                 /* NULL: the default one; "all" */
    const char *range, *offset, *group; /* as given; NULL: not given */
    uint64_t repeat, ulps;
    int json, help;
    quern_cli_plugins plugins;
    quern_cli_assignment *arguments, *outputs; /* in the order given */
    size_t argument_count, output_count;
} quern_cli_run_options;

/* Reads argv. RIGHT, or MISUSE after a message. Free with quern_cli_run_options_free, also after a failure. */
int quern_cli_run_options_read(int argc, char **argv, quern_cli_run_options *options);
void quern_cli_run_options_free(quern_cli_run_options *options);
void quern_cli_run_help(void);

/* ---- what is launched (run_bind.c) ---- */

/* What one parameter gets. */
typedef struct quern_cli_binding {
    quern_cli_array array; /* of an array parameter: its contents before the launch */
    void *value;           /* of a value parameter, malloc'ed */
    size_t length;         /* of a local parameter */
} quern_cli_binding;

typedef struct quern_cli_plan {
    const quern_kernel *kernel;  /* the signature */
    quern_cli_binding *bindings; /* kernel->parameter_count of them */
    quern_range range;
    uint64_t repeat;
    size_t array_bytes; /* of all arrays together, each counted once */
    char **notes;       /* sentences on arrays that the range may leave */
    size_t note_count;
} quern_cli_plan;

/* Fits the command line to the kernel, and reads and makes the arrays. An exit status, other than RIGHT after a
 * message. Free with quern_cli_plan_free, also after a failure. */
int quern_cli_plan_make(const quern_cli_run_options *options, const quern_kernel *kernel, quern_cli_plan *plan);
void quern_cli_plan_free(quern_cli_plan *plan);

/* The number of the kernel's parameter of that name, or -1. */
int quern_cli_parameter_find(const quern_kernel *kernel, const char *name);
int quern_cli_parameter_is_array(const quern_parameter *parameter);
int quern_cli_parameter_is_written(const quern_parameter *parameter);

/* The range of the launch from the options and the arrays (run_range.c): an exit status, other than RIGHT after a
 * message. */
int quern_cli_plan_range(const quern_cli_run_options *options, quern_cli_plan *plan);

/* Notes each array that the range leaves, where an item's index is the index of an element (run_notes.c): an exit
 * status. */
int quern_cli_plan_note_arrays(quern_cli_plan *plan);

/* ---- one device (run_device.c) ---- */

typedef struct quern_cli_device_run {
    char name[32];
    quern_device *device;
    quern_program *program;
    quern_kernel *kernel;
    quern_status status;      /* of the first thing that failed */
    char *error;              /* its sentence, malloc'ed; NULL when nothing failed */
    double seconds;           /* the median of the repetitions */
    double gb_per_s;          /* 10^9 bytes of the arrays a second; 0 where there is nothing to measure */
    char checksum[24];        /* 16 hexadecimal digits; "" in a build without checksums */
    quern_cli_array *results; /* one a parameter; empty for those not written; NULL before the run */
} quern_cli_device_run;

/* Opens the device of that name (NULL: the default one), loads the file and finds the kernel there. The first failure
 * is kept in run, and what comes after it does nothing. */
void quern_cli_device_run_open(quern_cli_device_run *run, const char *name);
void quern_cli_device_run_load(quern_cli_device_run *run, const char *file, const char *kernel);

/* Runs the kernel plan->repeat times from fresh arrays, after a first time that is not counted, and fetches the results
 * of the last time. */
void quern_cli_device_run_execute(quern_cli_device_run *run, const quern_cli_plan *plan);
void quern_cli_device_run_close(quern_cli_device_run *run, size_t parameter_count);

/* Local arrays with less elements than a group of the device has items: MISUSE after a message when nobody has chosen
 * the group, else a note (run_notes.c). An exit status. */
int quern_cli_plan_check_locals(quern_cli_plan *plan, const quern_cli_device_run *run);

/* ---- the report (run_compare.c, run_report.c, run_json.c) ---- */

/* Where two devices differ. */
typedef struct quern_cli_disagreement {
    const quern_cli_device_run *first, *second; /* NULL: nothing differs */
    size_t parameter;
    uint32_t rank; /* of the array */
    size_t index[QUERN_MAX_RANK];
    quern_cli_difference place;
} quern_cli_disagreement;

/* Each later device that ran against the first one that did. */
quern_cli_disagreement quern_cli_runs_compare(const quern_cli_device_run *runs, size_t count,
                                              const quern_cli_plan *plan, uint64_t ulps);

/* A line for a device that ran, a message for one that failed. */
void quern_cli_report_device(const quern_cli_device_run *runs, size_t count, size_t which);

/* Whether the devices agree, as a line. */
void quern_cli_report_agreement(const quern_cli_device_run *runs, size_t count, const quern_cli_plan *plan,
                                const quern_cli_disagreement *disagreement, uint64_t ulps);

/* All of it as JSON; plan may be NULL when no device came as far as the kernel. An exit status: RIGHT or WRONG. */
int quern_cli_report_json(const char *kernel, const quern_cli_device_run *runs, size_t count,
                          const quern_cli_plan *plan, const quern_cli_disagreement *disagreement, int agree);

/* What is to be written when the kernel faults on runs[which] (run_fault.h), or perhaps the plug-in that it runs on;
 * with json also all of it as JSON. Free with quern_cli_report_faults_free. */
void quern_cli_report_faults(const quern_cli_plan *plan, quern_cli_device_run *runs, size_t count, size_t which,
                             int json, int is_plugin, quern_cli_fault_texts texts[QUERN_CLI_FAULTS]);
void quern_cli_report_faults_free(quern_cli_fault_texts texts[QUERN_CLI_FAULTS]);

#endif
