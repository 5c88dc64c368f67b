/*
 * NVRTC's loader. It looks for the library once in a process, so each case is a process of its own. Where there is no
 * NVRTC, what needs it is skipped, which is said.
 */
#include "base/nvrtc.h"
#include "compiler/driver_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a case in a process of its own ---- */

enum { GOOD = 40, BAD, SKIPPED };

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s; the last sentence: %s\n", __FILE__, __LINE__, #condition,              \
                    quern_last_error());                                                                               \
            return BAD;                                                                                                \
        }                                                                                                              \
    } while (0)

/* Runs the case with QUERN_NVRTC_LIBRARY set to library; NULL leaves the environment as it is. */
static void run(int (*body)(void), const char *library)
{
    int result;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (library)
            setenv("QUERN_NVRTC_LIBRARY", library, 1);
        _exit(body());
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == SKIPPED) {
        print_message("NVRTC not present\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(result), GOOD);
}

#define OPEN_OR_SKIP(info)                                                                                             \
    do {                                                                                                               \
        if (quern_nvrtc_open(&(info)) == QUERN_NOT_PRESENT)                                                            \
            return SKIPPED;                                                                                            \
    } while (0)

/* ---- libraries that will not do ---- */

static char *folder;         /* private to this process */
static const char *expected; /* what the sentence must say */

/* The same answer each time, and a compilation gives it too. */
static int is_refused(void)
{
    static const quern_nvrtc_target target = {75, "strict", 32, 0};
    const quern_nvrtc_info *info = NULL;
    void *data = NULL;
    size_t size = 0;
    for (int i = 0; i < 2; ++i) {
        CHECK(quern_nvrtc_open(&info) == QUERN_NOT_PRESENT);
        CHECK(info == NULL);
        CHECK(strstr(quern_last_error(), expected));
        CHECK(strstr(quern_last_error(), getenv("QUERN_NVRTC_LIBRARY")));
        CHECK(strstr(quern_last_error(), "QUERN_NVRTC_LIBRARY"));
    }
    CHECK(quern_nvrtc_compile("", 0, "a.k.c", &target, QUERN_NVRTC_PTX, &data, &size) == QUERN_NOT_PRESENT);
    CHECK(strstr(quern_last_error(), expected));
    CHECK(data == NULL);
    return GOOD;
}

static void expect_refusal(const char *library, const char *sentence)
{
    expected = sentence;
    run(is_refused, library);
}

static void a_file_that_is_not_there(void **state)
{
    (void)state;
    expect_refusal("/no/such/libnvrtc.so", "No such file");
    expect_refusal("libquern-no-such-nvrtc.so", "libquern-no-such-nvrtc.so");
}

static void files_that_are_no_library(void **state)
{
    (void)state;
    char text[512], cut[512], line[64], pipe_name[512];
    snprintf(text, sizeof text, "%s/text.so", folder);
    snprintf(cut, sizeof cut, "%s/cut.so", folder);
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe.so", folder);
    FILE *file = fopen(text, "w");
    assert_non_null(file);
    fputs("this is no library\n", file);
    fclose(file);
    expect_refusal(text, "cannot be used");
    expect_refusal(folder, "it is no file");
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    expect_refusal(pipe_name, "it is no file");

    FILE *whole = fopen(QUERN_PLUGINS "/minimal.so", "r");
    file = fopen(cut, "w");
    assert_non_null(whole);
    assert_non_null(file);
    for (int part = 0; part < 80 && fread(line, sizeof line, 1, whole) == 1; ++part)
        fwrite(line, sizeof line, 1, file);
    fclose(whole);
    fclose(file);
    expect_refusal(cut, "it is cut short");
}

static void a_library_that_is_another(void **state)
{
    (void)state;
    expect_refusal(QUERN_PLUGINS "/minimal.so", "it lacks nvrtcVersion, wanted NVRTC 11.2 or newer");
    expect_refusal("libm.so.6", "it lacks nvrtcVersion, wanted NVRTC 11.2 or newer");
}

/* ---- what NVRTC is ---- */

static int says_what_it_is(void)
{
    const quern_nvrtc_info *info, *again;
    OPEN_OR_SKIP(info);
    CHECK(quern_nvrtc_open(&again) == QUERN_SUCCESS && again == info);
    CHECK(info->major >= 11 && info->minor >= 0);
    CHECK(info->architecture_count > 0);
    for (size_t i = 1; i < info->architecture_count; ++i)
        CHECK(info->architectures[i - 1] < info->architectures[i]);
    CHECK(strstr(info->path, "nvrtc"));
    CHECK(quern_nvrtc_open(NULL) == QUERN_INVALID_ARGUMENT);
    return GOOD;
}

static void the_version_and_the_architectures(void **state)
{
    (void)state;
    run(says_what_it_is, NULL);
}

/* ---- compiling ---- */

/* What is to be seen of the options. */
static const char kernel[] = "#line 7 \"looks.k.c\"\n"
                             "extern \"C\" __global__ void quern_k_looks(int *x, float *y, float a)\n"
                             "{\n"
                             "    x[0] = QUERN_INDEX_BITS * 1000 + QUERN_LINEAR * 100 + QUERN_CONTIGUOUS * 10 + 3;\n"
                             "    y[0] = y[1] * a + y[2];\n"
                             "    y[3] = y[4] / a;\n"
                             "}\n"
                             "this part is not counted";
static const size_t kernel_size = sizeof kernel - sizeof "this part is not counted";

/* PTX of the kernel; NULL when it could not be had. To be freed. */
static char *ptx_for(const quern_nvrtc_target *target, const char *name)
{
    void *data = NULL;
    size_t size = 0;
    if (quern_nvrtc_compile(kernel, kernel_size, name, target, QUERN_NVRTC_PTX, &data, &size) != QUERN_SUCCESS)
        return NULL;
    if (size == 0 || memchr(data, '\0', size) != (char *)data + size - 1) {
        free(data);
        return NULL;
    }
    return data;
}

/* PTX has the variant's number as the kernel stores it. */
static int is_variant(const char *ptx, const quern_nvrtc_target *target)
{
    char number[32];
    snprintf(number, sizeof number, ", %d;", target->index_bits * 1000 + target->linear * 100 + 3);
    return strstr(ptx, number) != NULL;
}

static int begins(const char *text, const char *line)
{
    return strncmp(text, line, strlen(line)) == 0;
}

static int all_variants(void)
{
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    for (int bits = 32; bits <= 64; bits += 32)
        for (int linear = 0; linear < 2; ++linear) {
            quern_nvrtc_target target = {info->architectures[0], "strict", bits, linear};
            char line[128], architecture[32];
            snprintf(line, sizeof line,
                     "// quern: kernels of \"looks.k.c\", QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, strict\n", bits,
                     linear);
            snprintf(architecture, sizeof architecture, ".target sm_%d", info->architectures[0]);
            char *ptx = ptx_for(&target, "looks.k.c");
            CHECK(ptx);
            CHECK(begins(ptx, line));
            CHECK(strstr(ptx, architecture));
            CHECK(strstr(ptx, ".entry quern_k_looks("));
            CHECK(is_variant(ptx, &target));
            CHECK(strstr(ptx, "\"looks.k.c\"") && strstr(ptx, ".loc"));
            free(ptx);
        }
    return GOOD;
}

static int floating_point(void)
{
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    quern_nvrtc_target target = {info->architectures[info->architecture_count - 1], "strict", 32, 0};
    char *ptx = ptx_for(&target, "looks.k.c");
    CHECK(ptx && !strstr(ptx, "fma.") && strstr(ptx, "div.rn.f32") && strstr(ptx, "mul.rn.f32"));
    free(ptx);
    target.floating = "contract";
    ptx = ptx_for(&target, "looks.k.c");
    CHECK(ptx && strstr(ptx, "fma.rn.f32") && strstr(ptx, "div.rn.f32") && strstr(ptx, ", contract\n"));
    free(ptx);
    target.floating = "fast";
    ptx = ptx_for(&target, "looks.k.c");
    CHECK(ptx && strstr(ptx, "fma.rn.ftz.f32") && strstr(ptx, "div.approx.ftz.f32") && strstr(ptx, ", fast\n"));
    free(ptx);
    return GOOD;
}

static int machine_code(void)
{
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    quern_nvrtc_target target = {info->architectures[0], "strict", 64, 1};
    void *data = NULL;
    size_t size = 0;
    CHECK(quern_nvrtc_compile(kernel, kernel_size, "looks.k.c", &target, QUERN_NVRTC_CUBIN, &data, &size) ==
          QUERN_SUCCESS);
    CHECK(size > 64 && memcmp(data, "\177ELF", 4) == 0);
    CHECK(memmem(data, size, "quern_k_looks", sizeof "quern_k_looks"));
    free(data);
    return GOOD;
}

/* The name stands in a comment line, which it must not end. */
static int odd_names(void)
{
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    quern_nvrtc_target target = {info->architectures[0], "strict", 32, 0};
    char *ptx = ptx_for(&target, "a \"b\"\n\\c.k.c");
    CHECK(ptx);
    CHECK(begins(ptx,
                 "// quern: kernels of \"a \\\"b\\\"\\012\\\\c.k.c\", QUERN_INDEX_BITS=32, QUERN_LINEAR=0, strict\n"
                 "//\n"));
    free(ptx);
    return GOOD;
}

static int author_lines(void)
{
    static const char text[] = "#line 41 \"wrong.k.c\"\n"
                               "extern \"C\" __global__ void quern_k_wrong(float *x)\n"
                               "{\n"
                               "    x[0] = no_such_name;\n"
                               "    x[1] = nor_this;\n"
                               "}\n";
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    quern_nvrtc_target target = {info->architectures[0], "strict", 32, 0};
    void *data = NULL;
    size_t size = 0;
    CHECK(quern_nvrtc_compile(text, sizeof text - 1, "wrong.k.c", &target, QUERN_NVRTC_PTX, &data, &size) ==
          QUERN_COMPILE_FAILED);
    CHECK(data == NULL && size == 0);
    CHECK(strstr(quern_last_error(), "wrong.k.c(43): error: identifier \"no_such_name\""));
    CHECK(strstr(quern_last_error(), "wrong.k.c(44): error: identifier \"nor_this\""));
    return GOOD;
}

static int wrong_arguments(void)
{
    const quern_nvrtc_info *info;
    OPEN_OR_SKIP(info);
    void *data = NULL;
    size_t size = 0;
    quern_nvrtc_target target = {1, "strict", 32, 0};
#define COMPILE() quern_nvrtc_compile(kernel, kernel_size, "a.k.c", &target, QUERN_NVRTC_PTX, &data, &size)
    CHECK(COMPILE() == QUERN_NOT_SUPPORTED);
    CHECK(strstr(quern_last_error(), "architecture 1, only for "));
    target = (quern_nvrtc_target){info->architectures[0], "sloppy", 32, 0};
    CHECK(COMPILE() == QUERN_INVALID_ARGUMENT && strstr(quern_last_error(), "'sloppy'"));
    target = (quern_nvrtc_target){info->architectures[0], NULL, 32, 0};
    CHECK(COMPILE() == QUERN_INVALID_ARGUMENT);
    target = (quern_nvrtc_target){info->architectures[0], "strict", 16, 0};
    CHECK(COMPILE() == QUERN_INVALID_ARGUMENT && strstr(quern_last_error(), "index_bits is 16"));
    target = (quern_nvrtc_target){info->architectures[0], "strict", 32, 2};
    CHECK(COMPILE() == QUERN_INVALID_ARGUMENT && strstr(quern_last_error(), "linear is 2"));
    target.linear = 0;
    CHECK(quern_nvrtc_compile(NULL, 0, "a", &target, QUERN_NVRTC_PTX, &data, &size) == QUERN_INVALID_ARGUMENT);
    CHECK(quern_nvrtc_compile("", 0, "a", &target, (quern_nvrtc_form)7, &data, &size) == QUERN_INVALID_ARGUMENT);
    CHECK(data == NULL && size == 0);
#undef COMPILE
    return GOOD;
}

/* ---- several threads ---- */

enum { THREADS = 4 };

typedef struct part {
    pthread_t thread;
    quern_nvrtc_target target;
    char *ptx;
} part;

static void *compile_part(void *argument)
{
    part *p = argument;
    const quern_nvrtc_info *info;
    if (quern_nvrtc_open(&info) == QUERN_SUCCESS) { /* they find out at once, too */
        p->target.architecture = info->architectures[0];
        p->ptx = ptx_for(&p->target, "looks.k.c");
    }
    return NULL;
}

static int in_threads(void)
{
    const quern_nvrtc_info *info;
    part parts[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        parts[i] = (part){.target = {0, i % 2 ? "contract" : "strict", i < 2 ? 32 : 64, i % 2}};
        CHECK(pthread_create(&parts[i].thread, NULL, compile_part, &parts[i]) == 0);
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(parts[i].thread, NULL);
    OPEN_OR_SKIP(info);
    for (int i = 0; i < THREADS; ++i) {
        CHECK(parts[i].ptx);
        CHECK(is_variant(parts[i].ptx, &parts[i].target));
        char *alone = ptx_for(&parts[i].target, "looks.k.c");
        CHECK(alone && strcmp(alone, parts[i].ptx) == 0);
        free(alone);
        free(parts[i].ptx);
    }
    return GOOD;
}

#define NVRTC_TEST(body)                                                                                               \
    static void test_##body(void **state)                                                                              \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        run(body, NULL);                                                                                               \
    }
NVRTC_TEST(all_variants)
NVRTC_TEST(floating_point)
NVRTC_TEST(machine_code)
NVRTC_TEST(odd_names)
NVRTC_TEST(author_lines)
NVRTC_TEST(wrong_arguments)
NVRTC_TEST(in_threads)

/* ---- a copy in a place of its own ---- */

static int compiles(void)
{
    return machine_code();
}

/* NVRTC's other library lies beside it, where the dynamic linker does not look. */
static int links_a_copy(void)
{
    const quern_nvrtc_info *info;
    char link_path[1024], library[512], builtins[1024];
    OPEN_OR_SKIP(info);
    snprintf(library, sizeof library, "%s", info->path);
    char *slash = strrchr(library, '/');
    if (!slash)
        return SKIPPED;
    snprintf(builtins, sizeof builtins, "%.*slibnvrtc-builtins.so.%d.%d", (int)(slash + 1 - library), library,
             info->major, info->minor);
    snprintf(link_path, sizeof link_path, "%s/libnvrtc.so", folder);
    CHECK(symlink(library, link_path) == 0);
    snprintf(link_path, sizeof link_path, "%s/libnvrtc-builtins.so.%d.%d", folder, info->major, info->minor);
    CHECK(symlink(builtins, link_path) == 0);
    return GOOD;
}

static void a_library_that_is_named(void **state)
{
    (void)state;
    char path[512];
    run(links_a_copy, NULL);
    snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
    run(compiles, path);
}

static int make_folder(void **state)
{
    (void)state;
    return quern_directory_make_private(quern_temporary_directory(), "quern test ", &folder) != QUERN_SUCCESS;
}

static int remove_folder(void **state)
{
    (void)state;
    quern_directory_remove(folder);
    free(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_there),  cmocka_unit_test(files_that_are_no_library),
        cmocka_unit_test(a_library_that_is_another), cmocka_unit_test(the_version_and_the_architectures),
        cmocka_unit_test(test_all_variants),         cmocka_unit_test(test_floating_point),
        cmocka_unit_test(test_machine_code),         cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_author_lines),         cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_in_threads),           cmocka_unit_test(a_library_that_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
