/*
 * The runtime's threads for what would block a task's: as many as there are calls, few when there are none, and none is
 * left unjoined by a program that ends without quern_shutdown, as this one does (ThreadSanitizer tells).
 */
#include "task_test.h"

#include <dirent.h>
#include <unistd.h>

#include "runtime/offload.h"

enum { CALLS = 12, MOST_IDLE = 4 };

static _Atomic int entered, is_open;

static quern_status block(void *unused)
{
    (void)unused;
    atomic_fetch_add(&entered, 1);
    while (!atomic_load(&is_open))
        usleep(1000);
    return QUERN_SUCCESS;
}

static quern_status call_what_blocks(void *unused)
{
    return quern_offload(block, unused);
}

static int is_offload(const char *thread)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0; /* it has just ended */
    int is_one = fgets(name, sizeof name, file) && strcmp(name, "quern-offload\n") == 0;
    fclose(file);
    return is_one;
}

static int count_threads(void)
{
    int count = 0;
    const struct dirent *entry;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        count += is_offload(entry->d_name);
    closedir(folder);
    return count;
}

static void call_all(void)
{
    quern_task *tasks[CALLS];
    atomic_store(&entered, 0);
    atomic_store(&is_open, 0);
    for (int i = 0; i < CALLS; ++i)
        tasks[i] = spawn(NULL, call_what_blocks, NULL);
    while (atomic_load(&entered) < CALLS) /* none waits for another's end */
        usleep(1000);
    assert_int_equal(count_threads(), CALLS);
    atomic_store(&is_open, 1);
    for (int i = 0; i < CALLS; ++i)
        ok(quern_join(tasks[i]));
}

static void shutdown_ends_all(void **state)
{
    (void)state;
    call_all();
    ok(quern_shutdown());
    assert_int_equal(count_threads(), 0);
}

static void few_stay_when_there_are_no_calls(void **state)
{
    (void)state;
    call_all();
    while (count_threads() > MOST_IDLE)
        usleep(10000);
    usleep(100000); /* the last that ended is being joined */
    assert_int_equal(count_threads(), MOST_IDLE);
    call_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shutdown_ends_all),
        cmocka_unit_test(few_stay_when_there_are_no_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
