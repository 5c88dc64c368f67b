/*
 * The message of a task that ran over its stack.
 *
 * The fault finds no room on the stack that is full, so every task thread has another one for signals. What happens in
 * the handler is async-signal-safe: no formatting, no lock, one write.
 */
#include "overflow.h"

#include "base/error.h"
#include "task.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static const int watched_signals[] = {SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof watched_signals / sizeof watched_signals[0], LEAST_SIGNAL_STACK = 32 * 1024 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* over is_ours */
static int is_ours[SIGNALS];
static _Thread_local char *signal_stack;

/* Appends what fits. */
static size_t append(char *line, size_t length, size_t room, const char *text)
{
    while (*text && length < room)
        line[length++] = *text++;
    return length;
}

static void report(const quern_stack *stack)
{
    char line[128];
    const size_t room = sizeof line;
    size_t length = append(line, 0, room, "quern: ");
    if (stack->name && stack->name[0]) {
        length = append(line, length, room, "task '");
        length = append(line, length, room, stack->name);
        length = append(line, length, room, "'");
    } else {
        length = append(line, length, room, "a task");
    }
    _Static_assert(QUERN_STACK_BYTES == 256 * 1024, "the number stands in the text");
    length = append(line, length, room, " ran over its stack of 256 KiB\n");
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* nobody can be told */
}

/* Of the code that faulted; NULL where it is not known how to tell. */
static const void *stack_pointer(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__i386__)
    return (const void *)(uintptr_t)context->uc_mcontext.gregs[REG_ESP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)context->uc_mcontext.sp;
#elif defined(__riscv)
    return (const void *)(uintptr_t)context->uc_mcontext.__gregs[REG_SP];
#elif defined(__powerpc64__)
    return (const void *)(uintptr_t)context->uc_mcontext.gp_regs[1];
#else
    (void)context;
    return NULL;
#endif
}

/* The stack that is to blame for a fault of the calling thread, or NULL. Not every fault in a gap is an overrun: it may
 * be another task's stray pointer, or nobody's. */
static const quern_stack *who_ran_over(const void *address, const ucontext_t *context)
{
    if (!quern_coroutine_self)
        return NULL; /* on the thread's own stack */
    const quern_stack *own = ((quern_task_body *)(void *)quern_coroutine_self)->fibre.stack;
    const void *pointer = stack_pointer(context);
    const char *above = (const char *)pointer + QUERN_STACK_GAP; /* below the last stack there may be no memory */
    int is_elsewhere = !quern_stack_holds(own, pointer) && (quern_stack_is_near(pointer) || quern_stack_is_near(above));
    if (is_elsewhere || quern_stack_overrun(address) == own)
        return own;
    return quern_stack_intruder(own);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const quern_stack *stack = info->si_code > 0 ? who_ran_over(info->si_addr, context) : NULL;
    if (stack)
        report(stack);
    /* The instruction is tried again on return, and faults for good. A signal that was sent is sent again. */
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

static int has_our_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handle;
}

static int has_no_handler(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static void install_handlers(void)
{
    struct sigaction ours, present;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < SIGNALS; ++i)
        if (!is_ours[i] && !sigaction(watched_signals[i], NULL, &present) && has_no_handler(&present))
            is_ours[i] = !sigaction(watched_signals[i], &ours, NULL);
    pthread_mutex_unlock(&mutex);
}

void quern_overflow_stop(void)
{
    struct sigaction present;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < SIGNALS; ++i) {
        if (is_ours[i] && !sigaction(watched_signals[i], NULL, &present) && has_our_handler(&present))
            signal(watched_signals[i], SIG_DFL);
        is_ours[i] = 0;
    }
    pthread_mutex_unlock(&mutex);
}

quern_status quern_overflow_watch(void)
{
    stack_t present, ours = {0};
    install_handlers();
    if (signal_stack || sigaltstack(NULL, &present) || !(present.ss_flags & SS_DISABLE))
        return QUERN_SUCCESS; /* there is one */
    /* Processors with many registers want more. */
    long wanted = sysconf(_SC_SIGSTKSZ);
    ours.ss_size = wanted > LEAST_SIGNAL_STACK ? (size_t)wanted : LEAST_SIGNAL_STACK;
    signal_stack = malloc(ours.ss_size);
    ours.ss_sp = signal_stack;
    if (signal_stack && !sigaltstack(&ours, NULL))
        return QUERN_SUCCESS;
    free(signal_stack);
    signal_stack = NULL;
    return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a task thread's signal stack of %zu bytes", ours.ss_size);
}

void quern_overflow_unwatch(void)
{
    stack_t present, none = {.ss_flags = SS_DISABLE};
    if (!signal_stack)
        return;
    /* Somebody may have set another one meanwhile, which is not ours to take away. */
    if (!sigaltstack(NULL, &present) && present.ss_sp == signal_stack)
        sigaltstack(&none, NULL);
    free(signal_stack);
    signal_stack = NULL;
}

void quern_overflow_die(const quern_stack *stack)
{
    const quern_stack *intruder = quern_stack_intruder(stack);
    report(intruder ? intruder : stack);
    abort();
}

void quern_overflow_check(const quern_stack *stack, const void *here)
{
    if (!quern_stack_is_near(here))
        return;
    report(stack);
    abort();
}
