/* quern bench: measures launches, memory bandwidth and groups beside plain C and OpenMP, in one process. */
#include "bench.h"
#include "base/cpu_level.h"
#include "base/error.h"
#include "base/near.h"
#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 32
#define MAX_THREADS 1024

typedef struct options {
    const char *device;
    char threads[32]; /* "": the library's choice */
    int json, quick, help;
    const quern_bench_row *rows[MAX_ROWS]; /* in the order of the command line */
    size_t row_count;
} options;

/* ---- the rows, all tables as one ---- */

static const quern_bench_row *row_at(size_t index)
{
    if (index < quern_bench_stream_row_count)
        return &quern_bench_stream_rows[index];
    index -= quern_bench_stream_row_count;
    if (index < quern_bench_launch_row_count)
        return &quern_bench_launch_rows[index];
    index -= quern_bench_launch_row_count;
    return index < quern_bench_group_row_count ? &quern_bench_group_rows[index] : NULL;
}

static const quern_bench_row *row_named(const char *name)
{
    const quern_bench_row *row;
    for (size_t i = 0; (row = row_at(i)); ++i)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* ---- the command line ---- */

static void print_help(void)
{
    const quern_bench_row *row;
    puts("usage: quern bench [NAME…] [--device NAME] [--threads N] [--quick] [--json]\n"
         "\n"
         "Measures Quern beside plain C on one thread and OpenMP on as many threads as Quern. All of them work on\n"
         "the same arrays, take turns in one process and are checked. The last column is the ratio of the medians,\n"
         "above 1 where Quern is faster.\n"
         "\n"
         "  --device NAME  the device (default: QUERN_DEVICE, else the best one)\n"
         "  --threads N    so many threads, for the CPU device and for OpenMP\n"
         "  --quick        small arrays and few runs: says whether it works, not how fast\n"
         "  --json         an array with one object per row and baseline: bench, device, threads, baseline, ratio;\n"
         "                 median, min, max of Quern in the unit; baseline_median, baseline_min, baseline_max\n"
         "\n"
         "NAME is one of these; without any, all are measured:");
    for (size_t i = 0; (row = row_at(i)); ++i)
        printf("  %-16s %s\n", row->name, row->what);
}

static int is_thread_count(const char *text)
{
    char *end;
    errno = 0;
    long threads = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && threads >= 1 && threads <= MAX_THREADS;
}

static int add_row(options *options, const char *name)
{
    const char *names[MAX_ROWS];
    char hint[256];
    size_t count = 0;
    const quern_bench_row *row = row_named(name);

    if (row && options->row_count < MAX_ROWS) {
        options->rows[options->row_count++] = row;
        return QUERN_CLI_RIGHT;
    }
    if (row)
        return quern_cli_misuse("bench", "more than %d names", MAX_ROWS);
    while (count < MAX_ROWS && (row = row_at(count)))
        names[count++] = row->name;
    quern_near_names(name, names, count, hint, sizeof hint);
    return quern_cli_misuse("bench", "there is no measurement '%s'%s", name, hint);
}

static void add_all_rows(options *options)
{
    const quern_bench_row *row;
    while (options->row_count < MAX_ROWS && (row = row_at(options->row_count)))
        options->rows[options->row_count++] = row;
}

/* The value of the option at *i, which may be joined to it (--threads=2); NULL when it is another option or has none.
 */
static const char *value_of(const char *option, int argc, char **argv, int *i)
{
    size_t length = strlen(option);
    if (strncmp(argv[*i], option, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length] == '\0' && *i + 1 < argc)
        return argv[++*i];
    return NULL;
}

static int parse(int argc, char **argv, options *options)
{
    for (int i = 1; i < argc; ++i) {
        const char *argument = argv[i], *value;
        int status = QUERN_CLI_RIGHT;
        if (strcmp(argument, "--json") == 0)
            options->json = 1;
        else if (strcmp(argument, "--quick") == 0)
            options->quick = 1;
        else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
            options->help = 1;
        else if ((value = value_of("--device", argc, argv, &i)))
            options->device = value;
        else if ((value = value_of("--threads", argc, argv, &i))) {
            snprintf(options->threads, sizeof options->threads, "%s", value);
            if (!is_thread_count(value))
                status = quern_cli_misuse("bench", "--threads is '%s', not a number from 1 to %d", value, MAX_THREADS);
        } else if (strcmp(argument, "--device") == 0 || strcmp(argument, "--threads") == 0)
            status = quern_cli_misuse("bench", "%s needs a value", argument);
        else if (argument[0] == '-')
            status = quern_cli_misuse("bench", "there is no option '%s'", argument);
        else
            status = add_row(options, argument);
        if (status)
            return status;
    }
    return QUERN_CLI_RIGHT;
}

/* ---- the device, its queues, the baselines ---- */

static quern_status start(const options *options, quern_bench *bench)
{
    const quern_queue_options blocking = {.blocking = 1, .name = "bench, blocking"};
    const quern_queue_options queued = {.blocking = 0, .name = "bench"};
    const char *level;
    quern_status status;

    bench->quick = options->quick;
    status =
        options->device ? quern_device_open(options->device, &bench->device) : quern_device_default(&bench->device);
    if (!status)
        status = quern_device_get_info(bench->device, &bench->info);
    if (!status)
        status = quern_queue_create(bench->device, &blocking, &bench->blocking);
    if (!status)
        status = quern_queue_create(bench->device, &queued, &bench->queue);
    if (!status)
        status = quern_cpu_level(&level); /* the baselines run on this processor, whatever the device is */
    if (status)
        return status;

    bench->plain = quern_baseline_plain(level);
    bench->openmp = quern_baseline_openmp(level);
    if (bench->openmp && strcmp(bench->info.backend, "cpu") == 0)
        bench->openmp->set_threads((int)bench->info.compute_units);
    return QUERN_SUCCESS;
}

static void finish(quern_bench *bench)
{
    (void)quern_queue_release(bench->queue);
    (void)quern_queue_release(bench->blocking);
    (void)quern_device_release(bench->device);
    memset(bench, 0, sizeof *bench);
}

/* The number of threads of CPU devices from the next start on; "" for the library's choice. */
static quern_status set_threads(const char *threads)
{
    int failed = threads[0] ? setenv("QUERN_CPU_THREADS", threads, 1) : unsetenv("QUERN_CPU_THREADS");
    return failed ? quern_fail(QUERN_SYSTEM_ERROR, "cannot set QUERN_CPU_THREADS: %s", strerror(errno)) : QUERN_SUCCESS;
}

/* ---- measuring ---- */

/* Rows that want it run on a library that has been started anew with one thread; the other ones after that on one with
 * all of them again. */
static quern_status adapt_threads(const options *options, const quern_bench_row *row, quern_bench *bench)
{
    if (bench->device && (strcmp(bench->info.backend, "cpu") != 0 || bench->one_thread == row->one_thread))
        return QUERN_SUCCESS;
    finish(bench);
    quern_status status = quern_shutdown();
    if (!status)
        status = set_threads(row->one_thread ? "1" : options->threads);
    if (!status)
        status = start(options, bench);
    bench->one_thread = row->one_thread;
    return status;
}

static int measure(const options *options, quern_bench *bench)
{
    json_t *json = options->json ? json_array() : NULL;
    int exit_status = QUERN_CLI_RIGHT;

    if (!options->json)
        quern_bench_print_heading(bench);
    for (size_t i = 0; i < options->row_count; ++i) {
        const quern_bench_row *row = options->rows[i];
        quern_bench_result result = {0};
        quern_cli_progress("measuring %s, %zu of %zu", row->name, i + 1, options->row_count);
        quern_status status = adapt_threads(options, row, bench);
        if (!status)
            status = quern_bench_measure(bench, row, &result);
        quern_cli_progress_end();
        if (status) {
            quern_cli_library_error(row->name, quern_last_error());
            exit_status = QUERN_CLI_WRONG;
        } else if (!options->json) {
            quern_bench_print_row(row, &result);
        } else if (quern_bench_json_add(json, bench, row, &result)) {
            quern_cli_error("%s: no memory for the result", row->name);
            exit_status = QUERN_CLI_WRONG;
        }
    }
    if (options->json && quern_cli_json_print(json) != QUERN_CLI_RIGHT)
        exit_status = QUERN_CLI_WRONG;
    return exit_status;
}

int quern_cli_bench(int argc, char **argv)
{
    const char *threads = getenv("QUERN_CPU_THREADS");
    options options = {0};
    quern_bench bench = {0};
    int exit_status;

    snprintf(options.threads, sizeof options.threads, "%s", threads ? threads : "");
    exit_status = parse(argc, argv, &options);
    if (exit_status)
        return exit_status;
    if (options.help) {
        print_help();
        return QUERN_CLI_RIGHT;
    }
    if (options.json && quern_cli_json_check() != QUERN_CLI_RIGHT)
        return QUERN_CLI_WRONG;
    if (options.row_count == 0)
        add_all_rows(&options);

    if (set_threads(options.threads) || start(&options, &bench)) {
        quern_cli_library_error(options.device, quern_last_error());
        exit_status = QUERN_CLI_WRONG;
    } else {
        exit_status = measure(&options, &bench);
    }
    finish(&bench);
    return exit_status;
}
