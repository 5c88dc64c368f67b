/* Copy and fill: the sweep of extents, sub-views with guards and differing pitches, and what is refused. */
#include "runtime_test.h"

static quern_device *device;
static quern_queue *queue;

typedef struct shape {
    uint32_t rank;
    size_t n[6];
} shape;

static const shape shapes[] = {
    {0, {0}},          {1, {3}},           {2, {7, 3}},           {3, {5, 7, 3}},          {3, {5, 7, 411}},
    {3, {93, 7, 123}}, {4, {5, 7, 3, 11}}, {5, {7, 9, 5, 3, 11}}, {6, {3, 5, 2, 3, 2, 7}}, {1, {65537}},
    {2, {1, 1000}},    {2, {1000, 1}},     {3, {1, 1, 1}},
};

static quern_extents extents_of(const shape *s)
{
    quern_extents extents = quern_extents_scalar();
    extents.rank = s->rank;
    for (uint32_t d = 0; d < s->rank; ++d)
        extents.n[d] = s->n[d];
    return extents;
}

/* Extents with low + 1 … more elements before and after along each dimension. */
static quern_extents guarded(const shape *s, size_t *offset)
{
    quern_extents extents = extents_of(s);
    for (uint32_t d = 0; d < s->rank; ++d) {
        offset[d] = 1 + d;
        extents.n[d] += offset[d] + 2 * (d + 1);
    }
    return extents;
}

static size_t count_of(const quern_layout *layout)
{
    size_t count = 1;
    for (uint32_t d = 0; d < layout->rank; ++d)
        count *= layout->extents[d];
    return count;
}

/* Sum over all elements of a span, and a look at each by its index: value(linear number) of those inside. */
static int32_t *element(quern_span *span, size_t linear)
{
    ptrdiff_t index[6];
    for (uint32_t d = span->layout.rank; d-- > 0;) {
        index[d] = (ptrdiff_t)(linear % span->layout.extents[d]);
        linear /= span->layout.extents[d];
    }
    void *address = NULL;
    ok(quern_span_at(span, index, &address));
    return address;
}

static void set_bytes(quern_buffer *buffer, unsigned char value)
{
    quern_layout layout;
    size_t bytes;
    ok(quern_buffer_layout(buffer, &layout));
    ok(quern_layout_bytes(&layout, &bytes));
    memset(QUERN_SPAN(buffer).address, value, bytes);
}

/* Every byte of the buffer outside the sub-view is still the guard value. */
static void check_guards(quern_buffer *buffer, quern_view sub, unsigned char guard)
{
    quern_layout layout;
    size_t bytes;
    ok(quern_buffer_layout(buffer, &layout));
    ok(quern_layout_bytes(&layout, &bytes));
    quern_span span = sub.span;
    for (size_t i = 0; i < count_of(&span.layout); ++i)
        memset(element(&span, i), guard, sizeof(int32_t));
    const unsigned char *memory = QUERN_SPAN(buffer).address;
    for (size_t i = 0; i < bytes; ++i)
        assert_int_equal(memory[i], guard);
}

static void test_sweep(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        size_t offset[6] = {0};
        quern_extents extents = extents_of(&shapes[k]), outer = guarded(&shapes[k], offset);
        /* The source's rows are nine times as wide, so that pitches differ. */
        quern_extents wide = outer;
        if (wide.rank)
            wide.n[wide.rank - 1] *= 9;
        quern_buffer *from = make_buffer(device, QUERN_TYPE(int32_t), wide);
        quern_buffer *to = make_buffer(device, QUERN_TYPE(int32_t), outer);
        set_bytes(from, 0x5a);
        set_bytes(to, 0xa5);
        quern_view from_all = QUERN_VIEW(from), to_all = QUERN_VIEW(to), source, target;
        ok(quern_view_sub(from_all, offset, extents, &source));
        ok(quern_view_sub(to_all, offset, extents, &target));
        for (size_t i = 0; i < count_of(&source.span.layout); ++i)
            *element(&source.span, i) = (int32_t)(i * 7 + 1);
        ok(quern_copy(queue, target, quern_view_as_const(source)));
        ok(quern_queue_synchronize(queue));
        for (size_t i = 0; i < count_of(&target.span.layout); ++i)
            assert_int_equal(*element(&target.span, i), (int32_t)(i * 7 + 1));
        check_guards(to, target, 0xa5);

        int32_t value = 0x01020304;
        ok(quern_fill(queue, target, QUERN_TYPE(int32_t), &value));
        ok(quern_queue_synchronize(queue));
        for (size_t i = 0; i < count_of(&target.span.layout); ++i)
            assert_int_equal(*element(&target.span, i), value);
        check_guards(to, target, 0xa5);
        ok(quern_buffer_release(from));
        ok(quern_buffer_release(to));
    }
}

/* Fills the inside of a plane of elements of that many bytes and looks at every byte of it. */
static void fill_elements(size_t size, size_t columns)
{
    quern_type type = quern_type_struct(size, 1);
    quern_buffer *x = make_buffer(device, type, QUERN_EXTENTS(3, columns));
    unsigned char value[2048];
    for (size_t i = 0; i < size; ++i)
        value[i] = (unsigned char)(i * 31 + 7);
    quern_view view = QUERN_VIEW(x), sub;
    set_bytes(x, 0);
    size_t offset[2] = {1, 3};
    ok(quern_view_sub(view, offset, QUERN_EXTENTS(2, columns - 8), &sub));
    ok(quern_fill(queue, sub, type, value));
    ok(quern_queue_synchronize(queue));
    const unsigned char *memory = view.span.address;
    for (size_t y = 0; y < 3; ++y)
        for (size_t c = 0; c < columns; ++c) {
            const unsigned char *found = memory + y * (size_t)view.span.layout.pitches[0] + c * size;
            int inside = y >= 1 && c >= 3 && c < columns - 5;
            for (size_t i = 0; i < size; ++i)
                if (found[i] != (inside ? value[i] : 0))
                    fail_msg("byte %zu of element %zu, %zu of %zu bytes is %d", i, y, c, size, found[i]);
        }
    ok(quern_buffer_release(x));
}

static void test_element_sizes(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 40; size += size < 8 ? 1 : 13)
        fill_elements(size, 1001);
    fill_elements(1000, 17);
    fill_elements(1025, 17);
    fill_elements(1999, 17);
}

/* Rows of 22 bytes of int32: refused at a launch, but copied and filled. */
static void test_odd_pitches(void **state)
{
    (void)state;
    quern_layout odd, packed;
    ok(quern_layout_padded(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 3, 5), 2, 1, &odd));
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 3, 5), &packed));
    quern_buffer *x = NULL;
    ok(quern_buffer_create_with_layout(device, &odd, QUERN_MEMORY_HOST, &x));
    int32_t in[45], out[45];
    for (int i = 0; i < 45; ++i)
        in[i] = 1000003 * i;
    memset(out, 0, sizeof out);
    quern_const_span source;
    quern_span target;
    ok(quern_const_span_make(in, &packed, &source));
    ok(quern_span_make(out, &packed, &target));
    set_bytes(x, 0x77);
    ok(quern_copy_from_host(queue, QUERN_VIEW(x), source));
    ok(quern_copy_to_host(queue, target, QUERN_CONST_VIEW(x)));
    ok(quern_queue_synchronize(queue));
    assert_memory_equal(in, out, sizeof in);
    const unsigned char *memory = QUERN_SPAN(x).address;
    assert_int_equal(memory[20], 0x77); /* the padding */
    assert_int_equal(memory[66], 0x77); /* the empty row */
    int32_t value = -3;
    ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(int32_t), &value));
    ok(quern_copy_to_host(queue, target, QUERN_CONST_VIEW(x)));
    ok(quern_queue_synchronize(queue));
    for (int i = 0; i < 45; ++i)
        assert_int_equal(out[i], -3);
    assert_int_equal(memory[20], 0x77);
    ok(quern_buffer_release(x));
}

static void test_zero_extents(void **state)
{
    (void)state;
    const quern_extents empty[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0)};
    for (int i = 0; i < 3; ++i) {
        quern_buffer *x = make_buffer(device, QUERN_TYPE(double), empty[i]);
        quern_buffer *y = make_buffer(device, QUERN_TYPE(double), empty[i]);
        double value = 1;
        ok(quern_copy(queue, QUERN_VIEW(x), QUERN_CONST_VIEW(y)));
        ok(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(double), &value));
        quern_layout layout;
        ok(quern_buffer_layout(x, &layout));
        assert_int_equal(layout.extents[0], empty[i].n[0]);
        assert_null(QUERN_SPAN(x).address);
        ok(quern_buffer_release(x));
        ok(quern_buffer_release(y));
    }
    ok(quern_queue_synchronize(queue));
}

static void test_refused(void **state)
{
    (void)state;
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(64));
    quern_buffer *small = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(4));
    quern_buffer *plane = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(8, 8));
    quern_buffer *doubles = make_buffer(device, QUERN_TYPE(double), QUERN_EXTENTS(64));
    quern_view view = QUERN_VIEW(x), low, high, nothing;
    quern_const_view none;
    memset(&nothing, 0, sizeof nothing);
    memset(&none, 0, sizeof none);
    size_t zero = 0, ten = 10;
    refused(quern_copy(queue, QUERN_VIEW(small), QUERN_CONST_VIEW(x)), QUERN_INVALID_SHAPE, "extent 4|64");
    refused(quern_copy(queue, QUERN_VIEW(plane), QUERN_CONST_VIEW(x)), QUERN_INVALID_SHAPE, "rank 2|rank 1");
    refused(quern_copy(queue, QUERN_VIEW(doubles), QUERN_CONST_VIEW(x)), QUERN_INVALID_TYPE, "float64|float32");
    refused(quern_copy(queue, QUERN_VIEW(x), QUERN_CONST_VIEW(x)), QUERN_OVERLAP, "overlap");
    ok(quern_view_sub(view, &zero, QUERN_EXTENTS(32), &low));
    ok(quern_view_sub(view, &ten, QUERN_EXTENTS(32), &high));
    refused(quern_copy(queue, low, quern_view_as_const(high)), QUERN_OVERLAP, "overlap");
    refused(quern_copy(queue, nothing, QUERN_CONST_VIEW(x)), QUERN_INVALID_ARGUMENT, "target");
    refused(quern_copy(queue, QUERN_VIEW(x), none), QUERN_INVALID_ARGUMENT, "source");
    refused(quern_copy(NULL, QUERN_VIEW(x), QUERN_CONST_VIEW(x)), QUERN_INVALID_ARGUMENT, "queue");
    double value = 0;
    refused(quern_fill(queue, view, QUERN_TYPE(double), &value), QUERN_INVALID_TYPE, "float64|float32");
    refused(quern_fill(queue, view, QUERN_TYPE(float), NULL), QUERN_INVALID_ARGUMENT, "value");
    quern_const_span self;
    ok(quern_const_span_make(view.span.address, &view.span.layout, &self));
    refused(quern_copy_from_host(queue, view, self), QUERN_OVERLAP, "overlap");
    self.address = NULL;
    refused(quern_copy_from_host(queue, view, self), QUERN_INVALID_ARGUMENT, "source|address");
    /* left and right half of a plane interleave by rows and do not overlap */
    size_t right[2] = {0, 4}, left[2] = {0, 0};
    quern_view whole = QUERN_VIEW(plane), a, b;
    ok(quern_view_sub(whole, left, QUERN_EXTENTS(8, 4), &a));
    ok(quern_view_sub(whole, right, QUERN_EXTENTS(8, 4), &b));
    ok(quern_copy(queue, a, quern_view_as_const(b)));
    ok(quern_queue_synchronize(queue));
#ifdef QUERN_DEBUG
    ok(quern_buffer_release(small));
    quern_buffer *gone = small;
    small = NULL;
    refused(quern_copy(queue, QUERN_VIEW(x), QUERN_CONST_VIEW(gone)), QUERN_RELEASED, "source|released");
#endif
    ok(quern_buffer_release(small));
    ok(quern_buffer_release(x));
    ok(quern_buffer_release(plane));
    ok(quern_buffer_release(doubles));
}

static void test_buffers_refuse(void **state)
{
    (void)state;
    quern_buffer *x = NULL;
    refused(quern_buffer_create(device, QUERN_TYPE(double), QUERN_EXTENTS(1ull << 31, 1ull << 31, 4), &x),
            QUERN_OVERFLOW, "");
    refused(quern_buffer_create(device, QUERN_TYPE(double), QUERN_EXTENTS(-3), &x), QUERN_INVALID_SHAPE, "-3");
    refused(quern_buffer_create(NULL, QUERN_TYPE(double), QUERN_EXTENTS(3), &x), QUERN_INVALID_ARGUMENT, "device");
    refused(quern_buffer_create(device, QUERN_TYPE(double), QUERN_EXTENTS(3), NULL), QUERN_INVALID_ARGUMENT, "buffer");
    quern_extents seven = QUERN_EXTENTS(1);
    seven.rank = 7;
    refused(quern_buffer_create(device, QUERN_TYPE(double), seven, &x), QUERN_INVALID_SHAPE, "7");
    /* more than any machine has: memory or the largest allocation, never a null buffer that "succeeds" */
    quern_status status = quern_buffer_create(device, QUERN_TYPE(double), QUERN_EXTENTS(1ull << 50), &x);
    assert_true(status == QUERN_OUT_OF_MEMORY || status == QUERN_LIMIT_EXCEEDED);
    assert_null(x);
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(double), QUERN_EXTENTS(3), &layout));
    double memory[4];
    refused(quern_buffer_wrap(device, NULL, &layout, NULL, NULL, &x), QUERN_INVALID_ARGUMENT, "address");
    refused(quern_buffer_wrap(device, (char *)memory + 4, &layout, NULL, NULL, &x), QUERN_INVALID_ARGUMENT,
            "address|8");
    refused(quern_buffer_wrap(device, memory, NULL, NULL, NULL, &x), QUERN_INVALID_ARGUMENT, "layout");
    refused(quern_buffer_create_with_layout(device, &layout, (quern_memory_kind)9, &x), QUERN_INVALID_ARGUMENT, "kind");
    refused(quern_buffer_retain(NULL), QUERN_INVALID_ARGUMENT, "buffer");
    ok(quern_buffer_release(NULL));
}

static int set_up(void **state)
{
    (void)state;
    device = open_device("cpu:0");
    queue = make_queue(device, 0, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),       cmocka_unit_test(test_element_sizes),
        cmocka_unit_test(test_odd_pitches), cmocka_unit_test(test_zero_extents),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_buffers_refuse),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
