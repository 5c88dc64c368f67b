/* `quern compile`: headers that every compiler takes, objects that hold what they should, and both outputs or none. */
#include "compiler_test.h"

static const char *const compilers[] = {"gcc", "clang"};

static int is_there(const char *program)
{
    return run("command -v %s >/dev/null", program) == 0;
}

static const char saxpy[] = "#include <quern/kernel.h>\n\n"
                            "KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))\n"
                            "{\n    EACH (i)\n        y[i] += a * x[i];\n}\n";

/* Everything that can stand in a header. */
static const char all[] =
    "#include <quern/kernel.h>\n"
    "#include \"shared.h\"\n"
    "#define REAL double\n#define NAME everything\n#define LENGTH 3\n#define queue_length 7\n"
    "STRUCT(affine, field(float, scale), field(int16_t, shift, LENGTH))\n"
    "STRUCT(outer, field(affine, parts, 2), field(struct affine, one))\n"
    "DEVICE REAL twice(REAL x) { return 2 * x; }\n"
    "KERNEL(NAME, in(REAL, queue), out_nd(int8_t, LENGTH, range), value(outer, o), value(struct affine, s),\n"
    "       value(vec3, v), in(struct point, points), value(struct point, p), value(word, w), in(unsigned char, "
    "bytes))\n"
    "{\n    EACH3 (z, y, x)\n        AT(range, z, y, x) = (int8_t)(twice(queue[x]) + o.one.scale + s.scale + v.x + p.x "
    "+ w + points[x].x + bytes[x]);\n}\n"
    "KERNEL(any_rank, out_nd(float, 2, x)) { EACH_INDEX (idx) AT_INDEX(x, idx) = 1.0f; }\n"
    "GROUP_KERNEL(grouped, (4, LENGTH * 2), in(double, x), local(float, tile))\n"
    "{\n    LOCAL(affine, mine, GROUP_SIZE * 2 + 1);\n    LOCAL(double, sums, GROUP_ITEMS);\n    PRIVATE(double, d);\n"
    "    ITEMS2 (y, x) { MINE(d, y, x) = x; tile[x] = (float)y; mine[x].scale = 1; sums[x] = mine[x].scale; tile[x] += "
    "(float)sums[x]; }\n}\n"
    "GROUP_KERNEL(unsized, ANY, inout(float, x)) { ITEMS (i) x[GLOBAL(i)] += 1.0f; }\n";
static const char shared[] = "#ifndef SHARED_H\n#define SHARED_H\ntypedef struct { float x, y, z; } vec3;\n"
                             "struct point { float x, y; };\ntypedef unsigned int word;\n#endif\n";

static void write_all(void)
{
    write_text("all.k.c", all);
    write_text("shared.h", shared);
}

/* The header alone is a whole, clean program in C17 and C++17, after and before the author's own header. */
static void headers_compile_alone(void **state)
{
    (void)state;
    static const char *const lines[] = {"gcc -std=c17 -x c", "clang -std=c17 -x c", "g++ -std=c++17 -x c++",
                                        "clang++ -std=c++17 -x c++"};
    write_all();
    assert_success(quern_compile_file("all.k.c", "out", NULL));
    write_text("twice.c",
               "#include \"all.k.h\"\n#include \"saxpy.k.h\"\n#include \"all.k.h\"\n#include \"shared.h\"\n"
               "quern_status (*call)(quern_queue *, quern_range, quern_const_view, quern_view, outer, affine,\n"
               "    vec3, quern_const_view, struct point, unsigned int, quern_const_view) = everything;\n"
               "int main(void) { return call == 0 || grouped_kernel.rank != 2; }\n");
    write_text("saxpy.k.c", saxpy);
    assert_success(quern_compile_file("saxpy.k.c", "out", NULL));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        char program[16] = "";
        sscanf(lines[i], "%15s", program);
        if (!is_there(program))
            continue;
        assert_int_equal(
            run("%s -I'%s/include' -I. -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only out/all.k.h",
                lines[i], QUERN_SOURCE_DIR),
            0);
        assert_int_equal(
            run("%s -I'%s/include' -I. -Iout -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only twice.c",
                lines[i], QUERN_SOURCE_DIR),
            0);
    }
}

static void both_compilers_make_objects_without_a_warning(void **state)
{
    (void)state;
    write_all();
    for (size_t i = 0; i < 2; ++i) {
        char *warnings = NULL;
        quern_compile_options options = {.compiler = compilers[i], .warnings = &warnings};
        if (!is_there(compilers[i]))
            continue;
        assert_success(quern_compile_file("all.k.c", "objects", &options));
        assert_string_equal(warnings ? warnings : "", "");
        assert_int_equal(run("nm objects/all.k.o > symbols"), 0);
        assert_int_equal(run("grep -q ' T everything$' symbols && grep -q ' D unsized_kernel$' symbols"), 0);
        assert_int_equal(run("test \"$(grep ' U ' symbols | grep -v -e memcpy -e memset -e _GLOBAL_OFFSET_TABLE_)\" = "
                             "\"$(grep ' U quern_launch$' symbols)\""),
                         0);
    }
}

static void two_structs_of_one_name_are_noticed(void **state)
{
    (void)state;
    write_text("one.k.c", "#include <quern/kernel.h>\nSTRUCT(pair, field(int, a))\nKERNEL(one, value(pair, p), "
                          "out(int, x)) { EACH (i) x[i] = p.a; }\n");
    write_text("two.k.c", "#include <quern/kernel.h>\nSTRUCT(pair, field(int, a))\nKERNEL(two, value(pair, p), "
                          "out(int, x)) { EACH (i) x[i] = p.a; }\n");
    write_text("three.k.c", "#include <quern/kernel.h>\nSTRUCT(pair, field(int, b))\nKERNEL(three, value(pair, p), "
                            "out(int, x)) { EACH (i) x[i] = p.b; }\n");
    assert_success(quern_compile_file("one.k.c", "pairs", NULL));
    assert_success(quern_compile_file("two.k.c", "pairs", NULL));
    assert_success(quern_compile_file("three.k.c", "pairs", NULL));
    write_text("same.c", "#include \"pairs/one.k.h\"\n#include \"pairs/two.k.h\"\nint f(pair p) { return p.a; }\n");
    write_text("other.c", "#include \"pairs/one.k.h\"\n#include \"pairs/three.k.h\"\n");
    assert_int_equal(run("gcc -fsyntax-only -Werror -I'%s/include' same.c", QUERN_SOURCE_DIR), 0);
    assert_int_not_equal(run("gcc -fsyntax-only -I'%s/include' other.c 2>messages", QUERN_SOURCE_DIR), 0);
    assert_int_equal(run("grep -q 'STRUCT pair is declared in two kernel files, in different ways' messages"), 0);
}

/* Two files of one name from two folders have headers that do not hide each other. */
static void a_name_in_two_folders_makes_two_headers(void **state)
{
    (void)state;
    quern_directory_make("left", 0777);
    quern_directory_make("right", 0777);
    write_text("left/k.k.c", "#include <quern/kernel.h>\nKERNEL(first, out(int, x)) { EACH (i) x[i] = 1; }\n");
    write_text("right/k.k.c", "#include <quern/kernel.h>\nKERNEL(second, out(int, x)) { EACH (i) x[i] = 1; }\n");
    assert_success(quern_compile_file("left/k.k.c", "left", NULL));
    assert_success(quern_compile_file("right/k.k.c", "right", NULL));
    write_text("both.c", "#include \"left/k.k.h\"\n#include \"right/k.k.h\"\nvoid *f(void) { return first_kernel.state "
                         "== second_kernel.state ? (void *)0 : first_kernel.state; }\n");
    assert_int_equal(run("gcc -fsyntax-only -Werror -I'%s/include' both.c", QUERN_SOURCE_DIR), 0);
}

static void a_body_is_included_twice(void **state)
{
    (void)state;
    write_text("body.h", "KERNEL(NAME, in(T, x), inout(T, y))\n{\n    EACH (i)\n        y[i] = OP(y[i], x[i]);\n}\n");
    write_text("twice.k.c",
               "#include <quern/kernel.h>\n#define T float\n#define NAME add\n#define OP(a, b) ((a) + (b))\n"
               "#include \"body.h\"\n#undef NAME\n#undef OP\n#define NAME larger\n#define OP(a, b) MAX(a, b)\n#include "
               "\"body.h\"\n");
    assert_success(quern_compile_file("twice.k.c", "out", NULL));
    char *header = read_text("out/twice.k.h");
    assert_contains(header,
                    "quern_status add(quern_queue *queue, quern_range range, quern_const_view x, quern_view y);");
    assert_contains(header, "quern_status larger(quern_queue *queue");
    assert_contains(header, "body.h:1)");
    free(header);
}

static void prefix_levels_and_depfile(void **state)
{
    (void)state;
    static const char *const levels[] = {"generic", NULL};
    quern_compile_options options = {.prefix = "my_", .levels = levels, .depfile = "out/all.d"};
    write_all();
    write_text("out/all.d", "old");
    assert_success(quern_compile_file("all.k.c", "out", &options));
    char *header = read_text("out/all.k.h"), *rule = read_text("out/all.d");
    assert_contains(header, "extern quern_kernel my_everything_kernel;");
    assert_string_equal(rule, "out/all.k.h out/all.k.o: \\\n  all.k.c \\\n  ./shared.h\n");
    assert_int_equal(run("nm out/all.k.o | grep -q quern_k_everything_generic"), 0);
    assert_int_not_equal(run("nm out/all.k.o | grep -q x86_64"), 0);
    free(header);
    free(rule);
}

/* One kernel file, compiled with two prefixes, in one program. */
static void two_prefixes_go_together(void **state)
{
    (void)state;
    static const char *const levels[] = {"generic", NULL};
    write_text("saxpy.k.c", saxpy);
    assert_success(quern_compile_file("saxpy.k.c", "left", &(quern_compile_options){.prefix = "l_", .levels = levels}));
    assert_success(
        quern_compile_file("saxpy.k.c", "right", &(quern_compile_options){.prefix = "r_", .levels = levels}));
    assert_int_equal(run("ld -r -o both.o left/saxpy.k.o right/saxpy.k.o"), 0);
}

static void names_of_the_c_library_are_refused(void **state)
{
    (void)state;
    write_text("names.k.c",
               "#include <quern/kernel.h>\nKERNEL(select, out(int, x)) { EACH (i) x[i] = 1; }\n"
               "KERNEL(a, out(int, x)) { EACH (i) x[i] = 1; }\nKERNEL(a_kernel, out(int, x)) { EACH (i) x[i] = 1; }\n");
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_file("names.k.c", "names", NULL));
    assert_contains(
        quern_last_error(),
        "names.k.c:2: error: kernel 'select': its launch function would take the place of the C library's 'select'");
    assert_contains(quern_last_error(),
                    "names.k.c:4: error: kernel 'a_kernel' has the name of the descriptor of kernel 'a'");
    write_text("names.k.c", "#include <quern/kernel.h>\nKERNEL(select, out(int, x)) { EACH (i) x[i] = 1; }\n");
    assert_success(quern_compile_file("names.k.c", "names", &(quern_compile_options){.prefix = "p_"}));
    /* What is only loaded would not compile either. */
    quern_module *module = NULL;
    char *text = NULL;
    write_text("main.k.c", "#include <quern/kernel.h>\nKERNEL(main, out(int, x)) { EACH (i) x[i] = 1; }\n");
    assert_fails(QUERN_COMPILE_FAILED, quern_module_load("main.k.c", NULL, &module));
    assert_contains(quern_last_error(), "main.k.c:2: error: kernel 'main': its launch function would take the place");
    /* A device's text has no launch function. */
    assert_success(quern_compile_text("main.k.c", "opencl", NULL, &text));
    assert_contains(text, "quern_k_main");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_compile_alone),
        cmocka_unit_test(both_compilers_make_objects_without_a_warning),
        cmocka_unit_test(two_structs_of_one_name_are_noticed),
        cmocka_unit_test(a_name_in_two_folders_makes_two_headers),
        cmocka_unit_test(a_body_is_included_twice),
        cmocka_unit_test(prefix_levels_and_depfile),
        cmocka_unit_test(two_prefixes_go_together),
        cmocka_unit_test(names_of_the_c_library_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
