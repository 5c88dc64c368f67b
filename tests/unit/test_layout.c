/* Extents and layouts: worked figures, padding, offsets, overflow, and every kind of misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/layout.h>

#define P(...) ((const ptrdiff_t[]){__VA_ARGS__})

static void says(const char *part)
{
    if (!strstr(quern_last_error(), part))
        fail_msg("\"%s\" does not say \"%s\"", quern_last_error(), part);
}

/* The pitches, the bytes, and that the layout keeps extents and type and is sound. */
static void check_layout(const quern_layout *layout, quern_type type, quern_extents extents, const ptrdiff_t *pitches,
                         size_t bytes)
{
    size_t found = SIZE_MAX;
    assert_true(quern_type_equal(layout->type, type));
    assert_int_equal(layout->rank, extents.rank);
    assert_int_equal(layout->reserved, 0);
    for (uint32_t d = 0; d < extents.rank; ++d) {
        assert_int_equal(layout->extents[d], extents.n[d]);
        if (pitches[d] != layout->pitches[d])
            fail_msg("pitch %u is %td, wanted %td", d, layout->pitches[d], pitches[d]);
    }
    assert_int_equal(quern_layout_check(layout), QUERN_SUCCESS);
    assert_int_equal(quern_layout_bytes(layout, &found), QUERN_SUCCESS);
    assert_int_equal(found, bytes);
}

static void check_padded(quern_type type, quern_extents extents, size_t row_padding, size_t empty_rows,
                         const ptrdiff_t *pitches, size_t bytes)
{
    quern_layout layout;
    assert_int_equal(quern_layout_padded(type, extents, row_padding, empty_rows, &layout), QUERN_SUCCESS);
    check_layout(&layout, type, extents, pitches, bytes);
}

static void check_aligned(quern_type type, quern_extents extents, size_t alignment, const ptrdiff_t *pitches,
                          size_t bytes)
{
    quern_layout layout;
    assert_int_equal(quern_layout_aligned(type, extents, alignment, &layout), QUERN_SUCCESS);
    check_layout(&layout, type, extents, pitches, bytes);
}

static void check_packed(quern_type type, quern_extents extents, const ptrdiff_t *pitches, size_t bytes)
{
    quern_layout layout;
    int packed = -1;
    assert_int_equal(quern_layout_packed(type, extents, &layout), QUERN_SUCCESS);
    check_layout(&layout, type, extents, pitches, bytes);
    assert_int_equal(quern_layout_is_packed(&layout, &packed), QUERN_SUCCESS);
    assert_int_equal(packed, 1);
}

static void the_macro_takes_one_to_six(void **state)
{
    (void)state;
    const quern_extents all[] = {
        quern_extents_scalar(),
        QUERN_EXTENTS(2),
        QUERN_EXTENTS(2, 3),
        QUERN_EXTENTS(2, 3, 5),
        QUERN_EXTENTS(2, 3, 5, 7),
        QUERN_EXTENTS(2, 3, 5, 7, 11),
        QUERN_EXTENTS(2, 3, 5, 7, 11, 13),
    };
    static const size_t primes[] = {2, 3, 5, 7, 11, 13};
    size_t product = 1, count = 0;
    for (uint32_t rank = 0; rank <= 6; ++rank) {
        assert_int_equal(all[rank].rank, rank);
        for (uint32_t d = 0; d < rank; ++d)
            assert_int_equal(all[rank].n[d], primes[d]);
        assert_int_equal(quern_extents_count(all[rank], &count), QUERN_SUCCESS);
        assert_int_equal(count, product);
        product *= rank < 6 ? primes[rank] : 1;
    }
}

static void padding_by_bytes_and_rows(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    check_padded(i32, QUERN_EXTENTS(3, 5), 2, 0, P(22, 4), 66);
    check_padded(i32, QUERN_EXTENTS(3, 3, 5), 2, 1, P(88, 22, 4), 264);
    check_padded(i32, QUERN_EXTENTS(3, 5), 2, 9, P(22, 4), 66);
    check_padded(i32, QUERN_EXTENTS(5), 2, 9, P(4), 20);
    check_padded(i32, quern_extents_scalar(), 2, 9, NULL, 4);
    check_padded(i32, QUERN_EXTENTS(7, 3, 3, 5), 2, 1, P(352, 88, 22, 4), 2464);
    check_padded(i32, QUERN_EXTENTS(1, 5), 2, 0, P(22, 4), 22);
    check_padded(i32, QUERN_EXTENTS(1, 1, 1), 3, 1, P(14, 7, 4), 14);
}

static void padding_by_alignment(void **state)
{
    (void)state;
    static const size_t alignments[] = {16, 32, 64};
    static const ptrdiff_t rows_3_5[] = {32, 32, 64}, rows_3_17[] = {80, 96, 128}, rows_3_16[] = {64, 64, 64};
    static const ptrdiff_t rows_int8[] = {16, 32, 64}, rows_double[] = {32, 32, 64};
    quern_type i32 = QUERN_TYPE(int32_t), i8 = QUERN_TYPE(int8_t), f64 = QUERN_TYPE(double);
    for (int i = 0; i < 3; ++i) {
        size_t a = alignments[i];
        check_aligned(i32, QUERN_EXTENTS(3, 5), a, P(rows_3_5[i], 4), 3 * (size_t)rows_3_5[i]);
        check_aligned(i32, QUERN_EXTENTS(3, 17), a, P(rows_3_17[i], 4), 3 * (size_t)rows_3_17[i]);
        check_aligned(i32, QUERN_EXTENTS(3, 16), a, P(rows_3_16[i], 4), 3 * (size_t)rows_3_16[i]);
        check_aligned(i32, QUERN_EXTENTS(3, 3, 5), a, P(3 * rows_3_5[i], rows_3_5[i], 4), 9 * (size_t)rows_3_5[i]);
        check_aligned(i8, QUERN_EXTENTS(3, 5), a, P(rows_int8[i], 1), 3 * (size_t)rows_int8[i]);
        check_aligned(f64, QUERN_EXTENTS(7, 3), a, P(rows_double[i], 8), 7 * (size_t)rows_double[i]);
        check_aligned(i32, QUERN_EXTENTS(13), a, P(4), 52); /* one dimension is never padded */
        check_aligned(i32, quern_extents_scalar(), a, NULL, 4);
    }
    check_aligned(i32, QUERN_EXTENTS(3, 5), 1, P(20, 4), 60);
    check_aligned(quern_type_struct(12, 4), QUERN_EXTENTS(2, 3, 5), 64, P(192, 64, 12), 384);
}

static void packed_layouts(void **state)
{
    (void)state;
    check_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), P(20, 4), 60);
    check_packed(QUERN_TYPE(double), QUERN_EXTENTS(5, 7, 3, 11), P(1848, 264, 88, 8), 9240);
    check_packed(QUERN_TYPE(int8_t), QUERN_EXTENTS(17, 19, 23, 29, 31), P(392863, 20677, 899, 31, 1), 6678671);
    check_packed(QUERN_TYPE(float), QUERN_EXTENTS(2, 3, 5, 7, 11, 13), P(60060, 20020, 4004, 572, 52, 4), 120120);
    check_packed(QUERN_TYPE(int16_t), quern_extents_scalar(), NULL, 2);
    check_packed(quern_type_struct(12, 4), QUERN_EXTENTS(3, 5), P(60, 12), 180);
}

static void zero_extents_keep_their_shape(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    size_t count = 99;
    check_packed(i32, QUERN_EXTENTS(0), P(4), 0);
    check_packed(i32, QUERN_EXTENTS(0, 5), P(20, 4), 0);
    check_packed(i32, QUERN_EXTENTS(3, 0), P(0, 4), 0);
    check_packed(i32, QUERN_EXTENTS(3, 0, 5), P(0, 20, 4), 0);
    check_aligned(i32, QUERN_EXTENTS(0, 5), 64, P(64, 4), 0);
    check_aligned(i32, QUERN_EXTENTS(3, 0), 64, P(0, 4), 0);
    check_padded(i32, QUERN_EXTENTS(0), 2, 1, P(4), 0);
    check_padded(i32, QUERN_EXTENTS(0, 5), 2, 1, P(22, 4), 0);
    check_padded(i32, QUERN_EXTENTS(3, 0), 2, 1, P(2, 4), 0);
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(3, 0), &count), QUERN_SUCCESS);
    assert_int_equal(count, 0);
    count = 99;
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(INT64_MAX, INT64_MAX, 0), &count), QUERN_SUCCESS);
    assert_int_equal(count, 0);
}

static void linear_indices(void **state)
{
    (void)state;
    quern_extents extents = QUERN_EXTENTS(5, 3, 2);
    size_t linear = 99, expected = 0;
    assert_int_equal(quern_extents_linear_index(extents, P(0, 0, 1), &linear), QUERN_SUCCESS);
    assert_int_equal(linear, 1);
    assert_int_equal(quern_extents_linear_index(extents, P(0, 1, 0), &linear), QUERN_SUCCESS);
    assert_int_equal(linear, 2);
    assert_int_equal(quern_extents_linear_index(extents, P(1, 0, 0), &linear), QUERN_SUCCESS);
    assert_int_equal(linear, 6);
    assert_int_equal(quern_extents_linear_index(extents, P(4, 2, 1), &linear), QUERN_SUCCESS);
    assert_int_equal(linear, 29);
    for (ptrdiff_t z = 0; z < 5; ++z)
        for (ptrdiff_t y = 0; y < 3; ++y)
            for (ptrdiff_t x = 0; x < 2; ++x) {
                assert_int_equal(quern_extents_linear_index(extents, P(z, y, x), &linear), QUERN_SUCCESS);
                assert_int_equal(linear, expected++);
            }
    assert_int_equal(quern_extents_linear_index(quern_extents_scalar(), NULL, &linear), QUERN_SUCCESS);
    assert_int_equal(linear, 0);
}

static void indices_outside(void **state)
{
    (void)state;
    quern_extents extents = QUERN_EXTENTS(5, 3, 2);
    size_t linear = 99;
    assert_int_equal(quern_extents_linear_index(extents, P(5, 0, 0), &linear), QUERN_INVALID_ARGUMENT);
    says("index[0] is 5, wanted 0 to 4");
    assert_int_equal(quern_extents_linear_index(extents, P(0, -1, 0), &linear), QUERN_INVALID_ARGUMENT);
    says("index[1] is -1, wanted 0 to 2");
    assert_int_equal(quern_extents_linear_index(extents, P(0, 0, 2), &linear), QUERN_INVALID_ARGUMENT);
    says("index[2] is 2, wanted 0 to 1");
    assert_int_equal(quern_extents_linear_index(QUERN_EXTENTS(3, 0), P(0, 0), &linear), QUERN_INVALID_ARGUMENT);
    says("index[1] is 0, but the extent is 0");
    assert_int_equal(quern_extents_linear_index(extents, NULL, &linear), QUERN_INVALID_ARGUMENT);
    says("index is NULL");
    assert_int_equal(quern_extents_linear_index(extents, P(0, 0, 0), NULL), QUERN_INVALID_ARGUMENT);
    says("linear is NULL");
    assert_int_equal(linear, 99);
}

static void sizes_are_64_bit(void **state)
{
    (void)state;
    quern_type f64 = QUERN_TYPE(double);
    quern_layout layout;
    ptrdiff_t offset = 0;
    size_t linear = 0;
    check_packed(f64, QUERN_EXTENTS(4, 32768, 32768), P((ptrdiff_t)8 << 30, 262144, 8), (size_t)32 << 30);
    check_aligned(f64, QUERN_EXTENTS(4, 32768, 32768), 64, P((ptrdiff_t)8 << 30, 262144, 8), (size_t)32 << 30);
    assert_int_equal(quern_layout_packed(f64, QUERN_EXTENTS(4, 32768, 32768), &layout), QUERN_SUCCESS);
    assert_int_equal(quern_layout_offset(&layout, P(3, 32767, 32767), &offset), QUERN_SUCCESS);
    assert_int_equal(offset, ((ptrdiff_t)32 << 30) - 8);
    assert_int_equal(quern_extents_linear_index(QUERN_EXTENTS(4, 32768, 32768), P(3, 32767, 32767), &linear),
                     QUERN_SUCCESS);
    assert_int_equal(linear, ((size_t)4 << 30) - 1);
}

static void products_that_overflow(void **state)
{
    (void)state;
    quern_type f64 = QUERN_TYPE(double), i8 = QUERN_TYPE(int8_t);
    const size_t two_31 = (size_t)1 << 31, most = PTRDIFF_MAX;
    quern_layout layout = {.rank = 77};
    size_t count = 99;
    assert_int_equal(quern_layout_packed(f64, QUERN_EXTENTS(two_31, two_31, 4), &layout), QUERN_OVERFLOW);
    says("{2147483648, 2147483648, 4}");
    says("2^63-1");
    assert_int_equal(quern_layout_aligned(f64, QUERN_EXTENTS(two_31, two_31, 4), 64, &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_padded(f64, QUERN_EXTENTS(two_31, two_31, 4), 8, 1, &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(two_31, two_31, 4), &count), QUERN_OVERFLOW);
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(two_31, two_31, 2), &count), QUERN_OVERFLOW);
    assert_int_equal(count, 99);
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(two_31, two_31 - 1, 2), &count), QUERN_SUCCESS);
    assert_int_equal(count, two_31 * (two_31 - 1) * 2);

    /* The count fits, the bytes do not; and padding alone is what no longer fits. */
    assert_int_equal(quern_layout_packed(f64, QUERN_EXTENTS(two_31, two_31), &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_aligned(i8, QUERN_EXTENTS(1, most), 2, &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_padded(i8, QUERN_EXTENTS(2, 1), most, 0, &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_padded(i8, QUERN_EXTENTS(2, 1), most - 1, 0, &layout), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_padded(i8, QUERN_EXTENTS(2, 3, 1), 1, most, &layout), QUERN_OVERFLOW);
    assert_int_equal(layout.rank, 77);
    check_packed(i8, QUERN_EXTENTS(most), P(1), most);
    check_padded(i8, QUERN_EXTENTS(most), 2, 9, P(1), most); /* nothing is padded here */
    check_aligned(i8, QUERN_EXTENTS(most), 64, P(1), most);
    check_padded(i8, QUERN_EXTENTS(most, 1), 0, 9, P(1, 1), most);
    check_padded(i8, QUERN_EXTENTS(1, 1), most - 1, 0, P(PTRDIFF_MAX, 1), most);
}

static void shapes_that_are_none(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    quern_extents seven = {.rank = 7};
    quern_layout layout = {.rank = 77};
    size_t count = 99, linear = 99;
    assert_int_equal(quern_extents_count(seven, &count), QUERN_INVALID_SHAPE);
    says("the rank of extents is 7, wanted 0 to 6");
    assert_int_equal(quern_extents_linear_index(seven, P(0), &linear), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_packed(i32, seven, &layout), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_aligned(i32, seven, 16, &layout), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_padded(i32, seven, 2, 1, &layout), QUERN_INVALID_SHAPE);

    quern_extents negative = QUERN_EXTENTS(5, -3);
    assert_int_equal(quern_extents_count(negative, &count), QUERN_INVALID_SHAPE);
    says("extents[1] is -3, wanted 0 to 2^63-1");
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(0, -3), &count), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_extents_linear_index(negative, P(0, 0), &linear), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_packed(i32, negative, &layout), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_aligned(i32, negative, 16, &layout), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_padded(i32, negative, 2, 1, &layout), QUERN_INVALID_SHAPE);
    says("extents[1] is -3, wanted 0 to 2^63-1");
    assert_int_equal(count, 99);
    assert_int_equal(layout.rank, 77);
}

static void paddings_that_are_none(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    quern_extents extents = QUERN_EXTENTS(3, 3, 5);
    quern_layout layout = {.rank = 77};
    static const size_t alignments[] = {0, 3, 12, 48, (size_t)PTRDIFF_MAX};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; ++i) {
        assert_int_equal(quern_layout_aligned(i32, extents, alignments[i], &layout), QUERN_INVALID_ARGUMENT);
        says("wanted a power of two");
    }
    assert_int_equal(quern_layout_aligned(i32, extents, (size_t)-16, &layout), QUERN_INVALID_ARGUMENT);
    says("alignment is -16, wanted 0 to 2^63-1");
    assert_int_equal(quern_layout_padded(i32, extents, (size_t)-2, 1, &layout), QUERN_INVALID_ARGUMENT);
    says("row_padding is -2");
    assert_int_equal(quern_layout_padded(i32, extents, 2, (size_t)-1, &layout), QUERN_INVALID_ARGUMENT);
    says("empty_rows is -1");
    assert_int_equal(layout.rank, 77);
}

/* A layout filled in by hand. */
static quern_layout by_hand(size_t planes, size_t rows, size_t columns, ptrdiff_t plane, ptrdiff_t row,
                            ptrdiff_t column)
{
    return (quern_layout){
        .type = QUERN_TYPE(int32_t), .rank = 3, .extents = {planes, rows, columns}, .pitches = {plane, row, column}};
}

static void check_of_a_layout(void **state)
{
    (void)state;
    static const struct {
        size_t extents[3];
        ptrdiff_t pitches[3];
        quern_status status;
        const char *part;
    } cases[] = {
        {{3, 3, 5}, {88, 22, 4}, QUERN_SUCCESS, NULL},
        {{3, 3, 5}, {60, 20, 4}, QUERN_SUCCESS, NULL},
        {{3, 3, 5}, {64, 22, 4}, QUERN_SUCCESS, NULL}, /* planes need not hold the last row's padding */
        {{3, 3, 5}, {63, 22, 4}, QUERN_INVALID_SHAPE, "layout->pitches[0] is 63, wanted at least 64"},
        {{3, 3, 5}, {88, 19, 4}, QUERN_INVALID_SHAPE, "layout->pitches[1] is 19, wanted at least 20"},
        {{3, 3, 5}, {88, 0, 4}, QUERN_INVALID_SHAPE, "layout->pitches[1] is 0"},
        {{3, 3, 5}, {88, -22, 4}, QUERN_INVALID_SHAPE, "layout->pitches[1] is -22"},
        {{3, 3, 5}, {88, 22, 3}, QUERN_INVALID_SHAPE, "layout->pitches[2] is 3, wanted 4"},
        {{3, 3, 5}, {200, 60, 8}, QUERN_INVALID_SHAPE, "layout->pitches[2] is 8, wanted 4"},
        {{3, 3, 1}, {200, 60, 8}, QUERN_SUCCESS, NULL}, /* of one element no pitch is used */
        {{1, 1, 5}, {0, -7, 4}, QUERN_SUCCESS, NULL},
        {{1, 3, 5}, {0, 20, 4}, QUERN_SUCCESS, NULL},
        {{0, 3, 5}, {0, 0, 0}, QUERN_SUCCESS, NULL},
        {{3, 0, 5}, {-1, 0, 1}, QUERN_SUCCESS, NULL},
        {{3, 3, (size_t)-5}, {88, 22, 4}, QUERN_INVALID_SHAPE, "layout->extents[2] is -5, wanted 0 to 2^63-1"},
        {{3, (size_t)PTRDIFF_MAX, 5}, {88, 22, 4}, QUERN_OVERFLOW, "2^63-1"},
        {{5, 3, 5}, {PTRDIFF_MAX / 2, 22, 4}, QUERN_OVERFLOW, "2^63-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const size_t *n = cases[i].extents;
        const ptrdiff_t *p = cases[i].pitches;
        quern_layout layout = by_hand(n[0], n[1], n[2], p[0], p[1], p[2]);
        quern_status status = quern_layout_check(&layout);
        if (status != cases[i].status)
            fail_msg("case %zu gives %s: %s", i, quern_status_name(status), quern_last_error());
        if (cases[i].part)
            says(cases[i].part);
    }
    quern_layout layout = by_hand(3, 3, 5, 60, 20, 4);
    layout.rank = 7;
    assert_int_equal(quern_layout_check(&layout), QUERN_INVALID_SHAPE);
    says("the rank of layout->extents is 7");
    layout.rank = 3;
    layout.type.kind = QUERN_KIND_NONE;
    assert_int_equal(quern_layout_check(&layout), QUERN_INVALID_TYPE);
    assert_int_equal(quern_layout_check(NULL), QUERN_INVALID_ARGUMENT);
    says("layout is NULL");
}

static void bytes_of_odd_layouts(void **state)
{
    (void)state;
    size_t bytes = 0;
    quern_layout layout = by_hand(2, 3, 5, 64, 22, 4);
    assert_int_equal(quern_layout_bytes(&layout, &bytes), QUERN_SUCCESS);
    assert_int_equal(bytes, 64 + 66); /* the last row's padding counts though no plane holds it */
    layout = by_hand(1, 3, 5, 0, 22, 4);
    assert_int_equal(quern_layout_bytes(&layout, &bytes), QUERN_SUCCESS);
    assert_int_equal(bytes, 66);
    layout = by_hand(1, 3, 5, -22, 22, 4);
    assert_int_equal(quern_layout_bytes(&layout, &bytes), QUERN_SUCCESS);
    assert_int_equal(bytes, 66);
    layout = by_hand(3, 3, 5, 63, 22, 4);
    assert_int_equal(quern_layout_bytes(&layout, &bytes), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_bytes(NULL, &bytes), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_bytes(&layout, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(bytes, 66);
}

static void offsets_are_signed_dot_products(void **state)
{
    (void)state;
    quern_layout layout = by_hand(3, 3, 5, 88, 22, 4);
    ptrdiff_t offset = 99;
    assert_int_equal(quern_layout_offset(&layout, P(2, 1, 4), &offset), QUERN_SUCCESS);
    assert_int_equal(offset, 2 * 88 + 22 + 16);
    assert_int_equal(quern_layout_offset(&layout, P(0, -1, -1), &offset), QUERN_SUCCESS); /* a halo */
    assert_int_equal(offset, -26);
    assert_int_equal(quern_layout_offset(&layout, P(7, 0, 9), &offset), QUERN_SUCCESS);
    assert_int_equal(offset, 7 * 88 + 36);
    assert_int_equal(quern_layout_offset(&layout, P(PTRDIFF_MAX, 0, 0), &offset), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_offset(&layout, P(0, 0, PTRDIFF_MIN / 2), &offset), QUERN_OVERFLOW);
    assert_int_equal(quern_layout_offset(&layout, P(PTRDIFF_MAX / 88, 0, 20), &offset), QUERN_OVERFLOW);
    says("index[2] is 20");
    assert_int_equal(quern_layout_offset(&layout, NULL, &offset), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_offset(&layout, P(0, 0, 0), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_offset(NULL, P(0, 0, 0), &offset), QUERN_INVALID_ARGUMENT);
    assert_int_equal(offset, 7 * 88 + 36);
    layout.rank = 7;
    assert_int_equal(quern_layout_offset(&layout, P(0, 0, 0), &offset), QUERN_INVALID_SHAPE);
    layout.rank = 0;
    assert_int_equal(quern_layout_offset(&layout, NULL, &offset), QUERN_SUCCESS);
    assert_int_equal(offset, 0);
}

static void what_is_packed(void **state)
{
    (void)state;
    static const struct {
        size_t extents[3];
        ptrdiff_t pitches[3];
        int packed;
    } cases[] = {
        {{3, 3, 5}, {60, 20, 4}, 1},  {{3, 3, 5}, {88, 22, 4}, 0}, {{3, 3, 5}, {80, 20, 4}, 0},
        {{1, 3, 5}, {80, 20, 4}, 1},  {{1, 3, 5}, {66, 22, 4}, 0}, {{3, 1, 5}, {20, 99, 4}, 1},
        {{3, 1, 5}, {32, 20, 4}, 0},  {{1, 1, 1}, {7, 8, 9}, 1},   {{0, 3, 5}, {88, 22, 4}, 1},
        {{3, 5, 1}, {160, 32, 4}, 0}, {{3, 5, 1}, {20, 4, 9}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const size_t *n = cases[i].extents;
        const ptrdiff_t *p = cases[i].pitches;
        quern_layout layout = by_hand(n[0], n[1], n[2], p[0], p[1], p[2]);
        int packed = -1;
        assert_int_equal(quern_layout_is_packed(&layout, &packed), QUERN_SUCCESS);
        if (packed != cases[i].packed)
            fail_msg("case %zu is said to be %d", i, packed);
    }
    quern_layout layout = by_hand(3, 3, 5, 60, 20, 8);
    int packed = -1;
    assert_int_equal(quern_layout_is_packed(&layout, &packed), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_layout_is_packed(NULL, &packed), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_is_packed(&layout, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(packed, -1);
}

static void results_need_a_place(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    assert_int_equal(quern_extents_count(QUERN_EXTENTS(3), NULL), QUERN_INVALID_ARGUMENT);
    says("count is NULL");
    assert_int_equal(quern_layout_packed(i32, QUERN_EXTENTS(3), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_aligned(i32, QUERN_EXTENTS(3), 16, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_layout_padded(i32, QUERN_EXTENTS(3), 2, 1, NULL), QUERN_INVALID_ARGUMENT);
    says("layout is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_macro_takes_one_to_six),
        cmocka_unit_test(padding_by_bytes_and_rows),
        cmocka_unit_test(padding_by_alignment),
        cmocka_unit_test(packed_layouts),
        cmocka_unit_test(zero_extents_keep_their_shape),
        cmocka_unit_test(linear_indices),
        cmocka_unit_test(indices_outside),
        cmocka_unit_test(sizes_are_64_bit),
        cmocka_unit_test(products_that_overflow),
        cmocka_unit_test(shapes_that_are_none),
        cmocka_unit_test(paddings_that_are_none),
        cmocka_unit_test(check_of_a_layout),
        cmocka_unit_test(bytes_of_odd_layouts),
        cmocka_unit_test(offsets_are_signed_dot_products),
        cmocka_unit_test(what_is_packed),
        cmocka_unit_test(results_need_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
