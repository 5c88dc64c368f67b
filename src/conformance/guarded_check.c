/* Guarded arrays: reading the whole memory back, comparing it with the image, and saying what differs. */
#include "guarded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- texts ---- */

/* "[3][5]" of a row-major number; "" for rank 0. */
static const char *index_text(const quern_layout *layout, size_t linear, char text[160])
{
    size_t index[QUERN_MAX_RANK] = {0}, used = 0;
    for (uint32_t d = layout->rank; d-- > 0;) {
        index[d] = linear % layout->extents[d];
        linear /= layout->extents[d];
    }
    text[0] = '\0';
    for (uint32_t d = 0; d < layout->rank; ++d)
        used += (size_t)snprintf(text + used, 160 - used, "[%zu]", index[d]);
    return text;
}

static const char *bytes_text(size_t size, const unsigned char *element, char text[96])
{
    enum { MOST = 24 };
    size_t used = (size_t)snprintf(text, 96, "0x");
    for (size_t i = 0; i < size && i < MOST; ++i)
        used += (size_t)snprintf(text + used, 96 - used, "%02x", element[i]);
    if (size > MOST)
        snprintf(text + used, 96 - used, "…");
    return text;
}

static int64_t signed_value(const unsigned char *element, size_t size)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (size) {
    case 1:
        memcpy(&i8, element, sizeof i8);
        return i8;
    case 2:
        memcpy(&i16, element, sizeof i16);
        return i16;
    case 4:
        memcpy(&i32, element, sizeof i32);
        return i32;
    default:
        memcpy(&i64, element, sizeof i64);
        return i64;
    }
}

static uint64_t unsigned_value(const unsigned char *element, size_t size)
{
    uint64_t mask = size < 8 ? ((uint64_t)1 << (8 * size)) - 1 : UINT64_MAX;
    return (uint64_t)signed_value(element, size) & mask;
}

/* The value as its type is written; a struct as its bytes. */
static const char *value_text(quern_type type, const unsigned char *element, char text[96])
{
    float f32;
    double f64;
    if (type.kind >= QUERN_KIND_INT8 && type.kind <= QUERN_KIND_INT64) {
        snprintf(text, 96, "%" PRId64, signed_value(element, type.size));
    } else if (type.kind >= QUERN_KIND_UINT8 && type.kind <= QUERN_KIND_UINT64) {
        snprintf(text, 96, "%" PRIu64, unsigned_value(element, type.size));
    } else if (type.kind == QUERN_KIND_FLOAT32) {
        memcpy(&f32, element, sizeof f32);
        snprintf(text, 96, "%.9g (%a)", (double)f32, (double)f32);
    } else if (type.kind == QUERN_KIND_FLOAT64) {
        memcpy(&f64, element, sizeof f64);
        snprintf(text, 96, "%.17g (%a)", f64, f64);
    } else {
        bytes_text(type.size, element, text);
    }
    return text;
}

/* ---- reading back ---- */

static quern_verdict read_back(quern_trial *trial, quern_queue *queue, quern_guarded *guarded)
{
    quern_span span;
    if (guarded->bytes == 0)
        return QUERN_PASSED;
    if (!guarded->device) {
        QUERN_TRY(trial, quern_queue_synchronize(queue));
        memcpy(guarded->present, guarded->all.span.address, guarded->bytes);
        return QUERN_PASSED;
    }
    /* What a copy leaves out must not look right. */
    for (size_t i = 0; i < guarded->bytes; ++i)
        guarded->present[i] = (unsigned char)~guarded->image[i];
    QUERN_TRY(trial, quern_span_make(guarded->present, &guarded->all.span.layout, &span));
    QUERN_TRY(trial, quern_copy_to_host(queue, span, quern_view_as_const(guarded->all)));
    QUERN_TRY(trial, quern_queue_synchronize(queue));
    return QUERN_PASSED;
}

/* ---- comparing ---- */

/* Where a byte outside the array lies. */
static const char *place_text(const quern_guarded *guarded, size_t byte, char text[160])
{
    size_t size = guarded->outer.type.size, linear = 0, rest = byte;
    for (uint32_t d = 0; d < guarded->outer.rank; ++d) {
        size_t pitch = (size_t)guarded->outer.pitches[d];
        if (rest / pitch >= guarded->outer.extents[d]) {
            snprintf(text, 160, "in the padding along dimension %u", d);
            return text;
        }
        linear = linear * guarded->outer.extents[d] + rest / pitch;
        rest %= pitch;
    }
    if (rest >= size) /* rank 0, and nothing else */
        return strcpy(text, "behind the elements");
    size_t used = (size_t)snprintf(text, 160, "of the guard element ");
    char index[160];
    snprintf(text + used, 160 - used, "%s", index_text(&guarded->outer, linear, index));
    return text;
}

static quern_verdict fail_guard(quern_trial *trial, const quern_guarded *guarded)
{
    size_t first = 0, others = 0;
    char place[160];
    for (size_t i = guarded->bytes; i-- > 0;)
        if (!guarded->inside[i] && guarded->present[i] != guarded->image[i]) {
            first = i;
            ++others;
        }
    return quern_trial_fail(trial, NULL, 0,
                            "%s: byte %zu of %zu was overwritten outside the array (%s): it is 0x%02x, wanted 0x%02x; "
                            "%zu such bytes",
                            guarded->name, first, guarded->bytes, place_text(guarded, first, place),
                            guarded->present[first], guarded->image[first], others);
}

static quern_verdict fail_element(quern_trial *trial, const quern_guarded *guarded, size_t first, size_t differing)
{
    const quern_layout *layout = &guarded->view.span.layout;
    const unsigned char *wanted = quern_guarded_element(guarded, first);
    char index[160], was[96], want[96];
    return quern_trial_fail(trial, NULL, 0, "%s%s is %s, wanted %s; %zu of %zu elements differ", guarded->name,
                            index_text(layout, first, index),
                            value_text(layout->type, guarded->present + (wanted - guarded->image), was),
                            value_text(layout->type, wanted, want), differing, guarded->count);
}

static quern_verdict compare_guards(quern_trial *trial, const quern_guarded *guarded)
{
    for (size_t i = 0; i < guarded->bytes; ++i)
        if (!guarded->inside[i] && guarded->present[i] != guarded->image[i])
            return fail_guard(trial, guarded);
    return QUERN_PASSED;
}

static int differs(const quern_guarded *guarded, size_t linear)
{
    const unsigned char *wanted = quern_guarded_element(guarded, linear);
    return memcmp(guarded->present + (wanted - guarded->image), wanted, guarded->view.span.layout.type.size) != 0;
}

static quern_verdict compare_elements(quern_trial *trial, const quern_guarded *guarded)
{
    size_t first = 0, differing = 0;
    for (size_t i = guarded->count; i-- > 0;)
        if (differs(guarded, i)) {
            first = i;
            ++differing;
        }
    return differing > 0 ? fail_element(trial, guarded, first, differing) : QUERN_PASSED;
}

quern_verdict quern_guarded_check(quern_trial *trial, quern_queue *queue, quern_guarded *guarded)
{
    QUERN_CHECK(read_back(trial, queue, guarded));
    if (guarded->bytes == 0 || memcmp(guarded->present, guarded->image, guarded->bytes) == 0)
        return QUERN_PASSED;
    QUERN_CHECK(compare_elements(trial, guarded));
    return compare_guards(trial, guarded);
}

quern_verdict quern_guarded_want(quern_trial *trial, quern_queue *queue, quern_guarded *guarded, const void *values)
{
    quern_guarded_set(guarded, values);
    return quern_guarded_check(trial, queue, guarded);
}

quern_verdict quern_guarded_read(quern_trial *trial, quern_queue *queue, quern_guarded *guarded, void *values)
{
    const quern_layout *layout = &guarded->view.span.layout;
    size_t size = layout->type.size, length = layout->rank > 0 ? layout->extents[layout->rank - 1] : 1;
    QUERN_CHECK(read_back(trial, queue, guarded));
    QUERN_CHECK(compare_guards(trial, guarded));
    for (size_t i = 0; i < guarded->count; i += length) /* a row is contiguous */
        memcpy((char *)values + i * size, guarded->present + (quern_guarded_element(guarded, i) - guarded->image),
               length * size);
    return QUERN_PASSED;
}
