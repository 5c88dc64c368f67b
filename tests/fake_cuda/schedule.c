/*
 * Running what streams hold: threads that take up the first command of a stream that may go on, which one is left to
 * chance, after a pause that is left to chance too. What no stream's order, event or the stream NULL forbids happens
 * sooner or later, so a wait that a program forgot is seen. Host functions have one thread for them all, as they may
 * have in the real driver.
 */
#include "fake.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct fake_stream *busy; /* streams that hold commands */
/* Where the threads sleep: those that run commands, and the one for host functions. Whoever finds more to do than it
 * takes itself wakes one more. */
static pthread_cond_t sleepers[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static int is_held, thread_count;
static size_t commands_run;
static unsigned random_state = 1;

unsigned fake_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

size_t fake_commands_run(void)
{
    return commands_run;
}

/* ---- moments ---- */

struct fake_point *fake_point_new(void)
{
    struct fake_point *point = calloc(1, sizeof *point);
    if (point)
        point->references = 1;
    return point;
}

void fake_point_unref(struct fake_point *point)
{
    if (point && --point->references == 0)
        free(point);
}

void fake_point_reach(struct fake_point *point)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    point->nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    point->is_done = 1;
}

/* ---- the streams' lists ---- */

void fake_command_free(struct fake_command *command)
{
    fake_memory_unuse(command->box.target.memory);
    fake_memory_unuse(command->box.source.memory);
    fake_memory_unuse(command->memory);
    fake_point_unref(command->point);
    if (command->launch)
        fake_launch_free(command->launch);
    free(command->before);
    free(command);
}

static void leave_busy(struct fake_stream *stream)
{
    struct fake_stream **link = &busy;
    while (*link != stream)
        link = &(*link)->next_busy;
    *link = stream->next_busy;
    stream->is_busy = 0;
}

static void remove_first(struct fake_stream *stream)
{
    struct fake_command *command = stream->first;
    stream->first = command->next;
    if (!stream->first) {
        stream->last = NULL;
        leave_busy(stream);
    }
    fake_command_free(command);
}

/* Commands that this one comes after although they are in other streams: those of the stream NULL, and NULL's come
 * after all. */
static int add_before(struct fake_command *command, struct fake_stream *stream)
{
    struct fake_context *context = stream->context;
    size_t count = 0, most = 1;
    if (stream->flags & FC_STREAM_NON_BLOCKING)
        return 1;
    for (const struct fake_stream *other = context->streams; other; other = other->next)
        ++most;
    struct fake_before *list = malloc(most * sizeof *list);
    if (!list)
        return 0;
    for (struct fake_stream *other = context->streams; other; other = other->next)
        if (other != stream && !(other->flags & FC_STREAM_NON_BLOCKING) && other->submitted > other->completed &&
            (stream == context->legacy || other == context->legacy))
            list[count++] = (struct fake_before){other, other->submitted};
    command->before = list;
    command->before_count = count;
    return 1;
}

/* 1 when the stream's first command may be taken up, by the thread for host functions or by the others. */
static int is_ready(const struct fake_stream *stream, int for_calls)
{
    const struct fake_command *command = stream->first;
    if (stream->is_running || stream->context->breaks_with || (command->what == FAKE_CALL) != for_calls)
        return 0;
    if (command->what == FAKE_WAIT && !command->point->is_done)
        return 0;
    for (size_t i = 0; i < command->before_count; ++i)
        if (command->before[i].stream->completed < command->before[i].number)
            return 0;
    return 1;
}

fc_result fake_submit(struct fake_stream *stream, struct fake_command *command)
{
    fc_result error = stream->context->error;
    if (!error && stream->capture)
        return fake_capture(stream, command);
    if (!error && !add_before(command, stream))
        error = FC_ERROR_OUT_OF_MEMORY;
    if (error) {
        fake_command_free(command);
        return error;
    }
    command->stream = stream;
    if (stream->last)
        stream->last->next = command;
    else
        stream->first = command;
    stream->last = command;
    ++stream->submitted;
    if (!stream->is_busy) {
        stream->is_busy = 1;
        stream->rank = fake_random();
        stream->next_busy = busy;
        busy = stream;
    }
    if (is_ready(stream, stream->first->what == FAKE_CALL))
        pthread_cond_signal(&sleepers[stream->first->what == FAKE_CALL]);
    return FC_SUCCESS;
}

void fake_schedule_wake(void)
{
    pthread_cond_broadcast(&sleepers[0]);
    pthread_cond_broadcast(&sleepers[1]);
}

/* ---- whose turn it is ---- */

/* Mostly the highest of an order that changes now and then, so that one stream runs far ahead of another; else any. */
static struct fake_stream *choose(int for_calls)
{
    struct fake_stream *chosen = NULL;
    unsigned seen = 0, seen_other = 0;
    if (is_held)
        return NULL;
    int by_rank = fake_random() % 3 != 0, reorder = fake_random() % 64 == 0;
    for (struct fake_stream *stream = busy; stream; stream = stream->next_busy) {
        if (reorder)
            stream->rank = fake_random();
        seen_other += (unsigned)is_ready(stream, !for_calls);
        if (!is_ready(stream, for_calls))
            continue;
        ++seen;
        if (!chosen || (by_rank ? stream->rank > chosen->rank : fake_random() % seen == 0))
            chosen = stream;
    }
    if (seen > 1 && !for_calls)
        pthread_cond_signal(&sleepers[0]);
    if (seen_other)
        pthread_cond_signal(&sleepers[!for_calls]);
    return chosen;
}

/* ---- running ---- */

static void pause_for(unsigned chance, unsigned length)
{
    if (chance % 4 == 0)
        sched_yield();
    if (chance % 16 == 0 && length)
        usleep(length);
}

static fc_result check(struct fake_command *command)
{
    fc_result error = FC_SUCCESS;
    if (command->what > FAKE_KERNEL || fake_is_to_break(&error))
        return error;
    return command->what == FAKE_KERNEL ? fake_launch_check(command->launch)
                                        : fake_box_check(&command->box, command->stream->context);
}

/* Without the lock. */
static fc_result run_unlocked(struct fake_command *command)
{
    if (command->what == FAKE_KERNEL)
        return fake_launch_run(command->launch);
    if (command->what == FAKE_CALL) {
        fake_in_host_function = 1;
        command->function(command->data);
        fake_in_host_function = 0;
    } else {
        fake_box_run(&command->box, command->what == FAKE_FILL);
    }
    return FC_SUCCESS;
}

static fc_result run(struct fake_command *command)
{
    fc_result error = check(command);
    if (error)
        return error;
    if (command->what <= FAKE_CALL) {
        unsigned chance = fake_random(), length = fake_settings.delay ? fake_random() % fake_settings.delay : 0;
        ++commands_run;
        command->stream->is_moving = command->what != FAKE_CALL;
        pthread_mutex_unlock(&fake_lock);
        pause_for(chance, length);
        error = run_unlocked(command);
        pthread_mutex_lock(&fake_lock);
        command->stream->is_moving = 0;
    } else if (command->what == FAKE_RECORD) {
        fake_point_reach(command->point);
    } else if (command->what == FAKE_BEGIN_MEMORY) {
        command->memory->there = 1;
    } else if (command->what == FAKE_END_MEMORY && !command->memory->is_detached) {
        error = fake_memory_release(command->memory);
    }
    return error;
}

static void *work(void *data)
{
    int for_calls = data != NULL;
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        struct fake_stream *stream = choose(for_calls);
        if (!stream) {
            pthread_cond_wait(&sleepers[for_calls], &fake_lock);
            continue;
        }
        stream->is_running = 1;
        fc_result error = run(stream->first);
        if (error) /* while the command is still there: nobody takes it for done */
            fake_context_break(stream->context, error);
        stream->is_running = 0;
        remove_first(stream);
        ++stream->completed;
        pthread_cond_broadcast(&fake_changed);
    }
    return NULL;
}

fc_result fake_schedule_start(void)
{
    pthread_attr_t attributes;
    random_state = fake_settings.seed ? fake_settings.seed * 2654435761u | 1 : 1;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = 0;
    for (; !error && thread_count < 1 + fake_settings.workers; ++thread_count) {
        pthread_t thread;
        error = pthread_create(&thread, &attributes, work, thread_count == 0 ? &busy : NULL);
        if (error)
            break;
    }
    pthread_attr_destroy(&attributes);
    return error ? FC_ERROR_OUT_OF_MEMORY : FC_SUCCESS;
}

/* ---- waiting, and throwing away ---- */

void fake_schedule_wait(struct fake_stream *stream, uint64_t number)
{
    const struct fake_context *context = stream->context;
    while (stream->completed < number && !context->error)
        pthread_cond_wait(&fake_changed, &fake_lock);
}

void fake_wait_for_all(const struct fake_context *context)
{
    for (struct fake_stream *stream = context->streams; stream; stream = stream->next)
        fake_schedule_wait(stream, stream->submitted);
}

/* Moments among it count as reached, so that other contexts do not wait for ever. */
static void drop_stream(struct fake_stream *stream)
{
    struct fake_command *kept = stream->is_running ? stream->first : NULL;
    struct fake_command *command = kept ? kept->next : stream->first;
    if (!stream->first)
        return;
    if (kept)
        kept->next = NULL;
    else
        leave_busy(stream);
    stream->first = stream->last = kept;
    while (command) {
        struct fake_command *next = command->next;
        if (command->what == FAKE_RECORD)
            fake_point_reach(command->point);
        fake_command_free(command);
        command = next;
    }
    stream->completed = stream->submitted - (kept != NULL);
}

void fake_schedule_drop(struct fake_context *context)
{
    for (struct fake_stream *stream = context->streams; stream; stream = stream->next)
        drop_stream(stream);
}

void fake_schedule_still(struct fake_context *context)
{
    pthread_cond_broadcast(&fake_changed); /* the caller's own stream is still by now */
    for (struct fake_stream *stream = context->streams; stream; stream = stream->next)
        while (stream->is_moving)
            pthread_cond_wait(&fake_changed, &fake_lock);
}

void fake_schedule_settle(struct fake_context *context)
{
    fake_schedule_drop(context);
    for (struct fake_stream *stream = context->streams; stream; stream = stream->next)
        while (stream->is_running)
            pthread_cond_wait(&fake_changed, &fake_lock);
}

FAKE_EXPORT fake_cuda_hold_function fake_cuda_hold;
void fake_cuda_hold(int hold)
{
    pthread_mutex_lock(&fake_lock);
    is_held = hold;
    fake_schedule_wake();
    pthread_mutex_unlock(&fake_lock);
}

FAKE_EXPORT fake_cuda_look_function fake_cuda_look;
void *fake_cuda_look(unsigned long long pointer)
{
    pthread_mutex_lock(&fake_lock);
    void *found = fake_memory_find((uintptr_t)pointer) ? fake_memory_host((uintptr_t)pointer) : NULL;
    pthread_mutex_unlock(&fake_lock);
    return found;
}
