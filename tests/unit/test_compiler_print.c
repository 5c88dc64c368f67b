/* What PRINT prints is the same on every device, and the C compiler has nothing to say about it. */
#include "compiler_test.h"

#ifndef QUERN_TOOL
#define QUERN_TOOL ""
#endif

static const char expected[] = "print: 3 -3 3 3 3 FD q\n"
                               "print: -4999999997 -3 3298534883328 3 3000000000 20369CF0367\n"
                               "print: 3.000000 3.000000e+00 3.000000E+00 3e-09 3E+20 0x1p-1 0X1P+0\n"
                               "print:     1|2    |00003|+4| 5|0x6|007|           3|3           |\n"
                               "print:    3.000|3.00e+00  |+3|text more|100%\n"
                               "print: 3 3 4 3 2\n";

static const char kernel_file[] = QUERN_SOURCE_DIR "/tests/kernels/prints.k.c";

/* The lines that PRINT wrote. */
static char *printed_lines(const char *output)
{
    char *lines = calloc(1, strlen(output) + 1);
    assert_non_null(lines);
    for (const char *line = output; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (strncmp(line, "print: ", 7) == 0)
            strncat(lines, line, length);
        line += length;
    }
    return lines;
}

/* Item 3 alone, where every array holds a 3. */
static void assert_prints(const char *device)
{
    static const char arguments[] = "w=linear:4 n=linear:4 x=linear:4 d=linear:4 b=linear:4 --range 1 --offset 3";
    int status =
        run("'%s' run '%s' prints %s --device %s >output 2>errors", QUERN_TOOL, kernel_file, arguments, device);
    char *errors = read_text("errors"), *output = read_text("output"), *lines = printed_lines(output);
    if (status != 0)
        fail_msg("quern run on %s ends with %d: %s", device, status, errors);
    /* How often the tool runs it is the tool's own. */
    size_t length = strlen(expected), end = strlen(lines);
    assert_true(end >= length);
    for (size_t at = 0; at < end; at += length)
        if (strncmp(lines + at, expected, length) != 0)
            fail_msg("%s prints\n%s\nand not\n%s", device, lines + at, expected);
    free(lines);
    free(output);
    free(errors);
}

static void the_cpu_prints_what_c_says(void **state)
{
    (void)state;
    if (!*QUERN_TOOL) {
        print_message("skipped: this build has no tool\n");
        skip();
    }
    assert_prints("cpu:0");
}

static void opencl_prints_the_same(void **state)
{
    (void)state;
    if (!*QUERN_TOOL || run("'%s' devices 2>&1 | grep -q '^opencl:0 '", QUERN_TOOL) != 0) {
        print_message("skipped: there is no OpenCL device, or no tool\n");
        skip();
    }
    assert_prints("opencl:0");
}

/* -Wformat knows the types that C has on this machine. */
static void compilers_find_nothing_wrong_with_the_formats(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"}, *const files[] = {
                                                                 "tests/kernels/prints.k.c",
                                                                 "tests/diagnostics/prints_good.k.c",
                                                                 "tests/diagnostics/print_arguments_good.k.c"};
    int tried = 0;
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; ++i) {
        if (run("command -v %s >/dev/null", compilers[i]) != 0)
            continue;
        ++tried;
        for (size_t k = 0; k < sizeof files / sizeof files[0]; ++k)
            assert_int_equal(run("%s -std=gnu17 -Wformat=2 -Werror -I'%s/include' -fsyntax-only -x c '%s/%s'",
                                 compilers[i], QUERN_SOURCE_DIR, QUERN_SOURCE_DIR, files[k]),
                             0);
    }
    assert_true(tried > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cpu_prints_what_c_says),
        cmocka_unit_test(opencl_prints_the_same),
        cmocka_unit_test(compilers_find_nothing_wrong_with_the_formats),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
