/* Tidying up when the tool is interrupted. */
#include "interrupt.h"

#include "compiler/driver_process.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static const char *volatile doomed;

static void note(int number)
{
    caught = number;
    quern_compile_interrupted = 1;
}

static void remove_and_end(int number)
{
    const char *path = doomed;
    if (path)
        unlink(path);
    raise(number); /* the first signal has put back the default; it comes when this handler has returned */
}

/* Signals that are ignored (nohup) stay so. */
static void set_handlers(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, present;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = handler == SIG_DFL ? 0 : (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        if (sigaction(numbers[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void quern_cli_interrupts_catch(void)
{
    set_handlers(note);
}

int quern_cli_interrupted(void)
{
    return caught != 0;
}

void quern_cli_interrupts_release(void)
{
    set_handlers(SIG_DFL);
    if (caught)
        raise(caught);
}

void quern_cli_interrupts_remove(const char *path)
{
    if (path) {
        doomed = path;
        set_handlers(remove_and_end);
    } else {
        set_handlers(SIG_DFL);
        doomed = NULL;
    }
}
