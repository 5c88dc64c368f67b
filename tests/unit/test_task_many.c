/*
 * Thousands of tasks over several threads.
 *
 * Each takes steps at random: it yields, spawns and joins, waits for an event or for another one that happens to come
 * by, fails. What all of them did together is known, so a lost wake or a task that runs twice is seen.
 */
#include "task_test.h"

#include "runtime/wait.h"
#include "task/sanitizer.h"

#ifdef QUERN_TSAN
enum { ROOTS = 60, PARKED = 500, ROUNDS = 1, TURNS = 2000 }; /* it knows 8,000 fibres, and makes them slowly */
#elif defined(QUERN_ASAN)
enum { ROOTS = 200, PARKED = 3000, ROUNDS = 1, TURNS = 4000 }; /* whose own stacks cost each task much */
#else
enum { ROOTS = 400, PARKED = 20000, ROUNDS = 2, TURNS = 15000 };
#endif
enum { STEPS = 12, DEPTH = 3, MEETING_PLACES = 16 };

static uint32_t any(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

/* ---- random steps ---- */

static quern_wait_cell *_Atomic places[MEETING_PLACES];
static _Atomic long begun, ended, failed, expected_failures;
static _Atomic int over;
static quern_queue *queues[3];

/* Whoever comes second lets the first go on; a thread of the test sees to it that there is a second. */
static void meet(uint64_t *random)
{
    quern_wait_cell *_Atomic *place = &places[any(random, MEETING_PLACES)];
    quern_wait_cell cell, *first = NULL;
    quern_wait_begin(&cell);
    if (atomic_compare_exchange_strong(place, &first, &cell)) {
        SURE(quern_wait_park(&cell));
        return;
    }
    quern_wait_end(&cell);
    first = atomic_exchange(place, NULL);
    if (first)
        quern_wait_wake(first);
}

static void *wake_in_thread(void *unused)
{
    while (!atomic_load(&over)) {
        for (int i = 0; i < MEETING_PLACES; ++i) {
            quern_wait_cell *cell = atomic_exchange(&places[i], NULL);
            if (cell)
                quern_wait_wake(cell);
        }
        SURE(quern_yield());
    }
    return unused;
}

static void wait_for_event(uint64_t *random)
{
    quern_queue *queue = queues[any(random, 3)];
    quern_event *event = NULL;
    _Atomic int *count = malloc(sizeof *count);
    MUST(count);
    atomic_init(count, 0);
    SURE(quern_queue_call(queue, increment, count));
    SURE(quern_event_record(queue, &event));
    if (any(random, 2))
        SURE(quern_event_wait(event));
    else
        SURE(quern_queue_synchronize(queue));
    MUST(atomic_load(count) == 1);
    SURE(quern_event_release(event));
    free(count);
}

/* Its own queue, waited for by its end. */
static void use_own_queue(void)
{
    quern_queue *queue = NULL;
    static _Atomic int count;
    SURE(quern_queue_current(&queue));
    SURE(quern_queue_call(queue, increment, &count));
}

typedef struct walker {
    uint64_t random;
    int depth, fails;
} walker;

static quern_status walk(void *argument);

static void spawn_some(walker *self)
{
    enum { MOST = 3 };
    walker children[MOST];
    quern_task *tasks[MOST];
    uint32_t count = 1 + any(&self->random, MOST);
    for (uint32_t i = 0; i < count; ++i) {
        children[i] = (walker){self->random + i, self->depth + 1, any(&self->random, 8) == 0};
        tasks[i] = spawn("child", walk, &children[i]);
    }
    for (uint32_t i = count; i-- > 0;) {
        quern_status status = quern_join(tasks[i]);
        MUST(status == (children[i].fails ? QUERN_OVERFLOW : QUERN_SUCCESS));
        atomic_fetch_add(&expected_failures, children[i].fails);
    }
}

static quern_status walk(void *argument)
{
    walker *self = argument;
    char marks[64];
    atomic_fetch_add(&begun, 1);
    memset(marks, (int)(self->random & 127), sizeof marks);
    for (int i = 0; i < STEPS; ++i) {
        switch (any(&self->random, 16)) {
        case 0:
            wait_for_event(&self->random);
            break;
        case 1:
            use_own_queue();
            break;
        case 2:
            if (self->depth < DEPTH)
                spawn_some(self);
            break;
        case 3:
        case 4:
        case 5:
            meet(&self->random);
            break;
        default:
            SURE(quern_yield());
        }
        for (size_t byte = 1; byte < sizeof marks; ++byte)
            MUST(marks[byte] == marks[0]);
    }
    atomic_fetch_add(&ended, 1);
    if (!self->fails)
        return QUERN_SUCCESS;
    atomic_fetch_add(&failed, 1);
    return QUERN_OVERFLOW;
}

static void walk_all(uint64_t seed)
{
    static walker walkers[ROOTS];
    static quern_task *tasks[ROOTS];
    quern_device *device = open_device("cpu:0");
    pthread_t thread;
    atomic_store(&over, 0);
    assert_int_equal(pthread_create(&thread, NULL, wake_in_thread, NULL), 0);
    for (int i = 0; i < 3; ++i)
        queues[i] = make_queue(device, 0, "shared");
    for (int i = 0; i < ROOTS; ++i) {
        walkers[i] = (walker){seed * 100000 + (uint64_t)i * 7919, 0, i % 10 == 0};
        tasks[i] = spawn("root", walk, &walkers[i]);
    }
    for (int i = 0; i < ROOTS; ++i) {
        assert_int_equal(quern_join(tasks[i]), walkers[i].fails ? QUERN_OVERFLOW : QUERN_SUCCESS);
        atomic_fetch_add(&expected_failures, walkers[i].fails);
    }
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    for (int i = 0; i < 3; ++i)
        ok(quern_queue_release(queues[i]));
    assert_int_equal(atomic_load(&begun), atomic_load(&ended));
    assert_int_equal(atomic_load(&failed), atomic_load(&expected_failures));
}

static void test_random_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; ++seed)
        walk_all(seed);
    ok(quern_shutdown());
}

/* ---- many that wait ---- */

typedef struct sleeper {
    quern_wait_cell *_Atomic cell;
    int times;
} sleeper;

static _Atomic long asleep;

static quern_status sleep_twice(void *argument)
{
    sleeper *self = argument;
    for (self->times = 0; self->times < 2; ++self->times) {
        quern_wait_cell cell;
        quern_wait_begin(&cell);
        atomic_store(&self->cell, &cell);
        atomic_fetch_add(&asleep, 1);
        SURE(quern_wait_park(&cell));
    }
    return QUERN_SUCCESS;
}

static void test_many_that_wait(void **state)
{
    sleeper *sleepers = calloc(PARKED, sizeof *sleepers);
    quern_task **tasks = calloc(PARKED, sizeof *tasks);
    (void)state;
    assert_true(sleepers && tasks);
    for (int i = 0; i < PARKED; ++i)
        tasks[i] = spawn(NULL, sleep_twice, &sleepers[i]);
    for (long round = 1; round <= 2; ++round) {
        while (atomic_load(&asleep) < round * PARKED)
            ok(quern_yield());
        for (int i = 0; i < PARKED; ++i) /* out of order */
            quern_wait_wake(atomic_exchange(&sleepers[(i * 7919L) % PARKED].cell, NULL));
    }
    for (int i = 0; i < PARKED; ++i) {
        ok(quern_join(tasks[i]));
        assert_int_equal(sleepers[i].times, 2);
    }
    free(tasks);
    free(sleepers);
    ok(quern_shutdown());
}

/* ---- waking at the moment of falling asleep ---- */

typedef struct player {
    quern_wait_cell *_Atomic cell;
    _Atomic int turns;
} player;

static quern_status play(void *argument)
{
    player *self = argument;
    for (int i = 0; i < TURNS; ++i) {
        quern_wait_cell cell;
        quern_wait_begin(&cell);
        atomic_store(&self->cell, &cell);
        SURE(quern_wait_park(&cell));
        atomic_fetch_add(&self->turns, 1);
    }
    return QUERN_SUCCESS;
}

static void pause_a_while(uint64_t *random)
{
    for (volatile uint32_t left = any(random, 12000); left > 0;)
        left = left - 1;
}

/* The task's thread searches for a moment and then sleeps: the wake comes just about then. */
static void test_no_wake_is_lost(void **state)
{
    static player p;
    uint64_t random = 1;
    (void)state;
    atomic_init(&p.turns, 0);
    quern_task *task = spawn(NULL, play, &p);
    for (int i = 0; i < TURNS; ++i) {
        quern_wait_cell *cell;
        for (int looks = 1; !(cell = atomic_exchange(&p.cell, NULL)); ++looks)
            if (looks % 1000 == 0)
                ok(quern_yield());
        pause_a_while(&random);
        quern_wait_wake(cell);
    }
    ok(quern_join(task));
    assert_int_equal(atomic_load(&p.turns), TURNS);
}

/* The same with a new task each time. */
static void test_no_spawn_is_lost(void **state)
{
    _Atomic int count = 0;
    uint64_t random = 2;
    (void)state;
    for (int i = 0; i < TURNS; ++i) {
        ok(quern_spawn(NULL, increment, &count, NULL));
        for (int looks = 1; atomic_load(&count) == i; ++looks)
            if (looks % 1000 == 0)
                ok(quern_yield());
        pause_a_while(&random);
    }
    shut_down();
}

static int run_with(const char *threads)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps),
        cmocka_unit_test(test_many_that_wait),
        cmocka_unit_test(test_no_wake_is_lost),
        cmocka_unit_test(test_no_spawn_is_lost),
    };
    setenv("QUERN_CPU_THREADS", threads, 1);
    atomic_store(&asleep, 0);
    return cmocka_run_group_tests_name(threads, tests, NULL, NULL);
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    setenv("QUERN_CPU_DEVICES", "1", 1);
    return run_with("1") + run_with("8");
}
