/* Running the C compiler: several processes at once, without a shell, with everything that they print captured. */
#ifndef QUERN_COMPILER_DRIVER_PROCESS_H
#define QUERN_COMPILER_DRIVER_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include "text.h"

/* A command line that grows; starts as {0}. items ends with NULL. failed: memory is exhausted. */
typedef struct quern_arguments {
    char **items;
    size_t count, capacity;
    int failed;
} quern_arguments;

void quern_arguments_add(quern_arguments *arguments, const char *format, ...) __attribute__((format(printf, 2, 3)));
void quern_arguments_free(quern_arguments *arguments);

/* Starts as {0} but for the command. */
typedef struct quern_process {
    quern_arguments command; /* items[0] is the program's path */
    quern_text output, errors;
    int exit_code; /* 0 right; 128 + n when signal n ended it */
    pid_t pid;     /* private, as are the rest */
    int output_fd, errors_fd;
} quern_process;

/*
 * Runs them at the same time and waits for all. verbose: prints each command on stderr first. A process that ran and
 * failed is a success of this function; the exit code says it. NOT_FOUND when a program cannot be started,
 * SYSTEM_ERROR, OUT_OF_MEMORY.
 */
quern_status quern_processes_run(quern_process *processes, size_t count, int verbose);
void quern_process_free(quern_process *process);

/* A program's signal handler may set this to end a compilation early: its processes are ended, its files removed. */
extern volatile sig_atomic_t quern_compile_interrupted;

#endif
