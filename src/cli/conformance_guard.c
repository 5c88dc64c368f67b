/* A test that crashes or hangs ends `quern conformance`, but not without its name and its result. */
#include "conformance.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const quern_cli_guard_texts *_Atomic prepared;
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

static void catch_crashes(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO;
    for (int i = 0; i < CRASHES; ++i)
        sigaction(crashes[i].number, &action, &before[i]);
}

static void release_crashes(void)
{
    for (int i = 0; i < CRASHES; ++i)
        sigaction(crashes[i].number, &before[i], NULL);
}

/* ---- hangs: a thread that waits for the end of the test, but not for ever ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t watcher;
static int watching, stopping;   /* the thread is there; it is to end */
static int armed;                /* a test runs, */
static struct timespec deadline; /* until then */

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
        clock_gettime(CLOCK_REALTIME, &present);
        /* The next test may have begun meanwhile, with a later deadline. */
        if (error == ETIMEDOUT && armed && present.tv_sec >= deadline.tv_sec) {
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
    stopping = 0;
    int error = pthread_create(&watcher, NULL, watch, NULL);
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
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += (time_t)seconds;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* ---- both ---- */

int quern_cli_guard_begin(const quern_cli_guard_texts *texts, uint64_t seconds)
{
    if (start_watching())
        return QUERN_CLI_WRONG;
    if (!atomic_exchange(&prepared, texts))
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
    if (!watching)
        return;
    pthread_mutex_lock(&lock);
    stopping = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(watcher, NULL);
    watching = 0;
    release_crashes();
    atomic_store(&prepared, NULL);
}
