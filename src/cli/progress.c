/* Progress of long work on a terminal. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int shown;        /* a line stands on the terminal */
static double last_time; /* when it was written, seconds */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void quern_cli_progress(const char *format, ...)
{
    static const double interval = 0.1;
    if (!isatty(STDERR_FILENO) || (shown && now() - last_time < interval))
        return;
    va_list arguments;
    fputc('\r', stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(" \033[K", stderr);
    fflush(stderr);
    shown = 1;
    last_time = now();
}

void quern_cli_progress_end(void)
{
    if (!shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    shown = 0;
}
