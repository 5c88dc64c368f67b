/* Scenarios on data storage: layouts, sources, spans, views, buffers. */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

quern_status scenario_shapes(void)
{
    quern_status status = QUERN_SUCCESS;
    const ptrdiff_t index[2] = {1, 2};
    const quern_extents extents = QUERN_EXTENTS(3, 5);
    quern_layout layout;
    size_t count;
    ptrdiff_t offset;
    int packed;
    REQUIRE(quern_type_scalar(QUERN_KIND_INT32).size == 4);
    REQUIRE(strcmp(quern_type_name(QUERN_TYPE(float)), "float32") == 0);
    REQUIRE(strcmp(quern_status_name(QUERN_OVERLAP), "QUERN_OVERLAP") == 0);
    REQUIRE(*quern_status_text(QUERN_OVERLAP));
    TRY(quern_extents_count(extents, &count));
    REQUIRE(count == 15);
    TRY(quern_extents_linear_index(extents, index, &count));
    REQUIRE(count == 7);
    TRY(quern_layout_packed(QUERN_TYPE(int32_t), extents, &layout));
    TRY(quern_layout_is_packed(&layout, &packed));
    REQUIRE(packed);
    TRY(quern_layout_padded(QUERN_TYPE(int32_t), extents, 2, 0, &layout));
    TRY(quern_layout_aligned(QUERN_TYPE(int32_t), extents, 16, &layout));
    TRY(quern_layout_check(&layout));
    TRY(quern_layout_bytes(&layout, &count));
    REQUIRE(count == 96);
    TRY(quern_layout_offset(&layout, index, &offset));
    REQUIRE(offset == 40);
out:
    return status;
}

quern_status scenario_sources(void)
{
    quern_status status = QUERN_SUCCESS;
    const quern_extents extents = QUERN_EXTENTS(3, 5);
    const ptrdiff_t index[2] = {2, 1};
    const size_t offset[2] = {1, 2};
    const double value = 2.5;
    int64_t numbers[15], number = 0;
    double drawn = -1;
    ptrdiff_t bytes = 0;
    void *element;
    const void *const_element;
    quern_layout layout;
    quern_span span, sub;
    quern_const_span const_span, const_sub;
    quern_source source;
    TRY(quern_layout_packed(QUERN_TYPE(int64_t), extents, &layout));
    TRY(quern_span_make(numbers, &layout, &span));
    TRY(quern_linear_index(extents, &source));
    TRY(quern_source_read(&source, index, &number));
    REQUIRE(number == 11);
    TRY(quern_source_read_all(&source, span));
    REQUIRE(numbers[14] == 14);
    TRY(quern_span_sub(span, offset, QUERN_EXTENTS(2, 3), &sub));
    TRY(quern_span_offset(&sub, index, &bytes));
    TRY(quern_span_at(&span, index, &element));
    REQUIRE(*(int64_t *)element == 11);
    TRY(quern_const_span_make(numbers, &layout, &const_span));
    TRY(quern_const_span_sub(const_span, offset, QUERN_EXTENTS(2, 3), &const_sub));
    TRY(quern_const_span_at(&const_span, index, &const_element));
    REQUIRE(const_element == element);
    TRY(quern_constant(extents, QUERN_TYPE(double), &value, &source));
    TRY(quern_source_read(&source, index, &drawn));
    REQUIRE(drawn == 2.5);
    TRY(quern_random(extents, 7, &source));
    TRY(quern_source_read(&source, index, &drawn));
    REQUIRE(drawn >= 0 && drawn < 1);
out:
    return status;
}

static void count_release(void *context)
{
    ++*(int *)context;
}

quern_status scenario_buffers(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL, *same = NULL;
    quern_buffer *first = NULL, *second = NULL, *retained = NULL, *wrapped = NULL;
    float memory[21];
    int released = 0;
    quern_layout layout;
    quern_view view, sub;
    quern_const_view const_view, const_sub;
    const size_t offset[2] = {1, 2};
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(7, 3), &first));
    TRY(quern_buffer_retain(first));
    retained = first;
    TRY(quern_buffer_layout(first, &layout));
    TRY(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_HOST, &second));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(7, 3), &layout));
    TRY(quern_buffer_wrap(device, memory, &layout, count_release, &released, &wrapped));
    TRY(quern_buffer_device(first, &same));
    REQUIRE(same == device);
    TRY(quern_buffer_view(first, &view));
    TRY(quern_view_sub(view, offset, QUERN_EXTENTS(2, 1), &sub));
    TRY(quern_buffer_const_view(wrapped, &const_view));
    TRY(quern_const_view_sub(const_view, offset, QUERN_EXTENTS(2, 1), &const_sub));
    REQUIRE(const_view.span.address == memory);
out:
    RELEASE(quern_buffer_release(first));
    RELEASE(quern_buffer_release(retained));
    RELEASE(quern_buffer_release(second));
    RELEASE(quern_buffer_release(wrapped));
    RELEASE(quern_device_release(device));
    REQUIRE(released == (wrapped != NULL)); /* once, and not at all when there was no buffer */
    return status;
}

quern_status scenario_levels(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL;
    quern_buffer *buffer = NULL;
    TRY(quern_device_default(&device));
    TRY(quern_buffer_create(device, QUERN_TYPE(int32_t), QUERN_EXTENTS(13), &buffer));
    const quern_buffer *const_buffer = buffer;
    REQUIRE(quern_level_view_of_buffer(&buffer).buffer == buffer);
    REQUIRE(quern_level_const_view_of_buffer(&const_buffer).buffer == buffer);
    REQUIRE(QUERN_VIEW(buffer).device == device);
    REQUIRE(QUERN_SPAN(buffer).address == QUERN_CONST_SPAN(const_buffer).address);
    REQUIRE(QUERN_SOURCE(const_buffer).buffer == buffer);
out:
    RELEASE(quern_buffer_release(buffer));
    RELEASE(quern_device_release(device));
    return status;
}
