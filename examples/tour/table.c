/* The table of what the tour has done, the clock, and complaints. */
#include "tour.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int wrong;

void table_heading(void)
{
    printf("\n%-22s %-8s %-26s %10s %8s %7s\n", "kernel", "device", "result", "time", "GB/s", "ratio");
}

void table_line(const line *line)
{
    printf("%-22s %-8s %-26s %7.3f ms %8.2f %7.2f%s\n", line->kernel, line->device, line->result, 1e3 * line->seconds,
           line->bytes / line->seconds * 1e-9, line->sequential_seconds / line->seconds, line->right ? "" : "  WRONG");
    fflush(stdout);
    if (!line->right)
        ++wrong;
}

int table_wrong(void)
{
    return wrong;
}

double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_seconds(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare);
    return seconds[count / 2];
}

int complain(const char *what)
{
    fprintf(stderr, "quern-tour: %s: %s\n", what, quern_last_error());
    return -1;
}
