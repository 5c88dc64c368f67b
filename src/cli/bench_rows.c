/* quern bench: all rows as one table. */
#include "bench.h"

#include <string.h>

const quern_bench_row *quern_bench_row_at(size_t index)
{
    const struct {
        const quern_bench_row *rows;
        size_t count;
    } tables[] = {
        {quern_bench_stream_rows, quern_bench_stream_row_count},
        {quern_bench_small_rows, quern_bench_small_row_count},
        {quern_bench_launch_rows, quern_bench_launch_row_count},
        {quern_bench_graph_rows, quern_bench_graph_row_count},
        {quern_bench_group_rows, quern_bench_group_row_count},
        {quern_bench_3d_rows, quern_bench_3d_row_count},
        {quern_bench_program_rows, quern_bench_program_row_count},
        {quern_bench_task_rows, quern_bench_task_row_count},
        {quern_bench_device_rows, quern_bench_device_row_count},
    };
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; ++k) {
        if (index < tables[k].count)
            return &tables[k].rows[index];
        index -= tables[k].count;
    }
    return NULL;
}

const quern_bench_row *quern_bench_row_named(const char *name)
{
    const quern_bench_row *row;
    for (size_t i = 0; (row = quern_bench_row_at(i)); ++i)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static int have_second_cpu(void)
{
    quern_device *second;
    if (quern_device_open("cpu:1", &second))
        return 0;
    (void)quern_device_release(second);
    return 1;
}

const char *quern_bench_misfit(quern_bench_where where, const quern_device_info *info)
{
    int is_cpu = strcmp(info->backend, "cpu") == 0;
    if (where == QUERN_BENCH_ON_CPU && !is_cpu)
        return "only on CPU devices";
    if (where == QUERN_BENCH_ON_TWO_CPUS && !(is_cpu && have_second_cpu()))
        return "only where there are two CPU devices (QUERN_CPU_DEVICES=2)";
    if (where == QUERN_BENCH_ON_PROCESSOR && !is_cpu && !info->host_accessible && info->simd_bytes == 0)
        return "only on devices that are this machine's processors";
    if (where == QUERN_BENCH_FROM_TEXT && is_cpu)
        return "the kernels of a program are machine code on this device";
    return NULL;
}
