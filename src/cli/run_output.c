/* The standard output with --json: it is the JSON's alone, and what kernels print goes to the standard error. */
#include "run_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int kept = STDOUT_FILENO; /* where the standard output goes */

void quern_cli_output_hide(void)
{
    (void)fflush(stdout);
    int file = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (file < 0)
        return;
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        close(file);
    else
        kept = file;
}

void quern_cli_output_show(void)
{
    if (kept == STDOUT_FILENO)
        return;
    (void)fflush(stdout);
    (void)dup2(kept, STDOUT_FILENO);
    close(kept);
    kept = STDOUT_FILENO;
}

int quern_cli_output_file(void)
{
    return kept;
}
