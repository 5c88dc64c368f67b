/* Running the C compiler with posix_spawn: no shell, so that any file name works, and no copy of a large process's
 * memory. */
#include "driver_process.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

volatile sig_atomic_t quern_compile_interrupted;

enum { LOOK_UP_MILLISECONDS = 200 }; /* how long an interruption that slipped between a look and a wait goes unseen */

/* ---- command lines ---- */

void quern_arguments_add(quern_arguments *arguments, const char *format, ...)
{
    va_list list;
    char *item;
    if (arguments->count + 2 > arguments->capacity) {
        size_t capacity = arguments->capacity ? arguments->capacity * 2 : 32;
        char **items = realloc(arguments->items, capacity * sizeof *items);
        if (!items) {
            arguments->failed = 1;
            return;
        }
        arguments->items = items;
        arguments->capacity = capacity;
    }
    va_start(list, format);
    int length = vasprintf(&item, format, list);
    va_end(list);
    if (length < 0) {
        arguments->failed = 1;
        return;
    }
    arguments->items[arguments->count++] = item;
    arguments->items[arguments->count] = NULL;
}

void quern_arguments_free(quern_arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; ++i)
        free(arguments->items[i]);
    free(arguments->items);
    *arguments = (quern_arguments){0};
}

/* One line on stderr that a shell would take. */
static void print_command(const quern_arguments *command)
{
    quern_text line = {0};
    for (size_t i = 0; i < command->count; ++i) {
        const char *item = command->items[i];
        if (i)
            quern_text_add(&line, " ");
        if (*item &&
            strspn(item, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%") == strlen(item)) {
            quern_text_add(&line, "%s", item);
            continue;
        }
        quern_text_add(&line, "'");
        for (; *item; ++item)
            quern_text_add(&line, *item == '\'' ? "'\\''" : "%c", *item);
        quern_text_add(&line, "'");
    }
    fprintf(stderr, "%s\n", quern_text_string(&line));
    quern_text_free(&line);
}

/* ---- starting ---- */

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

/* The signals that the compiler needs as they were at the beginning, whatever the program has made of them. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGCHLD);
    sigaddset(&defaults, SIGPIPE);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error)
        error = posix_spawnattr_setsigdefault(attributes, &defaults);
    return error ? error : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int spawn(quern_process *process, int output, int errors)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, errors, 2);
        if (!error)
            error = set_attributes(&attributes);
        if (!error)
            error = posix_spawn(&process->pid, process->command.items[0], &actions, &attributes, process->command.items,
                                environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* A pipe whose ends lie above the three standard streams, which the child's ends are moved to. */
static int make_pipe(int ends[2])
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        return errno;
    }
    for (int i = 0; i < 2; ++i)
        if (ends[i] < 3) {
            int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3), error = errno;
            if (moved < 0)
                return error;
            close(ends[i]);
            ends[i] = moved;
        }
    return 0;
}

static quern_status start(quern_process *process)
{
    int output[2] = {-1, -1}, errors[2] = {-1, -1};
    int error = make_pipe(output);
    if (!error)
        error = make_pipe(errors);
    int piped = !error;
    if (!error)
        error = spawn(process, output[1], errors[1]);
    close_end(&output[1]);
    close_end(&errors[1]);
    if (!error) {
        process->output_fd = output[0];
        process->errors_fd = errors[0];
        return QUERN_SUCCESS;
    }
    close_end(&output[0]);
    close_end(&errors[0]);
    process->pid = 0;
    if (error == ENOMEM)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is started", process->command.items[0]);
    return quern_fail(piped && (error == ENOENT || error == EACCES || error == ENOEXEC) ? QUERN_NOT_FOUND
                                                                                        : QUERN_SYSTEM_ERROR,
                      "the C compiler '%s' cannot be started: %s", process->command.items[0], strerror(error));
}

/* ---- waiting ---- */

/* Takes what is there; closes the end when there will be no more. */
static void drain(int *end, quern_text *text)
{
    char bytes[8192];
    ssize_t size = read(*end, bytes, sizeof bytes);
    if (size > 0)
        quern_text_add_bytes(text, bytes, (size_t)size);
    else if (size == 0 || errno != EINTR)
        close_end(end);
}

static void end_all(quern_process *processes, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (processes[i].pid > 0)
            kill(processes[i].pid, SIGTERM);
}

/* Reads from all pipes until each has been closed at the other end. */
static quern_status read_all(quern_process *processes, size_t count)
{
    struct pollfd *polled = calloc(count * 2, sizeof *polled);
    if (!polled) {
        end_all(processes, count);
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler runs");
    }
    for (int open = 1, ended = 0; open;) {
        open = 0;
        for (size_t i = 0; i < count; ++i) {
            polled[2 * i] = (struct pollfd){processes[i].output_fd, POLLIN, 0};
            polled[2 * i + 1] = (struct pollfd){processes[i].errors_fd, POLLIN, 0};
            open |= processes[i].output_fd >= 0 || processes[i].errors_fd >= 0;
        }
        if (quern_compile_interrupted && !ended) {
            end_all(processes, count);
            ended = 1;
        }
        if (!open || poll(polled, (nfds_t)(count * 2), LOOK_UP_MILLISECONDS) <= 0)
            continue;
        for (size_t i = 0; i < count; ++i) {
            if (polled[2 * i].revents)
                drain(&processes[i].output_fd, &processes[i].output);
            if (polled[2 * i + 1].revents)
                drain(&processes[i].errors_fd, &processes[i].errors);
        }
    }
    free(polled);
    return QUERN_SUCCESS;
}

static quern_status reap(quern_process *process)
{
    int state;
    pid_t pid = process->pid, result;
    close_end(&process->output_fd);
    close_end(&process->errors_fd);
    process->pid = 0;
    while ((result = waitpid(pid, &state, 0)) < 0 && errno == EINTR)
        ;
    if (result < 0)
        return quern_fail(QUERN_SYSTEM_ERROR,
                          "the C compiler's exit status is lost (does the program ignore SIGCHLD?): %s",
                          strerror(errno));
    process->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (process->output.failed || process->errors.failed)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler's output is read");
    return QUERN_SUCCESS;
}

quern_status quern_processes_run(quern_process *processes, size_t count, int verbose)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        processes[i].pid = 0;
        processes[i].output_fd = processes[i].errors_fd = -1;
        if (processes[i].command.failed)
            return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler is started");
    }
    size_t started = 0;
    while (started < count && status == QUERN_SUCCESS) {
        if (verbose)
            print_command(&processes[started].command);
        status = start(&processes[started]);
        started += status == QUERN_SUCCESS;
    }
    if (status != QUERN_SUCCESS)
        end_all(processes, started);
    quern_status read_status = started ? read_all(processes, started) : QUERN_SUCCESS;
    if (status == QUERN_SUCCESS)
        status = read_status;
    for (size_t i = 0; i < started; ++i) {
        quern_status reaped = reap(&processes[i]);
        if (status == QUERN_SUCCESS)
            status = reaped;
    }
    if (status == QUERN_SUCCESS && quern_compile_interrupted)
        status = quern_fail(QUERN_COMPILE_FAILED, "the compilation was interrupted");
    return status;
}

void quern_process_free(quern_process *process)
{
    quern_arguments_free(&process->command);
    quern_text_free(&process->output);
    quern_text_free(&process->errors);
    *process = (quern_process){0};
}
