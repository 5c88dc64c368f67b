/*
 * quern bench: how a row is measured.
 *
 * The contenders take turns. A turn begins with a pause, in which the threads of the one before stop
 * spinning for more work, goes on with runs that are not counted, until threads and caches are warm,
 * and ends with the timed ones. So every contender is measured hot, at its best, and slow changes of
 * the machine meet all of them alike.
 */
#include "base/error.h"
#include "bench.h"

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A pause lasts until no thread of the process has worked for so long: an OpenMP runtime spins for 10 ms (libgomp) or
 * 200 ms (libomp) after a region, Quern for less than one. */
#define QUIET_SECONDS 0.005
#define LONGEST_PAUSE_SECONDS 1.0

/* A turn's runs that are not counted take at least this long together. */
#define WARM_SECONDS 0.01

const char *quern_bench_who_name(const quern_bench_row *row, quern_bench_who who)
{
    static const char *const names[] = {"quern", "plain", "openmp", "opencl", "driver"};
    return who == QUERN_BENCH_OTHER ? row->other : names[who];
}

int quern_bench_is_overhead(const quern_bench_row *row, quern_bench_who who)
{
    return row->unit == QUERN_BENCH_MICROSECONDS && (who == QUERN_BENCH_OPENCL || who == QUERN_BENCH_DRIVER);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double quern_bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static void settle(void)
{
    double begin = quern_bench_now(), worked;
    do {
        struct timespec left = {.tv_sec = 0, .tv_nsec = (long)(QUIET_SECONDS * 1e9)};
        worked = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        while (nanosleep(&left, &left) != 0)
            continue;
        worked = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - worked;
    } while (worked > 0.1 * QUIET_SECONDS && quern_bench_now() - begin < LONGEST_PAUSE_SECONDS);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

quern_bench_figure quern_bench_summarise(double *values, size_t count)
{
    quern_bench_figure figure;
    qsort(values, count, sizeof *values, compare);
    figure.median = count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
    figure.min = values[0];
    figure.max = values[count - 1];
    return figure;
}

double quern_bench_ratio(quern_bench_unit unit, const quern_bench_figure *ours, const quern_bench_figure *baseline)
{
    if (unit == QUERN_BENCH_GB_PER_S)
        return ours->median / baseline->median;
    return baseline->median / ours->median;
}

static quern_status run_here(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                             quern_bench_who who, double *seconds)
{
    work->who = who;
    if (row->timed[who])
        return row->timed[who](bench, work, seconds);

    quern_bench_once *once = row->once[who];
    double begin = quern_bench_now();
    for (size_t k = 0; k < work->batch; ++k) {
        quern_status status = once(bench, work);
        if (status)
            return status;
    }
    *seconds = (quern_bench_now() - begin) / (double)work->batch;
    return QUERN_SUCCESS;
}

/*
 * A run on a stack that begins elsewhere each time, in steps over 4 KiB. A store and a load whose addresses differ by a
 * multiple of 4 KiB get into each other's way, so a loop over an array on the stack takes up to twice as long at some
 * places: every contender gets its share of good and bad ones instead of one of them for good.
 */
static quern_status run(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                        quern_bench_who who, double *seconds)
{
    enum { PLACES = 16, STEP = 256 };
    static size_t place;
    volatile char *lower = alloca(1 + place++ % PLACES * STEP);
    lower[0] = 0; /* or the compiler would not move the stack */
    return run_here(bench, row, work, who, seconds);
}

static int takes_part(const quern_bench *bench, const quern_bench_row *row, quern_bench_who who)
{
    if (!row->once[who] && !row->timed[who])
        return 0;
    switch (who) {
    case QUERN_BENCH_PLAIN:
        return !quern_bench_misfit(row->loops, &bench->info);
    case QUERN_BENCH_OPENMP:
        return bench->openmp && !quern_bench_misfit(row->loops, &bench->info);
    case QUERN_BENCH_OPENCL:
        return bench->opencl != NULL;
    case QUERN_BENCH_DRIVER:
        return bench->driver != NULL;
    default:
        return 1;
    }
}

static double in_unit(quern_bench_unit unit, const quern_bench_work *work, double seconds)
{
    switch (unit) {
    case QUERN_BENCH_GB_PER_S:
        return work->bytes / seconds * 1e-9;
    case QUERN_BENCH_MILLISECONDS:
        return seconds * 1e3;
    default:
        return seconds * 1e6;
    }
}

/* One turn: the figures of row->runs timed runs go to values. */
static quern_status turn(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                         quern_bench_who who, int runs, double *values)
{
    double seconds = 0, begin;
    quern_status status = QUERN_SUCCESS;

    settle();
    begin = quern_bench_now();
    while (!row->cold && !status && quern_bench_now() - begin < WARM_SECONDS)
        status = run(bench, row, work, who, &seconds);

    for (int k = 0; !status && k < runs; ++k) {
        status = run(bench, row, work, who, &seconds);
        if (work->parts)
            seconds /= (double)work->parts;
        values[k] = in_unit(row->unit, work, seconds);
    }
    return status;
}

static quern_status check_work(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                               quern_bench_who who)
{
    quern_status status = row->spoil ? row->spoil(bench, work) : QUERN_SUCCESS;
    work->who = who;
    if (!status && row->once[who])
        status = row->once[who](bench, work);
    if (!status && row->check)
        status = row->check(bench, work);
    return status;
}

/* Does who do the work rightly? */
static quern_status check(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                          quern_bench_who who)
{
    quern_status status = QUERN_SUCCESS;
    if (who == QUERN_BENCH_DRIVER && row->check_driver)
        status = row->check_driver(bench, work);
    else
        status = check_work(bench, row, work, who);
    if (status == QUERN_INTERNAL) {
        char what[128];
        snprintf(what, sizeof what, "%s", quern_last_error());
        return quern_fail(QUERN_INTERNAL, "wrong result of %s: %s", quern_bench_who_name(row, who), what);
    }
    return status;
}

static quern_status check_all(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work)
{
    quern_status status = QUERN_SUCCESS;
    for (int who = 0; !status && who < QUERN_BENCH_WHO_COUNT; ++who)
        if (takes_part(bench, row, (quern_bench_who)who))
            status = check(bench, row, work, (quern_bench_who)who);
    return status;
}

static quern_status measure(const quern_bench *bench, const quern_bench_row *row, quern_bench_work *work,
                            double *values, quern_bench_result *result)
{
    int enough = row->cold ? 1 : 2; /* to see that it works */
    int rounds = bench->quick && row->rounds > enough ? enough : row->rounds;
    int runs = bench->quick && row->runs > enough ? enough : row->runs;
    size_t count = (size_t)rounds * (size_t)runs;

    for (int round = 0; round < rounds; ++round)
        for (int who = 0; who < QUERN_BENCH_WHO_COUNT; ++who) {
            if (!takes_part(bench, row, (quern_bench_who)who))
                continue;
            quern_status status = turn(bench, row, work, (quern_bench_who)who, runs,
                                       values + (size_t)who * count + (size_t)round * (size_t)runs);
            if (status)
                return status;
        }
    for (int who = 0; who < QUERN_BENCH_WHO_COUNT; ++who) {
        result->present[who] = takes_part(bench, row, (quern_bench_who)who);
        if (result->present[who])
            result->figure[who] = quern_bench_summarise(values + (size_t)who * count, count);
    }
    return QUERN_SUCCESS;
}

quern_status quern_bench_measure(const quern_bench *bench, const quern_bench_row *row, quern_bench_result *result)
{
    quern_bench_work work = {.batch = 1};
    size_t room = QUERN_BENCH_WHO_COUNT * (size_t)row->rounds * (size_t)row->runs;
    double *values = calloc(room, sizeof *values);
    if (!values)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu measurements", room);

    quern_status status = row->prepare(bench, &work);
    if (!status)
        status = check_all(bench, row, &work);
    if (!status)
        status = measure(bench, row, &work, values, result);
    if (!status) /* what was measured was right, too */
        status = check(bench, row, &work, QUERN_BENCH_OURS);
    quern_bench_work_release(bench, &work);
    if (row->release)
        row->release(&work);
    free(values);
    return status;
}
