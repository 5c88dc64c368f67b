/* A kernel that reaches outside its arrays: the signal handler. */
#include "run_fault.h"

#include "cli.h"
#include "run_output.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const quern_cli_fault_texts *volatile prepared;
static atomic_flag ending = ATOMIC_FLAG_INIT;

/* As a signal handler may write. */
static void write_text(int file, const char *text)
{
    size_t left = text ? strlen(text) : 0;
    while (left > 0) {
        ssize_t written = write(file, text, left);
        if (written <= 0)
            return;
        text += written;
        left -= (size_t)written;
    }
}

static void end(int number, siginfo_t *info, void *context)
{
    const quern_cli_fault_texts *texts = prepared;
    (void)context;
    if (info->si_code <= 0 || !texts) {
        /* Sent by a process: no kernel's doing. It comes when this handler has returned. */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    /* Other threads run the same kernel, and reach outside as well; one speaks, and ends them all. */
    while (atomic_flag_test_and_set(&ending))
        pause();
    texts += number == SIGFPE ? QUERN_CLI_FAULT_DIVISION : QUERN_CLI_FAULT_ACCESS;
    write_text(STDERR_FILENO, texts->error);
    write_text(quern_cli_output_file(), texts->output);
    _exit(QUERN_CLI_WRONG);
}

static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction before[sizeof numbers / sizeof numbers[0]];

void quern_cli_faults_catch(const quern_cli_fault_texts *texts)
{
    struct sigaction action;
    prepared = texts;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = end;
    action.sa_flags = SA_SIGINFO;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        sigaction(numbers[i], &action, &before[i]);
}

void quern_cli_faults_release(void)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        sigaction(numbers[i], &before[i], NULL);
    prepared = NULL;
}
