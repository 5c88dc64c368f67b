/*
 * Quern: QUERN_SOURCE(x), QUERN_SPAN(x), QUERN_VIEW(x) and their const forms.
 *
 * Each takes a variable of its own level or of any level above it and gives the value of that level;
 * anything less does not compile: a generator where a span is wanted, a const view where something
 * is written. x is an lvalue, and the selection looks at its address, so that a const object is
 * read only as much as a const element type:
 *
 *     macro                     accepts
 *     QUERN_SOURCE(x)           source, span, view, buffer, each const or not
 *     QUERN_CONST_SPAN(x)       span, view, buffer, each const or not
 *     QUERN_SPAN(x)             span, view, buffer, not const
 *     QUERN_CONST_VIEW(x)       view, buffer, each const or not
 *     QUERN_VIEW(x)             view, buffer, not const
 *
 * A source of something mutable is writable (source.h), one of something const is not.
 *
 * A NULL buffer gives a level without address, device or buffer, which whatever takes it refuses.
 */
#ifndef QUERN_LEVELS_H
#define QUERN_LEVELS_H

#include <quern/buffer.h>

QUERN_BEGIN_DECLARATIONS

/* What the macros call; not for direct use. */
QUERN_API quern_view quern_level_view_of_buffer(quern_buffer *const *buffer);
QUERN_API quern_const_view quern_level_const_view_of_buffer(const quern_buffer *const *buffer);

static inline quern_source quern_level_source_(const quern_const_span *span, quern_device *device, quern_buffer *buffer,
                                               uint32_t writable)
{
    quern_source source;
    source.kind = QUERN_SOURCE_MEMORY;
    source.writable = writable;
    source.span = *span;
    source.device = device;
    source.buffer = buffer;
    source.seed = 0;
    for (size_t i = 0; i < sizeof source.value; ++i)
        source.value[i] = 0;
    return source;
}

/* clang-format off */
static inline quern_view quern_level_v_v(const quern_view *x) { return *x; }
static inline quern_const_view quern_level_cv_cv(const quern_const_view *x) { return *x; }
static inline quern_const_view quern_level_cv_v(const quern_view *x) { return quern_view_as_const(*x); }
static inline quern_span quern_level_s_s(const quern_span *x) { return *x; }
static inline quern_span quern_level_s_v(const quern_view *x) { return x->span; }
static inline quern_span quern_level_s_b(quern_buffer *const *x) { return quern_level_view_of_buffer(x).span; }
static inline quern_const_span quern_level_cs_cs(const quern_const_span *x) { return *x; }
static inline quern_const_span quern_level_cs_s(const quern_span *x) { return quern_span_as_const(*x); }
static inline quern_const_span quern_level_cs_v(const quern_view *x) { return quern_span_as_const(x->span); }
static inline quern_const_span quern_level_cs_cv(const quern_const_view *x) { return x->span; }
static inline quern_const_span quern_level_cs_b(const quern_buffer *const *x) { return quern_level_const_view_of_buffer(x).span; }
static inline quern_source quern_level_src_src(const quern_source *x) { return *x; }
static inline quern_source quern_level_src_csrc(const quern_source *x) { quern_source c = *x; c.writable = 0; return c; }
static inline quern_source quern_level_src_ccs(const quern_const_span *x) { return quern_level_source_(x, NULL, NULL, 0); }
static inline quern_source quern_level_src_cs(const quern_span *x) { quern_const_span c = quern_span_as_const(*x); return quern_level_source_(&c, NULL, NULL, 0); }
static inline quern_source quern_level_src_s(const quern_span *x) { quern_const_span c = quern_span_as_const(*x); return quern_level_source_(&c, NULL, NULL, 1); }
static inline quern_source quern_level_src_ccv(const quern_const_view *x) { return quern_level_source_(&x->span, x->device, x->buffer, 0); }
static inline quern_source quern_level_src_cv(const quern_view *x) { quern_const_view c = quern_view_as_const(*x); return quern_level_src_ccv(&c); }
static inline quern_source quern_level_src_v(const quern_view *x) { quern_source c = quern_level_src_cv(x); c.writable = 1; return c; }
static inline quern_source quern_level_src_cb(const quern_buffer *const *x) { quern_const_view c = quern_level_const_view_of_buffer(x); return quern_level_src_ccv(&c); }
static inline quern_source quern_level_src_b(quern_buffer *const *x) { quern_view c = quern_level_view_of_buffer(x); return quern_level_src_v(&c); }

QUERN_END_DECLARATIONS

#ifdef __cplusplus
extern "C++" {
static inline quern_view quern_level_view(quern_view *x) { return *x; }
static inline quern_view quern_level_view(quern_buffer *const *x) { return quern_level_view_of_buffer(x); }
static inline quern_const_view quern_level_const_view(const quern_view *x) { return quern_view_as_const(*x); }
static inline quern_const_view quern_level_const_view(const quern_const_view *x) { return *x; }
static inline quern_const_view quern_level_const_view(const quern_buffer *const *x) { return quern_level_const_view_of_buffer(x); }
static inline quern_span quern_level_span(quern_span *x) { return *x; }
static inline quern_span quern_level_span(quern_view *x) { return x->span; }
static inline quern_span quern_level_span(quern_buffer *const *x) { return quern_level_s_b(x); }
static inline quern_const_span quern_level_const_span(const quern_span *x) { return quern_span_as_const(*x); }
static inline quern_const_span quern_level_const_span(const quern_const_span *x) { return *x; }
static inline quern_const_span quern_level_const_span(const quern_view *x) { return quern_level_cs_v(x); }
static inline quern_const_span quern_level_const_span(const quern_const_view *x) { return x->span; }
static inline quern_const_span quern_level_const_span(const quern_buffer *const *x) { return quern_level_cs_b(x); }
static inline quern_source quern_level_source(quern_source *x) { return *x; }
static inline quern_source quern_level_source(const quern_source *x) { return quern_level_src_csrc(x); }
static inline quern_source quern_level_source(quern_span *x) { return quern_level_src_s(x); }
static inline quern_source quern_level_source(const quern_span *x) { return quern_level_src_cs(x); }
static inline quern_source quern_level_source(const quern_const_span *x) { return quern_level_src_ccs(x); }
static inline quern_source quern_level_source(quern_view *x) { return quern_level_src_v(x); }
static inline quern_source quern_level_source(const quern_view *x) { return quern_level_src_cv(x); }
static inline quern_source quern_level_source(const quern_const_view *x) { return quern_level_src_ccv(x); }
static inline quern_source quern_level_source(quern_buffer *const *x) { return quern_level_src_b(x); }
static inline quern_source quern_level_source(const quern_buffer *const *x) { return quern_level_src_cb(x); }
}
#define QUERN_VIEW(x) quern_level_view(&(x))
#define QUERN_CONST_VIEW(x) quern_level_const_view(&(x))
#define QUERN_SPAN(x) quern_level_span(&(x))
#define QUERN_CONST_SPAN(x) quern_level_const_span(&(x))
#define QUERN_SOURCE(x) quern_level_source(&(x))
#else
#define QUERN_VIEW(x) _Generic(&(x), \
    quern_view *: quern_level_v_v, \
    quern_buffer **: quern_level_view_of_buffer, quern_buffer *const *: quern_level_view_of_buffer)(&(x))
#define QUERN_CONST_VIEW(x) _Generic(&(x), \
    quern_view *: quern_level_cv_v, const quern_view *: quern_level_cv_v, \
    quern_const_view *: quern_level_cv_cv, const quern_const_view *: quern_level_cv_cv, \
    QUERN_LEVEL_BUFFERS_(quern_level_const_view_of_buffer))(QUERN_LEVEL_ADDRESS_(x))
#define QUERN_SPAN(x) _Generic(&(x), \
    quern_span *: quern_level_s_s, quern_view *: quern_level_s_v, \
    quern_buffer **: quern_level_s_b, quern_buffer *const *: quern_level_s_b)(&(x))
#define QUERN_CONST_SPAN(x) _Generic(&(x), \
    quern_span *: quern_level_cs_s, const quern_span *: quern_level_cs_s, \
    quern_const_span *: quern_level_cs_cs, const quern_const_span *: quern_level_cs_cs, \
    quern_view *: quern_level_cs_v, const quern_view *: quern_level_cs_v, \
    quern_const_view *: quern_level_cs_cv, const quern_const_view *: quern_level_cs_cv, \
    QUERN_LEVEL_BUFFERS_(quern_level_cs_b))(QUERN_LEVEL_ADDRESS_(x))
#define QUERN_SOURCE(x) _Generic(&(x), \
    quern_source *: quern_level_src_src, const quern_source *: quern_level_src_csrc, \
    quern_span *: quern_level_src_s, const quern_span *: quern_level_src_cs, \
    quern_const_span *: quern_level_src_ccs, const quern_const_span *: quern_level_src_ccs, \
    quern_view *: quern_level_src_v, const quern_view *: quern_level_src_cv, \
    quern_const_view *: quern_level_src_ccv, const quern_const_view *: quern_level_src_ccv, \
    quern_buffer **: quern_level_src_b, quern_buffer *const *: quern_level_src_b, \
    const quern_buffer **: quern_level_src_cb, const quern_buffer *const *: quern_level_src_cb)(QUERN_LEVEL_ADDRESS_(x))
#define QUERN_LEVEL_BUFFERS_(function) \
    quern_buffer **: function, quern_buffer *const *: function, \
    const quern_buffer **: function, const quern_buffer *const *: function
/* C has no implicit conversion from T ** to const T *const *; void * has one to both. */
#define QUERN_LEVEL_ADDRESS_(x) ((const void *)&(x))
#endif
/* clang-format on */

#endif
