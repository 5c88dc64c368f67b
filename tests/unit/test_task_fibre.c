/* Fibres: where a switch goes, what is kept over it, and that stacks can be used again. */
#include "task/fibre.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>

/* A fibre, and what it does. */
typedef struct actor {
    quern_fibre fibre;
    quern_fibre *home; /* the thread's own stack */
    quern_stack *stack;
    quern_fibre *next; /* switched to by those who take turns */
    int turns;
    int seen;
} actor;

static void begin(actor *one, quern_fibre *home, void (*function)(void *argument))
{
    one->home = home;
    assert_int_equal(quern_stack_take(&one->stack), QUERN_SUCCESS);
    quern_fibre_begin(&one->fibre, one->stack, function, one);
}

static void end(actor *one)
{
    quern_fibre_end(&one->fibre);
    assert_true(quern_stack_is_sound(one->stack));
    quern_stack_give_back(one->stack);
}

static void once(void *argument)
{
    actor *self = argument;
    self->seen = 1;
    quern_fibre_leave(&self->fibre, self->home);
}

static void a_fibre_runs_when_it_is_switched_to(void **state)
{
    actor one = {0};
    quern_fibre home;
    (void)state;
    quern_fibre_adopt(&home);
    begin(&one, &home, once);
    assert_int_equal(one.seen, 0);
    quern_fibre_switch(&home, &one.fibre);
    assert_int_equal(one.seen, 1);
    end(&one);
}

static void a_fibre_may_end_before_it_began(void **state)
{
    actor one = {0};
    quern_fibre home;
    (void)state;
    quern_fibre_adopt(&home);
    begin(&one, &home, once);
    end(&one);
    assert_int_equal(one.seen, 0);
}

/* Sums on its own stack, so that what is kept over a switch matters. */
static void take_turns(void *argument)
{
    actor *self = argument;
    volatile int on_stack[64] = {0};
    double sum = 0.5;
    for (int i = 0; i < self->turns; ++i) {
        on_stack[i % 64] += 1;
        sum *= 2;
        quern_fibre_switch(&self->fibre, self->next);
        sum /= 2;
    }
    for (int i = 0; i < 64; ++i)
        self->seen += on_stack[i];
    if (sum != 0.5)
        self->seen = -1;
    quern_fibre_leave(&self->fibre, self->home);
}

static void fibres_take_turns_and_keep_what_is_theirs(void **state)
{
    enum { RING = 5, TURNS = 400 };
    actor ring[RING] = {0};
    quern_fibre home;
    (void)state;
    quern_fibre_adopt(&home);
    for (int i = 0; i < RING; ++i) {
        begin(&ring[i], &home, take_turns);
        ring[i].turns = TURNS;
        ring[i].next = &ring[(i + 1) % RING].fibre;
    }
    for (int i = 0; i < RING; ++i)
        quern_fibre_switch(&home, &ring[i].fibre); /* round and round; then each comes home once */
    for (int i = 0; i < RING; ++i) {
        assert_int_equal(ring[i].seen, TURNS);
        end(&ring[i]);
    }
}

/* Half of a stack, in small frames: comes home at every level on the way down, and from the deepest one for good when
 * it has no turns. */
enum { FRAME = 128, LEVELS = QUERN_STACK_BYTES / FRAME / 4 };

static int fill(actor *self, int levels)
{
    volatile char here[FRAME];
    memset((char *)here, levels, sizeof here);
    if (levels == 0 && self->turns == 0)
        quern_fibre_leave(&self->fibre, self->home);
    quern_fibre_switch(&self->fibre, self->home);
    if (levels > 0 && fill(self, levels - 1) != levels - 1)
        return -1;
    for (size_t i = 0; i < sizeof here; ++i)
        if (here[i] != (char)levels)
            return -1;
    return levels;
}

static void fill_stack(void *argument)
{
    actor *self = argument;
    self->seen = fill(self, LEVELS);
    quern_fibre_leave(&self->fibre, self->home);
}

/* So many rounds that what a fibre leaves behind, or what is kept of it, would be noticed by ThreadSanitizer. */
static void a_stack_serves_one_fibre_after_another(void **state)
{
    quern_fibre home;
    quern_stack *stack = NULL;
    (void)state;
    quern_fibre_adopt(&home);
    for (int round = 0; round < 300; ++round) {
        actor one = {.turns = round % 2};
        begin(&one, &home, fill_stack);
        assert_true(!stack || one.stack == stack);
        stack = one.stack;
        for (int level = LEVELS; level >= 0; --level)
            quern_fibre_switch(&home, &one.fibre);
        assert_int_equal(one.seen, 0);
        if (one.turns) {
            quern_fibre_switch(&home, &one.fibre);
            assert_int_equal(one.seen, LEVELS);
        }
        end(&one);
    }
}

/* One begins another, and that one goes home over its head. */
static void begin_another(void *argument)
{
    actor *self = argument;
    actor inner = {0};
    begin(&inner, self->home, once);
    quern_fibre_switch(&self->fibre, &inner.fibre);
    end(&inner);
    self->seen = inner.seen;
    quern_fibre_leave(&self->fibre, self->home);
}

static void fibres_begin_fibres(void **state)
{
    actor one = {0};
    quern_fibre home;
    (void)state;
    quern_fibre_adopt(&home);
    begin(&one, &home, begin_another);
    quern_fibre_switch(&home, &one.fibre); /* the inner one comes home */
    assert_int_equal(one.seen, 0);
    quern_fibre_switch(&home, &one.fibre);
    assert_int_equal(one.seen, 1);
    end(&one);
}

enum { THREADS = 4, ROUNDS = 100 };
static int found_wrong; /* its address: a thread found one */

static void *run_fibres(void *argument)
{
    quern_fibre home;
    quern_fibre_adopt(&home);
    for (int round = 0; round < ROUNDS; ++round) {
        actor pair[2] = {{.turns = round % 7}, {.turns = round % 7}};
        for (int i = 0; i < 2; ++i) {
            if (quern_stack_take(&pair[i].stack) != QUERN_SUCCESS)
                return argument;
            pair[i].home = &home;
            pair[i].next = &pair[!i].fibre;
            quern_fibre_begin(&pair[i].fibre, pair[i].stack, take_turns, &pair[i]);
        }
        for (int i = 0; i < 2; ++i)
            quern_fibre_switch(&home, &pair[i].fibre);
        for (int i = 0; i < 2; ++i) {
            quern_fibre_end(&pair[i].fibre);
            quern_stack_give_back(pair[i].stack);
            if (pair[i].seen != round % 7)
                return argument;
        }
    }
    return NULL;
}

static void threads_have_fibres_of_their_own(void **state)
{
    pthread_t threads[THREADS];
    void *wrong = NULL;
    (void)state;
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, run_fibres, &found_wrong), 0);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static void the_kind_is_named(void **state)
{
    (void)state;
    assert_true(!strcmp(quern_fibre_kind(), "fcontext") || !strcmp(quern_fibre_kind(), "ucontext"));
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
        cmocka_unit_test(a_fibre_runs_when_it_is_switched_to),
        cmocka_unit_test(a_fibre_may_end_before_it_began),
        cmocka_unit_test(fibres_take_turns_and_keep_what_is_theirs),
        cmocka_unit_test(a_stack_serves_one_fibre_after_another),
        cmocka_unit_test(fibres_begin_fibres),
        cmocka_unit_test(threads_have_fibres_of_their_own),
        cmocka_unit_test(the_kind_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
