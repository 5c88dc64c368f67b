/* Stacks of tasks: the pool, what guards their ends, and what is told of one that ran over. */
#include "task/overflow.h"
#include "task/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "task/fibre.h"
#include "task/sanitizer.h"

#if defined(QUERN_ASAN) || defined(QUERN_TSAN)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

/* ---- the pool -----------------------------------------------------------------------------------------------------
 */

static void a_stack_is_as_large_as_promised(void **state)
{
    quern_stack *stack;
    (void)state;
    assert_int_equal(quern_stack_take(&stack), QUERN_SUCCESS);
    assert_true(stack->size > QUERN_STACK_BYTES - 1024 && stack->size <= QUERN_STACK_BYTES);
    assert_int_equal((uintptr_t)(stack->lowest + stack->size) % 64, 0);
    stack->lowest[0] = 1;
    stack->lowest[stack->size - 1] = 1;
    assert_true(quern_stack_is_sound(stack));
    quern_stack_give_back(stack);
}

static void what_is_given_back_is_taken_again(void **state)
{
    quern_stack *first, *second, *again;
    (void)state;
    assert_int_equal(quern_stack_take(&first), QUERN_SUCCESS);
    assert_int_equal(quern_stack_take(&second), QUERN_SUCCESS);
    assert_ptr_not_equal(first, second);
    first->name = "one";
    quern_stack_give_back(first);
    assert_int_equal(quern_stack_take(&again), QUERN_SUCCESS);
    assert_ptr_equal(again, first);
    assert_null(again->name);
    quern_stack_give_back(again);
    quern_stack_give_back(second);
}

static void all_may_be_freed_and_new_ones_taken(void **state)
{
    quern_stack *stack;
    (void)state;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(quern_stack_take(&stack), QUERN_SUCCESS);
        memset(stack->lowest, i, stack->size);
        quern_stack_give_back(stack);
        quern_stacks_free();
    }
}

/* ---- many of them -------------------------------------------------------------------------------------------------
 */

enum { MANY = 6000, TOUCHED = 3, PAGE = 4096 }; /* a larger page is touched as often, and counted once */

static quern_stack *many[MANY];

/* How much of a stack is memory. */
static size_t resident_bytes(const quern_stack *stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), resident = 0;
    unsigned char pages[QUERN_STACK_BYTES / PAGE + 1];
    assert_int_equal(mincore(stack->lowest, stack->size, pages), 0);
    for (size_t i = 0; i * page < stack->size; ++i)
        resident += (pages[i] & 1) * page;
    return resident;
}

static void take_many(void)
{
    for (int i = 0; i < MANY; ++i) {
        assert_int_equal(quern_stack_take(&many[i]), QUERN_SUCCESS);
        for (size_t page = 0; page < TOUCHED; ++page)
            *(volatile int *)(void *)(many[i]->lowest + many[i]->size - page * PAGE - 64) = i;
    }
}

static void give_many_back(void)
{
    for (int i = 0; i < MANY; ++i)
        quern_stack_give_back(many[i]);
}

static int by_address(const void *a, const void *b)
{
    const quern_stack *const *left = a, *const *right = b;
    return ((*left)->lowest > (*right)->lowest) - ((*left)->lowest < (*right)->lowest);
}

static void stacks_do_not_touch(void **state)
{
    (void)state;
    take_many();
    for (int i = 0; i < MANY; ++i)
        assert_int_equal(*(int *)(void *)(many[i]->lowest + many[i]->size - 64), i);
    qsort(many, MANY, sizeof many[0], by_address);
    for (int i = 0; i + 1 < MANY; ++i)
        assert_true(many[i]->lowest + many[i]->size + QUERN_STACK_CANARY <= many[i + 1]->lowest);
    give_many_back();
}

static void only_what_is_touched_is_memory(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)state;
    quern_stacks_free();
    take_many();
    for (int i = 0; i < MANY; ++i) {
        assert_true(quern_stack_is_sound(many[i]));
        assert_true(resident_bytes(many[i]) <= TOUCHED * page);
    }
    give_many_back();
}

static void idle_stacks_give_their_memory_back(void **state)
{
    size_t whole = 0, some = 0, none = 0;
    (void)state;
    quern_stacks_free();
    take_many();
    size_t used = resident_bytes(many[0]);
    give_many_back();
    for (int i = 0; i < MANY; ++i) {
        size_t kept = resident_bytes(many[i]);
        ++*(kept >= used ? &whole : kept ? &some : &none);
    }
    assert_int_equal(whole, 256);
    assert_int_equal(some, 4096);
    assert_int_equal(none, MANY - 256 - 4096);
}

static void without_address_space_there_is_no_stack(void **state)
{
    (void)state;
    if (HAS_SANITIZER) {
        puts("skipped: sanitizers want address space without a limit");
        skip();
    }
    struct rlimit before, little;
    quern_stack *stack, *all = NULL;
    quern_status status;
    size_t count = 0;
    quern_stacks_free();
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    little = before;
    little.rlim_cur = 512U << 20;
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    for (;; ++count) {
        status = quern_stack_take(&stack);
        if (status != QUERN_SUCCESS)
            break;
        stack->next = all;
        all = stack;
    }
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, QUERN_OUT_OF_MEMORY);
    assert_non_null(strstr(quern_last_error(), "stack"));
    assert_true(count > 700); /* the last ones in slabs that are as small as it takes */
    while (all) {
        stack = all;
        all = stack->next;
        quern_stack_give_back(stack);
    }
}

/* ---- guards and canaries ------------------------------------------------------------------------------------------
 */

static void an_address_in_a_gap_tells_the_stack(void **state)
{
    quern_stack *stack;
    int local = 0;
    (void)state;
    assert_int_equal(quern_stack_take(&stack), QUERN_SUCCESS);
    assert_ptr_equal(quern_stack_overrun(stack->lowest - 1), stack);
    assert_ptr_equal(quern_stack_overrun(stack->lowest - PAGE), stack);
    assert_null(quern_stack_overrun(stack->lowest));
    assert_null(quern_stack_overrun(stack->lowest + stack->size - 1));
    assert_null(quern_stack_overrun(&local));
    assert_null(quern_stack_overrun(NULL));
    quern_stack_give_back(stack);
    quern_stacks_free();
    assert_null(quern_stack_overrun(stack));
}

/* The rest of the process has mappings left. */
static void may_still_map(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 201;
    char *pages = mmap(NULL, count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    for (size_t i = 1; i < count; i += 2)
        assert_int_equal(mprotect(pages + i * page, page, PROT_READ), 0);
    assert_int_equal(munmap(pages, count * page), 0);
}

/* The mappings that guards may use are used up first. */
static void beyond_the_guards_there_are_canaries(void **state)
{
    quern_stack *stack, *all = NULL;
    size_t guarded = 0;
    (void)state;
    for (;; ++guarded) {
        assert_int_equal(quern_stack_take(&stack), QUERN_SUCCESS);
        stack->next = all;
        all = stack;
        if (!stack->is_guarded)
            break;
        assert_true(quern_stack_is_sound(stack));
    }
    assert_true(guarded > 0);
    may_still_map();
    assert_true(quern_stack_is_sound(stack));
    for (int i = 1; i <= QUERN_STACK_CANARY; i += 51) {
        stack->lowest[-i] = 1;
        assert_false(quern_stack_is_sound(stack));
        stack->lowest[-i] = 0;
        assert_true(quern_stack_is_sound(stack));
    }
    memset(stack->lowest, 1, stack->size);
    assert_true(quern_stack_is_sound(stack));
    /* What stepped over the canary is seen by the rest of the gap. */
    assert_true(quern_stack_is_kept_to(stack));
    stack->lowest[-QUERN_STACK_CANARY - 100] = 1;
    assert_true(quern_stack_is_sound(stack) && !quern_stack_is_kept_to(stack));
    stack->lowest[-QUERN_STACK_CANARY - 100] = 0;
    assert_true(quern_stack_is_kept_to(stack));
    stack->lowest[-QUERN_STACK_GAP / 2] = 1;
    assert_true(quern_stack_is_sound(stack) && !quern_stack_is_kept_to(stack));
    while (all) {
        stack = all;
        all = stack->next;
        quern_stack_give_back(stack);
    }
    quern_stacks_free();
}

/* ---- what is told -------------------------------------------------------------------------------------------------
 */

static quern_fibre home, runner;

static int run_over(int levels);
static int (*volatile one_more)(int levels) = run_over; /* so that no compiler makes a loop of it */

static int run_over(int levels)
{
    volatile char here[512];
    here[levels % 512] = (char)levels;
    return levels ? one_more(levels - 1) + here[levels % 512] : 0;
}

static void run_over_in_a_fibre(void *argument)
{
    one_more(2 * QUERN_STACK_BYTES / 512);
    (void)argument;
    quern_fibre_leave(&runner, &home);
}

static void overrun(void)
{
    quern_stack *stack;
    if (quern_overflow_watch() != QUERN_SUCCESS || quern_stack_take(&stack) != QUERN_SUCCESS)
        _exit(1);
    stack->name = "greedy";
    quern_fibre_adopt(&home);
    quern_fibre_begin(&runner, stack, run_over_in_a_fibre, NULL);
    quern_fibre_switch(&home, &runner);
}

static void find_damage(void)
{
    quern_stack *stack;
    if (quern_stack_take(&stack) != QUERN_SUCCESS)
        _exit(1);
    quern_overflow_die(stack);
}

static void fault_elsewhere(void)
{
    void *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    quern_overflow_watch();
    *(volatile char *)page = 1;
}

static void be_sent_a_signal(void)
{
    quern_overflow_watch();
    kill(getpid(), SIGSEGV);
}

/* How a child process dies of a function, and what it writes to standard error meanwhile. */
static int death(void (*function)(void), char *said, size_t room)
{
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGSEGV, SIG_DFL); /* cmocka has handlers */
        signal(SIGBUS, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        function();
        _exit(0);
    }
    close(ends[1]);
    while (length < room - 1 && (got = read(ends[0], said + length, room - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void who_runs_over_is_named(void **state)
{
    char said[4096];
    (void)state;
    assert_int_equal(death(overrun, said, sizeof said), SIGSEGV);
    /* AddressSanitizer has something to say about ucontext before. */
    assert_non_null(strstr(said, "quern: task 'greedy' ran over its stack of 256 KiB\n"));
}

static void damage_is_the_end(void **state)
{
    char said[4096];
    (void)state;
    assert_int_equal(death(find_damage, said, sizeof said), SIGABRT);
    assert_string_equal(said, "quern: a task ran over its stack of 256 KiB\n");
}

static void other_faults_go_their_way(void **state)
{
    char said[4096];
    (void)state;
    assert_int_equal(death(fault_elsewhere, said, sizeof said), SIGSEGV);
    assert_string_equal(said, "");
    assert_int_equal(death(be_sent_a_signal, said, sizeof said), SIGSEGV);
    assert_string_equal(said, "");
}

static void of_the_program(int number)
{
    (void)number;
}

static void *handler_of(int number)
{
    struct sigaction present;
    assert_int_equal(sigaction(number, NULL, &present), 0);
    return (void *)(uintptr_t)(present.sa_flags & SA_SIGINFO ? (uintptr_t)present.sa_sigaction
                                                             : (uintptr_t)present.sa_handler);
}

/* One that was there before, and one that comes later. */
static void a_handler_of_the_program_stays(void **state)
{
    struct sigaction before_fault, before_bus;
    void *const of_program = (void *)(uintptr_t)of_the_program;
    (void)state;
    sigaction(SIGSEGV, NULL, &before_fault);
    sigaction(SIGBUS, NULL, &before_bus);
    signal(SIGSEGV, of_the_program);
    signal(SIGBUS, SIG_DFL);
    assert_int_equal(quern_overflow_watch(), QUERN_SUCCESS);
    assert_ptr_equal(handler_of(SIGSEGV), of_program);
    assert_ptr_not_equal(handler_of(SIGBUS), NULL);
    quern_overflow_stop();
    assert_ptr_equal(handler_of(SIGSEGV), of_program);
    assert_ptr_equal(handler_of(SIGBUS), NULL);

    assert_int_equal(quern_overflow_watch(), QUERN_SUCCESS);
    assert_ptr_not_equal(handler_of(SIGBUS), NULL);
    signal(SIGBUS, of_the_program);
    quern_overflow_stop();
    assert_ptr_equal(handler_of(SIGBUS), of_program);
    quern_overflow_unwatch();
    sigaction(SIGSEGV, &before_fault, NULL);
    sigaction(SIGBUS, &before_bus, NULL);
}

static void a_signal_stack_of_the_thread_stays(void **state)
{
    static char memory[64 * 1024];
    stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, present, before, none = {.ss_flags = SS_DISABLE};
    (void)state;
    assert_int_equal(sigaltstack(&none, NULL), 0); /* a sanitizer may have set one */
    assert_int_equal(quern_overflow_watch(), QUERN_SUCCESS);
    assert_int_equal(sigaltstack(NULL, &present), 0);
    assert_false(present.ss_flags & SS_DISABLE);
    quern_overflow_unwatch();
    assert_int_equal(sigaltstack(&own, &before), 0);
    assert_true(before.ss_flags & SS_DISABLE);
    assert_int_equal(quern_overflow_watch(), QUERN_SUCCESS);
    quern_overflow_unwatch();
    assert_int_equal(sigaltstack(&before, &present), 0);
    assert_ptr_equal(present.ss_sp, memory);
    quern_overflow_stop();
}

static int free_all(void **state)
{
    (void)state;
    quern_stacks_free();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_as_large_as_promised),
        cmocka_unit_test(what_is_given_back_is_taken_again),
        cmocka_unit_test(all_may_be_freed_and_new_ones_taken),
        cmocka_unit_test(stacks_do_not_touch),
        cmocka_unit_test(only_what_is_touched_is_memory),
        cmocka_unit_test(idle_stacks_give_their_memory_back),
        cmocka_unit_test(without_address_space_there_is_no_stack),
        cmocka_unit_test(an_address_in_a_gap_tells_the_stack),
        cmocka_unit_test(beyond_the_guards_there_are_canaries),
        cmocka_unit_test(who_runs_over_is_named),
        cmocka_unit_test(damage_is_the_end),
        cmocka_unit_test(other_faults_go_their_way),
        cmocka_unit_test(a_handler_of_the_program_stays),
        cmocka_unit_test(a_signal_stack_of_the_thread_stays),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
