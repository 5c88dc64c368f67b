/* A program that is loaded at run time and released while its kernel is still queued. */
#include "gate.h"
#include "guarded.h"
#include "lifetime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kernel_text[] = "#include <quern/kernel.h>\n"
                                  "\n"
                                  "KERNEL(conformance_twice, in(int32_t, x), out(int32_t, y), value(int32_t, more))\n"
                                  "{\n"
                                  "    EACH (i)\n"
                                  "        y[i] = 2 * x[i] + more;\n"
                                  "}\n";

enum { COUNT = 1009 };

static void remove_file(void *path)
{
    (void)unlink(path);
}

/* A kernel file in the directory for temporary files, removed at the test's end. */
static quern_verdict write_file(quern_trial *trial, char **path)
{
    const char *directory = getenv("TMPDIR");
    size_t size = strlen(directory ? directory : "/tmp") + 64;
    *path = quern_trial_memory(trial, size);
    QUERN_WANT(trial, *path, "no memory for a path");
    snprintf(*path, size, "%s/quern-conformance-XXXXXX.k.c", directory ? directory : "/tmp");
    int file = mkstemps(*path, 4);
    QUERN_WANT(trial, file >= 0, "cannot make %s: %s", *path, strerror(errno));
    quern_trial_keep(trial, *path, NULL, remove_file);
    ssize_t written = write(file, kernel_text, sizeof kernel_text - 1);
    int closed = close(file);
    QUERN_WANT(trial, written == (ssize_t)sizeof kernel_text - 1 && closed == 0, "cannot write %s", *path);
    return QUERN_PASSED;
}

static quern_status launch(quern_queue *queue, quern_kernel *kernel, const quern_guarded *x, const quern_guarded *y,
                           int32_t more)
{
    const quern_range range = QUERN_RANGE(COUNT);
    const quern_const_view in = quern_view_as_const(x->view);
    const quern_argument arguments[3] = {quern_argument_const_view(&in), quern_argument_view(&y->view),
                                         quern_argument_value(QUERN_TYPE(int32_t), &more)};
    return quern_launch(queue, kernel, &range, arguments, 3);
}

static quern_verdict launch_and_release(quern_trial *trial, const char *path, quern_guarded *x, quern_guarded *y,
                                        int32_t more)
{
    quern_program *program = NULL;
    quern_kernel *kernel = NULL;
    quern_gate *gate;
    int32_t values[COUNT];
    quern_status status = quern_program_load(trial->device, path, &program);
    if (status == QUERN_NOT_SUPPORTED)
        return quern_trial_unsupported(trial, "kernel files at run time");
    if (status == QUERN_NOT_FOUND) /* no C compiler here, which no device is to blame for */
        return quern_trial_unsupported(trial, "%s", quern_last_error());
    QUERN_TRY(trial, status);
    status = quern_program_kernel(program, "conformance_twice", &kernel);
    QUERN_CHECK(quern_gate_make(trial, trial->queue, QUERN_SUCCESS, &gate));
    if (status == QUERN_SUCCESS)
        status = launch(trial->queue, kernel, x, y, more);
    QUERN_TRY(trial, quern_program_release(program));
    QUERN_TRY(trial, status);
    quern_gate_open(gate);
    quern_guarded_values(x, values);
    for (int i = 0; i < COUNT; ++i)
        values[i] = 2 * values[i] + more;
    return quern_guarded_want(trial, trial->queue, y, values);
}

quern_verdict quern_lifetime_program(quern_trial *trial)
{
    quern_guarded x, y;
    char *path;
    int32_t values[COUNT];
    quern_guarded_shape shape = quern_guarded_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(COUNT));
    QUERN_CHECK(write_file(trial, &path));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x", shape, &x));
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "y", shape, &y));
    for (int32_t i = 0; i < COUNT; ++i)
        values[i] = 7 * i - 1000;
    quern_guarded_set(&x, values);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &y));
    for (int32_t round = 0; round < 3; ++round)
        QUERN_CHECK(launch_and_release(trial, path, &x, &y, round));
    return QUERN_PASSED;
}
