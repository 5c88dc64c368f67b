/* `quern compile` as a function: what it refuses, whole messages at the author's line, odd names, nothing left behind.
 */
#include "compiler_test.h"

#include "compiler/driver_process.h"

static const char saxpy[] = "#include <quern/kernel.h>\n\n"
                            "KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))\n"
                            "{\n    EACH (i)\n        y[i] += a * x[i];\n}\n";

static const char *const one_level[] = {"generic", NULL};
static const quern_compile_options quick = {.levels = one_level};

static void arguments_are_checked(void **state)
{
    (void)state;
    static const char *const unknown[] = {"x86-64-v2", "avx9000", NULL}, *const twice[] = {"generic", "generic", NULL},
                             *const none[] = {NULL};
    write_text("saxpy.k.c", saxpy);
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file(NULL, "out", NULL));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file("", "out", NULL));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file("saxpy.k.c", NULL, NULL));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file("saxpy.c", "out", NULL));
    assert_contains(quern_last_error(), "'saxpy.c' is no kernel file: its name must end in .k.c");
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file(".k.c", "out", NULL));
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.levels = unknown}));
    assert_contains(quern_last_error(), "level 'avx9000' is none of generic, x86-64-v2, x86-64-v3 and x86-64-v4");
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.levels = twice}));
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.levels = none}));
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.prefix = "1a"}));
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.prefix = "a-b"}));
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.fp = (quern_fp_mode)7}));
    assert_fails(QUERN_FILE_ERROR, quern_compile_file("nowhere/saxpy.k.c", "out", NULL));
    assert_contains(quern_last_error(), "nowhere/saxpy.k.c");
    assert_fails(QUERN_FILE_ERROR, quern_compile_file("saxpy.k.c", "saxpy.k.c/out", &quick));
    assert_false(exists("out"));
}

static void a_compiler_that_is_not_there_is_named(void **state)
{
    (void)state;
    write_text("saxpy.k.c", saxpy);
    assert_fails(QUERN_NOT_FOUND,
                 quern_compile_file("saxpy.k.c", "out", &(quern_compile_options){.compiler = "no-such-cc"}));
    assert_contains(quern_last_error(), "'no-such-cc'");
    char *before = strdup(getenv("QUERN_CC") ? getenv("QUERN_CC") : "");
    setenv("QUERN_CC", "/nowhere/cc -O2", 1);
    assert_fails(QUERN_NOT_FOUND, quern_compile_file("saxpy.k.c", "out", &quick));
    assert_contains(quern_last_error(), "'/nowhere/cc -O2' (from QUERN_CC)");
    setenv("QUERN_CC", " env  gcc ", 1); /* several words */
    assert_success(quern_compile_file("saxpy.k.c", "out", &quick));
    *before ? setenv("QUERN_CC", before, 1) : unsetenv("QUERN_CC");
    free(before);
}

/* A program that ends well and compiles nothing: it is named, not the file. */
static void what_is_no_compiler_is_named(void **state)
{
    (void)state;
    quern_module *module;
    write_text("saxpy.k.c", saxpy);
    write_text("echo-cc", "#!/bin/sh\necho \"# of arguments: $#\"\n");
    write_text("half-cc", "#!/bin/sh\ncase \" $* \" in *\" -E \"*) exec cc \"$@\";; esac\n");
    assert_int_equal(chmod("echo-cc", 0755) | chmod("half-cc", 0755), 0);
    static const struct {
        const char *compiler, *wanted;
    } cases[] = {
        {"true", "true' ended without an error for 'saxpy.k.c', but printed nothing"},
        {"./echo-cc", "'./echo-cc' ended without an error for 'saxpy.k.c', but printed no preprocessed C"},
        {"./half-cc", "'./half-cc' ended without an error for 'saxpy.k.c', but made no file"},
        {"false", "false' ended with status 1 and said nothing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        quern_compile_options options = {.compiler = cases[i].compiler};
        assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("saxpy.k.c", "none", &options));
        assert_contains(quern_last_error(), cases[i].wanted);
        assert_fails(QUERN_COMPILE_FAILED, quern_module_load("saxpy.k.c", &options, &module));
        assert_contains(quern_last_error(), cases[i].wanted);
    }
    assert_int_equal(count_names("none", "", ""), 0);
}

/* Names of the library are not given to kernels' functions. */
static void own_names_are_refused(void **state)
{
    (void)state;
    write_text("uern.k.c", "#include <quern/kernel.h>\nKERNEL(uern_fill, out(int, x)) { EACH (i) x[i] = 1; }\n");
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("uern.k.c", "own", &(quern_compile_options){.prefix = "quern_"}));
    assert_contains(quern_last_error(), "prefix 'quern_' gives names like Quern's own");
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_compile_file("uern.k.c", "own", &(quern_compile_options){.prefix = "QUERN_X"}));
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("uern.k.c", "own", &(quern_compile_options){.prefix = "q"}));
    assert_contains(quern_last_error(), "uern.k.c:2: error: ");
    assert_contains(quern_last_error(), "cannot be called 'quern_fill': that is one of Quern's own names");
    assert_int_equal(count_names("own", "", ""), 0);
}

/* What a compilation that was killed left among the outputs goes with the next one. */
static void left_behind_among_the_outputs(void **state)
{
    (void)state;
    write_text("saxpy.k.c", saxpy);
    assert_success(quern_directory_make("swept/.quern-a1B2c3/deep", 0700));
    write_text("swept/.quern-f1l3Ab", "a file");
    assert_success(quern_compile_file("saxpy.k.c", "swept", &quick));
    assert_false(exists("swept/.quern-a1B2c3"));
    assert_true(exists("swept/.quern-f1l3Ab"));
    assert_int_equal(count_names("swept", "", ""), 3);
}

static void assert_message(const char *text, const char *wanted)
{
    write_text("wrong.k.c", text);
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("wrong.k.c", "wrong", NULL));
    assert_contains(quern_last_error(), wanted);
    assert_int_equal(count_names("wrong", "", ""), 0); /* no output, nothing that was made on the way */
}

static void messages_point_at_the_authors_line(void **state)
{
    (void)state;
    /* the preprocessor */
    assert_message("#include <quern/kernel.h>\n#include \"missing.h\"\n", "wrong.k.c:2:10: fatal error: ");
    assert_message("\n#error \"not today\"\n", "wrong.k.c:2:2: error: ");
    /* the signature pass */
    assert_message("#include <quern/kernel.h>\n\n\nKERNEL(f, texture(float, x)) { EACH (i) ; }\n",
                   "wrong.k.c:4: error: kernel 'f': unknown parameter form 'texture'");
    assert_message("\nKERNEL(f, out(int32_t, x)) { EACH (i) x[i] = 1; }\n",
                   "wrong.k.c:2: error: kernel 'f' stands in a file that does not include <quern/kernel.h>");
    assert_message("int x;\n", "wrong.k.c:1: error: there is no KERNEL or GROUP_KERNEL in this file");
    assert_message("#include <quern/kernel.h>\n#pragma quern fp(wild)\nKERNEL(f, out(int, x)) { EACH (i) x[i] = 1; }\n",
                   "wrong.k.c:2: error: unknown '#pragma quern'");
    /* the C compiler */
    assert_message(
        "#include <quern/kernel.h>\nKERNEL(f, out(int, x))\n{\n    EACH (i)\n        x[i] = undeclared;\n}\n",
        "wrong.k.c:5:16: error: ");
    assert_contains(quern_last_error(), "undeclared");
    assert_message("#include <quern/kernel.h>\nKERNEL(f, out(int, x))\n{\n    EACH (i)\n        x[i] = ;\n}\n",
                   "wrong.k.c:5:");
}

static void messages_come_whole(void **state)
{
    (void)state;
    quern_text text = {0};
    quern_text_add(&text, "#include <quern/kernel.h>\nKERNEL(f, out(int, x))\n{\n    EACH (i) {\n");
    for (int i = 0; i < 150; ++i)
        quern_text_add(&text, "        x[i] = a_long_name_that_nobody_has_declared_anywhere_%d;\n", i);
    quern_text_add(&text, "    }\n}\n");
    write_text("long.k.c", text.data);
    quern_text_free(&text);
    /* some compilers stop after a number of errors */
    static const char *const all[] = {"-fmax-errors=0", NULL}, *const all_clang[] = {"-ferror-limit=0", NULL};
    quern_compile_options options = {.compiler = "gcc", .levels = one_level, .arguments = all};
    if (run("command -v gcc >/dev/null") != 0) {
        options.compiler = "clang";
        options.arguments = all_clang;
    }
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("long.k.c", "long", &options));
    assert_contains(quern_last_error(), "long.k.c:5:");
    assert_contains(quern_last_error(), "anywhere_149");
    assert_true(strlen(quern_last_error()) > 10000);
}

static void warnings_reach_the_author_once(void **state)
{
    (void)state;
    char *warnings;
    quern_compile_options options = {.warnings = &warnings};
    write_text("warn.k.c", "#include <quern/kernel.h>\nKERNEL(f, out(int, x))\n{\n    EACH (i) {\n        int "
                           "unused;\n        x[i] = 1;\n    }\n}\n");
    assert_success(quern_compile_file("warn.k.c", "out", &options));
    assert_non_null(warnings);
    assert_contains(warnings, "warn.k.c:5:13: warning: ");
    assert_null(strstr(strstr(warnings, "warning: ") + 1, "warning: "));
    free(warnings);
    write_text("saxpy.k.c", saxpy);
    assert_success(quern_compile_file("saxpy.k.c", "out", &options));
    assert_null(warnings);
}

static void odd_names_work(void **state)
{
    (void)state;
    static const char *const folders[] = {"with blanks",          "qu'o\"te",  "back\\slash", "dollar$HOME", "-dash",
                                          "\xc3\xa4\xe2\x82\xac", "percent%s", "new\nline",   "semi;colon&", "#hash",
                                          "\?\?/trigraph",        "star*"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        char path[128], header[128], out[128], made[256];
        snprintf(path, sizeof path, "%s/%s.k.c", folders[i], folders[i][0] == '?' ? "t" : folders[i]);
        snprintf(header, sizeof header, "%s/own %s.h", folders[i], folders[i][0] == '?' ? "t" : folders[i]);
        snprintf(out, sizeof out, "%s/out %zu", folders[i], i);
        snprintf(made, sizeof made, "%s/%s.k.h", out, folders[i][0] == '?' ? "t" : folders[i]);
        assert_success(quern_directory_make(folders[i], 0777));
        write_text(path, saxpy);
        assert_success(quern_compile_file(path, out, &quick));
        assert_true(exists(made));
        write_text(path, "#include <quern/kernel.h>\nKERNEL(f, out(int, x)) { EACH (i) x[i] = nothing; }\n");
        unlink(made);
        assert_fails(QUERN_COMPILE_FAILED, quern_compile_file(path, out, &quick));
        assert_false(exists(made));
        write_text(path, "#include <quern/kernel.h>\nKERNEL(f, bad(int, x)) { EACH (i) ; }\n");
        assert_fails(QUERN_COMPILE_FAILED, quern_compile_file(path, out, &quick));
        strcat(path, ":2: error: kernel 'f'");
        assert_memory_equal(quern_last_error(), path, strlen(path));
        assert_success(quern_file_write(header, "", 0, 0));
    }
}

static void own_headers_are_found_beside_the_file(void **state)
{
    (void)state;
    quern_directory_make("kernels/deep", 0777);
    quern_directory_make("elsewhere", 0777);
    write_text("kernels/own.h", "#define OWN 1\n");
    write_text("elsewhere/more.h", "#define MORE OWN\n");
    write_text("kernels/deep/k.k.c", "#include <quern/kernel.h>\n#include \"../own.h\"\n#include \"more.h\"\n"
                                     "KERNEL(f, out(int, x)) { EACH (i) x[i] = MORE + GIVEN; }\n");
    static const char *const arguments[] = {"-Ielsewhere", "-DGIVEN=2", NULL};
    quern_compile_options options = {.levels = one_level, .arguments = arguments};
    assert_success(quern_compile_file("kernels/deep/k.k.c", "out", &options));
}

static void texts_may_begin_and_end_oddly(void **state)
{
    (void)state;
    static const char kernel[] =
        "\xef\xbb\xbf#include <quern/kernel.h>\r\nKERNEL(f, out(int, x)) {\r\n EACH (i)\r\n x[i] = 1;\r\n}";
    write_text("odd.k.c", kernel); /* a byte order mark, DOS line ends, no newline at the end */
    assert_success(quern_compile_file("odd.k.c", "out", &quick));
    write_text("odd.k.c", "#include <quern/kernel.h>\nKERNEL(f, out(int, x)) { EACH (i) x[i] = 1; } // comment \\");
    assert_success(quern_compile_file("odd.k.c", "out", &quick));
    write_text("odd.k.c", "");
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("odd.k.c", "out", &quick));
}

static void a_read_only_folder_is_no_obstacle(void **state)
{
    (void)state;
    quern_directory_make("locked", 0777);
    write_text("locked/saxpy.k.c", saxpy);
    assert_int_equal(chmod("locked", 0555), 0);
    assert_success(quern_compile_file("locked/saxpy.k.c", "out", &quick));
    assert_int_equal(count_names("locked", "", ""), 1);
    assert_int_equal(chmod("locked", 0755), 0);
}

static void no_cache_is_needed(void **state)
{
    (void)state;
    char *before = strdup(getenv("QUERN_CACHE_DIR"));
    write_text("saxpy.k.c", saxpy);
    write_text("file", "");
    setenv("QUERN_CACHE_DIR", "file/cache", 1);
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_file("", "out", NULL));
    assert_success(quern_compile_file("saxpy.k.c", "no cache", &quick));
    assert_contains(quern_last_error(), "path of a kernel file is empty"); /* success leaves the sentence alone */
    assert_int_equal(count_names("no cache", "", ""), 2);
    setenv("QUERN_CACHE_DIR", before, 1);
    free(before);
}

/* When the object cannot be put in its place, the header is as it was. */
static void both_outputs_or_neither(void **state)
{
    (void)state;
    write_text("saxpy.k.c", saxpy);
    quern_directory_make("half/saxpy.k.o/full", 0777);
    assert_fails(QUERN_FILE_ERROR, quern_compile_file("saxpy.k.c", "half", &quick));
    assert_false(exists("half/saxpy.k.h"));
    write_text("half/saxpy.k.h", "as it was");
    assert_fails(QUERN_FILE_ERROR, quern_compile_file("saxpy.k.c", "half", &quick));
    char *header = read_text("half/saxpy.k.h");
    assert_string_equal(header, "as it was");
    free(header);
    assert_int_equal(count_names("half", "", ""), 2);
}

/* A multiplication and an addition stay two roundings, unless the file or the caller asks for one. */
static void fp_mode(void **state)
{
    (void)state;
#if defined(__x86_64__)
    static const char *const v3[] = {"x86-64-v3", NULL};
    static const char text[] =
        "KERNEL(f, in(double, a), in(double, b), inout(double, c)) { EACH (i) c[i] = a[i] * b[i] + c[i]; }\n";
    char file[512];
    const char *const starts[] = {"", "#pragma quern fp(contract)\n", "  # pragma  quern  fp ( fast )\n",
                                  "#pragma quern fp(strict)\n"};
    for (int i = 0; i < 4; ++i)
        for (int mode = 0; mode < 2; ++mode) {
            quern_compile_options options = {.levels = v3, .fp = mode ? QUERN_FP_CONTRACT : QUERN_FP_STRICT};
            snprintf(file, sizeof file, "#include <quern/kernel.h>\n%s%s", starts[i], text);
            write_text("fp.k.c", file);
            assert_success(quern_compile_file("fp.k.c", "fp", &options));
            int fused = run("objdump -d fp/fp.k.o | grep -q vfm") == 0;
            assert_int_equal(fused, mode || i == 1 || i == 2);
        }
#endif
}

/* An interruption ends the compilation and leaves nothing. */
static void interrupted(void **state)
{
    (void)state;
    write_text("slow-cc", "#!/bin/sh\nexec sleep 30\n");
    assert_int_equal(chmod("slow-cc", 0755), 0);
    write_text("saxpy.k.c", saxpy);
    quern_compile_interrupted = 1;
    assert_fails(QUERN_COMPILE_FAILED,
                 quern_compile_file("saxpy.k.c", "cut", &(quern_compile_options){.compiler = "./slow-cc"}));
    quern_compile_interrupted = 0;
    assert_int_equal(count_names("cut", "", ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(a_compiler_that_is_not_there_is_named),
        cmocka_unit_test(what_is_no_compiler_is_named),
        cmocka_unit_test(own_names_are_refused),
        cmocka_unit_test(left_behind_among_the_outputs),
        cmocka_unit_test(messages_point_at_the_authors_line),
        cmocka_unit_test(messages_come_whole),
        cmocka_unit_test(warnings_reach_the_author_once),
        cmocka_unit_test(odd_names_work),
        cmocka_unit_test(own_headers_are_found_beside_the_file),
        cmocka_unit_test(texts_may_begin_and_end_oddly),
        cmocka_unit_test(a_read_only_folder_is_no_obstacle),
        cmocka_unit_test(no_cache_is_needed),
        cmocka_unit_test(both_outputs_or_neither),
        cmocka_unit_test(fp_mode),
        cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
