/* The tool's arrays: the patterns that fill them, and comparing what two devices computed. */
#include "cli/array.c"
#include "cli/compare.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static quern_cli_array generate(quern_type_kind kind, quern_extents extents, quern_cli_pattern pattern, uint64_t seed)
{
    quern_cli_array array;
    if (quern_cli_array_generate(quern_type_scalar(kind), NULL, extents, pattern, seed, &array))
        fail_msg("%s", quern_last_error());
    return array;
}

static void test_linear_wraps(void **state)
{
    (void)state;
    quern_cli_array bytes = generate(QUERN_KIND_INT8, QUERN_EXTENTS(7, 61), QUERN_CLI_LINEAR, 0);
    quern_cli_array words = generate(QUERN_KIND_UINT16, QUERN_EXTENTS(65539), QUERN_CLI_LINEAR, 0);
    quern_cli_array floats = generate(QUERN_KIND_FLOAT32, QUERN_EXTENTS(1009), QUERN_CLI_LINEAR, 0);
    assert_int_equal(((int8_t *)bytes.data)[127], 127);
    assert_int_equal(((int8_t *)bytes.data)[128], -128);
    assert_int_equal(((int8_t *)bytes.data)[426], (int8_t)(426 - 512));
    assert_int_equal(((uint16_t *)words.data)[65535], 65535);
    assert_int_equal(((uint16_t *)words.data)[65538], 2);
    for (int i = 0; i < 1009; ++i)
        assert_true(((float *)floats.data)[i] == (float)i);
    quern_cli_array_free(&bytes);
    quern_cli_array_free(&words);
    quern_cli_array_free(&floats);
}

static void test_ones_and_zeros(void **state)
{
    (void)state;
    for (int kind = QUERN_KIND_INT8; kind < QUERN_KIND_STRUCT; ++kind) {
        quern_cli_array zeros = generate((quern_type_kind)kind, QUERN_EXTENTS(3, 5), QUERN_CLI_ZEROS, 0);
        quern_cli_array ones = generate((quern_type_kind)kind, QUERN_EXTENTS(3, 5), QUERN_CLI_ONES, 0);
        for (size_t i = 0; i < quern_cli_array_bytes(&zeros); ++i)
            assert_int_equal(((char *)zeros.data)[i], 0);
        if (kind == QUERN_KIND_FLOAT32)
            assert_true(((float *)ones.data)[14] == 1.0f);
        else if (kind == QUERN_KIND_FLOAT64)
            assert_true(((double *)ones.data)[14] == 1.0);
        else
            assert_int_equal(((char *)ones.data)[14 * ones.type.size], 1);
        quern_cli_array_free(&zeros);
        quern_cli_array_free(&ones);
    }
}

static void test_random(void **state)
{
    (void)state;
    enum { COUNT = 10007 };
    quern_cli_array doubles = generate(QUERN_KIND_FLOAT64, QUERN_EXTENTS(COUNT), QUERN_CLI_RANDOM, 5);
    quern_cli_array floats = generate(QUERN_KIND_FLOAT32, QUERN_EXTENTS(COUNT), QUERN_CLI_RANDOM, 5);
    quern_cli_array bytes = generate(QUERN_KIND_UINT8, QUERN_EXTENTS(COUNT), QUERN_CLI_RANDOM, 5);
    quern_cli_array others = generate(QUERN_KIND_UINT8, QUERN_EXTENTS(COUNT), QUERN_CLI_RANDOM, 6);
    double sum = 0;
    int seen[100] = {0}, differing = 0;
    for (int i = 0; i < COUNT; ++i) {
        double d = ((double *)doubles.data)[i];
        float f = ((float *)floats.data)[i];
        unsigned char b = ((unsigned char *)bytes.data)[i];
        assert_true(d >= 0 && d < 1 && f >= 0 && f < 1 && b < 100);
        assert_true(d - f >= 0 && d - f < 0x1p-24);
        assert_int_equal(b, (int)(d * 100));
        sum += d;
        seen[b] = 1;
        differing += b != ((unsigned char *)others.data)[i];
    }
    assert_true(fabs(sum / COUNT - 0.5) < 0.02);
    for (int i = 0; i < 100; ++i)
        assert_true(seen[i]);
    assert_true(differing > COUNT / 2);
    quern_cli_array_free(&doubles);
    quern_cli_array_free(&floats);
    quern_cli_array_free(&bytes);
    quern_cli_array_free(&others);
    /* The largest double below 1 is no 1 as a float, and no 100 as an integer. */
    union {
        float single;
        int32_t whole;
        uint64_t room; /* for an element of any kind */
    } element = {.room = 0};
    store_random(quern_type_scalar(QUERN_KIND_FLOAT32), &element, 1 - 0x1p-53);
    assert_true(element.single < 1 && element.single > 0.9999f);
    store_random(quern_type_scalar(QUERN_KIND_INT32), &element, 1 - 0x1p-53);
    assert_int_equal(element.whole, 99);
}

static void test_sizes(void **state)
{
    (void)state;
    quern_cli_array array;
    quern_type type = quern_type_scalar(QUERN_KIND_FLOAT64);
    assert_int_equal(quern_cli_array_generate(type, NULL, QUERN_EXTENTS(0, 5), QUERN_CLI_RANDOM, 0, &array), 0);
    assert_int_equal(quern_cli_array_count(&array), 0);
    quern_cli_array_free(&array);
    assert_int_equal(quern_cli_array_generate(type, NULL, quern_extents_scalar(), QUERN_CLI_ONES, 0, &array), 0);
    assert_int_equal(quern_cli_array_bytes(&array), 8);
    quern_cli_array_free(&array);
    assert_int_equal(quern_cli_array_generate(type, NULL, QUERN_EXTENTS(INT64_MAX), QUERN_CLI_ZEROS, 0, &array),
                     QUERN_OVERFLOW);
    assert_null(array.data);
    assert_int_equal(
        quern_cli_array_generate(quern_type_struct(12, 4), NULL, QUERN_EXTENTS(3), QUERN_CLI_ONES, 0, &array),
        QUERN_INVALID_TYPE);
    assert_int_equal(
        quern_cli_array_generate(quern_type_struct(12, 4), NULL, QUERN_EXTENTS(3), QUERN_CLI_ZEROS, 0, &array), 0);
    quern_cli_array_free(&array);
}

struct made_inner {
    int8_t a;
    double b;
};

struct made_outer {
    float a;
    struct made_inner inner[2];
};

static void test_made_structs(void **state)
{
    (void)state;
    static const quern_field inner[] = {
        {"a", {QUERN_KIND_INT8, 1, 1}, offsetof(struct made_inner, a), 1, NULL},
        {"b", {QUERN_KIND_FLOAT64, 8, 8}, offsetof(struct made_inner, b), 1, NULL},
        {0},
    };
    static const quern_field outer[] = {
        {"a", {QUERN_KIND_FLOAT32, 4, 4}, offsetof(struct made_outer, a), 1, NULL},
        {"inner", {QUERN_KIND_STRUCT, 8, sizeof(struct made_inner)}, offsetof(struct made_outer, inner), 2, inner},
        {0},
    };
    const quern_type type = quern_type_struct(sizeof(struct made_outer), 8);
    quern_cli_array array, numbers;
    for (int pattern = QUERN_CLI_ONES; pattern <= QUERN_CLI_LINEAR; ++pattern) {
        assert_int_equal(quern_cli_array_generate(type, outer, QUERN_EXTENTS(3), (quern_cli_pattern)pattern, 0, &array),
                         0);
        const struct made_outer *made = array.data;
        for (int i = 0; i < 3; ++i) {
            int wanted = pattern == QUERN_CLI_ONES ? 1 : i;
            assert_true(made[i].a == (float)wanted);
            for (int k = 0; k < 2; ++k)
                assert_true(made[i].inner[k].a == wanted && made[i].inner[k].b == wanted);
        }
        quern_cli_array_free(&array);
    }
    /* Five numbers an element: those of as long an array of numbers. */
    assert_int_equal(quern_cli_array_generate(type, outer, QUERN_EXTENTS(3), QUERN_CLI_RANDOM, 7, &array), 0);
    assert_int_equal(quern_cli_array_generate(quern_type_scalar(QUERN_KIND_FLOAT64), NULL, QUERN_EXTENTS(15),
                                              QUERN_CLI_RANDOM, 7, &numbers),
                     0);
    const struct made_outer *made = array.data;
    const double *number = numbers.data;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k)
            assert_true(made[i].inner[k].b == number[5 * i + 2 + 2 * k]);
    quern_cli_array_free(&array);
    quern_cli_array_free(&numbers);
}

static int doubles_equal(double a, double b, uint64_t ulps, quern_cli_difference *difference)
{
    double first[3] = {1, a, 3}, second[3] = {1, b, 3};
    quern_cli_array one = {quern_type_scalar(QUERN_KIND_FLOAT64), QUERN_EXTENTS(3), first};
    quern_cli_array other = {quern_type_scalar(QUERN_KIND_FLOAT64), QUERN_EXTENTS(3), second};
    return quern_cli_array_equal(&one, &other, NULL, ulps, difference);
}

static void test_compare_doubles(void **state)
{
    (void)state;
    quern_cli_difference difference;
    const double next = 1 + 0x1p-52;
    assert_true(doubles_equal(1, 1, 0, &difference));
    assert_false(doubles_equal(1, next, 0, &difference));
    assert_int_equal(difference.element, 1);
    assert_true(difference.has_ulps);
    assert_int_equal(difference.ulps, 1);
    assert_string_equal(difference.first, "1");
    assert_string_equal(difference.second, "1.0000000000000002");
    assert_true(doubles_equal(1, next, 1, &difference));
    assert_false(doubles_equal(1, 1 + 3 * 0x1p-52, 2, &difference));
    assert_int_equal(difference.ulps, 3);
    /* Both zeros: other bits, no distance. */
    assert_false(doubles_equal(0.0, -0.0, 0, &difference));
    assert_int_equal(difference.ulps, 0);
    assert_string_equal(difference.second, "-0");
    assert_true(doubles_equal(0.0, -0.0, 1, &difference));
    assert_true(doubles_equal(-0x1p-1074, 0x1p-1074, 2, &difference));
    assert_false(doubles_equal(-0x1p-1074, 0x1p-1074, 1, &difference));
    assert_false(doubles_equal(-1.7976931348623157e308, 1.7976931348623157e308, UINT64_MAX / 4, &difference));
    assert_true(doubles_equal(-1.7976931348623157e308, 1.7976931348623157e308, UINT64_MAX, &difference));
    /* NaN and infinity agree with the same bits alone. */
    assert_true(doubles_equal(NAN, NAN, 0, &difference));
    assert_false(doubles_equal(NAN, -NAN, UINT64_MAX, &difference));
    assert_false(difference.has_ulps);
    assert_non_null(strstr(difference.first, "nan (0x7ff8"));
    assert_non_null(strstr(difference.second, "nan (0xfff8"));
    assert_false(doubles_equal(NAN, 1, UINT64_MAX, &difference));
    assert_true(doubles_equal(INFINITY, INFINITY, 0, &difference));
    assert_false(doubles_equal(INFINITY, 1.7976931348623157e308, UINT64_MAX, &difference));
    assert_false(difference.has_ulps);
}

static void test_compare_others(void **state)
{
    (void)state;
    quern_cli_difference difference;
    float a[2] = {1.5f, -0x1p-149f}, b[2] = {1.5f, 0x1p-149f};
    quern_cli_array one = {quern_type_scalar(QUERN_KIND_FLOAT32), QUERN_EXTENTS(2), a};
    quern_cli_array other = {quern_type_scalar(QUERN_KIND_FLOAT32), QUERN_EXTENTS(2), b};
    assert_false(quern_cli_array_equal(&one, &other, NULL, 1, &difference));
    assert_int_equal(difference.ulps, 2);
    assert_true(quern_cli_array_equal(&one, &other, NULL, 2, &difference));
    /* Integers have no ulps: they are equal or not. */
    int8_t c[3] = {1, -2, 3}, d[3] = {1, -3, 3};
    one = (quern_cli_array){quern_type_scalar(QUERN_KIND_INT8), QUERN_EXTENTS(3), c};
    other = (quern_cli_array){quern_type_scalar(QUERN_KIND_INT8), QUERN_EXTENTS(3), d};
    assert_false(quern_cli_array_equal(&one, &other, NULL, 100, &difference));
    assert_false(difference.has_ulps);
    assert_string_equal(difference.first, "-2");
    assert_string_equal(difference.second, "-3");
    uint64_t e[1] = {UINT64_MAX}, f[1] = {UINT64_MAX - 1};
    one = (quern_cli_array){quern_type_scalar(QUERN_KIND_UINT64), quern_extents_scalar(), e};
    other = (quern_cli_array){quern_type_scalar(QUERN_KIND_UINT64), quern_extents_scalar(), f};
    assert_false(quern_cli_array_equal(&one, &other, NULL, 1, &difference));
    assert_string_equal(difference.first, "18446744073709551615");
}

typedef struct inner {
    int8_t tag;
    double at[3];
} inner;

typedef struct outer {
    inner places[2];
    float mass;
} outer;

static const quern_field inner_fields[] = {
    {"tag", {QUERN_KIND_INT8, 1, 1}, offsetof(inner, tag), 1, NULL},
    {"at", {QUERN_KIND_FLOAT64, 8, 8}, offsetof(inner, at), 3, NULL},
    {NULL, {0, 0, 0}, 0, 0, NULL},
};

static const quern_field outer_fields[] = {
    {"places", {QUERN_KIND_STRUCT, _Alignof(inner), sizeof(inner)}, offsetof(outer, places), 2, inner_fields},
    {"mass", {QUERN_KIND_FLOAT32, 4, 4}, offsetof(outer, mass), 1, NULL},
    {NULL, {0, 0, 0}, 0, 0, NULL},
};

static void test_structs(void **state)
{
    (void)state;
    quern_cli_difference difference;
    outer a[3], b[3];
    quern_type type = quern_type_struct(sizeof(outer), _Alignof(outer));
    quern_cli_array one = {type, QUERN_EXTENTS(3), a}, other = {type, QUERN_EXTENTS(3), b};
    memset(a, 0x11, sizeof a);
    memset(b, 0x22, sizeof b); /* padding differs, fields do not */
    for (int i = 0; i < 3; ++i) {
        memset(&b[i].places[0].tag, 0x11, 1);
        memset(&b[i].places[1].tag, 0x11, 1);
        memcpy(b[i].places[0].at, a[i].places[0].at, sizeof a[i].places[0].at);
        memcpy(b[i].places[1].at, a[i].places[1].at, sizeof a[i].places[1].at);
        b[i].mass = a[i].mass;
    }
    assert_true(memcmp(a, b, sizeof a) != 0);
    quern_cli_array_clear_padding(&one, outer_fields);
    quern_cli_array_clear_padding(&other, outer_fields);
    assert_memory_equal(a, b, sizeof a);
    a[0].places[1].at[2] = 1;
    b[0].places[1].at[2] = 1 + 0x1p-52;
    a[2].places[0].tag = 1;
    assert_false(quern_cli_array_equal(&one, &other, outer_fields, 0, &difference));
    assert_int_equal(difference.element, 0);
    assert_string_equal(difference.field, ".places[1].at[2]");
    assert_int_equal(difference.ulps, 1);
    /* With one unit allowed the first place is another. */
    assert_false(quern_cli_array_equal(&one, &other, outer_fields, 1, &difference));
    assert_int_equal(difference.element, 2);
    assert_string_equal(difference.field, ".places[0].tag");
    assert_string_equal(difference.first, "1");
    assert_string_equal(difference.second, "17");
    /* Unknown fields are compared as bytes. */
    assert_false(quern_cli_array_equal(&one, &other, NULL, 1, &difference));
    assert_int_equal(difference.element, 0);
    assert_string_equal(difference.first, "other bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_wraps),   cmocka_unit_test(test_ones_and_zeros),
        cmocka_unit_test(test_random),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_made_structs),   cmocka_unit_test(test_compare_doubles),
        cmocka_unit_test(test_compare_others), cmocka_unit_test(test_structs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
