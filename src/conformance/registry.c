/* The list of all tests. */
#include "registry.h"

#include <fnmatch.h>
#include <string.h>

static const quern_conformance_test *const subjects[] = {
    quern_storage_tests, quern_copy_tests,   quern_fill_tests,     quern_order_tests,    quern_event_tests,
    quern_queue_tests,   quern_error_tests,  quern_lifetime_tests, quern_pool_tests,     quern_native_tests,
    quern_task_tests,    quern_graph_tests,  quern_index_tests,    quern_layout_tests,   quern_barrier_tests,
    quern_memory_tests,  quern_atomic_tests, quern_math_tests,     quern_argument_tests, quern_launch_tests,
};

static size_t length(const quern_conformance_test *tests)
{
    size_t count = 0;
    while (tests[count].name)
        ++count;
    return count;
}

size_t quern_conformance_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; ++i)
        count += length(subjects[i]);
    return count;
}

const quern_conformance_test *quern_conformance_at(size_t index)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; ++i) {
        size_t count = length(subjects[i]);
        if (index < count)
            return &subjects[i][index];
        index -= count;
    }
    return NULL;
}

int quern_conformance_matches(const char *name, const char *pattern)
{
    size_t subject = strcspn(name, ".");
    if (strlen(pattern) == subject && strncmp(name, pattern, subject) == 0)
        return 1;
    return fnmatch(pattern, name, 0) == 0;
}
