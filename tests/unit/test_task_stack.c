/* Stacks of tasks: the pool, what guards their ends, and the handler that is told of an overrun. */
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
#include <unistd.h>

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
    assert_true(quern_stack_holds(stack, stack->lowest) && quern_stack_is_near(stack->lowest));
    assert_true(!quern_stack_holds(stack, stack->lowest - 1) && quern_stack_is_near(stack->lowest - 1));
    assert_true(!quern_stack_holds(stack, stack->lowest + stack->size));
    assert_false(quern_stack_is_near(&local));
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

/* vm.max_map_count */
static size_t mappings_allowed(void)
{
    unsigned long allowed = 65530;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    if (file) {
        assert_int_equal(fscanf(file, "%lu", &allowed), 1);
        fclose(file);
    }
    return allowed;
}

/* The mappings that guards may use, half of all, are used up first. */
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
    assert_int_equal(guarded, mappings_allowed() / 4);
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

/* ---- signals ------------------------------------------------------------------------------------------------------
 */

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
        cmocka_unit_test(a_handler_of_the_program_stays),
        cmocka_unit_test(a_signal_stack_of_the_thread_stays),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
