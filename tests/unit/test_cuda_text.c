/*
 * The text that `quern compile` writes for CUDA: what it has of its own beside that for OpenCL (test_opencl_text.c),
 * with which it shares how pieces, phases and lines are written. test_cuda_text_run.c and test_cuda_text_values.c run
 * it.
 */
#include "compiler_test.h"

/* ---- texts ---- */

static char *text_with(const char *body, quern_fp_mode fp)
{
    char *text = NULL;
    quern_text file = {0};
    quern_compile_options options = {.fp = fp};
    quern_text_add(&file, "#include <quern/kernel.h>\n%s", body);
    write_text("file.k.c", quern_text_string(&file));
    quern_text_free(&file);
    if (quern_compile_text("file.k.c", "cuda", &options, &text) != QUERN_SUCCESS)
        fail_msg("%s", quern_last_error());
    return text;
}

static char *text_of(const char *body)
{
    return text_with(body, QUERN_FP_STRICT);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is in:\n%s", part, text);
}

/* ---- heads and the words of a launch ---- */

static void parameters_find_their_words(void **state)
{
    (void)state;
    char *text = text_of("STRUCT(pair, field(float, a), field(int32_t, b, 2))\n"
                         "KERNEL(plain, in(float, x), value(pair, p), inout_nd(int8_t, 3, y), out(pair, z))\n"
                         "{ EACH2 (j, i) { AT(y, j, EXTENT(y, 2), EXTENT(y, i)) = p.b[0]; z[i].a = x[j]; } }\n"
                         "KERNEL(any, in_nd(float, 1, x), out_nd(float, 6, y))\n"
                         "{ EACH_INDEX (k) AT_INDEX(y, k) = AT_INDEX(x, k); }\n"
                         "GROUP_KERNEL(group, (2, 3, 4), local(float, t), out_nd(float, 2, y), local(pair, u), "
                         "in(float, x))\n"
                         "{ ITEMS3 (k, j, i) { t[i] = x[j]; AT(y, j, i) = t[i] + u[0].a; } }\n");
    /* Three words of the launch, four for each dimension, then the parameters in order. */
    assert_contains(text, "struct quern_words_plain { quern_index w[20]; };");
    assert_contains(text, "(quern_row_of_x)(quern_memory_of_x + quern_words.w[11]);");
    assert_contains(text, "(quern_row_of_y)(quern_memory_of_y + quern_words.w[12]);");
    assert_contains(text, "quern_extent_of_y_0 = quern_words.w[13];");
    assert_contains(text, "quern_pitch_of_y_1 = quern_words.w[17];");
    assert_contains(text, "(quern_row_of_z)(quern_memory_of_z + quern_words.w[19]);");
    assert_contains(text, "QUERN_AT_3(y, j, quern_extent_of_y_2, quern_words.w[13 + (i)])");
    assert_contains(text, "\nextern \"C\" __global__ void quern_k_plain(const struct quern_words_plain quern_words, "
                          "const char *__restrict__ quern_memory_of_x, const quern_u_pair p, char *__restrict__ "
                          "quern_memory_of_y, char *__restrict__ quern_memory_of_z)\n");
    assert_contains(text, "struct quern_words_any { quern_index w[43]; };");
    assert_contains(text, "QUERN_AT_INDEX_6(y, k) = QUERN_AT_INDEX_1(x, k);");
    /* A local parameter is no argument, but a word. */
    assert_contains(text, "struct quern_words_group { quern_index w[23]; };");
    assert_contains(text, "\nextern \"C\" __global__ void __launch_bounds__(24) quern_k_group(const struct "
                          "quern_words_group quern_words, char *__restrict__ quern_memory_of_y, const char "
                          "*__restrict__ quern_memory_of_x)\n");
    assert_contains(text, "    typedef float *quern_row_of_t;\n");
    assert_contains(text, "    quern_row_of_t __restrict__ t = (quern_row_of_t)(quern_dynamic + quern_words.w[15]);\n");
    assert_contains(text, "(quern_row_of_y)(quern_memory_of_y + quern_words.w[16]);");
    assert_contains(text, "    quern_row_of_u __restrict__ u = (quern_row_of_u)(quern_dynamic + quern_words.w[21]);\n");
    assert_contains(text, "(quern_row_of_x)(quern_memory_of_x + quern_words.w[22]);");
    assert_contains(text, "QUERN_GROUP_3(2, 3, 4)");
    free(text);
}

/* Only a size that a device can have is a bound: NVRTC takes no other, and the launch refuses it anyway. */
static void launch_bounds_are_the_static_size_s(void **state)
{
    (void)state;
    static const struct {
        const char *size, *head;
    } cases[] = {{"256", "void __launch_bounds__(256) quern_k_g("},
                 {"(4, 64)", "void __launch_bounds__(256) quern_k_g("},
                 {"(32, 32)", "void __launch_bounds__(1024) quern_k_g("},
                 {"(5, 205)", "void quern_k_g("},
                 {"1025", "void quern_k_g("},
                 {"ANY", "void quern_k_g("},
                 {"(ANY, ANY)", "void quern_k_g("}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char body[128];
        snprintf(body, sizeof body, "GROUP_KERNEL(g, %s, out(float, y)) { ONCE y[0] = 1.0f; }\n", cases[i].size);
        char *text = text_of(body);
        assert_contains(text, cases[i].head);
        free(text);
    }
}

/* ---- lines ---- */

/* Where NVRTC says that the part stands: "FILE:LINE". */
static void assert_place(const char *text, const char *part, const char *wanted)
{
    const char *found = strstr(text, part);
    char file[128] = "", place[160];
    int line = 0;
    if (!found)
        fail_msg("'%s' is not in:\n%s", part, text);
    for (const char *at = text; at <= found;) {
        const char *end = strchr(at, '\n');
        if (sscanf(at, "#line %d \"%127[^\"]\"", &line, file) == 2)
            --line; /* the newline behind the marker counts */
        if (!end || end > found)
            break;
        ++line;
        at = end + 1;
    }
    snprintf(place, sizeof place, "%s:%d", file, line);
    assert_string_equal(place, wanted);
}

static void every_line_is_the_author_s(void **state)
{
    (void)state;
    write_text("helper.h", "#define APPLY(x) (x)\n\n\nDEVICE float\n mark_in_header(float a)\n{\n    return a;\n}\n");
    char *text =
        text_of("\n#include \"helper.h\"\n\n\n\n\n\n\n\n\n\n\n\nenum mark_of_enum {\n    FIRST,\n    SECOND\n};\n"
                "KERNEL(name,\n       in(float, x),\n\n       out(float, y))\n{\n"
                "    EACH (i) {\n        float mark_of_variable = 1.0f;\n"
                "        enum mark_of_enum mark = FIRST;\n"
                "        y[i] = APPLY(exp(mark_in_header(x[i])));\n"
                "        y[i] += 4.5f + mark_of_variable + mark;\n    }\n}\n"
                "GROUP_KERNEL(group, 8,\n       local(float, tile))\n{ ITEMS (i) tile[i] = 1.0f; }\n");
    assert_place(text, "quern_u_mark_in_header", "./helper.h:5");
    assert_place(text, "return a;", "./helper.h:7");
    assert_place(text, "quern_u_FIRST,", "file.k.c:16");
    assert_place(text, "quern_k_name", "file.k.c:19");
    assert_place(text, "quern_row_of_y;", "file.k.c:22");
    assert_place(text, "EACH(i) {", "file.k.c:24");
    assert_place(text, "quern_enum_of_mark_of_enum mark ", "file.k.c:26");
    assert_place(text, "quern_exp(", "file.k.c:27");
    assert_place(text, "4.5f", "file.k.c:28");
    assert_place(text, "(quern_dynamic", "file.k.c:32");
    assert_place(text, "quern_row_of_tile;", "file.k.c:32");
    free(text);
}

/* ---- words ---- */

static void words_are_written_in_cxx(void **state)
{
    (void)state;
    char *text = text_of(
        "STRUCT(pair, field(float, a), field(int32_t, b, 1 + 1));\n"
        "CONSTANT float exp[1] = {3.0f};\n"
        "DEVICE pair both(float a) { return MAKE(pair, a, {1, 2}); }\n"
        "KERNEL(k, out(pair, y), in_nd(float, 2, x))\n"
        "{ EACH (i) { int64_t wide = 1LL + 0xffULL - -3l; float sin = 1.0f, assert = exp[0];\n"
        "  y[i] = both((float)wide + AT(x, MIN(i, 3), i) + sin(sin) + exp(assert) + (float)popcount(wide)); } }\n"
        "GROUP_KERNEL(g, (2, 8), out(float, y), value(float, v))\n"
        "{ PRIVATE(float, p); ITEMS2 (j, i) { if (v > 1.0f) continue; MINE(p, j, i) = v; }\n"
        "  ITEMS2 (j, i) y[ITEM_LINEAR(j, i)] = MINE(p, j, i) + (float)GLOBAL_LINEAR(j, i); }\n");
    static const char *const parts[] = {
        "typedef struct quern_u_pair quern_u_pair; struct quern_u_pair { float a; int32_t b[1 + 1]; };",
        "CONSTANT float quern_u_exp[1] = { 3.0f };",
        "return (quern_type< quern_u_pair>::type{ a, { 1, 2 }});",
        ("int64_t wide = QUERN_LONG(1) + QUERN_LONG(0xffU) - -QUERN_LONG(3); float sin = 1.0f, quern_u_assert = "
         "quern_u_exp[0];"),
        "QUERN_AT_2(x, MIN(i, 3), i) + quern_sin(sin) + quern_exp(quern_u_assert) + (float) quern_popcount(wide)",
        "{ QUERN_ITEMS2(j, i) do { if (v > 1.0f) continue; QUERN_MINE_2(p, j, i) = v; } while (0); QUERN_BARRIER; }",
        "y[QUERN_ITEM_LINEAR_2(j, i)] = QUERN_MINE_2(p, j, i) + (float) QUERN_GLOBAL_LINEAR_2(j, i);"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        assert_contains(text, parts[i]);
    free(text);
}

/* What is declared by an enum takes any integer in C. */
static void enums_are_integers(void **state)
{
    (void)state;
    char *text = text_of("enum mode { PLAIN, TWICE = (1, 3) };\nenum { FLAG = 1 };\n"
                         "typedef enum { LOW = -2, HIGH } level;\ntypedef enum kind { ODD } kind;\n"
                         "struct both { enum mode m; enum { X, Y } n; };\n"
                         "DEVICE enum mode next(enum mode m) { return m + 1; }\n"
                         "KERNEL(k, out(int32_t, y))\n"
                         "{ EACH (i) { enum mode m = 1; const enum mode c = 2; level l = LOW; enum own { A } a = 7;\n"
                         "  y[0] = (int32_t)((enum mode)m + next(c) + l + sizeof(enum own) + a); } }\n");
    static const char *const parts[] = {
        "enum { quern_u_PLAIN, quern_u_TWICE = (1, 3) }; typedef quern_enum<(quern_u_PLAIN < 0 || quern_u_TWICE < "
        "0)>::type quern_enum_of_mode;",
        "\nenum { quern_u_FLAG = 1 };\n",
        "; typedef quern_enum<(quern_u_LOW < 0 || quern_u_HIGH < 0)>::type quern_enum_of_",
        "; typedef quern_enum_of_kind quern_u_kind;",
        "struct quern_u_both { quern_enum_of_mode m; enum { quern_u_X, quern_u_Y }; typedef ",
        "quern_enum_of_mode quern_u_next(quern_enum_of_mode m)",
        "quern_enum_of_mode m = 1; const quern_enum_of_mode c = 2; quern_u_level l = quern_u_LOW; enum { A }; typedef "
        "quern_enum<(A < 0)>::type quern_enum_of_own; quern_enum_of_own a = 7;",
        "((quern_enum_of_mode) m + quern_u_next(c) + l + sizeof(quern_enum_of_own) + a)"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
        assert_contains(text, parts[i]);
    free(text);
}

/* ---- how it is embedded ---- */

static void the_text_is_complete_and_small(void **state)
{
    (void)state;
    char *text = text_of("KERNEL(one, out(float, y)) { EACH (i) y[i] = 1.0f; }\n");
    assert_lacks(text, "#include");
    assert_lacks(text, "/*");
    assert_lacks(text, "__kernel");
    assert_lacks(text, "get_global_id");
    static const char *const headers[] = {"QUERN_DIALECT_CUDA_H", "QUERN_DIALECT_CUDA_ITEMS_H",
                                          "QUERN_DIALECT_DEVICE_MEMORY_H", "QUERN_DIALECT_CUDA_MATH_H",
                                          "QUERN_DIALECT_CUDA_ATOMICS_H"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
        assert_contains(text, headers[i]);
    assert_true(strlen(text) < 32768); /* each object of a kernel file holds it */
    free(text);
}

static void every_kernel_s_image_is_the_whole_text(void **state)
{
    (void)state;
    static const struct {
        quern_fp_mode fp;
        const char *pragma, *target;
        int is_fast;
    } cases[] = {{QUERN_FP_STRICT, "", "cuda-c++ strict", 0},
                 {QUERN_FP_CONTRACT, "", "cuda-c++ contract", 0},
                 {QUERN_FP_STRICT, "#pragma quern fp(fast)\n", "cuda-c++ fast", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char body[512];
        snprintf(body, sizeof body,
                 "%sKERNEL(one, out(float, y)) { EACH (i) y[i] = 1.0f; }\n"
                 "KERNEL(two, out(double, y)) { EACH (i) { y[i] = 2; PRINT(\"\\\"?\?=%%d\\\\\\n\", 3); } }\n",
                 cases[i].pragma);
        char *text = text_with(body, cases[i].fp);
        quern_compile_options options = {.fp = cases[i].fp};
        quern_module *module = NULL;
        quern_kernel *const *kernels;
        size_t count;
        assert_int_equal(strncmp(text, "#define QUERN_FAST 1\n", 21) == 0, cases[i].is_fast);
        assert_success(quern_module_load("file.k.c", &options, &module));
        quern_module_kernels(module, &kernels, &count);
        assert_int_equal(count, 2);
        for (size_t k = 0; k < count; ++k) {
            const quern_kernel_image *image = &kernels[k]->images[2];
            assert_int_equal(kernels[k]->image_count, 3);
            assert_string_equal(image->backend, "cuda");
            assert_string_equal(image->target, cases[i].target);
            assert_null(image->function);
            assert_string_equal((const char *)image->data, text);
            assert_int_equal(image->size, strlen(text));
            assert_ptr_equal(image->data, kernels[0]->images[2].data);
        }
        quern_module_unload(module);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_find_their_words),
                                       cmocka_unit_test(launch_bounds_are_the_static_size_s),
                                       cmocka_unit_test(every_line_is_the_author_s),
                                       cmocka_unit_test(words_are_written_in_cxx),
                                       cmocka_unit_test(enums_are_integers),
                                       cmocka_unit_test(the_text_is_complete_and_small),
                                       cmocka_unit_test(every_kernel_s_image_is_the_whole_text)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
