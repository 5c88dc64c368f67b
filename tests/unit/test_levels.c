/*
 * QUERN_SOURCE, QUERN_SPAN, QUERN_VIEW and their const forms on everything that they accept, save
 * buffers (test_levels_buffer.c). What they refuse is under tests/must_not_compile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <quern/levels.h>

static int32_t memory[3 * 5];

/* A view of memory; device and buffer are only ever passed on. */
static quern_view sample(void)
{
    quern_layout layout;
    quern_view view;
    memset(&view, 0, sizeof view);
    assert_int_equal(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5), &layout), QUERN_SUCCESS);
    assert_int_equal(quern_span_make(memory, &layout, &view.span), QUERN_SUCCESS);
    view.device = (quern_device *)(void *)&memory[1];
    view.buffer = (quern_buffer *)(void *)&memory[2];
    return view;
}

static void check_span(quern_span span)
{
    quern_span wanted = sample().span;
    assert_ptr_equal(span.address, wanted.address);
    assert_int_equal(span.alignment, wanted.alignment);
    assert_memory_equal(&span.layout, &wanted.layout, sizeof wanted.layout);
}

static void check_const_span(quern_const_span span)
{
    quern_span wanted = sample().span;
    assert_ptr_equal(span.address, wanted.address);
    assert_int_equal(span.alignment, wanted.alignment);
    assert_memory_equal(&span.layout, &wanted.layout, sizeof wanted.layout);
}

static void check_view(quern_view view)
{
    check_span(view.span);
    assert_ptr_equal(view.device, sample().device);
    assert_ptr_equal(view.buffer, sample().buffer);
}

static void check_const_view(quern_const_view view)
{
    check_const_span(view.span);
    assert_ptr_equal(view.device, sample().device);
    assert_ptr_equal(view.buffer, sample().buffer);
}

static void check_source(quern_source source, int on_a_device, uint32_t writable)
{
    assert_int_equal(source.kind, QUERN_SOURCE_MEMORY);
    check_const_span(source.span);
    assert_ptr_equal(source.device, on_a_device ? sample().device : NULL);
    assert_ptr_equal(source.buffer, on_a_device ? sample().buffer : NULL);
    assert_int_equal(source.writable, writable);
    assert_int_equal(source.seed, 0);
    for (size_t i = 0; i < sizeof source.value; ++i)
        assert_int_equal(source.value[i], 0);
}

static void of_a_view(void **state)
{
    (void)state;
    quern_view x = sample();
    check_view(QUERN_VIEW(x));
    check_const_view(QUERN_CONST_VIEW(x));
    check_span(QUERN_SPAN(x));
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 1, 1);
}

static void of_a_view_that_is_const(void **state)
{
    (void)state;
    const quern_view x = sample();
    check_const_view(QUERN_CONST_VIEW(x));
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 1, 0);
}

static void of_a_const_view(void **state)
{
    (void)state;
    quern_const_view x = quern_view_as_const(sample());
    const quern_const_view y = x;
    check_const_view(QUERN_CONST_VIEW(x));
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 1, 0);
    check_const_view(QUERN_CONST_VIEW(y));
    check_const_span(QUERN_CONST_SPAN(y));
    check_source(QUERN_SOURCE(y), 1, 0);
}

static void of_a_span(void **state)
{
    (void)state;
    quern_span x = sample().span;
    check_span(QUERN_SPAN(x));
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 0, 1);
}

static void of_a_span_that_is_const(void **state)
{
    (void)state;
    const quern_span x = sample().span;
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 0, 0);
}

static void of_a_const_span(void **state)
{
    (void)state;
    quern_const_span x = quern_span_as_const(sample().span);
    const quern_const_span y = x;
    check_const_span(QUERN_CONST_SPAN(x));
    check_source(QUERN_SOURCE(x), 0, 0);
    check_const_span(QUERN_CONST_SPAN(y));
    check_source(QUERN_SOURCE(y), 0, 0);
}

static void of_a_source(void **state)
{
    (void)state;
    quern_view view = sample();
    quern_source x = QUERN_SOURCE(view);
    const quern_source y = x;
    check_source(QUERN_SOURCE(x), 1, 1);
    check_source(QUERN_SOURCE(y), 1, 0);
}

static void of_a_generator(void **state)
{
    (void)state;
    quern_source generator;
    assert_int_equal(quern_random(QUERN_EXTENTS(7, 3), 11, &generator), QUERN_SUCCESS);
    const quern_source fixed = generator;
    quern_source a = QUERN_SOURCE(generator), b = QUERN_SOURCE(fixed);
    assert_int_equal(a.kind, QUERN_SOURCE_RANDOM);
    assert_int_equal(b.kind, QUERN_SOURCE_RANDOM);
    assert_int_equal(b.seed, 11);
    assert_int_equal(a.writable, 0);
    assert_int_equal(b.span.layout.extents[0], 7);
}

/* Anything with an address will do, and the argument is evaluated once. */
static void of_any_lvalue(void **state)
{
    (void)state;
    quern_view views[2] = {sample(), sample()}, *next = views;
    struct {
        quern_view view;
        const quern_view *behind;
    } holder = {sample(), &views[1]};
    check_view(QUERN_VIEW(*next++));
    assert_ptr_equal(next, &views[1]);
    check_const_view(QUERN_CONST_VIEW(*next++));
    assert_ptr_equal(next, &views[2]);
    check_span(QUERN_SPAN(holder.view));
    check_const_span(QUERN_CONST_SPAN(*holder.behind));
    check_source(QUERN_SOURCE(views[1].span), 0, 1);
    check_source(QUERN_SOURCE(holder.behind[0]), 1, 0);
}

/* The levels are values: what is written through one is read through the other. */
static void all_levels_are_the_same_memory(void **state)
{
    (void)state;
    quern_view view = sample();
    quern_span span = QUERN_SPAN(view);
    quern_source source = QUERN_SOURCE(view), generator;
    source.device = NULL; /* the sample's is none, nor is its buffer */
    source.buffer = NULL;
    int32_t element = 0;
    void *address;
    for (int i = 0; i < 15; ++i)
        memory[i] = 7 * i;
    assert_int_equal(quern_span_at(&span, (const ptrdiff_t[]){2, 3}, &address), QUERN_SUCCESS);
    *(int32_t *)address = 1234;
    assert_int_equal(quern_source_read(&source, (const ptrdiff_t[]){2, 3}, &element), QUERN_SUCCESS);
    assert_int_equal(element, 1234);
    element = 17;
    assert_int_equal(quern_constant(QUERN_EXTENTS(3, 5), QUERN_TYPE(int32_t), &element, &generator), QUERN_SUCCESS);
    assert_int_equal(quern_source_read_all(&generator, QUERN_SPAN(view)), QUERN_SUCCESS);
    for (int i = 0; i < 15; ++i)
        assert_int_equal(memory[i], 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_view),
        cmocka_unit_test(of_a_view_that_is_const),
        cmocka_unit_test(of_a_const_view),
        cmocka_unit_test(of_a_span),
        cmocka_unit_test(of_a_span_that_is_const),
        cmocka_unit_test(of_a_const_span),
        cmocka_unit_test(of_a_source),
        cmocka_unit_test(of_a_generator),
        cmocka_unit_test(of_any_lvalue),
        cmocka_unit_test(all_levels_are_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
