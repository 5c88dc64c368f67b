/* quern bench: the command line. */
#include "base/near.h"
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_THREADS 1024

void quern_bench_print_help(void)
{
    const quern_bench_row *row;
    puts("usage: quern bench [NAME…] [--device NAME|all] [--threads N] [--quick] [--json]\n"
         "\n"
         "Measures Quern beside plain C on one thread, OpenMP on as many threads as Quern, on an OpenCL device a\n"
         "program written by hand for it and on a CUDA device the bare driver: its copy from device memory to device\n"
         "memory beside the stream kernels, its launch call beside launches. All of them work in turn, and are\n"
         "checked. The ratio is that of the medians, above 1 where Quern is faster. Beside launches by hand, `own` is\n"
         "the difference: the microseconds that are Quern's own.\n"
         "\n"
         "  --device NAME          the device, or all of them in turn (default: QUERN_DEVICE, else the best one)\n"
         "  --threads N            so many threads, for CPU devices and for OpenMP\n"
         "  --quick                small arrays and few runs: says whether it works, not how fast\n"
         "  --json                 an array with one object per row and baseline: bench, device, threads, baseline,\n"
         "                         ratio; median, min, max of Quern in the unit; baseline_median, baseline_min,\n"
         "                         baseline_max; own, or null;\n"
         "                         reason, where a row is not measured\n" QUERN_CLI_PLUGIN_HELP "\n"
         "NAME is one of these; without any, all that suit the device are measured:");
    for (size_t i = 0; (row = quern_bench_row_at(i)); ++i)
        printf("  %-16s %s\n", row->name, row->what);
}

static int is_thread_count(const char *text)
{
    char *end;
    errno = 0;
    long threads = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && threads >= 1 && threads <= MAX_THREADS;
}

static int add_row(quern_bench_options *options, const char *name)
{
    const char *names[QUERN_BENCH_MAX_ROWS];
    char hint[256];
    size_t count = 0;
    const quern_bench_row *row = quern_bench_row_named(name);

    if (row && options->row_count < QUERN_BENCH_MAX_ROWS) {
        options->rows[options->row_count++] = row;
        options->named = 1;
        return QUERN_CLI_RIGHT;
    }
    if (row)
        return quern_cli_misuse("bench", "more than %d names", QUERN_BENCH_MAX_ROWS);
    while (count < QUERN_BENCH_MAX_ROWS && (row = quern_bench_row_at(count)))
        names[count++] = row->name;
    quern_near_names(name, names, count, hint, sizeof hint);
    return quern_cli_misuse("bench", "there is no measurement '%s'%s", name, hint);
}

static void add_all_rows(quern_bench_options *options)
{
    const quern_bench_row *row;
    while (options->row_count < QUERN_BENCH_MAX_ROWS && (row = quern_bench_row_at(options->row_count)))
        options->rows[options->row_count++] = row;
}

static int set_threads(quern_bench_options *options, const char *value)
{
    snprintf(options->threads, sizeof options->threads, "%s", value);
    if (is_thread_count(value))
        return QUERN_CLI_RIGHT;
    return quern_cli_misuse("bench", "--threads is '%s', not a number from 1 to %d", value, MAX_THREADS);
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

static int parse_one(int argc, char **argv, int *i, quern_bench_options *options)
{
    const char *argument = argv[*i], *value;

    if (strcmp(argument, "--json") == 0)
        options->json = 1;
    else if (strcmp(argument, "--quick") == 0)
        options->quick = 1;
    else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
        options->help = 1;
    else if ((value = value_of("--device", argc, argv, i)))
        options->device = value;
    else if ((value = value_of("--threads", argc, argv, i)))
        return set_threads(options, value);
    else if ((value = value_of("--plugin", argc, argv, i)))
        return quern_cli_plugin_add(&options->plugins, "bench", value);
    else if (strcmp(argument, "--device") == 0 || strcmp(argument, "--threads") == 0 ||
             strcmp(argument, "--plugin") == 0)
        return quern_cli_misuse("bench", "%s needs a value", argument);
    else if (argument[0] == '-')
        return quern_cli_misuse("bench", "there is no option '%s'", argument);
    else
        return add_row(options, argument);
    return QUERN_CLI_RIGHT;
}

int quern_bench_parse(int argc, char **argv, quern_bench_options *options)
{
    int status = QUERN_CLI_RIGHT;
    for (int i = 1; !status && i < argc; ++i)
        status = parse_one(argc, argv, &i, options);
    if (!options->named)
        add_all_rows(options);
    return status;
}
