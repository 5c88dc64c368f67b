/* Element types: QUERN_TYPE, the scalars, names, and what is no type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/layout.h>

struct particle {
    float position[3];
    double mass;
};

typedef float triple[3];

static void check_type(quern_type type, quern_type_kind kind, size_t size, size_t alignment)
{
    assert_int_equal(type.kind, kind);
    assert_int_equal(type.size, size);
    assert_int_equal(type.alignment, alignment);
}

static void types_of_c(void **state)
{
    (void)state;
    check_type(QUERN_TYPE(int8_t), QUERN_KIND_INT8, 1, 1);
    check_type(QUERN_TYPE(int16_t), QUERN_KIND_INT16, 2, 2);
    check_type(QUERN_TYPE(int32_t), QUERN_KIND_INT32, 4, 4);
    check_type(QUERN_TYPE(int64_t), QUERN_KIND_INT64, 8, 8);
    check_type(QUERN_TYPE(uint8_t), QUERN_KIND_UINT8, 1, 1);
    check_type(QUERN_TYPE(uint16_t), QUERN_KIND_UINT16, 2, 2);
    check_type(QUERN_TYPE(uint32_t), QUERN_KIND_UINT32, 4, 4);
    check_type(QUERN_TYPE(uint64_t), QUERN_KIND_UINT64, 8, 8);
    check_type(QUERN_TYPE(float), QUERN_KIND_FLOAT32, 4, 4);
    check_type(QUERN_TYPE(double), QUERN_KIND_FLOAT64, 8, 8);
    check_type(QUERN_TYPE(long long), QUERN_KIND_INT64, 8, 8);
    check_type(QUERN_TYPE(unsigned long), sizeof(long) == 8 ? QUERN_KIND_UINT64 : QUERN_KIND_UINT32, sizeof(long),
               _Alignof(long));
    check_type(QUERN_TYPE(char), (char)-1 < 0 ? QUERN_KIND_INT8 : QUERN_KIND_UINT8, 1, 1);
    check_type(QUERN_TYPE(struct particle), QUERN_KIND_STRUCT, sizeof(struct particle), _Alignof(struct particle));
    check_type(QUERN_TYPE(triple), QUERN_KIND_STRUCT, 12, 4);
}

static void qualifiers_make_no_difference(void **state)
{
    (void)state;
    check_type(QUERN_TYPE(const float), QUERN_KIND_FLOAT32, 4, 4);
    check_type(QUERN_TYPE(volatile int16_t), QUERN_KIND_INT16, 2, 2);
    check_type(QUERN_TYPE(const struct particle), QUERN_KIND_STRUCT, sizeof(struct particle),
               _Alignof(struct particle));
}

static void scalars_agree_with_c(void **state)
{
    (void)state;
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_INT8), QUERN_TYPE(int8_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_INT16), QUERN_TYPE(int16_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_INT32), QUERN_TYPE(int32_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_INT64), QUERN_TYPE(int64_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_UINT8), QUERN_TYPE(uint8_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_UINT16), QUERN_TYPE(uint16_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_UINT32), QUERN_TYPE(uint32_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_UINT64), QUERN_TYPE(uint64_t)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_FLOAT32), QUERN_TYPE(float)));
    assert_true(quern_type_equal(quern_type_scalar(QUERN_KIND_FLOAT64), QUERN_TYPE(double)));
    check_type(quern_type_scalar(QUERN_KIND_NONE), QUERN_KIND_NONE, 0, 0);
    check_type(quern_type_scalar(QUERN_KIND_STRUCT), QUERN_KIND_NONE, 0, 0);
    check_type(quern_type_scalar((quern_type_kind)77), QUERN_KIND_NONE, 0, 0);
}

static void equality_looks_at_every_field(void **state)
{
    (void)state;
    assert_true(quern_type_equal(quern_type_struct(24, 8), quern_type_struct(24, 8)));
    assert_false(quern_type_equal(quern_type_struct(24, 8), quern_type_struct(24, 4)));
    assert_false(quern_type_equal(quern_type_struct(24, 8), quern_type_struct(32, 8)));
    assert_false(quern_type_equal(QUERN_TYPE(int32_t), QUERN_TYPE(uint32_t)));
    assert_false(quern_type_equal(QUERN_TYPE(int32_t), QUERN_TYPE(float)));
}

static void names(void **state)
{
    (void)state;
    static const char *const expected[] = {"none",   "int8",   "int16",  "int32",   "int64",   "uint8",
                                           "uint16", "uint32", "uint64", "float32", "float64", "struct"};
    for (int kind = QUERN_KIND_INT8; kind <= QUERN_KIND_FLOAT64; ++kind)
        assert_string_equal(quern_type_name(quern_type_scalar((quern_type_kind)kind)), expected[kind]);
    assert_string_equal(quern_type_name(QUERN_TYPE(struct particle)), expected[QUERN_KIND_STRUCT]);
    assert_string_equal(quern_type_name((quern_type){0, 0, 0}), "none");
    assert_string_equal(quern_type_name((quern_type){12, 4, 4}), "none");
    assert_string_equal(quern_type_name((quern_type){65535, 4, 4}), "none");
}

/* Nothing has a layout of a type that is none; the sentence names the field. */
static void what_is_no_type(void **state)
{
    (void)state;
    static const struct {
        quern_type type;
        const char *field;
    } cases[] = {
        {{QUERN_KIND_NONE, 4, 4}, "type.kind is 0"},         {{QUERN_KIND_STRUCT + 1, 4, 4}, "type.kind is 12"},
        {{QUERN_KIND_STRUCT, 4, 0}, "type.size is 0"},       {{QUERN_KIND_INT32, 4, 8}, "type.size is 8, wanted 4"},
        {{QUERN_KIND_FLOAT64, 0, 8}, "type.alignment is 0"}, {{QUERN_KIND_STRUCT, 3, 9}, "type.alignment is 3"},
        {{QUERN_KIND_STRUCT, 8, 12}, "type.alignment is 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        quern_layout layout;
        assert_int_equal(quern_layout_packed(cases[i].type, QUERN_EXTENTS(3), &layout), QUERN_INVALID_TYPE);
        if (!strstr(quern_last_error(), cases[i].field))
            fail_msg("\"%s\" does not say \"%s\"", quern_last_error(), cases[i].field);
    }
}

/* What does not fit the fields must not come out as a smaller type. */
static void sizes_that_do_not_fit_are_no_type(void **state)
{
    (void)state;
    quern_layout layout;
    quern_type too_large = quern_type_struct((size_t)UINT32_MAX + 1 + 8, 8);
    quern_type too_aligned = quern_type_struct(1 << 17, (1 << 16) + 2);
    assert_int_equal(quern_layout_packed(too_large, QUERN_EXTENTS(1), &layout), QUERN_INVALID_TYPE);
    assert_int_equal(quern_layout_packed(too_aligned, QUERN_EXTENTS(1), &layout), QUERN_INVALID_TYPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_c),
        cmocka_unit_test(qualifiers_make_no_difference),
        cmocka_unit_test(scalars_agree_with_c),
        cmocka_unit_test(equality_looks_at_every_field),
        cmocka_unit_test(names),
        cmocka_unit_test(what_is_no_type),
        cmocka_unit_test(sizes_that_do_not_fit_are_no_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
