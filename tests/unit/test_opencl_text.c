/*
 * The text that `quern compile` writes for OpenCL: its structure, its lines, its names, and what it leaves out on a
 * device that lacks something. test_opencl_text_run.c builds and runs it.
 */
#include "compiler_test.h"

#include "compiler/piece.h"

/* ---- texts ---- */

static char *text_of(const char *body)
{
    char *text = NULL;
    quern_text file = {0};
    quern_text_add(&file, "#include <quern/kernel.h>\n%s", body);
    write_text("file.k.c", quern_text_string(&file));
    quern_text_free(&file);
    assert_success(quern_compile_text("file.k.c", "opencl", NULL, &text));
    return text;
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

/* The first parts stand in the text one after another. */
static void assert_in_order(const char *text, const char *const *parts)
{
    const char *at = text;
    for (; *parts; ++parts) {
        const char *found = strstr(at, *parts);
        if (!found)
            fail_msg("'%s' is not, or not in its place, in:\n%s", *parts, text);
        at = found + strlen(*parts);
    }
}

/* Where a device's compiler says that the part stands: "FILE:LINE". */
static void find_place(const char *text, const char *part, char *place, size_t size)
{
    const char *found = strstr(text, part);
    char file[128] = "";
    int line = 0;
    assert_non_null(found);
    for (const char *at = text; at <= found;) {
        const char *end = strchr(at, '\n');
        int is_marker = sscanf(at, "#line %d \"%127[^\"]\"", &line, file) == 2;
        if (is_marker)
            --line; /* the newline behind the marker counts */
        if (!end || end > found)
            break;
        ++line;
        at = end + 1;
    }
    snprintf(place, size, "%s:%d", file, line);
}

static void assert_place(const char *text, const char *part, const char *wanted)
{
    char place[160];
    find_place(text, part, place, sizeof place);
    assert_string_equal(place, wanted);
}

/* ---- the words of a launch ---- */

static void parameters_find_their_words(void **state)
{
    (void)state;
    char *text = text_of("STRUCT(pair, field(float, a), field(int32_t, b, 2))\n"
                         "KERNEL(plain, in(float, x), value(pair, p), inout_nd(int8_t, 3, y), out(pair, z))\n"
                         "{ EACH2 (j, i) { AT(y, j, EXTENT(y, 2), EXTENT(y, i)) = p.b[0]; z[i].a = x[j]; } }\n"
                         "KERNEL(any, in_nd(float, 1, x), out_nd(float, 6, y))\n"
                         "{ EACH_INDEX (k) AT_INDEX(y, k) = AT_INDEX(x, k); }\n"
                         "GROUP_KERNEL(group, (2, 3, 4), local(float, t), out_nd(float, 2, y), in(float, x))\n"
                         "{ ITEMS3 (k, j, i) { t[i] = x[j]; AT(y, j, i) = t[i]; } }\n");
    /* Three words of the launch, four for each dimension, then the parameters in order. */
    assert_contains(text, "struct quern_words_plain { quern_index w[20]; };");
    assert_contains(text, "(quern_row_of_x)(quern_memory_of_x + quern_words.w[11]);");
    assert_contains(text, "(quern_row_of_y)(quern_memory_of_y + quern_words.w[12]);");
    assert_contains(text, "quern_extent_of_y_0 = quern_words.w[13];");
    assert_contains(text, "quern_extent_of_y_2 = quern_words.w[15];");
    assert_contains(text, "quern_pitch_of_y_0 = quern_words.w[16];");
    assert_contains(text, "quern_pitch_of_y_1 = quern_words.w[17];");
    assert_contains(text, "(quern_row_of_z)(quern_memory_of_z + quern_words.w[19]);");
    assert_contains(text, "QUERN_AT_3(y, j, quern_extent_of_y_2, quern_words.w[13 + (i)])");
    assert_contains(text,
                    "void quern_k_plain(const struct quern_words_plain quern_words, __global const char *restrict "
                    "quern_memory_of_x, const quern_u_pair p, __global char *restrict quern_memory_of_y, __global "
                    "char *restrict quern_memory_of_z)\n");
    assert_contains(text, "struct quern_words_any { quern_index w[43]; };");
    assert_contains(text, "quern_extent_of_x_0 = quern_words.w[28];");
    assert_contains(text, "(quern_row_of_y)(quern_memory_of_y + quern_words.w[30]);");
    assert_contains(text, "QUERN_AT_INDEX_6(y, k) = QUERN_AT_INDEX_1(x, k);");
    assert_contains(text, "struct quern_words_group { quern_index w[21]; };");
    assert_contains(text, "__kernel __attribute__((reqd_work_group_size(4, 3, 2))) void quern_k_group(");
    assert_contains(text, "__local float *restrict t, ");
    assert_contains(text, "QUERN_GROUP_3(2, 3, 4)");
    assert_contains(text, "(quern_row_of_x)(quern_memory_of_x + quern_words.w[20]);");
    free(text);
}

/* ---- lines ---- */

static void every_line_is_the_author_s(void **state)
{
    (void)state;
    write_text("helper.h", "#define APPLY(x) mark_of_macro + \\\n    (x)\n\n\nDEVICE float\n mark_in_header(float a)\n"
                           "{\n    return a;\n}\n");
    char *text = text_of("\n/* a\n comment */\n#include \"helper.h\"\n\n"
                         "CONSTANT float mark_of_table[2] = {\n    1.0f,\n\n    2.25f,\n};\n\n"
                         "KERNEL(name,\n       in(float, x),\n\n       out(float, y))\n{\n"
                         "    EACH (i) {\n        float mark_of_macro = 1.0f;\n"
                         "        y[i] = APPLY(mark_in_header(x[i] +\n\n\n\n\n\n\n\n\n\n\n\n"
                         "                       mark_of_table[1]));\n"
                         "        y[i] += 4.5f;\n    }\n}\n");
    assert_place(text, "quern_u_mark_in_header", "./helper.h:6");
    assert_place(text, "return a;", "./helper.h:8");
    assert_place(text, "quern_u_mark_of_table[2]", "file.k.c:7");
    assert_place(text, "2.25f", "file.k.c:10");
    assert_place(text, "__kernel void quern_k_name", "file.k.c:13");
    assert_place(text, "EACH(i) {", "file.k.c:18");
    assert_place(text, "mark_of_macro = 1.0f", "file.k.c:19");
    assert_place(text, "4.5f", "file.k.c:33");
    free(text);
}

/* ---- names ---- */

/* What an author calls like a function of OpenCL C is his own, wherever it stands; what he does not declare is not. */
static void names_of_the_file_scope_are_set_apart(void **state)
{
    (void)state;
    char *text =
        text_of("CONSTANT float step[2] = {1.0f, 2.0f};\nCONSTANT float exp = 3.0f;\ntypedef float mix;\n"
                "enum { clamp = 3, select };\nstruct cross { mix dot; };\nSTRUCT(distance, field(mix, length))\n"
                "DEVICE mix dot(mix a, float b) { return a * b; }\n"
                "KERNEL(dot_all, in(distance, select_me), value(distance, dot), out(float, max))\n"
                "{ EACH (i) { struct cross c = {1.0f}; float min = exp(exp), barrier = dot.length; int other = clamp + "
                "select;\n"
                " max[i] = min + barrier + c.dot + step[0] + select_me[i].length + (float)other; } }\n");
    static const char *const parts[] = {
        "__constant float", /* what CONSTANT stands for */
        "quern_u_step[2]",
        "quern_u_exp = 3.0f",
        "typedef float quern_u_mix;",
        "enum { quern_u_clamp = 3, quern_u_select };",
        "struct quern_u_cross { quern_u_mix quern_u_dot; };",
        "typedef struct quern_u_distance quern_u_distance; struct quern_u_distance { quern_u_mix length; };",
        "quern_u_mix quern_u_dot(quern_u_mix a, float b)",
        "void quern_k_dot_all(",
        "const quern_u_distance quern_u_dot",
        "quern_row_of_select_me restrict select_me",
        "float min = exp(quern_u_exp), quern_u_barrier = quern_u_dot.length; int other = quern_u_clamp + "
        "quern_u_select;",
        "max[i] = min + quern_u_barrier + c.quern_u_dot + quern_u_step[0] + select_me[i].length",
        NULL};
    assert_in_order(text, parts + 1);
    free(text);
}

/* ---- words ---- */

static void words_that_are_no_macros_are_written_out(void **state)
{
    (void)state;
    char *text = text_of(
        "STRUCT(pair, field(float, a), field(int32_t, b, 1 + 1));\n"
        "DEVICE pair both(float a) { return MAKE(pair, a, {1, 2}); }\n"
        "KERNEL(k, out(pair, y), in_nd(float, 2, x))\n"
        "{ EACH (i) { int64_t wide = 1LL + 0xffULL - -3l; y[i] = both((float)wide + AT(x, MIN(i, 3), i)); } }\n"
        "GROUP_KERNEL(g, (2, 8), out(float, y), value(float, v))\n"
        "{ PRIVATE(float, p); ITEMS2 (j, i) MINE(p, j, i) = v; ITEMS2 (j, i) y[ITEM_LINEAR(j, i)] = MINE(p, j, i) + "
        "(float)GLOBAL_LINEAR(j, i); }\n");
    assert_contains(text, "struct quern_u_pair { float a; int32_t b[1 + 1]; };");
    assert_contains(text, "return ((quern_u_pair){ a, { 1, 2 }});");
    assert_contains(text, "int64_t wide = 1L + 0xffUL - -3l;");
    assert_contains(text, "QUERN_AT_2(x, MIN(i, 3), i)");
    assert_contains(text, "QUERN_MINE_2(p, j, i) = v;");
    assert_contains(text,
                    "y[QUERN_ITEM_LINEAR_2(j, i)] = QUERN_MINE_2(p, j, i) + (float) QUERN_GLOBAL_LINEAR_2(j, i);");
    free(text);
}

/* Whatever a phase's statement is, it is closed in, and the barrier comes behind all of it. */
static void phases_end_where_their_statement_does(void **state)
{
    (void)state;
    char *text = text_of(
        "GROUP_KERNEL(g, 8, inout(float, y), value(int32_t, n))\n{\n"
        "    ITEMS (i) y[i] = 1.0f;\n"
        "    ALL_ITEMS (i) { if (i > 3) continue; y[0] += 1.0f; }\n"
        "    ITEMS (i) if (n > 1) y[i] = 2.0f; else if (n > 0) { y[i] = 3.0f; } else y[i] = 4.0f;\n"
        "    ITEMS (i) for (int k = 0; k < n; ++k) while (y[i] > 5.0f) do { y[i] -= 1.0f; } while (y[i] > 6.0f);\n"
        "    ITEMS (i) switch (n) { case 1: y[i] = 7.0f; break; default: y[i] = 8.0f; }\n"
        "    if (n > 2) ONCE y[0] = 9.0f; else TEAM_EACH (j, n + 1) { y[j] = 10.0f; }\n"
        "    for (int k = 0; k < n; ++k) ONCE { y[0] = 11.0f; }\n"
        "}\n");
    static const char *const parts[] = {
        "{ QUERN_ITEMS(i) do y[i] = 1.0f; while (0); QUERN_BARRIER; }\n",
        "{ QUERN_ALL_ITEMS(i) do { if (i > 3) continue; y[0] += 1.0f; } while (0); QUERN_BARRIER; }\n",
        "{ QUERN_ITEMS(i) do if (n > 1) y[i] = 2.0f; else if (n > 0) { y[i] = 3.0f; } else y[i] = 4.0f; while (0); "
        "QUERN_BARRIER; }\n",
        "y[i] -= 1.0f; } while (y[i] > 6.0f); while (0); QUERN_BARRIER; }\n",
        "{ QUERN_ITEMS(i) do switch (n) { case 1 : y[i] = 7.0f; break; default : y[i] = 8.0f; } while (0); "
        "QUERN_BARRIER; }\n",
        "if (n > 2) { QUERN_ONCE do y[0] = 9.0f; while (0); QUERN_BARRIER; } else { QUERN_TEAM_EACH(j, n + 1) { y[j] = "
        "10.0f; } QUERN_BARRIER; }\n",
        "for (int k = 0; k < n; ++k) { QUERN_ONCE do { y[0] = 11.0f; } while (0); QUERN_BARRIER; }\n",
        NULL};
    assert_in_order(text, parts);
    assert_lacks(text, "{ QUERN_BARRIER;");
    free(text);
}

/* A barrier comes before a phase too where an item may still read between phases what another writes in that one. */
static void reads_between_phases_are_fenced(void **state)
{
    (void)state;
    static const char *const reading[] = {"int n = (int)t[0];", "float f = y[GROUP_ID];", "if (u[0] > 0) return;",
                                          "LOCAL_POINTER(float) p = t;"};
    static const char *const harmless[] = {"float f = x[GROUP_ID];", "int n = (int)v;", "READ_UNIFORM(float, f, t[0]);",
                                           "quern_index n = EXTENT(w, 0);"};
    char body[512], *text;
    for (int i = 0; i < 8; ++i) {
        snprintf(
            body, sizeof body,
            "GROUP_KERNEL(g, 8, inout(float, y), in(float, x), value(float, v), local(float, u), out_nd(float, 1, "
            "w))\n{ LOCAL(float, t, 8);\n ITEMS (i) t[i] = 1.0f;\n %s\n ONCE t[0] = 2.0f;\n ONCE { t[1] = 3.0f; }\n"
            " for (int k = 0; k < 3; ++k) ONCE t[2] = 4.0f;\n ONCE t[3] = y[0] + x[0] + v + u[0] + AT(w, 0); }\n",
            i < 4 ? reading[i] : harmless[i - 4]);
        text = text_of(body);
        if (i < 4) {
            assert_contains(text, "{ QUERN_BARRIER; QUERN_ONCE do t[0] = 2.0f; while (0); QUERN_BARRIER; }");
            /* directly behind a phase of the same block nothing was read */
            assert_contains(text, "\n    { QUERN_ONCE do { t[1] = 3.0f; } while (0); QUERN_BARRIER; }");
            assert_contains(text, "{ QUERN_BARRIER; QUERN_ONCE do t[2] = 4.0f;");
            assert_contains(text, "{ QUERN_BARRIER; QUERN_ONCE do t[3] = ");
        } else {
            assert_lacks(text, "{ QUERN_BARRIER;");
        }
        free(text);
    }
}

/* ---- what a device may lack ---- */

static const char needy[] = "typedef double real;\n"
                            "STRUCT(wide, field(real, a))\n"
                            "CONSTANT wide table[1] = {{1}};\n"
                            "DEVICE float later(float x);\n"
                            "DEVICE float through(float x) { return later(x); }\n"
                            "DEVICE void count(GLOBAL_POINTER(int64_t) n) { ATOMIC_ADD(n, 1); }\n"
                            "DEVICE float twice(float x) { return 2 * x; }\n"
                            "KERNEL(none, out(float, y)) { EACH (i) y[i] = twice(1.0f); }\n"
                            "KERNEL(parameter, out(double, y)) { EACH (i) y[i] = 1; }\n"
                            "KERNEL(structure, value(wide, w), out(float, y)) { EACH (i) y[i] = (float)w.a; }\n"
                            "KERNEL(a_table, out(float, y)) { EACH (i) y[i] = (float)table[0].a; }\n"
                            "KERNEL(helper, out(float, y)) { EACH (i) y[i] = through(1.0f); }\n"
                            "KERNEL(number, out(float, y)) { EACH (i) y[i] = 1.0; }\n"
                            "KERNEL(name, out(float, y)) { EACH (i) y[i] = (float)M_PI; }\n"
                            "KERNEL(hex, out(float, y)) { EACH (i) y[i] = 0x1Fu + 0x1p3f; }\n"
                            "KERNEL(atomic, inout(uint64_t, n)) { EACH (i) ATOMIC_OR(&n[i], 1u); }\n"
                            "KERNEL(atomic_helper, inout(int64_t, n)) { EACH (i) count(&n[i]); }\n"
                            "KERNEL(atomic_double, inout(double, x)) { EACH (i) ATOMIC_MAX(&x[i], 1); }\n"
                            "KERNEL(atomic_narrow, inout(float, x)) { EACH (i) ATOMIC_MAX(&x[i], 1); }\n"
                            "DEVICE float later(float x) { return (float)sqrt((double)x); }\n";

static const struct {
    const char *kernel;
    uint32_t needs;
} wanted_needs[] = {{"none", 0},
                    {"parameter", QUERN_NEEDS_FP64},
                    {"structure", QUERN_NEEDS_FP64},
                    {"a_table", QUERN_NEEDS_FP64},
                    {"helper", QUERN_NEEDS_FP64},
                    {"number", QUERN_NEEDS_FP64},
                    {"name", QUERN_NEEDS_FP64},
                    {"hex", 0},
                    {"atomic", QUERN_NEEDS_ATOMICS64},
                    {"atomic_helper", QUERN_NEEDS_ATOMICS64},
                    {"atomic_double", QUERN_NEEDS_FP64 | QUERN_NEEDS_ATOMICS64},
                    {"atomic_narrow", 0}};
enum { NEEDY = sizeof wanted_needs / sizeof wanted_needs[0] };

static void pieces_know_what_they_need(void **state)
{
    (void)state;
    quern_signature signature;
    quern_diagnostics diagnostics;
    quern_piece_list pieces;
    assert_success(read_signature(needy, &signature, &diagnostics));
    assert_success(quern_signature_check(&signature, &diagnostics));
    assert_int_equal(diagnostics.errors, 0);
    assert_success(quern_pieces_read(&signature, &pieces));
    size_t kernels = 0;
    for (size_t i = 0; i < pieces.count; ++i)
        if (pieces.pieces[i].kind == QUERN_PIECE_KERNEL) {
            assert_string_equal(signature.kernels[pieces.pieces[i].kernel].name, wanted_needs[kernels].kernel);
            assert_int_equal(pieces.pieces[i].needs, wanted_needs[kernels].needs);
            ++kernels;
        }
    assert_int_equal(kernels, NEEDY);
    quern_pieces_free(&pieces);
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

static void what_a_device_may_lack_is_guarded(void **state)
{
    (void)state;
    char *text = text_of(needy);
    static const char *const parts[] = {"#if defined(QUERN_FP64)\n", "typedef double quern_u_real;\n#endif\n", NULL};
    static const char *const atomics[] = {"#if defined(QUERN_ATOMICS64)\n", "quern_u_count(", "#endif\n", NULL};
    static const char *const both[] = {"#if defined(QUERN_FP64) && defined(QUERN_ATOMICS64)\n",
                                       "void quern_k_atomic_double(", "#endif\n", NULL};
    assert_in_order(text, parts);
    assert_in_order(text, atomics);
    assert_in_order(text, both);
    const char *free_one = strstr(text, "void quern_k_none("), *guard = strstr(free_one, "#if");
    assert_in_order(free_one, (const char *const[]){"void quern_k_none(", "#if defined(QUERN_FP64)\n", NULL});
    assert_non_null(guard);
    assert_null(strstr(strstr(text, "quern_u_twice"), "#endif") < free_one ? "twice is guarded" : NULL);
    free(text);
}

/* ---- how it is embedded ---- */

static void every_kernel_s_image_is_the_whole_text(void **state)
{
    (void)state;
    static const struct {
        quern_fp_mode fp;
        const char *pragma, *target, *contract;
    } cases[] = {{QUERN_FP_STRICT, "", "opencl-c-1.2 strict", "#pragma OPENCL FP_CONTRACT OFF\n"},
                 {QUERN_FP_CONTRACT, "", "opencl-c-1.2 contract", "#pragma OPENCL FP_CONTRACT ON\n"},
                 {QUERN_FP_STRICT, "#pragma quern fp(fast)\n", "opencl-c-1.2 fast", "#pragma OPENCL FP_CONTRACT ON\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char file[512], *text = NULL;
        snprintf(file, sizeof file,
                 "#include <quern/kernel.h>\n%sKERNEL(one, out(float, y)) { EACH (i) y[i] = 1.0f; }\n"
                 "KERNEL(two, out(double, y)) { EACH (i) { y[i] = 2; PRINT(\"\\\"?\?=%%d\\\\\\n\", 3); } }\n",
                 cases[i].pragma);
        write_text("file.k.c", file);
        quern_compile_options options = {.fp = cases[i].fp};
        quern_module *module = NULL;
        quern_kernel *const *kernels;
        size_t count;
        assert_success(quern_compile_text("file.k.c", "opencl", &options, &text));
        assert_int_equal(strncmp(text, cases[i].contract, strlen(cases[i].contract)), 0);
        assert_success(quern_module_load("file.k.c", &options, &module));
        quern_module_kernels(module, &kernels, &count);
        assert_int_equal(count, 2);
        for (size_t k = 0; k < count; ++k) {
            const quern_kernel_image *image = &kernels[k]->images[1];
            assert_int_equal(kernels[k]->image_count, 3);
            assert_string_equal(image->backend, "opencl");
            assert_string_equal(image->target, cases[i].target);
            assert_null(image->function);
            assert_string_equal((const char *)image->data, text);
            assert_int_equal(image->size, strlen(text));
            assert_ptr_equal(image->data, kernels[0]->images[1].data);
            assert_int_equal(kernels[k]->needs, k == 1 ? QUERN_NEEDS_FP64 : 0);
        }
        quern_module_unload(module);
        free(text);
    }
}

/* The text is longer than C17 promises, and nobody is told. */
static void compilers_say_nothing_about_the_text(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    write_text("file.k.c", "#include <quern/kernel.h>\nKERNEL(one, out(float, y)) { EACH (i) y[i] = 1.0f; }\n");
    for (size_t i = 0; i < 2; ++i) {
        char *warnings = NULL;
        const char *const arguments[] = {"-Woverlength-strings", "-std=c17", NULL};
        quern_compile_options options = {.compiler = compilers[i], .arguments = arguments, .warnings = &warnings};
        if (run("command -v %s >/dev/null", compilers[i]) != 0)
            continue;
        assert_success(quern_compile_file("file.k.c", "out", &options));
        if (warnings)
            fail_msg("%s", warnings);
        char *object = NULL;
        quern_text bytes = {0};
        assert_int_equal(quern_file_try_read("out/file.k.o", &bytes), 0);
        object = memmem(bytes.data, bytes.length, "__kernel void quern_k_one(const", 31);
        assert_non_null(object);
        assert_null(memmem(object + 1, (size_t)(bytes.data + bytes.length - object) - 1,
                           "__kernel void quern_k_one(const", 31));
        quern_text_free(&bytes);
    }
}

static void misuse_is_refused(void **state)
{
    (void)state;
    char *text = NULL;
    write_text("file.k.c", "#include <quern/kernel.h>\nKERNEL(one, out(float, y)) { EACH (i) y[i] = 1.0f; }\n");
    assert_fails(QUERN_NOT_FOUND, quern_compile_text("file.k.c", "cpu", NULL, &text));
    assert_contains(quern_last_error(), "'cpu'");
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_text("file.k.c", NULL, NULL, &text));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_text(NULL, "opencl", NULL, &text));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_compile_text("file.k.c", "opencl", NULL, NULL));
    assert_fails(QUERN_FILE_ERROR, quern_compile_text("nothing.k.c", "opencl", NULL, &text));
    write_text("file.k.c", "#include <quern/kernel.h>\nKERNEL(one, out(float, y)) { ITEMS (i) y[i] = 1.0f; }\n");
    assert_fails(QUERN_COMPILE_FAILED, quern_compile_text("file.k.c", "opencl", NULL, &text));
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_find_their_words),
                                       cmocka_unit_test(every_line_is_the_author_s),
                                       cmocka_unit_test(names_of_the_file_scope_are_set_apart),
                                       cmocka_unit_test(words_that_are_no_macros_are_written_out),
                                       cmocka_unit_test(phases_end_where_their_statement_does),
                                       cmocka_unit_test(reads_between_phases_are_fenced),
                                       cmocka_unit_test(pieces_know_what_they_need),
                                       cmocka_unit_test(what_a_device_may_lack_is_guarded),
                                       cmocka_unit_test(every_kernel_s_image_is_the_whole_text),
                                       cmocka_unit_test(compilers_say_nothing_about_the_text),
                                       cmocka_unit_test(misuse_is_refused)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
