/* What is said of PTX: NVRTC's log in the C compilers' form, and what a GPU cannot hold. */
#include "compiler_test.h"

#include "compiler/compile_ptx.h"

static void expect(quern_text *notes, const char *wanted)
{
    assert_string_equal(quern_text_string(notes), wanted);
    quern_text_free(notes);
}

static void warnings_are_written_as_the_c_compilers_are(void **state)
{
    (void)state;
    quern_text notes = {0};
    quern_ptx_note_log(&notes, NULL);
    quern_ptx_note_log(&notes, "");
    quern_ptx_note_log(&notes, "no newline, and no message");
    expect(&notes, "");
    quern_ptx_note_log(&notes, "a (1).k.c(4): warning #221-D: does not fit: at all\n"
                               "      x = 1e-60;\n"
                               "          ^\n"
                               "\n"
                               "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
                               "\n"
                               "a.k.c(5): warning #177-D: variable \"n\" was declared but never referenced\n"
                               "      int n;\n"
                               "          ^\n"
                               "\n"
                               "a.k.c(6): warning: without a number\n"
                               "a.k.c(7): warning #1"); /* cut: no message */
    expect(&notes, "a (1).k.c:4: warning: does not fit: at all [NVRTC]\n"
                   "      x = 1e-60;\n"
                   "          ^\n"
                   "a.k.c:6: warning: without a number [NVRTC]\n");
}

static const char source[] = "\n"
                             "CONSTANT float small[2] = {1, 2};\n"
                             "CONSTANT float table[3] = {1, 2};\n"
                             "GROUP_KERNEL(one, 8, out(float, x))\n"
                             "{\n    ITEMS (i)\n        x[GLOBAL(i)] = 1;\n}\n"
                             "GROUP_KERNEL(two, (2, 1024), out(float, x))\n"
                             "{\n    ITEMS2 (y, i)\n        x[GLOBAL(i)] = 1;\n}\n"
                             "GROUP_KERNEL(any, ANY, out(float, x))\n"
                             "{\n    ITEMS (i)\n        x[GLOBAL(i)] = 1;\n}\n";

static void what_no_gpu_can_hold_is_told(void **state)
{
    (void)state;
    static const char ptx[] = ".const .align 4 .b8 quern_u_small[8] = {0, 0};\n"
                              ".const .align 8 .b8 quern_u_table[%d] = {0, 0};\n"
                              ".extern .shared .align 16 .b8 quern_dynamic[];\n"
                              ".visible .entry quern_k_one(\n)\n{\n"
                              "\t.shared .align 4 .b8 _ZZ1a[%d];\n"
                              "\t.shared .align 8 .f64 _ZZ1b;\n}\n"
                              ".visible .entry quern_k_two(\n)\n{\n"
                              "\t.local .align 16 .b8 \t__local_depot1[%d];\n"
                              "\t.shared .align 4 .b8 _ZZ1c[49152];\n}\n";
    char text[1024];
    quern_signature signature;
    quern_diagnostics diagnostics;
    quern_text notes = {0};
    assert_success(read_signature(source, &signature, &diagnostics));
    assert_int_equal(diagnostics.errors, 0);
    snprintf(text, sizeof text, ptx, 65528, 49140, 524288);
    quern_ptx_note_limits(&notes, &signature, text);
    expect(&notes, "file.k.c:9: warning: the groups of 'two' have 2048 items, and those of a CUDA device at most 1024: "
                   "it runs on none\n");
    snprintf(text, sizeof text, ptx, 65529, 49145, 524289); /* the double behind it begins at 49152 */
    quern_ptx_note_limits(&notes, &signature, text);
    const char *said = quern_text_string(&notes);
    assert_non_null(strstr(said, "file.k.c:4: warning: the LOCAL arrays of 'one' take 49160 bytes, and CUDA gives"));
    assert_non_null(strstr(said, "file.k.c:3: warning: the CONSTANT tables take 65537 bytes with 'table', and CUDA"));
    assert_non_null(
        strstr(said, "file.k.c:9: warning: the arrays that every item of 'two' has by itself take 524289 b"));
    assert_null(strstr(said, "LOCAL arrays of 'two'"));
    quern_text_free(&notes);
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

/* A log of the compilation that failed, with the kernel's name. */
static const char overflow[] =
    "a.k.c(3): warning #221-D: does not fit\n"
    "a.k.c(4): Error: Formal parameter space overflowed (40040 bytes required, max 4096 bytes allowed) in function %s\n"
    "%s";

static int note(quern_text *notes, const quern_signature *signature, const char *kernel, const char *rest)
{
    char log[1024];
    snprintf(log, sizeof log, overflow, kernel, rest);
    return quern_ptx_note_arguments(notes, signature, log, 50);
}

static void arguments_that_nvrtc_refuses_are_told(void **state)
{
    (void)state;
    static const char wanted[] =
        "file.k.c:4: warning: NVRTC gives the arguments of 'one' at most 4096 bytes on CUDA architecture 50, and they "
        "take 40040: its PTX of this file is left out, and no such GPU runs the file's kernels; wanted smaller ones, "
        "or an in parameter\n";
    quern_signature signature;
    quern_diagnostics diagnostics;
    quern_text notes = {0};
    assert_success(read_signature(source, &signature, &diagnostics));
    assert_int_equal(note(&notes, &signature, "quern_k_one", ""), 1);
    assert_int_equal(note(&notes, &signature, "quern_k_one", ""), 1); /* of another variant */
    expect(&notes, wanted);
    /* Anything else that is wrong has to be told as NVRTC tells it. */
    assert_int_equal(quern_ptx_note_arguments(&notes, &signature, NULL, 50), 0);
    assert_int_equal(quern_ptx_note_arguments(&notes, &signature, "a.k.c(4): warning: well\n", 50), 0);
    assert_int_equal(note(&notes, &signature, "quern_k_nobody", ""), 0);
    assert_int_equal(note(&notes, &signature, "one", ""), 0);
    assert_int_equal(note(&notes, &signature, "quern_k_one", "a.k.c(9): error: no such name"), 0);
    quern_text_free(&notes);
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_are_written_as_the_c_compilers_are),
        cmocka_unit_test(what_no_gpu_can_hold_is_told),
        cmocka_unit_test(arguments_that_nvrtc_refuses_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
