/*
 * The level macros in C++ give what they give in C (tests/unit/test_levels.c). Only inline functions are used, so the
 * program needs no library. Exit status: the number of the first check that fails, 0 when all hold.
 */
#include <quern/levels.h>

using triple = float[3];

int main()
{
    float memory[15] = {};
    char elsewhere[2] = {};
    quern_view view = {};
    view.span.address = memory;
    view.span.alignment = 4;
    view.span.layout.type = QUERN_TYPE(float);
    view.span.layout.rank = 1;
    view.span.layout.extents[0] = 15;
    view.device = reinterpret_cast<quern_device *>(&elsewhere[0]); /* only ever passed on */
    view.buffer = reinterpret_cast<quern_buffer *>(&elsewhere[1]);
    const quern_view fixed_view = view;
    quern_const_view const_view = QUERN_CONST_VIEW(fixed_view);
    quern_span span = QUERN_SPAN(view);
    const quern_span fixed_span = span;
    quern_const_span const_span = QUERN_CONST_SPAN(const_view);
    quern_source source = QUERN_SOURCE(view);
    const quern_source fixed_source = source;

    const bool checks[] = {
        QUERN_VIEW(view).buffer == view.buffer,
        QUERN_CONST_VIEW(view).device == view.device,
        const_view.buffer == view.buffer && const_view.span.address == memory,
        QUERN_CONST_VIEW(const_view).span.layout.extents[0] == 15,
        span.address == memory && QUERN_SPAN(span).alignment == 4,
        QUERN_CONST_SPAN(span).address == memory && QUERN_CONST_SPAN(fixed_span).address == memory,
        QUERN_CONST_SPAN(view).address == memory && QUERN_CONST_SPAN(fixed_view).address == memory,
        const_span.address == memory && QUERN_CONST_SPAN(const_span).address == memory,
        source.kind == QUERN_SOURCE_MEMORY && source.device == view.device && source.buffer == view.buffer,
        source.span.address == memory && source.span.layout.type.kind == QUERN_KIND_FLOAT32,
        source.writable == 1 && QUERN_SOURCE(source).writable == 1 && QUERN_SOURCE(span).writable == 1,
        QUERN_SOURCE(fixed_source).writable == 0 && QUERN_SOURCE(fixed_span).writable == 0,
        QUERN_SOURCE(fixed_view).writable == 0 && QUERN_SOURCE(const_view).writable == 0,
        QUERN_SOURCE(const_span).writable == 0 && !QUERN_SOURCE(span).device && !QUERN_SOURCE(const_span).buffer,
        QUERN_TYPE(const volatile int16_t).kind == QUERN_KIND_INT16 && QUERN_TYPE(uint64_t).size == 8,
        QUERN_TYPE(quern_view).kind == QUERN_KIND_STRUCT && QUERN_TYPE(triple).size == 12,
    };
    int number = 0;
    for (bool holds : checks) {
        ++number;
        if (!holds)
            return number;
    }
    return 0;
}
