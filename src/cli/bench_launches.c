/* quern bench: how many launches there are in a timed run, and how they are timed. */
#include "bench.h"

#include <string.h>

size_t quern_bench_launches(const quern_bench *bench)
{
    if (bench->quick)
        return 10;
    /* One through a driver takes a hundred times as long as one to the library's own threads. */
    return strcmp(bench->info.backend, "cpu") == 0 ? 1000 : 50;
}

quern_status quern_bench_launch_many(size_t count, quern_bench_call *launch, quern_bench_call *finish, void *context,
                                     double *accepted, double *finished)
{
    double begin = quern_bench_now();
    for (size_t k = 0; k < count; ++k) {
        quern_status status = launch(context);
        if (status)
            return status;
    }
    *accepted = (quern_bench_now() - begin) / (double)count;
    quern_status status = finish(context);
    *finished = (quern_bench_now() - begin) / (double)count;
    return status;
}
