/* What a kernel file declares, read from the tokens of the signature pass. */
#include "compiler_test.h"

static quern_signature signature;
static quern_diagnostics diagnostics;

static void read_good(const char *text)
{
    assert_success(read_signature(text, &signature, &diagnostics));
    assert_string_equal(diagnostics.text ? diagnostics.text : "", "");
}

static void done(void)
{
    quern_signature_free(&signature);
    quern_diagnostics_free(&diagnostics);
}

static void reads_a_kernel(void **state)
{
    (void)state;
    read_good("\n\nKERNEL(saxpy, in(float, x), inout(float, y), value(float, a))\n{ EACH (i) y[i] += a * x[i]; }\n");
    assert_int_equal(signature.kernel_count, 1);
    const quern_signature_kernel *kernel = &signature.kernels[0];
    assert_string_equal(kernel->name, "saxpy");
    assert_int_equal(kernel->where->line, 3);
    assert_int_equal(kernel->is_group, 0);
    assert_int_equal(kernel->rank, 1);
    assert_int_equal(kernel->parameter_count, 3);
    assert_true(quern_token_is(&signature.tokens.tokens[kernel->body_begin], "{"));
    assert_true(quern_token_is(&signature.tokens.tokens[kernel->body_end], "}"));
    assert_string_equal(kernel->parameters[1].name, "y");
    assert_string_equal(kernel->parameters[1].type_name, "float");
    assert_int_equal(kernel->parameters[1].form, QUERN_PARAMETER_INOUT);
    assert_int_equal(kernel->parameters[2].form, QUERN_PARAMETER_VALUE);
    done();
}

static void knows_every_form_and_type(void **state)
{
    (void)state;
    read_good("typedef unsigned int word; typedef word other; struct plain { float a; };\n"
              "typedef struct { int a; } anonymous; typedef struct t { int a; } tagged;\n"
              "KERNEL(all, in(int8_t, a), out(uint64_t, b), inout(double, c), in_nd(unsigned short int, 1, d),"
              " out_nd(signed char, 6, e), inout_nd(char, 3, f), value(unsigned, g), local(int short, h),"
              " value(other, j), in(struct plain, k), value(struct plain, l), in(anonymous, m), value(tagged, n))"
              " { EACH3 (z, y, x) ; }");
    static const quern_parameter_form forms[] = {
        QUERN_PARAMETER_IN,     QUERN_PARAMETER_OUT,      QUERN_PARAMETER_INOUT, QUERN_PARAMETER_IN_ND,
        QUERN_PARAMETER_OUT_ND, QUERN_PARAMETER_INOUT_ND, QUERN_PARAMETER_VALUE, QUERN_PARAMETER_LOCAL,
        QUERN_PARAMETER_VALUE,  QUERN_PARAMETER_IN,       QUERN_PARAMETER_VALUE, QUERN_PARAMETER_IN,
        QUERN_PARAMETER_VALUE};
    static const uint32_t ranks[] = {0, 0, 0, 1, 6, 3, 0, 0, 0, 0, 0, 0, 0};
    static const char *const hosts[] = {"int8_t",       "uint64_t",  "double",    "unsigned short int", "signed char",
                                        "char",         "unsigned",  "int short", "unsigned int",       "struct plain",
                                        "struct plain", "anonymous", "struct t"};
    const quern_signature_kernel *kernel = &signature.kernels[0];
    assert_int_equal(kernel->parameter_count, 13);
    assert_int_equal(kernel->rank, 3);
    for (size_t i = 0; i < 13; ++i) {
        assert_int_equal(kernel->parameters[i].form, forms[i]);
        assert_int_equal(kernel->parameters[i].rank, ranks[i]);
        assert_string_equal(kernel->parameters[i].host_type, hosts[i]);
    }
    assert_string_equal(kernel->parameters[8].type_name, "other");
    done();
}

static void ranks_come_from_each(void **state)
{
    (void)state;
    read_good("KERNEL(a, in(int, x)) { EACH (i) {} EACH (j) {} } KERNEL(b, in(int, x)) { EACH2 (i, j) ; }"
              "KERNEL(c, in(int, x)) { if (1) EACH3 (i, j, k) ; } KERNEL(d, in(int, x)) { EACH_INDEX (i) ; }"
              "KERNEL(no_parameters) { EACH (i) ; }");
    static const int32_t ranks[] = {1, 2, 3, -1, 1};
    assert_int_equal(signature.kernel_count, 5);
    for (size_t i = 0; i < 5; ++i)
        assert_int_equal(signature.kernels[i].rank, ranks[i]);
    assert_int_equal(signature.kernels[4].parameter_count, 0);
    done();
}

static void reads_group_sizes(void **state)
{
    (void)state;
    read_good("enum { TILE = 16, NEXT, HALF = TILE / 2 };\n"
              "GROUP_KERNEL(a, 257, in(int, x)) {} GROUP_KERNEL(b, (4, 64), in(int, x)) {}"
              "GROUP_KERNEL(c, (2, TILE / 4, HALF << 1), in(int, x)) {} GROUP_KERNEL(d, ANY, in(int, x)) {}"
              "GROUP_KERNEL(e, (ANY, ANY), in(int, x)) {} GROUP_KERNEL(f, (3) * (5), in(int, x)) {}"
              "GROUP_KERNEL(g, (7 > 3 ? NEXT : 1), in(int, x)) {} GROUP_KERNEL(h, 0x10u, in(int, x)) {}"
              "GROUP_KERNEL(i, -(-3) * 2 + 7 % 4, in(int, x)) {} GROUP_KERNEL(j, (256), in(int, x)) {}");
    static const size_t sizes[][4] = {{1, 257, 0, 0}, {2, 4, 64, 0}, {3, 2, 4, 16}, {1, 0, 0, 0}, {2, 0, 0, 0},
                                      {1, 15, 0, 0},  {1, 17, 0, 0}, {1, 16, 0, 0}, {1, 9, 0, 0}, {1, 256, 0, 0}};
    assert_int_equal(signature.kernel_count, 10);
    for (size_t i = 0; i < 10; ++i) {
        const quern_signature_kernel *kernel = &signature.kernels[i];
        assert_int_equal(kernel->is_group, 1);
        assert_int_equal(kernel->group_rank, sizes[i][0]);
        assert_int_equal(kernel->rank, sizes[i][0]);
        for (size_t d = 0; d < 3; ++d)
            assert_int_equal(kernel->group[d], sizes[i][d + 1]);
    }
    done();
}

static void reads_structs(void **state)
{
    (void)state;
    read_good("STRUCT(affine, field(float, scale), field(float, shift, 2 * 3))\n"
              "STRUCT(outer, field(affine, parts, 5), field(struct affine, one), field(int8_t, tail));\n"
              "KERNEL(k, in(outer, x), value(struct outer, v)) { EACH (i) ; }");
    assert_int_equal(signature.struct_count, 2);
    const quern_signature_struct *affine = signature.structs[0], *outer = signature.structs[1];
    assert_string_equal(affine->name, "affine");
    assert_int_equal(affine->field_count, 2);
    assert_int_equal(affine->fields[1].count, 6);
    assert_int_equal(outer->field_count, 3);
    assert_ptr_equal(outer->fields[0].nested, affine);
    assert_int_equal(outer->fields[0].count, 5);
    assert_ptr_equal(outer->fields[1].nested, affine);
    assert_null(outer->fields[2].nested);
    assert_ptr_equal(signature.kernels[0].parameters[0].structure, outer);
    assert_ptr_equal(signature.kernels[0].parameters[1].structure, outer);
    assert_string_equal(signature.kernels[0].parameters[1].host_type, "outer");
    done();
}

static void reads_helpers(void **state)
{
    (void)state;
    read_good(
        "DEVICE float twice(float x);\nDEVICE GLOBAL_POINTER(float) next(GLOBAL_POINTER(float) p) { return p + 1; }\n"
        "DEVICE __attribute__((pure)) float twice(float x) { if (x) { return 2 * x; } return 0; }\n"
        "static int table[] = {1, 2};\nKERNEL(k, in(int, x)) { EACH (i) ; }");
    assert_int_equal(signature.helper_count, 3);
    assert_string_equal(signature.helpers[0].name, "twice");
    assert_int_equal(signature.helpers[0].body_begin, 0);
    assert_string_equal(signature.helpers[1].name, "next");
    assert_int_equal(signature.helpers[1].where->line, 2);
    assert_string_equal(signature.helpers[2].name, "twice");
    assert_true(quern_token_is(&signature.tokens.tokens[signature.helpers[2].body_end], "}"));
    assert_int_equal(signature.kernel_count, 1);
    done();
}

static void sixty_four_parameters_are_legal(void **state)
{
    (void)state;
    char text[4096] = "KERNEL(k";
    for (int i = 0; i < 64; ++i)
        sprintf(text + strlen(text), ", in(float, x%d)", i);
    strcat(text, ") { EACH (i) ; }");
    read_good(text);
    assert_int_equal(signature.kernels[0].parameter_count, 64);
    assert_string_equal(signature.kernels[0].parameters[63].name, "x63");
    done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_kernel),
        cmocka_unit_test(knows_every_form_and_type),
        cmocka_unit_test(ranks_come_from_each),
        cmocka_unit_test(reads_group_sizes),
        cmocka_unit_test(reads_structs),
        cmocka_unit_test(reads_helpers),
        cmocka_unit_test(sixty_four_parameters_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
