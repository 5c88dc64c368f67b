/* Hooks of a program whose park fails when the unpark has come already: what that leaves behind ends a later park, but
 * no wait. The test's thread plays the coroutine; it sleeps on a semaphore. */
#include "runtime_test.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

static sem_t semaphore;
static _Atomic int is_open, done, parks;
static int declines;

static void *self_hook(void *user)
{
    return user;
}

/* Declines once the unpark has come. */
static quern_status park_hook(void *user, void *self)
{
    int posted = 0;
    (void)user;
    atomic_fetch_add(&parks, 1);
    if (!declines)
        return sem_wait(self) == 0 ? QUERN_SUCCESS : QUERN_SYSTEM_ERROR;
    atomic_store(&is_open, 1);
    while (sem_getvalue(self, &posted) == 0 && posted == 0)
        sched_yield();
    return QUERN_SYSTEM_ERROR;
}

static void unpark_hook(void *user, void *self)
{
    (void)user;
    sem_post(self);
}

static quern_status pass_when_open(void *argument)
{
    (void)argument;
    while (!atomic_load(&is_open))
        usleep(100);
    return QUERN_SUCCESS;
}

static quern_status take_long(void *argument)
{
    (void)argument;
    usleep(50000);
    atomic_store(&done, 1);
    return QUERN_SUCCESS;
}

static void test_a_late_unpark(void **state)
{
    const quern_wait_hooks hooks = {&semaphore, self_hook, park_hook, unpark_hook};
    quern_device *device;
    quern_queue *queue;
    (void)state;
    sem_init(&semaphore, 0, 0);
    ok(quern_device_open("cpu:0", &device));
    ok(quern_queue_create(device, NULL, &queue));
    ok(quern_wait_hooks_set(&hooks));
    for (int round = 0; round < 3; ++round) {
        atomic_store(&is_open, 0);
        atomic_store(&done, 0);
        atomic_store(&parks, 0);
        declines = 1;
        ok(quern_queue_call(queue, pass_when_open, NULL));
        refused(quern_queue_synchronize(queue), QUERN_SYSTEM_ERROR, "the hook park");
        declines = 0;
        ok(quern_queue_call(queue, take_long, NULL));
        ok(quern_queue_synchronize(queue));
        assert_int_equal(atomic_load(&done), 1);
        assert_int_equal(atomic_load(&parks), 3); /* declined, ended by what was left behind, woken */
    }
    ok(quern_wait_hooks_set(NULL));
    ok(quern_queue_release(queue));
    ok(quern_device_release(device));
    ok(quern_shutdown());
    sem_destroy(&semaphore);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_late_unpark)};
    setenv("QUERN_CPU_DEVICES", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
