/* The level macros on buffers, mutable, const and NULL, and reading a buffer as a source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/quern.h>

#include "runtime/device.h"

static quern_device *device;
static quern_buffer *buffer;

static int open_buffer(void **state)
{
    (void)state;
    if (quern_device_open("cpu:0", &device) != QUERN_SUCCESS)
        return -1;
    return quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), &buffer) == QUERN_SUCCESS ? 0 : -1;
}

static int close_buffer(void **state)
{
    (void)state;
    if (quern_buffer_release(buffer) != QUERN_SUCCESS)
        return -1;
    return quern_device_release(device) == QUERN_SUCCESS ? 0 : -1;
}

static void check_layout(const quern_layout *layout)
{
    assert_true(quern_type_equal(layout->type, QUERN_TYPE(int32_t)));
    assert_int_equal(layout->rank, 2);
    assert_int_equal(layout->extents[0], 3);
    assert_int_equal(layout->extents[1], 5);
}

static void of_a_buffer(void **state)
{
    (void)state;
    quern_buffer *x = buffer, *const fixed = buffer;
    quern_view view = QUERN_VIEW(x), of_fixed = QUERN_VIEW(fixed);
    quern_const_view const_view = QUERN_CONST_VIEW(x);
    quern_span span = QUERN_SPAN(x);
    quern_const_span const_span = QUERN_CONST_SPAN(x);
    quern_source source = QUERN_SOURCE(x), source_of_fixed = QUERN_SOURCE(fixed);
    check_layout(&view.span.layout);
    assert_non_null(view.span.address);
    assert_int_equal((uintptr_t)view.span.address % view.span.alignment, 0);
    assert_ptr_equal(view.device, device);
    assert_ptr_equal(view.buffer, buffer);
    assert_memory_equal(&view, &of_fixed, sizeof view);
    assert_memory_equal(&view, &const_view, sizeof view);
    assert_memory_equal(&view.span, &span, sizeof span);
    assert_memory_equal(&view.span, &const_span, sizeof span);
    assert_memory_equal(&view.span, &source.span, sizeof span);
    assert_ptr_equal(source.device, device);
    assert_ptr_equal(source.buffer, buffer);
    assert_int_equal(source.writable, 1);
    assert_int_equal(source_of_fixed.writable, 1);
}

static void of_a_const_buffer(void **state)
{
    (void)state;
    const quern_buffer *x = buffer, *const fixed = buffer;
    quern_const_view view = QUERN_CONST_VIEW(x), of_fixed = QUERN_CONST_VIEW(fixed);
    quern_const_span span = QUERN_CONST_SPAN(x);
    quern_source source = QUERN_SOURCE(x), source_of_fixed = QUERN_SOURCE(fixed);
    check_layout(&view.span.layout);
    assert_ptr_equal(view.device, device);
    assert_memory_equal(&view, &of_fixed, sizeof view);
    assert_memory_equal(&view.span, &span, sizeof span);
    assert_memory_equal(&view.span, &source.span, sizeof span);
    assert_int_equal(source.writable, 0);
    assert_int_equal(source_of_fixed.writable, 0);
}

/* A NULL buffer gives a level that whatever takes it refuses. */
static void of_no_buffer(void **state)
{
    (void)state;
    quern_buffer *x = NULL;
    quern_view view = QUERN_VIEW(x), sub;
    quern_source source = QUERN_SOURCE(x);
    int32_t element = 77;
    assert_null(view.span.address);
    assert_null(view.device);
    assert_null(view.buffer);
    assert_int_equal(quern_view_sub(view, NULL, quern_extents_scalar(), &sub), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_source_read(&source, NULL, &element), QUERN_INVALID_TYPE);
    assert_int_equal(element, 77);
}

static void a_buffer_is_read_as_a_source(void **state)
{
    (void)state;
    int32_t value = 41, element = 0;
    quern_source constant, source = QUERN_SOURCE(buffer);
    assert_int_equal(quern_constant(QUERN_EXTENTS(3, 5), QUERN_TYPE(int32_t), &value, &constant), QUERN_SUCCESS);
    assert_int_equal(quern_source_read_all(&constant, QUERN_SPAN(buffer)), QUERN_SUCCESS);
    assert_int_equal(quern_source_read(&source, (const ptrdiff_t[]){2, 4}, &element), QUERN_SUCCESS);
    assert_int_equal(element, 41);
}

/* Of a device whose memory the host cannot reach nothing is read. */
static void memory_out_of_reach(void **state)
{
    (void)state;
    struct quern_device far;
    int32_t element = 77, all[15] = {77};
    quern_layout layout;
    quern_span target;
    quern_source source = QUERN_SOURCE(buffer);
    memset(&far, 0, sizeof far);
    source.device = &far;
    assert_int_equal(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), &layout), QUERN_SUCCESS);
    assert_int_equal(quern_span_make(all, &layout, &target), QUERN_SUCCESS);
    assert_int_equal(quern_source_read(&source, (const ptrdiff_t[]){0, 0}, &element), QUERN_WRONG_DEVICE);
    assert_int_equal(quern_source_read_all(&source, target), QUERN_WRONG_DEVICE);
    assert_int_equal(element, 77);
    assert_int_equal(all[0], 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_buffer),         cmocka_unit_test(of_a_const_buffer),
        cmocka_unit_test(of_no_buffer),        cmocka_unit_test(a_buffer_is_read_as_a_source),
        cmocka_unit_test(memory_out_of_reach),
    };
    return cmocka_run_group_tests(tests, open_buffer, close_buffer);
}
