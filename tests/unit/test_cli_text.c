/* Numbers, extents, brace lists and near names of the tool's command line. */
#include "base/near.h"
#include "cli/text_number.c"
#include "cli/text_struct.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static quern_type kind(quern_type_kind k)
{
    return quern_type_scalar(k);
}

static void accept_value(quern_type type, const char *text, const void *wanted)
{
    unsigned char value[8] = {0};
    if (quern_cli_parse_value("a", text, type, NULL, value))
        fail_msg("%s: %s", text, quern_last_error());
    assert_memory_equal(value, wanted, type.size);
}

static void refuse_value(quern_type type, const char *text, const char *words)
{
    unsigned char value[8];
    if (quern_cli_parse_value("the_name", text, type, NULL, value) != QUERN_INVALID_ARGUMENT)
        fail_msg("'%s' was taken for %s", text, quern_type_name(type));
    if (!strstr(quern_last_error(), words) || !strstr(quern_last_error(), "the_name"))
        fail_msg("'%s': wanted \"%s\", got: %s", text, words, quern_last_error());
}

static void test_integers(void **state)
{
    (void)state;
    accept_value(kind(QUERN_KIND_INT8), "-128", &(int8_t){-128});
    accept_value(kind(QUERN_KIND_INT8), "127", &(int8_t){127});
    accept_value(kind(QUERN_KIND_UINT8), "255", &(uint8_t){255});
    accept_value(kind(QUERN_KIND_UINT8), "+0x1F", &(uint8_t){31});
    accept_value(kind(QUERN_KIND_INT16), "-32768", &(int16_t){-32768});
    accept_value(kind(QUERN_KIND_UINT16), "65535", &(uint16_t){65535});
    accept_value(kind(QUERN_KIND_INT32), "-0x80000000", &(int32_t){INT32_MIN});
    accept_value(kind(QUERN_KIND_INT32), "010", &(int32_t){10});
    accept_value(kind(QUERN_KIND_UINT32), "4294967295", &(uint32_t){UINT32_MAX});
    accept_value(kind(QUERN_KIND_INT64), "-9223372036854775808", &(int64_t){INT64_MIN});
    accept_value(kind(QUERN_KIND_UINT64), "18446744073709551615", &(uint64_t){UINT64_MAX});
    accept_value(kind(QUERN_KIND_UINT64), "0xffffffffffffffff", &(uint64_t){UINT64_MAX});
    accept_value(kind(QUERN_KIND_UINT64), "-0", &(uint64_t){0});

    refuse_value(kind(QUERN_KIND_INT8), "128", "-128 to 127");
    refuse_value(kind(QUERN_KIND_INT8), "-129", "-128 to 127");
    refuse_value(kind(QUERN_KIND_UINT8), "300", "0 to 255");
    refuse_value(kind(QUERN_KIND_UINT8), "-1", "does not fit uint8");
    refuse_value(kind(QUERN_KIND_INT32), "2147483648", "does not fit");
    refuse_value(kind(QUERN_KIND_INT64), "9223372036854775808", "does not fit");
    refuse_value(kind(QUERN_KIND_UINT64), "18446744073709551616", "does not fit");
    refuse_value(kind(QUERN_KIND_UINT64), "99999999999999999999999", "does not fit");
    const char *const garbage[] = {"2.5", "", "x", "1x", "0x", "-", "+-1", "1e3", " 1", "1 ", "0x1.8p1", "nan", "--1"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; ++i)
        refuse_value(kind(QUERN_KIND_INT32), garbage[i], "no whole number");
}

static void test_floats(void **state)
{
    (void)state;
    unsigned char value[8];
    accept_value(kind(QUERN_KIND_FLOAT32), "2.5", &(float){2.5f});
    accept_value(kind(QUERN_KIND_FLOAT32), "-20", &(float){-20.0f});
    accept_value(kind(QUERN_KIND_FLOAT32), "0x1.8p-3", &(float){0x1.8p-3f});
    accept_value(kind(QUERN_KIND_FLOAT32), "-inf", &(float){-INFINITY});
    accept_value(kind(QUERN_KIND_FLOAT32), "-0", &(float){-0.0f});
    accept_value(kind(QUERN_KIND_FLOAT32), "1e-45", &(float){0x1p-149f});
    accept_value(kind(QUERN_KIND_FLOAT64), "1e308", &(double){1e308});
    accept_value(kind(QUERN_KIND_FLOAT64), "0.1", &(double){0.1});
    /* The nearest float; by way of double it would be 1. */
    accept_value(kind(QUERN_KIND_FLOAT32), "1.00000005960464477540", &(float){0x1.000002p0f});
    assert_int_equal(quern_cli_parse_value("a", "nan", kind(QUERN_KIND_FLOAT64), NULL, value), 0);
    double number;
    memcpy(&number, value, sizeof number);
    assert_true(isnan(number));

    refuse_value(kind(QUERN_KIND_FLOAT32), "1e39", "too large");
    refuse_value(kind(QUERN_KIND_FLOAT32), "1e-60", "too small");
    refuse_value(kind(QUERN_KIND_FLOAT64), "-1e400", "too large");
    const char *const garbage[] = {"", " 1", "1 ", "one", "1.0f", "1,5", "--1", "0x", "{1}"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; ++i)
        refuse_value(kind(QUERN_KIND_FLOAT32), garbage[i], "no number");
}

static void test_offsets(void **state)
{
    (void)state;
    ptrdiff_t offsets[3] = {0, 0, 0};
    assert_int_equal(quern_cli_parse_offsets("--offset", "7,-3,+5", 3, offsets), 0);
    assert_true(offsets[0] == 7 && offsets[1] == -3 && offsets[2] == 5);
    assert_int_equal(quern_cli_parse_offsets("--offset", "-9223372036854775808", 1, offsets), 0);
    assert_true(offsets[0] == INT64_MIN);
    static const char *const garbage[] = {"",    ",",    "1",    "1,",    "1,2,3", "1,2,",
                                          "1x2", " 1,2", "1, 2", "--1,2", "1,2 ",  "1,9223372036854775808"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; ++i)
        if (quern_cli_parse_offsets("--offset", garbage[i], 2, offsets) != QUERN_INVALID_ARGUMENT)
            fail_msg("'%s' was taken for two offsets", garbage[i]);
}

static void test_extents(void **state)
{
    (void)state;
    quern_extents extents;
    char text[QUERN_CLI_EXTENTS_TEXT];
    assert_int_equal(quern_cli_parse_extents("x", "344x403", 'x', QUERN_MAX_RANK, &extents), 0);
    assert_int_equal(extents.rank, 2);
    assert_int_equal(extents.n[0], 344);
    assert_int_equal(extents.n[1], 403);
    assert_string_equal(quern_cli_extents_text(extents, ',', text), "344,403");
    assert_int_equal(quern_cli_parse_extents("x", "0x5", 'x', QUERN_MAX_RANK, &extents), 0);
    assert_int_equal(extents.rank, 2);
    assert_int_equal(extents.n[1], 5);
    assert_int_equal(quern_cli_parse_extents("x", "7,3,5,2,11,13", ',', QUERN_MAX_RANK, &extents), 0);
    assert_int_equal(extents.rank, 6);
    assert_int_equal(quern_cli_parse_extents("x", "9223372036854775807", 'x', QUERN_MAX_RANK, &extents), 0);
    assert_int_equal(quern_cli_parse_extents("x", "1x1x1x1x1x1x1", 'x', QUERN_MAX_RANK, &extents), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_cli_parse_extents("x", "9223372036854775808", 'x', QUERN_MAX_RANK, &extents),
                     QUERN_OVERFLOW);
    assert_int_equal(quern_cli_parse_extents("x", "99999999999999999999999999", 'x', QUERN_MAX_RANK, &extents),
                     QUERN_OVERFLOW);
    assert_int_equal(quern_cli_parse_extents("x", "4294967296x4294967296", 'x', QUERN_MAX_RANK, &extents),
                     QUERN_OVERFLOW);
    const char *const garbage[] = {"", "x", "5x", "x5", "5xx3", "5,3", "-5", "+5", " 5", "5 ", "5.0", "5x-3", "a"};
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; ++i)
        if (quern_cli_parse_extents("x", garbage[i], 'x', QUERN_MAX_RANK, &extents) != QUERN_INVALID_ARGUMENT)
            fail_msg("'%s' was taken for extents", garbage[i]);
    assert_non_null(strstr(quern_last_error(), "1 to 6 whole numbers"));
    assert_int_equal(quern_cli_parse_extents("x", "5x-3", 'x', QUERN_MAX_RANK, &extents), QUERN_INVALID_ARGUMENT);
    assert_non_null(strstr(quern_last_error(), "-3 is negative"));
    assert_int_equal(quern_cli_parse_extents("--group", "1,1,1,1", ',', 3, &extents), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_cli_parse_extents("--group", "a", ',', 3, &extents), QUERN_INVALID_ARGUMENT);
    assert_non_null(strstr(quern_last_error(), "1 to 3 whole numbers"));
    assert_string_equal(quern_cli_extents_text(quern_extents_scalar(), 'x', text), "one element");
}

static void test_counts(void **state)
{
    (void)state;
    uint64_t count = 0;
    assert_int_equal(quern_cli_parse_count("n", "13", 1, 100, &count), 0);
    assert_int_equal(count, 13);
    assert_int_equal(quern_cli_parse_count("n", "0", 1, 100, &count), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_cli_parse_count("n", "101", 1, 100, &count), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_cli_parse_count("n", "", 0, 100, &count), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_cli_parse_count("n", "-1", 0, UINT64_MAX, &count), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_cli_parse_count("n", "18446744073709551617", 0, UINT64_MAX, &count), QUERN_INVALID_ARGUMENT);
    assert_int_equal(count, 13);
}

typedef struct point {
    int8_t tag;
    double at[3];
} point;

typedef struct particle {
    float mass;
    point places[2];
    uint16_t count;
} particle;

static const quern_field point_fields[] = {
    {"tag", {QUERN_KIND_INT8, 1, 1}, offsetof(point, tag), 1, NULL},
    {"at", {QUERN_KIND_FLOAT64, 8, 8}, offsetof(point, at), 3, NULL},
    {NULL, {0, 0, 0}, 0, 0, NULL},
};

static const quern_field particle_fields[] = {
    {"mass", {QUERN_KIND_FLOAT32, 4, 4}, offsetof(particle, mass), 1, NULL},
    {"places", {QUERN_KIND_STRUCT, _Alignof(point), sizeof(point)}, offsetof(particle, places), 2, point_fields},
    {"count", {QUERN_KIND_UINT16, 2, 2}, offsetof(particle, count), 1, NULL},
    {NULL, {0, 0, 0}, 0, 0, NULL},
};

static quern_status parse_particle(const char *text, particle *value)
{
    return quern_cli_parse_value("p", text, quern_type_struct(sizeof(particle), _Alignof(particle)), particle_fields,
                                 value);
}

static void test_structs(void **state)
{
    (void)state;
    particle value, wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.mass = 2.5f;
    wanted.places[0].tag = -1;
    wanted.places[0].at[0] = 1;
    wanted.places[0].at[1] = 2;
    wanted.places[0].at[2] = 0x1p-3;
    wanted.places[1].tag = 7;
    wanted.places[1].at[2] = 5;
    wanted.count = 65535;
    memset(&value, 0xff, sizeof value); /* padding must become 0 */
    assert_int_equal(parse_particle("{2.5,{{-1,{1,2,0x1p-3}},{7,{0,0,5}}},65535}", &value), 0);
    assert_memory_equal(&value, &wanted, sizeof value);
    assert_int_equal(parse_particle("  { 2.5, { { -1, {1 ,2, 0.125} }, {7,{0,0,5}} } , 0xffff } ", &value), 0);
    assert_memory_equal(&value, &wanted, sizeof value);
}

static void test_bad_structs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"2.5", "p is a struct of 3 fields: wanted '{', found 2.5"},
        {"", "found the end"},
        {"{}", "p is a struct of 3 fields, and none is given; the first missing one is mass"},
        {"{2.5}", "p is a struct of 3 fields, and only 1 is given; the first missing one is places"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,0,5}}}}",
         "p is a struct of 3 fields, and only 2 are given; the first missing one is count"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,0,5}}},1,2}", "p is a struct of 3 fields, and more are given"},
        {"{2.5,{{-1,{1,2,3}}},1}",
         "p.places is an array of 2 elements, and only 1 is given; the first missing one is [1]"},
        {"{2.5,{{-1,{1,2}},{7,{0,0,5}}},1}", "p.places[0].at is an array of 3 elements, and only 2 are given"},
        {"{2.5,{{-1,{1,2,3,4}},{7,{0,0,5}}},1}", "p.places[0].at is an array of 3 elements, and more are given"},
        {"{2.5,{{-1,1,2,3},{7,{0,0,5}}},1}", "p.places[0].at is an array of 3 elements: wanted '{', found 1,2,3"},
        {"{2.5,{{-1,{1,2,3}},{300,{0,0,5}}},1}", "p.places[1].tag: 300 does not fit int8"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,x,5}}},1}", "p.places[1].at[1]: 'x' is no number"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,0,5}}},1.5}", "p.count: '1.5' is no whole number"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,0,5}}},1} x", "nothing is wanted after the last '}', found x"},
        {"{2.5,{{-1,{1,2,3}},{7,{0,0,5}}},1", "wanted '}' after 3 of 3, found the end"},
        {"{{2.5},{{-1,{1,2,3}},{7,{0,0,5}}},1}", "p.mass: wanted a number of type float32, found {2.5}"},
        {"{,", "p.mass: wanted a number"},
        {"{2.5,}", "p is a struct of 3 fields, and only 1 is given; the first missing one is places"},
        {"{2.5,{{-1,{1,2,}},{7,{0,0,5}}},1}", "p.places[0].at is an array of 3 elements, and only 2 are given"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        particle value;
        if (parse_particle(cases[i].text, &value) != QUERN_INVALID_ARGUMENT)
            fail_msg("%s was taken", cases[i].text);
        if (!strstr(quern_last_error(), cases[i].words))
            fail_msg("%s: wanted \"%s\", got: %s", cases[i].text, cases[i].words, quern_last_error());
    }
    char value[8];
    assert_int_equal(quern_cli_parse_value("p", "{1}", quern_type_struct(8, 4), NULL, value), QUERN_INVALID_TYPE);
}

static void test_near_names(void **state)
{
    (void)state;
    static const char *const names[] = {"saxpy", "daxpy", "stencil", "sum_groups"};
    char text[96];
    quern_near_names("saxpi", names, 4, text, sizeof text);
    assert_string_equal(text, "; did you mean saxpy?");
    quern_near_names("axpy", names, 4, text, sizeof text);
    assert_string_equal(text, "; did you mean saxpy or daxpy?");
    quern_near_names("SAXPY", names, 4, text, sizeof text);
    assert_string_equal(text, "; did you mean saxpy or daxpy?");
    quern_near_names("setncil", names, 4, text, sizeof text);
    assert_string_equal(text, "; did you mean stencil?");
    quern_near_names("mandelbrot", names, 4, text, sizeof text);
    assert_string_equal(text, "; there are saxpy, daxpy, stencil and sum_groups");
    quern_near_names("mandelbrot", names, 1, text, sizeof text);
    assert_string_equal(text, "; there is only saxpy");
    quern_near_names("mandelbrot", names, 0, text, sizeof text);
    assert_string_equal(text, "; there are none");
    quern_near_names("mandelbrot", names, 4, text, 40);
    assert_string_equal(text, "; there are saxpy, daxpy, …");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets),     cmocka_unit_test(test_integers),   cmocka_unit_test(test_floats),
        cmocka_unit_test(test_extents),     cmocka_unit_test(test_counts),     cmocka_unit_test(test_structs),
        cmocka_unit_test(test_bad_structs), cmocka_unit_test(test_near_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
