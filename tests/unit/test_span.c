/* Spans and views: making them, sub-spans, addresses of elements, alignment, misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/view.h>

#define P(...) ((const ptrdiff_t[]){__VA_ARGS__})
#define AT(...) ((const size_t[]){__VA_ARGS__})

static void says(const char *part)
{
    if (!strstr(quern_last_error(), part))
        fail_msg("\"%s\" does not say \"%s\"", quern_last_error(), part);
}

static _Alignas(4096) unsigned char memory[8192];

static quern_layout aligned(quern_type type, quern_extents extents, size_t alignment)
{
    quern_layout layout;
    assert_int_equal(quern_layout_aligned(type, extents, alignment, &layout), QUERN_SUCCESS);
    return layout;
}

static quern_span span_of(void *address, quern_layout layout)
{
    quern_span span;
    assert_int_equal(quern_span_make(address, &layout, &span), QUERN_SUCCESS);
    return span;
}

static void made_of_address_and_layout(void **state)
{
    (void)state;
    quern_layout layout = aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32);
    quern_span span;
    quern_const_span const_span;
    assert_int_equal(quern_span_make(memory, &layout, &span), QUERN_SUCCESS);
    assert_ptr_equal(span.address, memory);
    assert_int_equal(span.alignment, 32);
    assert_memory_equal(&span.layout, &layout, sizeof layout);
    assert_int_equal(quern_const_span_make(memory, &layout, &const_span), QUERN_SUCCESS);
    assert_ptr_equal(const_span.address, memory);
    assert_int_equal(const_span.alignment, 32);
    assert_memory_equal(&const_span.layout, &layout, sizeof layout);
    quern_const_span converted = quern_span_as_const(span);
    assert_ptr_equal(converted.address, memory);
    assert_int_equal(converted.alignment, 32);
    assert_memory_equal(&converted.layout, &layout, sizeof layout);
}

/* What address and pitches between rows have in common, at most a page; the innermost pitch has no say. */
static void alignment_is_what_is_guaranteed(void **state)
{
    (void)state;
    quern_type i32 = QUERN_TYPE(int32_t);
    quern_layout padded;
    assert_int_equal(quern_layout_padded(i32, QUERN_EXTENTS(3, 5), 2, 0, &padded), QUERN_SUCCESS);
    assert_int_equal(span_of(memory, padded).alignment, 2);
    assert_int_equal(span_of(memory + 1, padded).alignment, 1);
    assert_int_equal(span_of(memory, aligned(i32, QUERN_EXTENTS(3, 5), 64)).alignment, 64);
    assert_int_equal(span_of(memory + 16, aligned(i32, QUERN_EXTENTS(3, 5), 64)).alignment, 16);
    assert_int_equal(span_of(memory, aligned(i32, QUERN_EXTENTS(3, 17), 32)).alignment, 32);
    assert_int_equal(span_of(memory, aligned(i32, QUERN_EXTENTS(5), 1)).alignment, 4096);
    assert_int_equal(span_of(memory + 24, aligned(i32, QUERN_EXTENTS(5), 1)).alignment, 8);
    assert_int_equal(span_of(memory, aligned(i32, quern_extents_scalar(), 1)).alignment, 4096);
    assert_int_equal(span_of(memory, aligned(i32, QUERN_EXTENTS(1, 5), 1)).alignment, 4096); /* there is one row */
    assert_int_equal(span_of(memory, aligned(i32, QUERN_EXTENTS(3, 1, 5), 1)).alignment, 4);
}

static void memory_is_checked(void **state)
{
    (void)state;
    quern_layout layout = aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32), bad = layout;
    quern_span span = {.alignment = 77};
    quern_const_span const_span = {.alignment = 77};
    void *end_of_space = (void *)(UINTPTR_MAX - 40);
    bad.pitches[0] = 19;
    assert_int_equal(quern_span_make(NULL, &layout, &span), QUERN_INVALID_ARGUMENT);
    says("address is NULL, wanted memory of 84 bytes");
    assert_int_equal(quern_const_span_make(NULL, &layout, &const_span), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_make(memory, NULL, &span), QUERN_INVALID_ARGUMENT);
    says("layout is NULL");
    assert_int_equal(quern_const_span_make(memory, NULL, &const_span), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_make(memory, &layout, NULL), QUERN_INVALID_ARGUMENT);
    says("span is NULL");
    assert_int_equal(quern_const_span_make(memory, &layout, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_make(memory, &bad, &span), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_const_span_make(memory, &bad, &const_span), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_span_make(end_of_space, &layout, &span), QUERN_INVALID_ARGUMENT);
    says("end of the address space");
    assert_int_equal(span.alignment, 77);
    assert_int_equal(const_span.alignment, 77);
}

static void nothing_needs_no_memory(void **state)
{
    (void)state;
    const quern_extents all[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0)};
    for (size_t i = 0; i < 3; ++i) {
        quern_span span = span_of(NULL, aligned(QUERN_TYPE(int32_t), all[i], 64)), sub;
        void *element = memory;
        assert_null(span.address);
        assert_true(span.alignment > 0 && (span.alignment & (span.alignment - 1)) == 0);
        for (uint32_t d = 0; d < all[i].rank; ++d)
            assert_int_equal(span.layout.extents[d], all[i].n[d]);
        assert_int_equal(quern_span_sub(span, AT(0, 0), all[i], &sub), QUERN_SUCCESS);
        assert_null(sub.address);
        assert_int_equal(quern_span_at(&span, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
        says("there are no elements");
        assert_ptr_equal(element, memory);
    }
}

static void a_sub_span_keeps_the_pitches(void **state)
{
    (void)state;
    quern_span span = span_of(memory, aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32)), sub;
    quern_const_span const_sub;
    assert_int_equal(quern_span_sub(span, AT(1, 2), QUERN_EXTENTS(2, 3), &sub), QUERN_SUCCESS);
    assert_int_equal((unsigned char *)sub.address - memory, 40);
    assert_int_equal(sub.layout.rank, 2);
    assert_int_equal(sub.layout.extents[0], 2);
    assert_int_equal(sub.layout.extents[1], 3);
    assert_int_equal(sub.layout.pitches[0], 32);
    assert_int_equal(sub.layout.pitches[1], 4);
    assert_true(quern_type_equal(sub.layout.type, QUERN_TYPE(int32_t)));
    assert_int_equal(sub.alignment, 8);
    assert_int_equal(quern_const_span_sub(quern_span_as_const(span), AT(1, 2), QUERN_EXTENTS(2, 3), &const_sub),
                     QUERN_SUCCESS);
    assert_memory_equal(&const_sub, &sub, sizeof sub);

    /* A sub-span of a sub-span, and one whose single row has more alignment than the rows together. */
    assert_int_equal(quern_span_sub(sub, AT(1, 2), QUERN_EXTENTS(1, 1), &sub), QUERN_SUCCESS);
    assert_int_equal((unsigned char *)sub.address - memory, 40 + 32 + 8);
    assert_int_equal(quern_span_sub(span, AT(2, 0), QUERN_EXTENTS(1, 5), &sub), QUERN_SUCCESS);
    assert_int_equal(sub.alignment, 64);
}

/* Each sub-span of a 3-d span begins where its first element lies, whatever offset and extents. */
static void every_sub_span_of_a_box(void **state)
{
    (void)state;
    quern_layout layout;
    assert_int_equal(quern_layout_padded(QUERN_TYPE(int16_t), QUERN_EXTENTS(2, 3, 5), 6, 1, &layout), QUERN_SUCCESS);
    quern_span span = span_of(memory, layout), sub;
    for (size_t i = 0; i < 3 * 4 * 6; ++i)
        for (size_t j = 0; j < 3 * 4 * 6; ++j) {
            size_t offset[] = {i / 24, i / 6 % 4, i % 6}, n[] = {j / 24, j / 6 % 4, j % 6};
            int inside = offset[0] + n[0] <= 2 && offset[1] + n[1] <= 3 && offset[2] + n[2] <= 5;
            int empty = n[0] * n[1] * n[2] == 0;
            quern_status status = quern_span_sub(span, offset, QUERN_EXTENTS(n[0], n[1], n[2]), &sub);
            assert_int_equal(status, inside ? QUERN_SUCCESS : QUERN_INVALID_SHAPE);
            if (!inside)
                continue;
            size_t bytes = offset[0] * 64 + offset[1] * 16 + offset[2] * 2;
            assert_ptr_equal(sub.address, memory + (empty ? 0 : bytes));
            assert_memory_equal(sub.layout.pitches, layout.pitches, sizeof layout.pitches);
            assert_memory_equal(sub.layout.extents, n, sizeof n);
        }
}

static void a_sub_span_lies_inside(void **state)
{
    (void)state;
    quern_span span = span_of(memory, aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32)), sub = {.alignment = 77};
    assert_int_equal(quern_span_sub(span, AT(4, 0), QUERN_EXTENTS(0, 5), &sub), QUERN_INVALID_SHAPE);
    says("offset[0] is 4, wanted 0 to 3");
    assert_int_equal(quern_span_sub(span, AT(1, 3), QUERN_EXTENTS(2, 3), &sub), QUERN_INVALID_SHAPE);
    says("extents[1] is 3, wanted 0 to 2");
    assert_int_equal(quern_span_sub(span, AT(0, (size_t)-1), QUERN_EXTENTS(2, 3), &sub), QUERN_INVALID_SHAPE);
    says("offset[1] is -1");
    assert_int_equal(quern_span_sub(span, AT(0, 0), QUERN_EXTENTS(2, -3), &sub), QUERN_INVALID_SHAPE);
    says("extents[1] is -3, wanted 0 to 2^63-1");
    assert_int_equal(quern_span_sub(span, AT(2, 2), QUERN_EXTENTS(SIZE_MAX / 2, 3), &sub), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_span_sub(span, AT(0), QUERN_EXTENTS(3), &sub), QUERN_INVALID_SHAPE);
    says("the rank of extents is 1, wanted 2");
    assert_int_equal(quern_span_sub(span, AT(0, 0, 0), QUERN_EXTENTS(1, 1, 1), &sub), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_span_sub(span, AT(0, 0), (quern_extents){.rank = 7}, &sub), QUERN_INVALID_SHAPE);
    assert_int_equal(quern_span_sub(span, NULL, QUERN_EXTENTS(2, 3), &sub), QUERN_INVALID_ARGUMENT);
    says("offset is NULL");
    assert_int_equal(quern_span_sub(span, AT(0, 0), QUERN_EXTENTS(2, 3), NULL), QUERN_INVALID_ARGUMENT);
    says("sub is NULL");
    assert_int_equal(quern_const_span_sub(quern_span_as_const(span), AT(1, 3), QUERN_EXTENTS(2, 3), NULL),
                     QUERN_INVALID_ARGUMENT);
    assert_int_equal(sub.alignment, 77);
    quern_const_span const_sub = {.alignment = 77};
    assert_int_equal(quern_const_span_sub(quern_span_as_const(span), AT(1, 3), QUERN_EXTENTS(2, 3), &const_sub),
                     QUERN_INVALID_SHAPE);
    assert_int_equal(const_sub.alignment, 77);
    assert_int_equal(quern_span_sub((quern_span){.alignment = 0}, NULL, quern_extents_scalar(), &sub),
                     QUERN_INVALID_ARGUMENT);
    says("the span's address is NULL");
    span.layout.rank = 7;
    assert_int_equal(quern_span_sub(span, AT(0, 0), QUERN_EXTENTS(2, 3), &sub), QUERN_INVALID_SHAPE);
    says("the rank of the span's extents is 7");
}

static void rank_0_is_one_element(void **state)
{
    (void)state;
    quern_span span = span_of(memory + 12, aligned(QUERN_TYPE(int32_t), quern_extents_scalar(), 64)), sub;
    void *element = NULL;
    assert_int_equal(quern_span_sub(span, NULL, quern_extents_scalar(), &sub), QUERN_SUCCESS);
    assert_ptr_equal(sub.address, memory + 12);
    assert_int_equal(quern_span_at(&span, NULL, &element), QUERN_SUCCESS);
    assert_ptr_equal(element, memory + 12);
}

static void addresses_of_elements(void **state)
{
    (void)state;
    quern_layout layout;
    assert_int_equal(quern_layout_padded(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 3, 5), 2, 1, &layout), QUERN_SUCCESS);
    quern_span span = span_of(memory, layout);
    quern_const_span const_span = quern_span_as_const(span);
    ptrdiff_t offset = 0;
    for (ptrdiff_t z = 0; z < 3; ++z)
        for (ptrdiff_t y = 0; y < 3; ++y)
            for (ptrdiff_t x = 0; x < 5; ++x) {
                void *element = NULL;
                const void *const_element = NULL;
                assert_int_equal(quern_span_at(&span, P(z, y, x), &element), QUERN_SUCCESS);
                assert_ptr_equal(element, memory + 88 * z + 22 * y + 4 * x);
                assert_int_equal(quern_const_span_at(&const_span, P(z, y, x), &const_element), QUERN_SUCCESS);
                assert_ptr_equal(const_element, element);
                assert_int_equal(quern_span_offset(&span, P(z, y, x), &offset), QUERN_SUCCESS);
                assert_int_equal(offset, 88 * z + 22 * y + 4 * x);
            }
    assert_int_equal(quern_span_offset(&span, P(0, -1, -1), &offset), QUERN_SUCCESS);
    assert_int_equal(offset, -26);
}

static void addresses_of_no_element(void **state)
{
    (void)state;
    quern_span span = span_of(memory, aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32));
    quern_const_span const_span = quern_span_as_const(span);
    void *element = NULL;
    const void *const_element = NULL;
    ptrdiff_t offset = 99;
    assert_int_equal(quern_span_at(&span, P(3, 0), &element), QUERN_INVALID_ARGUMENT);
    says("index[0] is 3, wanted 0 to 2");
    assert_int_equal(quern_span_at(&span, P(0, -1), &element), QUERN_INVALID_ARGUMENT);
    says("index[1] is -1, wanted 0 to 4");
    assert_int_equal(quern_const_span_at(&const_span, P(0, 5), &const_element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_at(&span, NULL, &element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_at(NULL, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_at(&span, P(0, 0), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_const_span_at(&const_span, NULL, &const_element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_const_span_at(NULL, P(0, 0), &const_element), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_const_span_at(&const_span, P(0, 0), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_offset(NULL, P(0, 0), &offset), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_span_offset(&span, P(0, 0), NULL), QUERN_INVALID_ARGUMENT);
    span.address = NULL;
    assert_int_equal(quern_span_at(&span, P(0, 0), &element), QUERN_INVALID_ARGUMENT);
    says("address is NULL");
    assert_null(element);
    assert_null(const_element);
    assert_int_equal(offset, 99);
}

static void a_sub_view_keeps_device_and_buffer(void **state)
{
    (void)state;
    quern_view view, sub = {.device = NULL};
    view.span = span_of(memory, aligned(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), 32));
    view.device = (quern_device *)(void *)&memory[1]; /* only ever passed on */
    view.buffer = (quern_buffer *)(void *)&memory[2];
    assert_int_equal(quern_view_sub(view, AT(1, 2), QUERN_EXTENTS(2, 3), &sub), QUERN_SUCCESS);
    assert_ptr_equal(sub.span.address, memory + 40);
    assert_int_equal(sub.span.layout.pitches[0], 32);
    assert_ptr_equal(sub.device, view.device);
    assert_ptr_equal(sub.buffer, view.buffer);

    quern_const_view const_view = quern_view_as_const(view), const_sub = {.device = NULL};
    assert_int_equal(quern_const_view_sub(const_view, AT(1, 2), QUERN_EXTENTS(2, 3), &const_sub), QUERN_SUCCESS);
    assert_ptr_equal(const_sub.span.address, memory + 40);
    assert_ptr_equal(const_sub.device, view.device);
    assert_ptr_equal(const_sub.buffer, view.buffer);

    quern_view kept = sub;
    assert_int_equal(quern_view_sub(view, AT(1, 3), QUERN_EXTENTS(2, 3), &sub), QUERN_INVALID_SHAPE);
    assert_memory_equal(&kept, &sub, sizeof sub);
    assert_int_equal(quern_view_sub(view, AT(1, 2), QUERN_EXTENTS(2, 3), NULL), QUERN_INVALID_ARGUMENT);
    says("sub is NULL");
    assert_int_equal(quern_const_view_sub(const_view, AT(1, 2), QUERN_EXTENTS(2, 3), NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_const_view_sub(const_view, NULL, QUERN_EXTENTS(2, 3), &const_sub), QUERN_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_of_address_and_layout),
        cmocka_unit_test(alignment_is_what_is_guaranteed),
        cmocka_unit_test(memory_is_checked),
        cmocka_unit_test(nothing_needs_no_memory),
        cmocka_unit_test(a_sub_span_keeps_the_pitches),
        cmocka_unit_test(every_sub_span_of_a_box),
        cmocka_unit_test(a_sub_span_lies_inside),
        cmocka_unit_test(rank_0_is_one_element),
        cmocka_unit_test(addresses_of_elements),
        cmocka_unit_test(addresses_of_no_element),
        cmocka_unit_test(a_sub_view_keeps_device_and_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
