/*
 * quern bench: measures launches, memory bandwidth and groups beside plain C, OpenMP, OpenCL and the bare CUDA driver,
 * in one process.
 */
#include "bench.h"
#include "base/cpu_level.h"
#include "base/error.h"
#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a device, its queues, the baselines ---- */

static quern_status open_device(const char *name, quern_bench *bench)
{
    const quern_queue_options blocking = {.blocking = 1, .name = "bench, blocking"};
    const quern_queue_options queued = {.blocking = 0, .name = "bench"};

    quern_status status = name[0] ? quern_device_open(name, &bench->device) : quern_device_default(&bench->device);
    if (!status)
        status = quern_device_get_info(bench->device, &bench->info);
    if (!status)
        status = quern_queue_create(bench->device, &blocking, &bench->blocking);
    if (!status)
        status = quern_queue_create(bench->device, &queued, &bench->queue);
    return status;
}

/* The loops run on this machine's processor, whatever the device is. */
static quern_status start_loops(quern_bench *bench)
{
    const char *level;
    quern_status status = quern_cpu_level(&level);
    if (status)
        return status;
    bench->plain = quern_baseline_plain(level);
    bench->openmp = quern_baseline_openmp(level);
    if (bench->openmp && strcmp(bench->info.backend, "cpu") == 0)
        bench->openmp->set_threads((int)bench->info.compute_units);
    else if (bench->openmp) /* 0, "" too: all */
        bench->openmp->set_threads(atoi(bench->options->threads));
    return QUERN_SUCCESS;
}

static quern_status start(const char *name, quern_bench *bench)
{
    bench->quick = bench->options->quick;
    quern_status status = open_device(name, bench);
    if (!status)
        status = start_loops(bench);
    if (!status)
        status = quern_bench_opencl_start(bench);
    return status ? status : quern_bench_driver_start(bench);
}

static void finish(quern_bench *bench)
{
    const quern_bench_options *options = bench->options;
    quern_handwritten_close(bench->opencl);
    quern_bare_close(bench->driver);
    (void)quern_queue_release(bench->queue);
    (void)quern_queue_release(bench->blocking);
    (void)quern_device_release(bench->device);
    memset(bench, 0, sizeof *bench);
    bench->options = options;
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
static quern_status adapt_threads(const char *name, const quern_bench_row *row, quern_bench *bench)
{
    int wanted = row ? row->one_thread : 0;
    if (bench->device && (strcmp(bench->info.backend, "cpu") != 0 || bench->one_thread == wanted))
        return QUERN_SUCCESS;
    finish(bench);
    quern_status status = quern_shutdown();
    if (!status)
        status = set_threads(wanted ? "1" : bench->options->threads);
    if (!status)
        status = start(name, bench);
    bench->one_thread = wanted;
    return status;
}

/* One row on one device, with its line or objects. */
static int measure_row(const char *name, quern_bench *bench, const quern_bench_row *row, json_t *json)
{
    quern_bench_result result = {0};
    quern_status status = adapt_threads(name, row, bench);
    if (!status)
        status = quern_bench_measure(bench, row, &result);
    quern_cli_progress_end();
    if (status) {
        quern_cli_library_error(row->name, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    if (!bench->options->json)
        quern_bench_print_row(row, &result);
    else if (quern_bench_json_add(json, bench, row, &result)) {
        quern_cli_error("%s: no memory for the result", row->name);
        return QUERN_CLI_WRONG;
    }
    return QUERN_CLI_RIGHT;
}

static int without(const quern_bench_options *options, const char *device, const quern_bench_row *row,
                   const char *reason, json_t *json)
{
    if (!options->json) {
        quern_bench_print_without(row, reason);
    } else if (quern_bench_json_add_without(json, device, row, reason)) {
        quern_cli_error("%s: no memory for the result", row->name);
        return QUERN_CLI_WRONG;
    }
    return QUERN_CLI_RIGHT;
}

static int measure_device(const char *name, quern_bench *bench, json_t *json)
{
    const quern_bench_options *options = bench->options;
    int exit_status = QUERN_CLI_RIGHT;

    if (!options->json)
        quern_bench_print_heading(bench);
    for (size_t i = 0; i < options->row_count; ++i) {
        const quern_bench_row *row = options->rows[i];
        const char *misfit = quern_bench_misfit(row->where, &bench->info);
        if (misfit && options->named)
            exit_status |= without(options, bench->info.name, row, misfit, json);
        if (misfit)
            continue;
        quern_cli_progress("measuring %s on %s, %zu of %zu", row->name, bench->info.name, i + 1, options->row_count);
        exit_status |= measure_row(name, bench, row, json);
    }
    return exit_status;
}

static int measure_target(const quern_bench_target *target, const quern_bench_options *options, json_t *json)
{
    quern_bench bench = {.options = options};
    int exit_status = QUERN_CLI_RIGHT;

    if (target->reason && options->json)
        for (size_t i = 0; i < options->row_count; ++i)
            exit_status |= without(options, target->device, options->rows[i], target->reason, json);
    else if (target->reason)
        printf("%s: %s\n", target->device, target->reason);
    else if (adapt_threads(target->device, NULL, &bench)) {
        quern_cli_library_error(target->device[0] ? target->device : NULL, quern_last_error());
        exit_status = QUERN_CLI_WRONG;
    } else
        exit_status = measure_device(target->device, &bench, json);
    finish(&bench);
    return exit_status;
}

static int measure_all(const quern_bench_options *options)
{
    quern_bench_targets list = {0};
    json_t *json = options->json ? json_array() : NULL;
    int exit_status = QUERN_CLI_RIGHT;

    if (set_threads(options->threads) || quern_bench_choose(options, &list)) {
        quern_cli_library_error(options->device, quern_last_error());
        exit_status = QUERN_CLI_WRONG;
    } else {
        for (size_t i = 0; i < list.count; ++i) {
            if (i > 0 && !options->json)
                putchar('\n');
            exit_status |= measure_target(&list.targets[i], options, json);
        }
    }
    quern_bench_targets_release(&list);
    if (options->json && quern_cli_json_print(json) != QUERN_CLI_RIGHT)
        exit_status = QUERN_CLI_WRONG;
    return exit_status;
}

int quern_cli_bench(int argc, char **argv)
{
    const char *threads = getenv("QUERN_CPU_THREADS");
    quern_bench_options options = {0};
    int exit_status;

    if (argc > 1 && strcmp(argv[1], QUERN_BENCH_START) == 0)
        return quern_bench_start_main(argc, argv);
    snprintf(options.threads, sizeof options.threads, "%s", threads ? threads : "");
    exit_status = quern_bench_parse(argc, argv, &options);
    if (exit_status)
        return exit_status;
    if (options.help) {
        quern_bench_print_help();
        return QUERN_CLI_RIGHT;
    }
    if (options.json && quern_cli_json_check() != QUERN_CLI_RIGHT)
        return QUERN_CLI_WRONG;
    if (quern_cli_plugins_load(&options.plugins) != QUERN_CLI_RIGHT)
        return QUERN_CLI_WRONG;
    exit_status = measure_all(&options);
    (void)quern_shutdown(); /* so that nothing is left in a driver */
    return exit_status;
}
