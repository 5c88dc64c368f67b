/*
 * PTX in objects: which architectures are chosen, what becomes of NVRTC's faults. NVRTC is the tests' fake one, so that
 * this runs anywhere; it is looked for once in a process, so each case is a process of its own.
 */
#include "compiler_test.h"

#include "compiler/compile_ptx.h"

static const char *const one_level[] = {"generic", NULL};

static const char good[] = "#include <quern/kernel.h>\n"
                           "KERNEL(plain, out(float, x))\n"
                           "{\n    EACH (i)\n        x[i] = 1;\n}\n"
                           "GROUP_KERNEL(grouped, 8, out(float, x))\n"
                           "{\n    ITEMS (i)\n        x[GLOBAL(i)] = 1;\n}\n";
static const char wrong_in_c[] = "#include <quern/kernel.h>\n"
                                 "KERNEL(plain, out(float, x))\n"
                                 "{\n    EACH (i)\n        x[i] = no_such_name;\n}\n";

/* ---- a case in a process of its own ---- */

enum { GOOD = 40, BAD };

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s; the last sentence: %s\n", __FILE__, __LINE__, #condition,              \
                    quern_last_error());                                                                               \
            return BAD;                                                                                                \
        }                                                                                                              \
    } while (0)

/* function: the one of NVRTC that fails at its n-th call, with the error; NULL: none. */
static void run_case(int (*body)(void), const char *function, const char *n, const char *error)
{
    int result;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("QUERN_NVRTC_LIBRARY", QUERN_FAKE_NVRTC, 1);
        setenv("QUERN_FAKE_NVRTC_ARCHS", "75,80,90", 1);
        if (function) {
            setenv("QUERN_FAKE_NVRTC_FAIL_FUNCTION", function, 1);
            setenv("QUERN_FAKE_NVRTC_FAIL_AT", n, 1);
            setenv("QUERN_FAKE_NVRTC_FAIL_ERROR", error, 1);
        }
        _exit(body());
    }
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), GOOD);
}

/* ---- which architectures ---- */

/* The choice as a text: "75,80". */
static const char *chosen(const char *list)
{
    static char text[256];
    quern_ptx_choice choice;
    quern_status status = quern_ptx_choose(list, &choice);
    size_t length = 0;
    text[0] = '\0';
    if (status != QUERN_SUCCESS)
        return quern_status_name(status);
    if (!choice.nvrtc)
        return "nothing";
    for (size_t i = 0; i < choice.count; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", i ? "," : "", choice.architectures[i]);
    return text;
}

static int choices(void)
{
    static const struct {
        const char *list, *chosen;
    } cases[] = {
        {NULL, "nothing"},
        {"none", "nothing"},
        {"auto", "75"},
        {"oldest", "75"},
        {"newest", "90"},
        {"all", "75,80,90"},
        {"80", "80"},
        {"sm_90,compute_75", "90,75"},
        {"newest,80", "90,80"},
        {"70", "QUERN_NOT_SUPPORTED"},
        {"75,120", "QUERN_NOT_SUPPORTED"},
        {"75,sm_75", "QUERN_INVALID_ARGUMENT"},
        {"all,90", "QUERN_INVALID_ARGUMENT"},
        {"", "QUERN_INVALID_ARGUMENT"},
        {"75,,80", "QUERN_INVALID_ARGUMENT"},
        {"75,none", "QUERN_INVALID_ARGUMENT"},
        {"sm_", "QUERN_INVALID_ARGUMENT"},
        {"90a", "QUERN_INVALID_ARGUMENT"},
        {"99999999999", "QUERN_INVALID_ARGUMENT"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (strcmp(chosen(cases[i].list), cases[i].chosen) != 0) {
            fprintf(stderr, "'%s' chooses %s, wanted %s\n", cases[i].list, chosen(cases[i].list), cases[i].chosen);
            return BAD;
        }
    chosen("75,70");
    CHECK(strstr(quern_last_error(), "architecture 70 is not known to NVRTC 13.0, which compiles for 75, 80, 90"));
    return GOOD;
}

static int nothing_without_nvrtc(void)
{
    setenv("QUERN_NVRTC_LIBRARY", "/nowhere/libnvrtc.so", 1);
    CHECK(strcmp(chosen("auto"), "nothing") == 0);
    CHECK(strcmp(chosen("none"), "nothing") == 0);
    CHECK(strcmp(chosen("nonsense"), "QUERN_INVALID_ARGUMENT") == 0);
    CHECK(strcmp(chosen("75"), "QUERN_NOT_PRESENT") == 0);
    CHECK(strstr(quern_last_error(), "architectures '75' needs NVRTC") &&
          strstr(quern_last_error(), "/nowhere/libnvrtc.so"));
    return GOOD;
}

static void architectures_are_chosen(void **state)
{
    (void)state;
    run_case(choices, NULL, NULL, NULL);
    run_case(nothing_without_nvrtc, NULL, NULL, NULL);
}

/* ---- objects ---- */

static quern_status compile(const char *path, const char *architectures)
{
    return quern_compile_file(path, "out",
                              &(quern_compile_options){.levels = one_level, .cuda_architectures = architectures});
}

/* How often a text stands in a file. */
static int count_in(const char *path, const char *part)
{
    quern_text text = {0};
    int count = 0;
    quern_file_try_read(path, &text);
    const char *at = quern_text_string(&text), *end = at + text.length;
    while (at && (at = memmem(at, (size_t)(end - at), part, strlen(part))) != NULL) {
        ++count;
        at += strlen(part);
    }
    quern_text_free(&text);
    return count;
}

static int embeds(void)
{
    CHECK(compile("good.k.c", "80,90") == QUERN_SUCCESS);
    CHECK(count_in("out/good.k.o", "// quern: kernels of \"good.k.c\"") == 8);
    CHECK(count_in("out/good.k.o", "ptx strict 80 32 grid") >= 1);
    CHECK(count_in("out/good.k.o", "ptx strict 90 64 linear") >= 1);
    CHECK(count_in("out/good.k.o", "ptx strict 75") == 0);
    CHECK(compile("good.k.c", NULL) == QUERN_SUCCESS);
    CHECK(count_in("out/good.k.o", "// quern: kernels of") == 0);
    CHECK(compile("good.k.c", "auto") == QUERN_SUCCESS);
    CHECK(count_in("out/good.k.o", "// quern: kernels of") == 4);
    return GOOD;
}

static void ptx_is_embedded(void **state)
{
    (void)state;
    write_text("good.k.c", good);
    run_case(embeds, NULL, NULL, NULL);
}

/* ---- faults ---- */

static int refused(void)
{
    CHECK(compile("good.k.c", "auto") == QUERN_COMPILE_FAILED);
    CHECK(strstr(quern_last_error(), "good.k.c"));
    CHECK(!exists("out/good.k.o") && !exists("out/good.k.h"));
    return GOOD;
}

/* The C compiler's words come first. */
static int refused_by_both(void)
{
    CHECK(compile("wrong.k.c", "auto") == QUERN_COMPILE_FAILED);
    CHECK(strstr(quern_last_error(), "wrong.k.c:5:") && strstr(quern_last_error(), "no_such_name"));
    CHECK(!exists("out/wrong.k.o"));
    return GOOD;
}

static int hungry(void)
{
    CHECK(compile("good.k.c", "auto") == QUERN_OUT_OF_MEMORY);
    CHECK(!exists("out/good.k.o"));
    return GOOD;
}

static int lacks_builtins(void)
{
    CHECK(compile("good.k.c", "75") == QUERN_NOT_PRESENT);
    CHECK(!exists("out/good.k.o"));
    return GOOD;
}

static int lacks_builtins_by_default(void)
{
    CHECK(compile("good.k.c", "auto") == QUERN_SUCCESS);
    CHECK(exists("out/good.k.o") && count_in("out/good.k.o", "// quern: kernels of") == 0);
    return GOOD;
}

static void faults_of_nvrtc_are_told(void **state)
{
    (void)state;
    write_text("good.k.c", good);
    write_text("wrong.k.c", wrong_in_c);
    unlink("out/good.k.o");
    unlink("out/good.k.h");
    run_case(refused, "nvrtcCompileProgram", "1", "6");
    run_case(refused, "nvrtcCompileProgram", "3", "6");
    run_case(refused, "nvrtcCreateProgram", "2", "2");
    run_case(refused, "nvrtcGetPTXSize", "1", "11");
    run_case(refused, "nvrtcGetPTX", "4", "11");
    run_case(refused_by_both, "nvrtcCompileProgram", "1", "6");
    run_case(hungry, "nvrtcCompileProgram", "2", "1");
    run_case(hungry, "nvrtcCreateProgram", "1", "1");
    run_case(lacks_builtins, "nvrtcCompileProgram", "1", "7");
    run_case(lacks_builtins_by_default, "nvrtcCompileProgram", "2", "7");
    assert_int_equal(count_names("out", ".quern-", ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(architectures_are_chosen),
        cmocka_unit_test(ptx_is_embedded),
        cmocka_unit_test(faults_of_nvrtc_are_told),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
