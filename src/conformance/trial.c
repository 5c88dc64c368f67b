/* Running a test, and giving back what it made. */
#include "trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Something that a test made. */
typedef struct kept {
    void *object;
    void (*early)(void *object), (*late)(void *object);
    int is_queue;
} kept;

/* A trial with what its test made, which the test does not see. */
typedef struct running {
    quern_trial trial;
    kept *kept;
    size_t count, room;
    int failed; /* by what the test does not see: a release, an error left on a queue */
} running;

static running *running_of(quern_trial *trial)
{
    return (running *)trial; /* its first member */
}

/* ---- verdicts ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

quern_verdict quern_trial_fail(quern_trial *trial, const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->detail, sizeof trial->detail, format, arguments);
    va_end(arguments);
    size_t used = strlen(trial->detail);
    if (file)
        snprintf(trial->detail + used, sizeof trial->detail - used, " (%s:%d)", base_name(file), line);
    return QUERN_FAILED;
}

quern_verdict quern_trial_unsupported(quern_trial *trial, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trial->detail, sizeof trial->detail, format, arguments);
    va_end(arguments);
    return QUERN_UNSUPPORTED;
}

quern_verdict quern_trial_within(quern_trial *trial, quern_verdict verdict, const char *format, ...)
{
    char inner[sizeof trial->detail];
    va_list arguments;
    if (verdict == QUERN_PASSED)
        return verdict;
    memcpy(inner, trial->detail, sizeof inner);
    va_start(arguments, format);
    vsnprintf(trial->detail, sizeof trial->detail, format, arguments);
    va_end(arguments);
    size_t used = strlen(trial->detail);
    snprintf(trial->detail + used, sizeof trial->detail - used, ": %s", inner);
    return verdict;
}

quern_verdict quern_trial_refused(quern_trial *trial, const char *file, int line, const char *call, quern_status status,
                                  quern_status wanted, const char *word)
{
    if (status == QUERN_SUCCESS)
        return quern_trial_fail(trial, file, line, "%s succeeded, wanted %s", call, quern_status_name(wanted));
    if (status != wanted)
        return quern_trial_fail(trial, file, line, "%s gave %s (%s), wanted %s", call, quern_status_name(status),
                                quern_last_error(), quern_status_name(wanted));
    if (!strstr(quern_last_error(), word))
        return quern_trial_fail(trial, file, line, "%s says \"%s\", which lacks \"%s\"", call, quern_last_error(),
                                word);
    return QUERN_PASSED;
}

/* A failure that the test itself does not notice; the first one counts. */
static void note_failure(quern_trial *trial, const char *what, quern_status status)
{
    running *run = running_of(trial);
    if (run->failed)
        return;
    run->failed = 1;
    snprintf(trial->detail, sizeof trial->detail, "%s: %s: %s", what, quern_status_name(status), quern_last_error());
}

/* ---- what a test makes ---- */

static int keep(quern_trial *trial, kept what)
{
    running *run = running_of(trial);
    if (run->count == run->room) {
        size_t room = run->room ? 2 * run->room : 64;
        kept *more = realloc(run->kept, room * sizeof *more);
        if (!more)
            return 0;
        run->kept = more;
        run->room = room;
    }
    run->kept[run->count++] = what;
    return 1;
}

void quern_trial_keep(quern_trial *trial, void *object, void (*early)(void *object), void (*late)(void *object))
{
    if (keep(trial, (kept){object, early, late, 0}))
        return;
    running_of(trial)->failed = 1;
    snprintf(trial->detail, sizeof trial->detail, "no memory for the list of what the test made");
}

void quern_trial_forget(quern_trial *trial, const void *object)
{
    running *run = running_of(trial);
    for (size_t i = run->count; i-- > 0;)
        if (run->kept[i].object == object) {
            /* The entry stays, empty, so that marks keep their meaning. */
            run->kept[i] = (kept){NULL, NULL, NULL, 0};
            return;
        }
}

static void release_queue(void *queue)
{
    (void)quern_queue_release(queue);
}

static void release_buffer(void *buffer)
{
    (void)quern_buffer_release(buffer);
}

static void release_event(void *event)
{
    (void)quern_event_release(event);
}

void quern_trial_keep_queue(quern_trial *trial, quern_queue *queue)
{
    if (!keep(trial, (kept){queue, NULL, release_queue, 1}))
        running_of(trial)->failed = 1;
}

quern_status quern_trial_queue(quern_trial *trial, quern_device *device, const quern_queue_options *options,
                               quern_queue **queue)
{
    quern_status status = quern_queue_create(device, options, queue);
    if (status == QUERN_SUCCESS)
        quern_trial_keep_queue(trial, *queue);
    return status;
}

quern_status quern_trial_buffer(quern_trial *trial, quern_device *device, quern_type type, quern_extents extents,
                                quern_buffer **buffer)
{
    quern_status status = quern_buffer_create(device, type, extents, buffer);
    if (status == QUERN_SUCCESS)
        quern_trial_keep(trial, *buffer, NULL, release_buffer);
    return status;
}

quern_status quern_trial_buffer_with_layout(quern_trial *trial, quern_device *device, const quern_layout *layout,
                                            quern_memory_kind kind, quern_buffer **buffer)
{
    quern_status status = quern_buffer_create_with_layout(device, layout, kind, buffer);
    if (status == QUERN_SUCCESS)
        quern_trial_keep(trial, *buffer, NULL, release_buffer);
    return status;
}

quern_status quern_trial_buffer_on_queue(quern_trial *trial, quern_queue *queue, const quern_layout *layout,
                                         quern_buffer **buffer)
{
    quern_status status = quern_buffer_create_on_queue_with_layout(queue, layout, buffer);
    if (status == QUERN_SUCCESS)
        quern_trial_keep(trial, *buffer, NULL, release_buffer);
    return status;
}

quern_status quern_trial_record(quern_trial *trial, quern_queue *queue, quern_event **event)
{
    quern_status status = quern_event_record(queue, event);
    if (status == QUERN_SUCCESS)
        quern_trial_keep(trial, *event, NULL, release_event);
    return status;
}

void *quern_trial_memory(quern_trial *trial, size_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? bytes : 1);
    if (memory && !keep(trial, (kept){memory, NULL, free, 0})) {
        free(memory);
        return NULL;
    }
    return memory;
}

/* ---- giving it back ---- */

size_t quern_trial_mark(const quern_trial *trial)
{
    return ((const running *)trial)->count;
}

/* No command is left that could use what is released next. An error that a queue still has is one that nobody looked
 * for. */
static void wait_for_queues(quern_trial *trial)
{
    running *run = running_of(trial);
    for (size_t i = 0; i < run->count; ++i)
        if (run->kept[i].is_queue) {
            quern_status status = quern_queue_synchronize(run->kept[i].object);
            if (status != QUERN_SUCCESS)
                note_failure(trial, "an error was left on a queue", status);
        }
}

void quern_trial_release(quern_trial *trial, size_t mark)
{
    running *run = running_of(trial);
    for (size_t i = mark; i < run->count; ++i)
        if (run->kept[i].early)
            run->kept[i].early(run->kept[i].object);
    wait_for_queues(trial);
    while (run->count > mark) {
        const kept *last = &run->kept[--run->count];
        if (last->late)
            last->late(last->object);
    }
}

/* ---- running ---- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A launch that was refused for want of local memory is no failure on a device that has little or none. The kernels of
 * the suite need less than this; where there is as much, a refusal is the backend's mistake. */
enum { ENOUGH_LOCAL_BYTES = 32 << 10 };

static quern_verdict excuse_local_memory(quern_trial *trial, quern_verdict verdict)
{
    static const char refused[] = "QUERN_LIMIT_EXCEEDED: ";
    char sentence[sizeof trial->detail];
    const char *at = strstr(trial->detail, refused);
    if (verdict != QUERN_FAILED || trial->info.local_memory_bytes >= ENOUGH_LOCAL_BYTES || !at ||
        !strcasestr(at, "local memory"))
        return verdict;
    snprintf(sentence, sizeof sentence, "%s", at + sizeof refused - 1);
    return quern_trial_unsupported(trial, "local memory: %s", sentence);
}

static quern_verdict run_test(const quern_conformance_test *test, running *run)
{
    quern_trial *trial = &run->trial;
    const quern_queue_options options = {0, 0, "trial"};
    QUERN_TRY(trial, quern_device_get_info(trial->device, &trial->info));
    QUERN_TRY(trial, quern_trial_queue(trial, trial->device, &options, &trial->queue));
    return excuse_local_memory(trial, test->run(trial));
}

void quern_trial_run(const quern_conformance_test *test, quern_device *device, quern_device *const *others,
                     size_t other_count, quern_outcome *outcome)
{
    running run;
    char detail[sizeof run.trial.detail];
    double begin = now();
    memset(&run, 0, sizeof run);
    run.trial.device = device;
    run.trial.others = others;
    run.trial.other_count = other_count;
    outcome->verdict = run_test(test, &run);
    /* What the test said goes before what the release finds after it. */
    memcpy(detail, run.trial.detail, sizeof detail);
    quern_trial_release(&run.trial, 0);
    if (outcome->verdict == QUERN_PASSED && run.failed) {
        outcome->verdict = QUERN_FAILED;
        memcpy(detail, run.trial.detail, sizeof detail);
    }
    free(run.kept);
    outcome->seconds = now() - begin;
    snprintf(outcome->detail, sizeof outcome->detail, "%s", outcome->verdict == QUERN_PASSED ? "" : detail);
}
