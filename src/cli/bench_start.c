/*
 * quern bench: a fresh process that opens a device, builds a kernel, runs it once and prints how long that took from
 * the open device on. What was cached in a process cannot help the next one but through the disk.
 */
#include "base/error.h"
#include "bench.h"
#include "bench.k.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define N 4096
#define SCALAR 0.5f

/* ---- in the fresh process ---- */

/* Everything that somebody caches for this user goes to the directory. */
static quern_status cache_in(const char *directory)
{
    if (setenv("HOME", directory, 1) || setenv("XDG_CACHE_HOME", directory, 1) || unsetenv("QUERN_CACHE_DIR") ||
        unsetenv("POCL_CACHE_DIR") || unsetenv("CUDA_CACHE_PATH"))
        return quern_fail(QUERN_SYSTEM_ERROR, "cannot set HOME: %s", strerror(errno));
    return QUERN_SUCCESS;
}

static quern_status load(quern_device *device, const char *path, quern_program **program, quern_kernel **kernel)
{
    quern_status status = quern_program_load(device, path, program);
    return status ? status : quern_program_kernel(*program, "triad", kernel);
}

static const char file_text[] = "#include <quern/kernel.h>\n"
                                "\n"
                                "KERNEL(triad, in(float, b), in(float, c), out(float, a), value(float, s))\n"
                                "{\n"
                                "    EACH (i)\n"
                                "        a[i] = b[i] + s * c[i];\n"
                                "}\n";

static quern_status write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    int failed = !file || fputs(file_text, file) < 0;
    if (file)
        failed |= fclose(file) != 0;
    return failed ? quern_fail(QUERN_FILE_ERROR, "%s cannot be written: %s", path, strerror(errno)) : QUERN_SUCCESS;
}

/* The triad of arrays of zeros; path: of the kernel file, NULL for the kernel that was compiled in. */
static quern_status build_and_run(quern_device *device, const char *path, double *seconds)
{
    static const float scalar = SCALAR;
    quern_program *program = NULL;
    quern_kernel *kernel = &bench_triad_float_kernel;
    quern_queue *queue = NULL;
    quern_buffer *buffer[3] = {NULL};
    quern_status status = quern_queue_create(device, NULL, &queue);

    for (int k = 0; !status && k < 3; ++k)
        status = quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &buffer[k]);
    double begin = quern_bench_now();
    if (!status && path)
        status = load(device, path, &program, &kernel);
    if (!status) {
        quern_view a = QUERN_VIEW(buffer[0]);
        quern_const_view b = QUERN_CONST_VIEW(buffer[1]), c = QUERN_CONST_VIEW(buffer[2]);
        quern_range range = QUERN_RANGE(N);
        quern_argument arguments[] = {quern_argument_const_view(&b), quern_argument_const_view(&c),
                                      quern_argument_view(&a), quern_argument_value(QUERN_TYPE(float), &scalar)};
        status = quern_launch(queue, kernel, &range, arguments, 4);
    }
    if (!status)
        status = quern_queue_synchronize(queue);
    *seconds = quern_bench_now() - begin;

    (void)quern_program_release(program);
    for (int k = 0; k < 3; ++k)
        (void)quern_buffer_release(buffer[k]);
    (void)quern_queue_release(queue);
    return status;
}

static quern_status start_quern(const char *what, const char *directory, const char *name, double *seconds)
{
    char path[512];
    quern_device *device = NULL;
    int is_file = strcmp(what, QUERN_BENCH_START_FILE) == 0;
    quern_status status = QUERN_SUCCESS;

    snprintf(path, sizeof path, "%s/triad.k.c", directory);
    if (is_file)
        status = write_file(path);
    if (!status)
        status = quern_device_open(name, &device);
    if (!status)
        status = build_and_run(device, is_file ? path : NULL, seconds);
    (void)quern_device_release(device);
    return status;
}

static quern_status run_opencl(quern_handwritten *program, double *seconds)
{
    quern_handwritten_array *array[3] = {NULL};
    quern_status status = QUERN_SUCCESS;
    for (int k = 0; !status && k < 3; ++k)
        status = quern_handwritten_array_create(program, N * sizeof(float), &array[k]);
    double begin = quern_bench_now();
    if (!status)
        status = quern_handwritten_build(program);
    if (!status)
        status = quern_handwritten_triad_float(program, N, array[1], array[2], array[0], SCALAR);
    *seconds = quern_bench_now() - begin;
    for (int k = 0; k < 3; ++k)
        quern_handwritten_array_release(program, array[k]);
    return status;
}

static quern_status start_opencl(const char *name, const char *description, double *seconds)
{
    quern_handwritten *program = NULL;
    quern_status status = quern_handwritten_open(strtoul(strchr(name, ':') + 1, NULL, 10), description, &program);
    if (!status)
        status = run_opencl(program, seconds);
    quern_handwritten_close(program);
    return status;
}

int quern_bench_start_main(int argc, char **argv)
{
    quern_cli_plugins plugins = {0};
    double seconds = 0;

    if (argc < 6 || !strchr(argv[4], ':'))
        return quern_cli_misuse("bench", "%s is the tool's own", QUERN_BENCH_START);
    for (int i = 6; i < argc; ++i)
        if (quern_cli_plugin_add(&plugins, "bench", argv[i]))
            return QUERN_CLI_MISUSE;
    quern_status status = cache_in(argv[3]);
    if (!status && quern_cli_plugins_load(&plugins) != QUERN_CLI_RIGHT)
        return QUERN_CLI_WRONG;
    if (!status)
        status = strcmp(argv[2], QUERN_BENCH_START_OPENCL) == 0 ? start_opencl(argv[4], argv[5], &seconds)
                                                                : start_quern(argv[2], argv[3], argv[4], &seconds);
    if (status) {
        quern_cli_library_error(argv[4], quern_last_error());
        return QUERN_CLI_WRONG;
    }
    printf("%.9f\n", seconds);
    return QUERN_CLI_RIGHT;
}

/* ---- in the one that measures ---- */

/* Starts this very program; its standard output goes to the file descriptor. */
static quern_status spawn(char *const *arguments, int output, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        if (!error)
            error = posix_spawn(process, "/proc/self/exe", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    return error ? quern_fail(QUERN_SYSTEM_ERROR, "cannot start a process: %s", strerror(error)) : QUERN_SUCCESS;
}

/* What the process prints, and that it ended well. */
static quern_status read_seconds(int input, pid_t process, double *seconds)
{
    char text[64] = "", *end;
    size_t length = 0;
    ssize_t got;
    int state = 0;

    while (length < sizeof text - 1 && (got = read(input, text + length, sizeof text - 1 - length)) != 0)
        if (got > 0)
            length += (size_t)got;
        else if (errno != EINTR)
            break;
    while (waitpid(process, &state, 0) < 0 && errno == EINTR)
        continue;
    *seconds = strtod(text, &end);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != QUERN_CLI_RIGHT || end == text)
        return quern_fail(QUERN_SYSTEM_ERROR, "the process that starts the device anew failed");
    return QUERN_SUCCESS;
}

quern_status quern_bench_start_once(const quern_bench *bench, const char *what, const char *directory, double *seconds)
{
    const quern_cli_plugins *plugins = &bench->options->plugins;
    const char *arguments[7 + QUERN_CLI_MOST_PLUGINS + 1] = {"quern",   "bench",          QUERN_BENCH_START,      what,
                                                             directory, bench->info.name, bench->info.description};
    int ends[2];
    pid_t process;

    for (size_t i = 0; i < plugins->count; ++i)
        arguments[7 + i] = plugins->paths[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return quern_fail(QUERN_SYSTEM_ERROR, "cannot make a pipe: %s", strerror(errno));
    quern_status status = spawn((char *const *)(uintptr_t)arguments, ends[1], &process);
    close(ends[1]);
    if (!status)
        status = read_seconds(ends[0], process, seconds);
    close(ends[0]);
    return status;
}
