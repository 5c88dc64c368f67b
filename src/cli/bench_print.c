/* quern bench: the table for people and the array for programs. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

const char *quern_bench_unit_name(quern_bench_unit unit)
{
    return unit == QUERN_BENCH_GB_PER_S ? "GB/s" : unit == QUERN_BENCH_MILLISECONDS ? "ms" : "us";
}

/* Four significant digits, so that columns of unlike sizes stay narrow. */
static const char *number(double value, char *text, size_t size)
{
    snprintf(text, size, value >= 1000 ? "%.0f" : value >= 100 ? "%.1f" : value >= 10 ? "%.2f" : "%.3f", value);
    return text;
}

static const char *spread(const quern_bench_figure *figure, char *text, size_t size)
{
    char low[24], high[24];
    snprintf(text, size, "%s..%s", number(figure->min, low, sizeof low), number(figure->max, high, sizeof high));
    return text;
}

void quern_bench_print_heading(const quern_bench *bench)
{
    const quern_device_info *info = &bench->info;
    const char *unit = strcmp(info->backend, "cpu") == 0 ? "thread" : "compute unit";
    printf("%s: %s, %u %s%s%s%s\n", info->name, info->description, (unsigned)info->compute_units, unit,
           info->compute_units == 1 ? "" : "s", info->instruction_set[0] ? ", " : "", info->instruction_set);
    printf("ratio: above 1 where quern is faster than the baseline%s\n\n",
           bench->opencl || bench->driver ? "; own: what quern adds to a launch by hand, in us" : "");
    printf("%-16s %-5s %8s  %-15s  %-8s %8s  %-15s  %6s%s\n", "bench", "unit", "quern", "min..max", "baseline",
           "median", "min..max", "ratio", bench->opencl || bench->driver ? "     own" : "");
    fflush(stdout);
}

void quern_bench_print_row(const quern_bench_row *row, const quern_bench_result *result)
{
    const quern_bench_figure *ours = &result->figure[QUERN_BENCH_OURS];
    char a[24], b[64], c[24], d[64];
    int lines = 0;

    for (int who = QUERN_BENCH_OURS; who < QUERN_BENCH_WHO_COUNT; ++who) {
        const quern_bench_figure *figure = &result->figure[who];
        /* Quern's figures stand beside its first baseline, alone when there is none. */
        if (who == QUERN_BENCH_OURS || !result->present[who])
            continue;
        printf("%-16s %-5s %8s  %-15s  %-8s %8s  %-15s  %6.2f", lines ? "" : row->name,
               lines ? "" : quern_bench_unit_name(row->unit), lines ? "" : number(ours->median, a, sizeof a),
               lines ? "" : spread(ours, b, sizeof b), quern_bench_who_name(row, (quern_bench_who)who),
               number(figure->median, c, sizeof c), spread(figure, d, sizeof d),
               quern_bench_ratio(row->unit, ours, figure));
        if (quern_bench_is_overhead(row, (quern_bench_who)who))
            printf("  %+6.2f", ours->median - figure->median);
        putchar('\n');
        ++lines;
    }
    if (!lines)
        printf("%-16s %-5s %8s  %-15s\n", row->name, quern_bench_unit_name(row->unit),
               number(ours->median, a, sizeof a), spread(ours, b, sizeof b));
    fflush(stdout);
}

/* One object; the reference is the caller's. NULL when memory is exhausted. */
static json_t *object(const quern_bench *bench, const quern_bench_row *row, const quern_bench_result *result,
                      quern_bench_who who)
{
    const quern_bench_figure *ours = &result->figure[QUERN_BENCH_OURS], *figure = &result->figure[who];
    json_t *own;
    if (who == QUERN_BENCH_OURS)
        return json_pack("{s:s, s:s, s:i, s:s, s:n, s:f, s:f, s:f, s:s}", "bench", row->name, "device",
                         bench->info.name, "threads", (int)bench->info.compute_units, "baseline", "none", "ratio",
                         "median", ours->median, "min", ours->min, "max", ours->max, "unit",
                         quern_bench_unit_name(row->unit));
    own = quern_bench_is_overhead(row, who) ? json_real(ours->median - figure->median) : json_null();
    return json_pack("{s:s, s:s, s:i, s:s, s:f, s:f, s:f, s:f, s:s, s:f, s:f, s:f, s:o}", "bench", row->name, "device",
                     bench->info.name, "threads", (int)bench->info.compute_units, "baseline",
                     quern_bench_who_name(row, who), "ratio", quern_bench_ratio(row->unit, ours, figure), "median",
                     ours->median, "min", ours->min, "max", ours->max, "unit", quern_bench_unit_name(row->unit),
                     "baseline_median", figure->median, "baseline_min", figure->min, "baseline_max", figure->max, "own",
                     own);
}

int quern_bench_json_add(json_t *array, const quern_bench *bench, const quern_bench_row *row,
                         const quern_bench_result *result)
{
    int added = 0;

    for (int who = QUERN_BENCH_PLAIN; who < QUERN_BENCH_WHO_COUNT; ++who) {
        if (!result->present[who])
            continue;
        if (json_array_append_new(array, object(bench, row, result, (quern_bench_who)who)))
            return -1;
        ++added;
    }
    return added ? 0 : json_array_append_new(array, object(bench, row, result, QUERN_BENCH_OURS));
}

void quern_bench_print_without(const quern_bench_row *row, const char *reason)
{
    printf("%-16s not measured: %s\n", row->name, reason);
    fflush(stdout);
}

int quern_bench_json_add_without(json_t *array, const char *device, const quern_bench_row *row, const char *reason)
{
    return json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:n, s:n, s:o}", "bench", row->name, "device",
                                                  device, "baseline", "none", "ratio", "median", "reason",
                                                  quern_cli_json_text(reason)));
}
