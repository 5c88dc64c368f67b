/* The table of what the tour has done, the clock, and complaints. */
#include "tour.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int wrong, compared;

void table_heading(void)
{
    printf("\n%-20s %-9s %-24s %10s %8s %6s  %s\n", "kernel", "device", "result", "time", "GB/s", "ratio", "same bits");
}

int table_line(const line *line)
{
    static const char *const words[] = {[BITS_FIRST] = "-", [BITS_SAME] = "yes", [BITS_OTHER] = "NO"};
    bits bits = bits_compare(line->kernel, line->data, line->size);
    if (bits == BITS_NO_MEMORY) {
        fprintf(stderr, "quern-tour: %s: no memory for %zu bytes\n", line->kernel, line->size);
        return -1;
    }
    printf("%-20s %-9s %-24s %7.3f ms %8.2f %6.2f  %s%s\n", line->kernel, line->device, line->result,
           1e3 * line->seconds, line->bytes / line->seconds * 1e-9, line->sequential_seconds / line->seconds,
           words[bits], line->right ? "" : "  WRONG");
    fflush(stdout);
    if (bits != BITS_FIRST)
        ++compared;
    if (!line->right || bits == BITS_OTHER)
        ++wrong;
    return 0;
}

int table_wrong(void)
{
    return wrong;
}

int table_compared(void)
{
    return compared;
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
