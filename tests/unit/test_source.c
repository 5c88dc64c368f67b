/* Sources: the generators' values, reading by index and as a whole, known answers of Philox, misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/source.h>

#include "storage/random.h"

#define P(...) ((const ptrdiff_t[]){__VA_ARGS__})
#define AT(...) ((const size_t[]){__VA_ARGS__})

enum { GUARD = 0x5a };

static void says(const char *part)
{
    if (!strstr(quern_last_error(), part))
        fail_msg("\"%s\" does not say \"%s\"", quern_last_error(), part);
}

static quern_source memory_source(const void *address, const quern_layout *layout)
{
    quern_source source;
    memset(&source, 0, sizeof source);
    source.kind = QUERN_SOURCE_MEMORY;
    assert_int_equal(quern_const_span_make(address, layout, &source.span), QUERN_SUCCESS);
    return source;
}

static quern_span packed_span(void *address, quern_type type, quern_extents extents)
{
    quern_layout layout;
    quern_span span;
    assert_int_equal(quern_layout_packed(type, extents, &layout), QUERN_SUCCESS);
    assert_int_equal(quern_span_make(address, &layout, &span), QUERN_SUCCESS);
    return span;
}

static void philox_meets_the_published_answers(void **state)
{
    (void)state;
    const uint32_t zeros[4] = {0}, ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const uint32_t of_zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const uint32_t of_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    uint32_t out[4];
    quern_philox4x32_10(zeros, zeros, out);
    assert_memory_equal(out, of_zeros, sizeof out);
    quern_philox4x32_10(ones, ones, out);
    assert_memory_equal(out, of_ones, sizeof out);
    memcpy(out, ones, sizeof out);
    quern_philox4x32_10(out, ones, out);
    assert_memory_equal(out, of_ones, sizeof out);
}

static void generators_have_shape_and_type(void **state)
{
    (void)state;
    quern_source sources[3];
    const float value = 2.5f;
    quern_extents extents = QUERN_EXTENTS(5, 3, 2);
    const quern_type types[] = {QUERN_TYPE(int64_t), QUERN_TYPE(float), QUERN_TYPE(double)};
    assert_int_equal(quern_linear_index(extents, &sources[0]), QUERN_SUCCESS);
    assert_int_equal(quern_constant(extents, QUERN_TYPE(float), &value, &sources[1]), QUERN_SUCCESS);
    assert_int_equal(quern_random(extents, 7, &sources[2]), QUERN_SUCCESS);
    for (int i = 0; i < 3; ++i) {
        assert_true(quern_type_equal(sources[i].span.layout.type, types[i]));
        assert_int_equal(sources[i].span.layout.rank, 3);
        assert_memory_equal(sources[i].span.layout.extents, extents.n, 3 * sizeof(size_t));
        assert_null(sources[i].span.address);
        assert_null(sources[i].device);
        assert_null(sources[i].buffer);
        assert_int_equal(sources[i].writable, 0);
    }
}

static void the_linear_index_counts_row_major(void **state)
{
    (void)state;
    quern_source source;
    int64_t value = 0, expected = 0;
    assert_int_equal(quern_linear_index(QUERN_EXTENTS(5, 3, 2), &source), QUERN_SUCCESS);
    for (ptrdiff_t z = 0; z < 5; ++z)
        for (ptrdiff_t y = 0; y < 3; ++y)
            for (ptrdiff_t x = 0; x < 2; ++x) {
                assert_int_equal(quern_source_read(&source, P(z, y, x), &value), QUERN_SUCCESS);
                assert_int_equal(value, expected++);
            }
    assert_int_equal(quern_linear_index(QUERN_EXTENTS(4, 32768, 32768), &source), QUERN_SUCCESS);
    assert_int_equal(quern_source_read(&source, P(3, 32767, 32767), &value), QUERN_SUCCESS);
    assert_int_equal(value, ((int64_t)4 << 30) - 1);
}

static void a_constant_is_copied(void **state)
{
    (void)state;
    struct big {
        unsigned char bytes[64];
    } value, read;
    quern_source source;
    for (int i = 0; i < 64; ++i)
        value.bytes[i] = (unsigned char)(3 * i + 1);
    struct big kept = value;
    assert_int_equal(quern_constant(QUERN_EXTENTS(3, 5), QUERN_TYPE(struct big), &value, &source), QUERN_SUCCESS);
    memset(&value, 0, sizeof value);
    assert_int_equal(quern_source_read(&source, P(2, 4), &read), QUERN_SUCCESS);
    assert_memory_equal(&read, &kept, sizeof read);

    /* The value may lie in the source that becomes the result. */
    assert_int_equal(quern_constant(QUERN_EXTENTS(7), QUERN_TYPE(struct big), source.value, &source), QUERN_SUCCESS);
    assert_int_equal(quern_source_read(&source, P(6), &read), QUERN_SUCCESS);
    assert_memory_equal(&read, &kept, sizeof read);
}

/* Element i is a function of seed and i alone, as the documentation spells it out. */
static void random_elements_are_what_they_are_said_to_be(void **state)
{
    (void)state;
    const uint64_t seeds[] = {0, 7, UINT64_C(0x123456789abcdef0)};
    for (int s = 0; s < 3; ++s) {
        quern_source matrix, line;
        double sum = 0;
        assert_int_equal(quern_random(QUERN_EXTENTS(17, 59), seeds[s], &matrix), QUERN_SUCCESS);
        assert_int_equal(quern_random(QUERN_EXTENTS(17 * 59), seeds[s], &line), QUERN_SUCCESS);
        for (uint32_t i = 0; i < 17 * 59; ++i) {
            uint32_t counter[4] = {i, 0, 0, 0}, key[2] = {(uint32_t)seeds[s], (uint32_t)(seeds[s] >> 32)}, words[4];
            double a = -1, b = -1;
            quern_philox4x32_10(counter, key, words);
            double wanted = (double)((((uint64_t)words[1] << 32) + words[0]) >> 11) / 9007199254740992.0;
            assert_int_equal(quern_source_read(&matrix, P(i / 59, i % 59), &a), QUERN_SUCCESS);
            assert_int_equal(quern_source_read(&line, P(i), &b), QUERN_SUCCESS);
            assert_true(a == wanted && b == wanted);
            assert_true(a >= 0 && a < 1);
            sum += a;
        }
        assert_true(sum / (17 * 59) > 0.45 && sum / (17 * 59) < 0.55);
    }
    /* Counter 0 and key 0 are a published answer: its words 1 and 0. */
    assert_true(quern_random_double(0, 0) == (double)(UINT64_C(0xe169c58d6627e8d5) >> 11) * 0x1p-53);
    assert_true(quern_random_double(7, (uint64_t)1 << 32) != quern_random_double(7, 0));
    assert_true(quern_random_double((uint64_t)1 << 32, 3) != quern_random_double(0, 3));
}

/* Rows 22 bytes apart, so that most elements are misaligned; between them nothing changes. */
static void pitches_that_are_no_multiples(void **state)
{
    (void)state;
    unsigned char memory[264 + 1];
    quern_layout layout;
    quern_span span;
    quern_source numbers;
    assert_int_equal(quern_layout_padded(QUERN_TYPE(int64_t), QUERN_EXTENTS(3, 2, 2), 5, 1, &layout), QUERN_SUCCESS);
    assert_int_equal(layout.pitches[1], 21);
    assert_int_equal(layout.pitches[0], 63);
    memset(memory, GUARD, sizeof memory);
    assert_int_equal(quern_span_make(memory + 1, &layout, &span), QUERN_SUCCESS);
    assert_int_equal(quern_linear_index(QUERN_EXTENTS(3, 2, 2), &numbers), QUERN_SUCCESS);
    assert_int_equal(quern_source_read_all(&numbers, span), QUERN_SUCCESS);

    unsigned char expected[sizeof memory];
    memset(expected, GUARD, sizeof expected);
    quern_source source = memory_source(memory + 1, &layout);
    for (int64_t i = 0; i < 12; ++i) {
        int64_t read = -1;
        memcpy(expected + 1 + i / 4 * 63 + i / 2 % 2 * 21 + i % 2 * 8, &i, sizeof i);
        assert_int_equal(quern_source_read(&source, P(i / 4, i / 2 % 2, i % 2), &read), QUERN_SUCCESS);
        assert_int_equal(read, i);
    }
    assert_memory_equal(memory, expected, sizeof memory);

    int64_t packed[12];
    assert_int_equal(quern_source_read_all(&source, packed_span(packed, QUERN_TYPE(int64_t), QUERN_EXTENTS(3, 2, 2))),
                     QUERN_SUCCESS);
    for (int64_t i = 0; i < 12; ++i)
        assert_int_equal(packed[i], i);
}

static void all_ranks_are_read_whole(void **state)
{
    (void)state;
    static const size_t n[6] = {3, 2, 5, 1, 2, 3};
    for (uint32_t rank = 0; rank <= 6; ++rank) {
        quern_extents extents = {.rank = rank};
        quern_layout layout;
        quern_source source;
        quern_span span;
        unsigned char memory[16384];
        int64_t packed[180];
        size_t count, bytes;
        memcpy(extents.n, n, rank * sizeof *n);
        assert_int_equal(quern_extents_count(extents, &count), QUERN_SUCCESS);
        assert_int_equal(quern_layout_padded(QUERN_TYPE(int64_t), extents, 3, 1, &layout), QUERN_SUCCESS);
        assert_int_equal(quern_layout_bytes(&layout, &bytes), QUERN_SUCCESS);
        assert_true(bytes <= sizeof memory);
        assert_int_equal(quern_span_make(memory, &layout, &span), QUERN_SUCCESS);
        assert_int_equal(quern_linear_index(extents, &source), QUERN_SUCCESS);
        assert_int_equal(quern_source_read_all(&source, span), QUERN_SUCCESS);
        source = memory_source(memory, &layout);
        memset(packed, 0xff, sizeof packed);
        assert_int_equal(quern_source_read_all(&source, packed_span(packed, QUERN_TYPE(int64_t), extents)),
                         QUERN_SUCCESS);
        for (size_t i = 0; i < count; ++i)
            assert_int_equal(packed[i], i);
        assert_true(count == 180 || packed[count] == -1);
    }
}

/* The elements of a sub-span go to a sub-span of other pitches; guards all around stay. */
static void between_sub_spans(void **state)
{
    (void)state;
    float from[7 * 27];
    float to[9 * 11];
    quern_const_span source_span;
    quern_span target;
    for (int i = 0; i < 7 * 27; ++i)
        from[i] = (float)i;
    for (int i = 0; i < 9 * 11; ++i)
        to[i] = -1;
    quern_span all = packed_span(from, QUERN_TYPE(float), QUERN_EXTENTS(7, 27));
    assert_int_equal(quern_const_span_sub(quern_span_as_const(all), AT(2, 13), QUERN_EXTENTS(5, 3), &source_span),
                     QUERN_SUCCESS);
    assert_int_equal(quern_span_sub(packed_span(to, QUERN_TYPE(float), QUERN_EXTENTS(9, 11)), AT(1, 2),
                                    QUERN_EXTENTS(5, 3), &target),
                     QUERN_SUCCESS);
    quern_source source = memory_source(source_span.address, &source_span.layout);
    assert_int_equal(quern_source_read_all(&source, target), QUERN_SUCCESS);
    for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 11; ++x) {
            int inside = y >= 1 && y < 6 && x >= 2 && x < 5;
            float wanted = inside ? (float)((y - 1 + 2) * 27 + x - 2 + 13) : -1;
            assert_true(to[y * 11 + x] == wanted);
        }
}

/* Source and target one matrix, shifted both ways, and the very same elements. */
static void overlapping_memory_is_read_first(void **state)
{
    (void)state;
    static const size_t places[][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}, {2, 3}, {2, 0}};
    for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 6; ++j) {
            int32_t matrix[7 * 11], before[7 * 11];
            quern_span all = packed_span(matrix, QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 11)), from, to;
            for (int k = 0; k < 77; ++k)
                matrix[k] = before[k] = 1000 + k;
            assert_int_equal(quern_span_sub(all, places[i], QUERN_EXTENTS(5, 7), &from), QUERN_SUCCESS);
            assert_int_equal(quern_span_sub(all, places[j], QUERN_EXTENTS(5, 7), &to), QUERN_SUCCESS);
            quern_source source = memory_source(from.address, &from.layout);
            assert_int_equal(quern_source_read_all(&source, to), QUERN_SUCCESS);
            for (size_t y = 0; y < 7; ++y)
                for (size_t x = 0; x < 11; ++x) {
                    size_t v = y - places[j][0], u = x - places[j][1];
                    int inside = v < 5 && u < 7;
                    size_t origin = inside ? (v + places[i][0]) * 11 + u + places[i][1] : y * 11 + x;
                    assert_int_equal(matrix[y * 11 + x], before[origin]);
                }
        }
}

/* The same address, but other pitches: not the very elements. */
static void one_address_and_two_pitches(void **state)
{
    (void)state;
    int32_t memory[12] = {0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1};
    quern_layout pitched;
    assert_int_equal(quern_layout_padded(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 3), 4, 0, &pitched), QUERN_SUCCESS);
    quern_source source = memory_source(memory, &pitched);
    assert_int_equal(quern_source_read_all(&source, packed_span(memory, QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 3))),
                     QUERN_SUCCESS);
    for (int i = 0; i < 9; ++i)
        assert_int_equal(memory[i], i);
}

static void nothing_is_read_and_written(void **state)
{
    (void)state;
    const quern_extents all[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0)};
    for (int i = 0; i < 3; ++i) {
        quern_source source;
        double element = 3;
        assert_int_equal(quern_random(all[i], 7, &source), QUERN_SUCCESS);
        assert_int_equal(quern_source_read_all(&source, packed_span(NULL, QUERN_TYPE(double), all[i])), QUERN_SUCCESS);
        assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
        source = memory_source(NULL, &source.span.layout);
        assert_int_equal(quern_source_read_all(&source, packed_span(NULL, QUERN_TYPE(double), all[i])), QUERN_SUCCESS);
        assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
        assert_true(element == 3);
    }
}

static void generators_check_their_arguments(void **state)
{
    (void)state;
    quern_source source = {.seed = 77};
    quern_extents seven = {.rank = 7}, negative = QUERN_EXTENTS(5, -3);
    const double value = 1;
    assert_int_equal(quern_linear_index(QUERN_EXTENTS(3), NULL), QUERN_INVALID_ARGUMENT);
    says("source is NULL");
    assert_int_equal(quern_random(QUERN_EXTENTS(3), 1, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_constant(QUERN_EXTENTS(3), QUERN_TYPE(double), &value, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_constant(QUERN_EXTENTS(3), QUERN_TYPE(double), NULL, &source), QUERN_INVALID_ARGUMENT);
    says("value is NULL");
    assert_int_equal(quern_constant(QUERN_EXTENTS(3), quern_type_struct(65, 1), &value, &source), QUERN_INVALID_TYPE);
    says("type.size is 65, wanted at most 64");
    assert_int_equal(quern_constant(QUERN_EXTENTS(3), (quern_type){0, 0, 0}, &value, &source), QUERN_INVALID_TYPE);
    assert_int_equal(quern_linear_index(seven, &source), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_constant(negative, QUERN_TYPE(double), &value, &source), QUERN_INVALID_SHAPE);
    says("extents[1] is -3, wanted 0 to 2^63-1");
    assert_int_equal(quern_random(QUERN_EXTENTS(PTRDIFF_MAX, 3), 1, &source), QUERN_OVERFLOW);
    assert_int_equal(source.seed, 77);
}

static void reading_checks_its_arguments(void **state)
{
    (void)state;
    quern_source source;
    int64_t element = 77, out[15];
    assert_int_equal(quern_linear_index(QUERN_EXTENTS(3, 5), &source), QUERN_SUCCESS);
    assert_int_equal(quern_source_read(NULL, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_source_read(&source, NULL, &element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_source_read(&source, P(0, 0), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_source_read(&source, P(0, 5), &element), QUERN_INVALID_ARGUMENT);
    says("index[1] is 5, wanted 0 to 4");
    assert_int_equal(quern_source_read(&source, P(-1, 0), &element), QUERN_INVALID_ARGUMENT);

    quern_type i64 = QUERN_TYPE(int64_t);
    assert_int_equal(quern_source_read_all(NULL, packed_span(out, i64, QUERN_EXTENTS(3, 5))), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_source_read_all(&source, packed_span(out, i64, QUERN_EXTENTS(15))), QUERN_INVALID_SHAPE);
    says("the rank of target is 1, wanted 2");
    assert_int_equal(quern_source_read_all(&source, packed_span(out, i64, QUERN_EXTENTS(5, 3))), QUERN_INVALID_SHAPE);
    says("extents[0] is 5, wanted 3");
    assert_int_equal(quern_source_read_all(&source, packed_span(out, QUERN_TYPE(double), QUERN_EXTENTS(3, 5))),
                     QUERN_INVALID_TYPE);
    says("float64 of 8 bytes, wanted int64");
    quern_span nowhere = packed_span(out, i64, QUERN_EXTENTS(3, 5));
    nowhere.address = NULL;
    assert_int_equal(quern_source_read_all(&source, nowhere), QUERN_INVALID_ARGUMENT);
    says("target.address is NULL");

    source = memory_source(out, &source.span.layout);
    source.span.address = NULL;
    assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
    says("the source's address is NULL");
    source.kind = 4;
    assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
    says("source->kind is 4");
    source.kind = QUERN_SOURCE_RANDOM; /* whose elements are doubles */
    assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_TYPE);
    source.span.layout.rank = 7;
    assert_int_equal(quern_source_read(&source, P(0, 0), &element), QUERN_INVALID_SHAPE);
    assert_int_equal(element, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_meets_the_published_answers),
        cmocka_unit_test(generators_have_shape_and_type),
        cmocka_unit_test(the_linear_index_counts_row_major),
        cmocka_unit_test(a_constant_is_copied),
        cmocka_unit_test(random_elements_are_what_they_are_said_to_be),
        cmocka_unit_test(pitches_that_are_no_multiples),
        cmocka_unit_test(all_ranks_are_read_whole),
        cmocka_unit_test(between_sub_spans),
        cmocka_unit_test(overlapping_memory_is_read_first),
        cmocka_unit_test(one_address_and_two_pitches),
        cmocka_unit_test(nothing_is_read_and_written),
        cmocka_unit_test(generators_check_their_arguments),
        cmocka_unit_test(reading_checks_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
