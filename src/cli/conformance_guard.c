/* A test that crashes, hangs or calls exit ends `quern conformance`, but not without its name and its result. */
#include "conformance.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance/thread.h"

static quern_cli_guard_texts *_Atomic prepared;
static atomic_flag ending = ATOMIC_FLAG_INIT;

/* ---- writing, as a signal handler may ---- */

static void write_bytes(int file, const char *text, size_t left)
{
    while (left > 0) {
        ssize_t written = write(file, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= (size_t)written;
    }
}

static void write_text(int file, const char *text, const char *name)
{
    static const char place[] = QUERN_CLI_GUARD_SIGNAL;
    if (!text)
        return;
    for (const char *at; (at = strstr(text, place)); text = at + sizeof place - 1) {
        write_bytes(file, text, (size_t)(at - text));
        write_bytes(file, name, strlen(name));
    }
    write_bytes(file, text, strlen(text));
}

/* One thread speaks, and ends them all. */
static void end_process(const char *error, const char *output, const char *name)
{
    while (atomic_flag_test_and_set(&ending))
        pause();
    write_text(STDERR_FILENO, error, name);
    write_text(STDOUT_FILENO, output, name);
    quern_cli_child_ends(QUERN_CLI_WRONG);
    _exit(QUERN_CLI_WRONG);
}

/* ---- crashes ---- */

static const struct {
    int number;
    const char *name;
} crashes[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};

enum { CRASHES = (int)(sizeof crashes / sizeof crashes[0]) };

static struct sigaction before[CRASHES];

static void crashed(int number, siginfo_t *info, void *context)
{
    const quern_cli_guard_texts *texts = atomic_load(&prepared);
    (void)context;
    if (!texts || (info->si_code <= 0 && info->si_pid != getpid())) {
        /* Sent by another process: no test's doing. It comes when this handler has returned. */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    for (int i = 0; i < CRASHES; ++i)
        if (crashes[i].number == number)
            end_process(texts->crash_error, texts->crash_output, crashes[i].name);
}

/* Before every test: drivers set handlers of their own when they start, and later. */
static void catch_crashes(void)
{
    struct sigaction action, present;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK; /* the thread's own may be what overflowed */
    for (int i = 0; i < CRASHES; ++i)
        if (sigaction(crashes[i].number, &action, &present) == 0 && present.sa_sigaction != crashed)
            before[i] = present;
}

static void release_crashes(void)
{
    for (int i = 0; i < CRASHES; ++i)
        sigaction(crashes[i].number, &before[i], NULL);
}

/* ---- exit, called by a test, a backend or a driver: the process would end with 0 and half a report ---- */

static void exited(void)
{
    const quern_cli_guard_texts *texts = atomic_load(&prepared);
    if (texts)
        end_process(texts->exit_error, texts->exit_output, "");
}

static int catch_exit(void)
{
    static int caught; /* there is no taking it back */
    if (!caught && atexit(exited) != 0) {
        quern_cli_error("no memory to watch over the tests");
        return QUERN_CLI_WRONG;
    }
    caught = 1;
    return QUERN_CLI_RIGHT;
}

/* ---- hangs: a thread that waits for the end of the test, but not for ever ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* by the monotonic clock: somebody may set the other one */
static pthread_t watcher;
static int watching, stopping;   /* the thread is there; it is to end */
static int armed;                /* a test runs, */
static struct timespec deadline; /* until then */

static int is_later(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec != than->tv_sec ? time->tv_sec > than->tv_sec : time->tv_nsec >= than->tv_nsec;
}

static void *watch(void *nothing)
{
    pthread_mutex_lock(&lock);
    while (!stopping) {
        if (!armed) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        struct timespec end = deadline, present;
        int error = pthread_cond_timedwait(&changed, &lock, &end);
        clock_gettime(CLOCK_MONOTONIC, &present);
        /* The next test may have begun meanwhile, with a later deadline. */
        if (error == ETIMEDOUT && armed && is_later(&present, &deadline)) {
            const quern_cli_guard_texts *texts = atomic_load(&prepared);
            end_process(texts->hang_error, texts->hang_output, "");
        }
    }
    pthread_mutex_unlock(&lock);
    return nothing;
}

static int start_watching(void)
{
    if (watching)
        return QUERN_CLI_RIGHT;
    pthread_condattr_t monotonic;
    stopping = 0;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int error = pthread_cond_init(&changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (!error && (error = pthread_create(&watcher, NULL, watch, NULL)) != 0)
        pthread_cond_destroy(&changed);
    if (error) {
        quern_cli_error("cannot start the thread that watches over the tests: %s", strerror(error));
        return QUERN_CLI_WRONG;
    }
    watching = 1;
    return QUERN_CLI_RIGHT;
}

static void set_armed(int now, uint64_t seconds)
{
    pthread_mutex_lock(&lock);
    armed = now;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)seconds;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* ---- all of them ---- */

static quern_signal_stack stack; /* of the thread that runs the tests */

void quern_cli_guard_texts_free(quern_cli_guard_texts *texts)
{
    if (!texts)
        return;
    free(texts->crash_error);
    free(texts->crash_output);
    free(texts->hang_error);
    free(texts->hang_output);
    free(texts->exit_error);
    free(texts->exit_output);
    free(texts->end_error);
    free(texts->end_output);
    free(texts);
}

static int start_guarding(void)
{
    if (watching)
        return QUERN_CLI_RIGHT;
    if (catch_exit() || start_watching())
        return QUERN_CLI_WRONG;
    stack = quern_signal_stack_begin();
    return QUERN_CLI_RIGHT;
}

int quern_cli_guard_begin(quern_cli_guard_texts *texts, uint64_t seconds)
{
    if (start_guarding() || quern_cli_child_prepare(texts->end_error, texts->end_output)) {
        quern_cli_guard_texts_free(texts);
        return QUERN_CLI_WRONG;
    }
    quern_cli_guard_texts_free(atomic_exchange(&prepared, texts));
    catch_crashes();
    set_armed(1, seconds);
    return QUERN_CLI_RIGHT;
}

void quern_cli_guard_end(void)
{
    set_armed(0, 0);
}

void quern_cli_guard_stop(void)
{
    quern_cli_child_forget();
    if (!watching)
        return;
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(watcher, NULL);
    pthread_cond_destroy(&changed);
    watching = 0;
    release_crashes();
    quern_signal_stack_end(stack);
    quern_cli_guard_texts_free(atomic_exchange(&prepared, NULL));
}
