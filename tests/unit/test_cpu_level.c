/* The instruction-set level: names, the environment's wish, and its refusals. Each wish in a process of its own, since
 * it is read once. */
#include "base/cpu_level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void ranks_follow_the_levels(void **state)
{
    (void)state;
    assert_int_equal(quern_cpu_level_rank("generic"), 0);
    assert_int_equal(quern_cpu_level_rank("x86-64-v2"), 2);
    assert_int_equal(quern_cpu_level_rank("x86-64-v3"), 3);
    assert_int_equal(quern_cpu_level_rank("x86-64-v4"), 4);
    assert_int_equal(quern_cpu_level_rank("x86-64-v5"), -1);
    assert_int_equal(quern_cpu_level_rank("x86-64"), -1);
    assert_int_equal(quern_cpu_level_rank(""), -1);
    assert_int_equal(quern_cpu_level_rank(NULL), -1);
}

/* What quern_cpu_level says with that environment: its status, or 100 + the level's rank. */
static int level_with(const char *wish)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const char *level = NULL;
        if (wish)
            setenv("QUERN_CPU_LEVEL", wish, 1);
        else
            unsetenv("QUERN_CPU_LEVEL");
        quern_status status = quern_cpu_level(&level);
        if (status && !strstr(quern_last_error(), wish ? wish : "level"))
            _exit(99); /* the sentence does not name what was asked for */
        _exit(status ? (int)status : 100 + quern_cpu_level_rank(level));
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    return WEXITSTATUS(result);
}

static void the_environment_chooses_a_lower_level(void **state)
{
    (void)state;
    int best = level_with(NULL);
    assert_true(best >= 100 && best <= 104);
    assert_int_equal(level_with(""), best);
    assert_int_equal(level_with("generic"), 100);
    static const char *const levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(level_with(levels[i]), best >= 102 + i ? 102 + i : (int)QUERN_NOT_SUPPORTED);
}

static void an_unknown_level_is_refused(void **state)
{
    (void)state;
    assert_int_equal(level_with("x86-64-v9"), QUERN_INVALID_ARGUMENT);
    assert_int_equal(level_with("fast"), QUERN_INVALID_ARGUMENT);
    assert_int_equal(level_with("X86-64-V3"), QUERN_INVALID_ARGUMENT);
}

static void a_place_for_the_level_is_needed(void **state)
{
    (void)state;
    assert_int_equal(quern_cpu_level(NULL), QUERN_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_follow_the_levels),
        cmocka_unit_test(the_environment_chooses_a_lower_level),
        cmocka_unit_test(an_unknown_level_is_refused),
        cmocka_unit_test(a_place_for_the_level_is_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
