/*
 * quern bench, rows: from an open device to a kernel that has run, in a fresh process each time.
 *
 *     first    nothing is cached, neither by Quern nor by the driver
 *     quern    the second start: both find what they have put away
 *     opencl   the second start of the hand-written program, which is built from its text; the driver's cache is full
 */
#include "base/error.h"
#include "bench.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY_LENGTH 512

/* The caches of the second starts, and what Quern runs. */
typedef struct caches {
    const char *what;
    char ours[DIRECTORY_LENGTH], opencl[DIRECTORY_LENGTH]; /* "" before it is made */
} caches;

/* ---- empty directories that come and go ---- */

static quern_status make_directory(char path[DIRECTORY_LENGTH])
{
    const char *place = getenv("TMPDIR");
    int length = snprintf(path, DIRECTORY_LENGTH, "%s/quern-bench-XXXXXX", place && place[0] ? place : "/tmp");
    if (length < DIRECTORY_LENGTH && mkdtemp(path))
        return QUERN_SUCCESS;
    path[0] = '\0';
    return quern_fail(QUERN_FILE_ERROR, "a directory for caches cannot be made in '%s': %s", place ? place : "/tmp",
                      length < DIRECTORY_LENGTH ? strerror(errno) : "the name is too long");
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    (void)remove(path);
    return 0;
}

static void remove_directory(const char *path)
{
    if (path[0])
        (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- the starts ---- */

static quern_status prepare(const quern_bench *bench, quern_bench_work *work, const char *what)
{
    double seconds;
    caches *caches = calloc(1, sizeof *caches);
    if (!caches)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for names");
    work->own = caches;
    caches->what = what;
    quern_status status = make_directory(caches->ours);
    if (!status)
        status = quern_bench_start_once(bench, what, caches->ours, &seconds);
    if (!status && bench->opencl)
        status = make_directory(caches->opencl);
    if (!status && bench->opencl)
        status = quern_bench_start_once(bench, QUERN_BENCH_START_OPENCL, caches->opencl, &seconds);
    return status;
}

static quern_status prepare_embedded(const quern_bench *bench, quern_bench_work *work)
{
    return prepare(bench, work, QUERN_BENCH_START_EMBEDDED);
}

static quern_status prepare_file(const quern_bench *bench, quern_bench_work *work)
{
    return prepare(bench, work, QUERN_BENCH_START_FILE);
}

static void release(quern_bench_work *work)
{
    caches *caches = work->own;
    if (!caches)
        return;
    remove_directory(caches->ours);
    remove_directory(caches->opencl);
    free(caches);
}

static quern_status second(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    const caches *caches = work->own;
    return quern_bench_start_once(bench, caches->what, caches->ours, seconds);
}

static quern_status first(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    const caches *caches = work->own;
    char empty[DIRECTORY_LENGTH];
    quern_status status = make_directory(empty);
    if (!status)
        status = quern_bench_start_once(bench, caches->what, empty, seconds);
    remove_directory(empty);
    return status;
}

static quern_status second_opencl(const quern_bench *bench, quern_bench_work *work, double *seconds)
{
    const caches *caches = work->own;
    return quern_bench_start_once(bench, QUERN_BENCH_START_OPENCL, caches->opencl, seconds);
}

/* clang-format off */
const quern_bench_row quern_bench_program_rows[] = {
    {.name = "program", .what = "a kernel that was compiled in: built and run, the second start; first: nothing cached",
     .unit = QUERN_BENCH_MILLISECONDS, .where = QUERN_BENCH_FROM_TEXT, .cold = 1, .rounds = 5, .runs = 1,
     .prepare = prepare_embedded, .release = release, .other = "first",
     .timed = {[QUERN_BENCH_OURS] = second, [QUERN_BENCH_OPENCL] = second_opencl, [QUERN_BENCH_OTHER] = first}},
    {.name = "program_file", .what = "a kernel file: loaded and a kernel of it run, the second start; first: nothing cached",
     .unit = QUERN_BENCH_MILLISECONDS, .cold = 1, .rounds = 5, .runs = 1,
     .prepare = prepare_file, .release = release, .other = "first",
     .timed = {[QUERN_BENCH_OURS] = second, [QUERN_BENCH_OTHER] = first}},
};
/* clang-format on */
const size_t quern_bench_program_row_count = sizeof quern_bench_program_rows / sizeof quern_bench_program_rows[0];
