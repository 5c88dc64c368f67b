/*
 * The tests of `quern conformance` run in a process of their own: a plug-in that calls _exit, or that the system kills,
 * ends that one without a word, and this one says it.
 */
#include "conformance.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { TEXT_ROOM = 8192, NONE = -1 };

typedef struct texts {
    char error[TEXT_ROOM], output[TEXT_ROOM];
} texts;

/* What both processes see. */
typedef struct shared {
    atomic_int present; /* which of the texts; NONE: no test runs */
    atomic_int ended;   /* 1 when the child has said all that it had to say, */
    atomic_int status;  /* with that result */
    texts both[2];      /* one is written while the other holds */
} shared;

static shared *area;

/* ---- in the child ---- */

int quern_cli_child_prepare(const char *error, const char *output)
{
    if (!area)
        return QUERN_CLI_RIGHT;
    const int next = atomic_load(&area->present) == 0;
    texts *place = &area->both[next];
    if (strlen(error) >= TEXT_ROOM || strlen(output ? output : "") >= TEXT_ROOM) {
        quern_cli_error("no room for what to say when a test ends the process");
        return QUERN_CLI_WRONG;
    }
    strcpy(place->error, error);
    strcpy(place->output, output ? output : "");
    atomic_store(&area->present, next);
    return QUERN_CLI_RIGHT;
}

void quern_cli_child_forget(void)
{
    if (area)
        atomic_store(&area->present, NONE);
}

void quern_cli_child_ends(int status)
{
    if (!area)
        return;
    atomic_store(&area->status, status);
    atomic_store(&area->ended, 1);
}

/* Whoever ends the parent means the tests. */
static void end_with(pid_t parent)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(QUERN_CLI_WRONG); /* it was too late for that */
}

/* ---- in the parent ---- */

static void put(FILE *stream, const char *text, const char *name)
{
    static const char place[] = QUERN_CLI_GUARD_SIGNAL;
    for (const char *at; (at = strstr(text, place)); text = at + sizeof place - 1)
        fprintf(stream, "%.*s%s", (int)(at - text), text, name);
    fputs(text, stream);
    (void)fflush(stream);
}

static void name_end(int state, char *name, size_t room)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},
                 {SIGQUIT, "SIGQUIT"}, {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGSEGV, "SIGSEGV"},
                 {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"},
                 {SIGTRAP, "SIGTRAP"}, {SIGSYS, "SIGSYS"},   {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
                 {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};
    if (!WIFSIGNALED(state)) {
        snprintf(name, room, "_exit(%d)", WEXITSTATUS(state));
        return;
    }
    snprintf(name, room, "signal %d", WTERMSIG(state));
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (known[i].number == WTERMSIG(state))
            snprintf(name, room, "%s", known[i].name);
}

static int judge(const shared *seen, int state)
{
    char name[32];
    const int present = atomic_load(&seen->present);
    if (atomic_load(&seen->ended) && WIFEXITED(state)) {
        /* A sanitizer may have found something at the end; nobody may make a failure a success there. */
        const int status = atomic_load(&seen->status);
        return WEXITSTATUS(state) ? WEXITSTATUS(state) : status;
    }
    name_end(state, name, sizeof name);
    if (atomic_load(&seen->ended) || present == NONE) {
        quern_cli_error("the process of the tests was ended by %s, %s", name,
                        atomic_load(&seen->ended) ? "after the last of them" : "while no test ran");
        return QUERN_CLI_WRONG;
    }
    put(stderr, seen->both[present].error, name);
    put(stdout, seen->both[present].output, name);
    return QUERN_CLI_WRONG;
}

static int wait_for(pid_t child, const shared *seen)
{
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) {
            quern_cli_error("cannot wait for the process of the tests: %s", strerror(errno));
            return QUERN_CLI_WRONG;
        }
    return judge(seen, state);
}

int quern_cli_child_begin(int *status)
{
    const pid_t parent = getpid();
    shared *memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *status = QUERN_CLI_WRONG;
    if (memory == MAP_FAILED) {
        quern_cli_error("no memory to share with the process of the tests: %s", strerror(errno));
        return 0;
    }
    atomic_init(&memory->present, NONE);
    (void)fflush(NULL); /* what is not written yet would be written by both */
    const pid_t child = fork();
    if (child == 0) {
        end_with(parent);
        area = memory;
        return 1;
    }
    if (child < 0)
        quern_cli_error("cannot start a process for the tests: %s", strerror(errno));
    else
        *status = wait_for(child, memory);
    (void)munmap(memory, sizeof *memory);
    return 0;
}
