/* Tasks that run over their stacks: how the process dies, and that the one that ran over is named, and no other. */
#include "task_test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "task/overflow.h"
#include "task/stack.h"
#include "task/task.h"

enum { PAGE = 4096, SMALL_FRAME = 512, LARGE_FRAME = 4096, WAY_DOWN = 8 * 1024 * 1024 };

#define SAYS(name) "quern: task '" name "' ran over its stack of 256 KiB\n"

/* ---- deaths ---- */

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

static void dies(void (*function)(void), int signal, const char *wanted)
{
    char said[4096];
    int found = death(function, said, sizeof said);
    if (found != signal || strcmp(said, wanted) != 0)
        fail_msg("died of %d, wanted %d, and said \"%s\", wanted \"%s\"", found, signal, said, wanted);
}

/* ---- running over ---- */

static int run_over(int levels);
static int (*volatile one_more)(int levels) = run_over; /* so that no compiler makes a loop of it */

static int run_over(int levels)
{
    volatile char here[SMALL_FRAME];
    here[levels % SMALL_FRAME] = (char)levels;
    return levels ? one_more(levels - 1) + here[levels % SMALL_FRAME] : 0;
}

static quern_status recurse(void *argument)
{
    (void)argument;
    one_more(WAY_DOWN / SMALL_FRAME);
    return QUERN_SUCCESS;
}

static int yield_and_run_over(int levels);
static int (*volatile one_more_yield)(int levels) = yield_and_run_over;

/* The ends of a frame; no compiler knows that the frame's middle is not used. */
static volatile int first_byte = 0, last_byte = LARGE_FRAME - 1;

/* Touches the ends of its frame only, which steps over a canary. */
static int yield_and_run_over(int levels)
{
    volatile char here[LARGE_FRAME];
    here[first_byte] = here[last_byte] = (char)levels;
    SURE(quern_yield());
    return levels ? one_more_yield(levels - 1) + here[first_byte] : 0;
}

static quern_status recurse_and_yield(void *argument)
{
    (void)argument;
    one_more_yield(WAY_DOWN / LARGE_FRAME);
    return QUERN_SUCCESS;
}

/* No stack that is taken from now on has a guard. Those that have are all somebody else's. */
static quern_stack *use_up_guards(void)
{
    quern_stack *stack = NULL;
    do {
        MUST(quern_stack_take(&stack) == QUERN_SUCCESS);
        stack->name = "innocent";
    } while (stack->is_guarded);
    return stack;
}

static void run_task(quern_task_function *function)
{
    static _Atomic int never;
    spawn("innocent", yield_until, &never); /* so that there is somebody to yield to */
    quern_join(spawn("greedy", function, NULL));
}

static void recurse_with_guard(void)
{
    run_task(recurse);
}

static void yield_with_guard(void)
{
    run_task(recurse_and_yield);
}

static void recurse_without_guard(void)
{
    use_up_guards();
    run_task(recurse);
}

static void yield_without_guard(void)
{
    use_up_guards();
    run_task(recurse_and_yield);
}

static void test_who_runs_over_is_named(void **state)
{
    (void)state;
    dies(recurse_with_guard, SIGSEGV, SAYS("greedy"));
    dies(yield_with_guard, SIGSEGV, SAYS("greedy"));
}

/* Through the stacks of others, until it comes to a gap that nobody may touch. */
static void test_so_is_one_without_a_guard(void **state)
{
    (void)state;
    dies(recurse_without_guard, SIGSEGV, SAYS("greedy"));
    dies(yield_without_guard, SIGABRT, SAYS("greedy"));
}

/* ---- damage that another one finds ---- */

/* Three without guards, the lowest one first; the uppermost one's task has come down to the lowest. */
static void take_three(quern_stack *stacks[3])
{
    stacks[0] = use_up_guards();
    for (int i = 1; i < 3; ++i)
        SURE(quern_stack_take(&stacks[i]));
    MUST(stacks[0]->lowest < stacks[1]->lowest && stacks[1]->lowest < stacks[2]->lowest);
    MUST(stacks[2]->lowest - stacks[0]->lowest == 2 * (QUERN_STACK_BYTES + QUERN_STACK_GAP));
    stacks[1]->name = "middle";
    stacks[2]->name = "greedy";
    MUST(!quern_stack_intruder(stacks[0]));
    for (int i = 1; i < 3; ++i)
        memset(stacks[i]->lowest - QUERN_STACK_GAP, 1, QUERN_STACK_GAP);
    MUST(quern_stack_intruder(stacks[0]) == stacks[2]);
    MUST(quern_stack_intruder(stacks[1]) == stacks[2]);
    MUST(!quern_stack_intruder(stacks[2]));
}

static void find_damage(void)
{
    quern_stack *stack;
    SURE(quern_stack_take(&stack));
    quern_overflow_die(stack);
}

static void find_damage_done_by_another(void)
{
    quern_stack *stacks[3];
    take_three(stacks);
    quern_overflow_die(stacks[0]);
}

static void fault_for_damage_done_by_another(void)
{
    static quern_task_body body;
    quern_stack *stacks[3];
    take_three(stacks);
    SURE(quern_overflow_watch());
    body.fibre.stack = stacks[0];
    quern_coroutine_self = &body.coroutine;
    *(volatile char *)mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
}

static void test_damage_is_the_end(void **state)
{
    (void)state;
    dies(find_damage, SIGABRT, "quern: a task ran over its stack of 256 KiB\n");
    dies(find_damage_done_by_another, SIGABRT, SAYS("greedy"));
    dies(fault_for_damage_done_by_another, SIGSEGV, SAYS("greedy"));
}

/* ---- faults that are no overrun ---- */

static void fault_elsewhere(void)
{
    void *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SURE(quern_overflow_watch());
    *(volatile char *)page = 1;
}

static void be_sent_a_signal(void)
{
    SURE(quern_overflow_watch());
    kill(getpid(), SIGSEGV);
}

static quern_status write_to(void *argument)
{
    *(volatile char *)argument = 1;
    return QUERN_SUCCESS;
}

static char *gap_of_another(void)
{
    quern_stack *stack = NULL;
    SURE(quern_stack_take(&stack));
    MUST(stack->is_guarded);
    stack->name = "innocent";
    return stack->lowest - PAGE;
}

/* A stray pointer of a task's, and one of code that runs for a task on the thread's own stack. */
static void fault_in_the_gap_of_another(void)
{
    quern_join(spawn("stray", write_to, gap_of_another()));
}

static quern_status write_from_a_queue(void *argument)
{
    quern_queue *queue = NULL;
    SURE(quern_queue_current(&queue));
    SURE(quern_queue_call(queue, write_to, argument));
    return quern_queue_synchronize(queue);
}

static void fault_in_the_gap_of_another_in_a_host_function(void)
{
    quern_join(spawn("stray", write_from_a_queue, gap_of_another()));
}

static void test_other_faults_go_their_way(void **state)
{
    (void)state;
    dies(fault_elsewhere, SIGSEGV, "");
    dies(be_sent_a_signal, SIGSEGV, "");
    dies(fault_in_the_gap_of_another, SIGSEGV, "");
    dies(fault_in_the_gap_of_another_in_a_host_function, SIGSEGV, "");
}

/* ---- stacks of the program's own ---- */

static void call_home(void *argument)
{
    quern_fibre **pair = argument;
    for (int i = 0; i < 3; ++i)
        SURE(quern_yield());
    quern_fibre_leave(pair[1], pair[0]);
}

/* A task that runs a coroutine of the program's, which yields, from a stack that lies anywhere. */
static quern_status yield_from_own_stack(void *argument)
{
    quern_fibre here, inner, *pair[] = {&here, &inner};
    quern_stack stack = {.lowest = argument, .size = QUERN_STACK_BYTES};
    quern_fibre_adopt(&here);
    quern_fibre_begin(&inner, &stack, call_home, pair);
    quern_fibre_switch(&here, &inner);
    quern_fibre_end(&inner);
    return QUERN_SUCCESS;
}

static void test_a_stack_of_the_programs_own(void **state)
{
    static _Atomic int flag;
    const size_t size = QUERN_STACK_BYTES;
    (void)state;
    atomic_store(&flag, 0);
    quern_task *other = spawn("other", yield_until, &flag);
    /* Far below those of tasks, so that the stack pointer looks as if one had run over. */
    quern_stack *stack = NULL;
    assert_int_equal(quern_stack_take(&stack), QUERN_SUCCESS);
    char *memory =
        mmap(stack->lowest - ((size_t)1 << 30), size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_true(memory < stack->lowest - ((size_t)1 << 24));
    quern_stack_give_back(stack);
    ok(quern_join(spawn("own", yield_from_own_stack, memory)));
    atomic_store(&flag, 1);
    ok(quern_join(other));
    assert_int_equal(munmap(memory, size), 0);
    shut_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_runs_over_is_named),      cmocka_unit_test(test_so_is_one_without_a_guard),
        cmocka_unit_test(test_damage_is_the_end),           cmocka_unit_test(test_other_faults_go_their_way),
        cmocka_unit_test(test_a_stack_of_the_programs_own), /* last: the deaths want a process without threads */
    };
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    setenv("QUERN_CPU_THREADS", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
