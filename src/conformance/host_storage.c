/* Buffers: every rank, their layout and alignment, kinds of memory, sub-views, references, and what is too large. */
#include "sweep.h"

#include <sched.h>

/* ---- what a buffer is ---- */

static quern_verdict check_layout(quern_trial *trial, quern_buffer *buffer, quern_type type, quern_extents extents)
{
    quern_layout layout;
    quern_device *device = NULL;
    quern_view view = QUERN_VIEW(buffer);
    size_t alignment = trial->info.preferred_alignment ? trial->info.preferred_alignment : 1;
    QUERN_TRY(trial, quern_buffer_layout(buffer, &layout));
    QUERN_TRY(trial, quern_buffer_device(buffer, &device));
    QUERN_WANT(trial, device == trial->device && view.device == device && view.buffer == buffer,
               "the buffer or its view names another device or buffer");
    QUERN_WANT(trial, quern_type_equal(layout.type, type) && layout.rank == extents.rank,
               "the layout has %s of rank %u, wanted %s of rank %u", quern_type_name(layout.type), layout.rank,
               quern_type_name(type), extents.rank);
    for (uint32_t d = 0; d < extents.rank; ++d)
        QUERN_WANT(trial, layout.extents[d] == extents.n[d], "extent %u is %zu, wanted %zu", d, layout.extents[d],
                   extents.n[d]);
    if (extents.rank > 0)
        QUERN_WANT(trial, layout.pitches[extents.rank - 1] == (ptrdiff_t)type.size,
                   "the innermost pitch is %td, wanted %u", layout.pitches[extents.rank - 1], type.size);
    if (extents.rank > 1 && view.span.address) {
        ptrdiff_t row = layout.pitches[extents.rank - 2];
        QUERN_WANT(trial, (size_t)row % alignment == 0, "the row pitch is %td, wanted a multiple of %zu", row,
                   alignment);
        QUERN_WANT(trial, view.span.alignment % alignment == 0, "rows are aligned to %zu bytes, wanted %zu",
                   view.span.alignment, alignment);
    }
    return QUERN_PASSED;
}

/* Values in and out again. */
static quern_verdict round_trip(quern_trial *trial, quern_buffer *buffer, quern_type type, quern_extents extents)
{
    quern_guarded in, out;
    quern_guarded_shape shape = quern_guarded_packed(type, extents);
    QUERN_CHECK(quern_guarded_make(trial, NULL, "in", shape, &in));
    QUERN_CHECK(quern_guarded_make(trial, NULL, "out", shape, &out));
    quern_guarded_vary(&in, 17);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &in));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &out));
    QUERN_TRY(trial, quern_copy_from_host(trial->queue, QUERN_VIEW(buffer), quern_span_as_const(in.view.span)));
    QUERN_TRY(trial, quern_copy_to_host(trial->queue, out.view.span, QUERN_CONST_VIEW(buffer)));
    quern_guarded_set_copy(&out, &in);
    return quern_guarded_check(trial, trial->queue, &out);
}

static quern_verdict ranks(quern_trial *trial)
{
    char text[160];
    for (size_t e = 0; e < QUERN_SWEEP_EXTENTS; ++e)
        for (size_t t = 0; t < QUERN_SWEEP_TYPES; ++t) {
            quern_type type = quern_sweep_type(t);
            quern_extents extents = quern_sweep_extents[e];
            quern_buffer *buffer;
            size_t mark = quern_trial_mark(trial);
            QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, type, extents, &buffer));
            quern_verdict verdict = check_layout(trial, buffer, type, extents);
            if (!verdict)
                verdict = round_trip(trial, buffer, type, extents);
            if (verdict)
                return quern_trial_within(trial, verdict, "%s", quern_sweep_text(0, type, extents, text));
            quern_trial_release(trial, mark);
        }
    return QUERN_PASSED;
}

static quern_verdict zero_extents(quern_trial *trial)
{
    const quern_extents empty[] = {QUERN_EXTENTS(0), QUERN_EXTENTS(0, 5), QUERN_EXTENTS(3, 0),
                                   QUERN_EXTENTS(2, 3, 0, 5, 7, 11)};
    for (size_t i = 0; i < sizeof empty / sizeof empty[0]; ++i) {
        quern_buffer *buffer;
        float value = 1;
        QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(float), empty[i], &buffer));
        QUERN_CHECK(check_layout(trial, buffer, QUERN_TYPE(float), empty[i]));
        QUERN_CHECK(round_trip(trial, buffer, QUERN_TYPE(float), empty[i]));
        QUERN_TRY(trial, quern_fill(trial->queue, QUERN_VIEW(buffer), QUERN_TYPE(float), &value));
        QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    }
    return QUERN_PASSED;
}

/* ---- kinds of memory ---- */

static quern_verdict kind_of_memory(quern_trial *trial, quern_memory_kind kind, const char *what, int promised)
{
    for (size_t e = 0; e < QUERN_SWEEP_FEW; ++e) {
        quern_guarded x;
        quern_layout layout;
        quern_buffer *probe;
        quern_extents extents = quern_sweep_extents[e];
        quern_guarded_shape shape = quern_guarded_pitched(QUERN_TYPE(int32_t), extents);
        QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(int32_t), extents, &layout));
        quern_status status = quern_trial_buffer_with_layout(trial, trial->device, &layout, kind, &probe);
        if (status == QUERN_NOT_SUPPORTED && !promised)
            return quern_trial_unsupported(trial, "%s", what);
        QUERN_TRY(trial, status);
        shape.kind = kind;
        QUERN_CHECK(quern_guarded_make(trial, trial->device, what, shape, &x));
        quern_guarded_vary(&x, 23);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
        QUERN_CHECK(quern_guarded_check(trial, trial->queue, &x));
    }
    return QUERN_PASSED;
}

static quern_verdict host_memory(quern_trial *trial)
{
    return kind_of_memory(trial, QUERN_MEMORY_HOST, "pageable host memory", trial->info.host_accessible != 0);
}

static quern_verdict pinned_memory(quern_trial *trial)
{
    return kind_of_memory(trial, QUERN_MEMORY_PINNED, "pinned host memory", 0);
}

static quern_verdict unified_memory(quern_trial *trial)
{
    return kind_of_memory(trial, QUERN_MEMORY_UNIFIED, "unified memory", trial->info.unified_memory != 0);
}

static void count_release(void *context)
{
    __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
}

/* Memory of the caller's: used in place, given back once, after the last command. */
static quern_verdict wrapped_memory(quern_trial *trial)
{
    enum { LENGTH = 1013 };
    quern_layout layout;
    quern_buffer *buffer;
    int32_t value = -7;
    if (!trial->info.host_accessible)
        return quern_trial_unsupported(trial, "memory that the host and the device both reach");
    int32_t *memory = quern_trial_memory(trial, LENGTH * sizeof *memory);
    int *released = quern_trial_memory(trial, sizeof *released);
    QUERN_WANT(trial, memory && released, "no memory for %d values", LENGTH);
    QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(LENGTH), &layout));
    QUERN_TRY(trial, quern_buffer_wrap(trial->device, memory, &layout, count_release, released, &buffer));
    quern_status status = quern_fill(trial->queue, QUERN_VIEW(buffer), QUERN_TYPE(int32_t), &value);
    QUERN_TRY(trial, quern_buffer_release(buffer));
    QUERN_TRY(trial, status);
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue));
    /* The notice goes out with the command's number, at most a moment after the synchronise. */
    while (__atomic_load_n(released, __ATOMIC_SEQ_CST) == 0)
        sched_yield();
    QUERN_WANT(trial, *released == 1, "the memory was given back %d times, wanted once", *released);
    for (int i = 0; i < LENGTH; ++i)
        QUERN_WANT(trial, memory[i] == value, "element %d is %d, wanted %d", i, memory[i], value);
    return QUERN_PASSED;
}

/* ---- sub-views ---- */

static quern_verdict nested_views(quern_trial *trial)
{
    quern_guarded x;
    quern_view part, inner;
    size_t first[3] = {1, 2, 3}, second[3] = {1, 0, 5};
    int32_t in[7 * 9 * 23], out[3 * 5 * 11];
    quern_layout layout;
    quern_span span;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(int32_t), QUERN_EXTENTS(7, 9, 23)), &x));
    quern_guarded_vary(&x, 31);
    quern_guarded_values(&x, in);
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_TRY(trial, quern_view_sub(x.view, first, QUERN_EXTENTS(5, 6, 17), &part));
    QUERN_TRY(trial, quern_view_sub(part, second, QUERN_EXTENTS(3, 5, 11), &inner));
    for (int d = 0; d < 3; ++d)
        QUERN_WANT(trial, inner.span.layout.pitches[d] == x.view.span.layout.pitches[d],
                   "pitch %d of the sub-view is %td, wanted %td", d, inner.span.layout.pitches[d],
                   x.view.span.layout.pitches[d]);
    QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(3, 5, 11), &layout));
    QUERN_TRY(trial, quern_span_make(out, &layout, &span));
    QUERN_TRY(trial, quern_copy_to_host(trial->queue, span, quern_view_as_const(inner)));
    QUERN_TRY(trial, quern_queue_synchronize(trial->queue)); /* before out goes out of scope */
    for (int z = 0; z < 3; ++z)
        for (int y = 0; y < 5; ++y)
            for (int i = 0; i < 11; ++i) {
                int32_t was = out[(z * 5 + y) * 11 + i], wanted = in[((z + 2) * 9 + y + 2) * 23 + i + 8];
                QUERN_WANT(trial, was == wanted, "[%d][%d][%d] is %d, wanted %d", z, y, i, was, wanted);
            }
    return quern_guarded_check(trial, trial->queue, &x);
}

static quern_verdict views_outside(quern_trial *trial)
{
    quern_guarded x;
    quern_view sub, forged;
    float value = 1;
    size_t beyond[2] = {0, 6}, far[2] = {SIZE_MAX, 0}, origin[2] = {0, 0};
    QUERN_CHECK(quern_guarded_make(trial, trial->device, "x",
                                   quern_guarded_pitched(QUERN_TYPE(float), QUERN_EXTENTS(5, 11)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_REFUSED(trial, quern_view_sub(x.view, beyond, QUERN_EXTENTS(5, 6), &sub), QUERN_INVALID_SHAPE, "");
    QUERN_REFUSED(trial, quern_view_sub(x.view, far, QUERN_EXTENTS(2, 6), &sub), QUERN_INVALID_SHAPE, "");
    QUERN_REFUSED(trial, quern_view_sub(x.view, origin, QUERN_EXTENTS(5), &sub), QUERN_INVALID_SHAPE, "");
    /* A view by hand that reaches past its buffer is refused by whoever takes it. */
    forged = x.view;
    forged.span.layout.extents[0] = 1 + x.bytes / (size_t)forged.span.layout.pitches[0];
    QUERN_REFUSED(trial, quern_fill(trial->queue, forged, QUERN_TYPE(float), &value), QUERN_INVALID_SHAPE, "buffer");
    return quern_guarded_check(trial, trial->queue, &x);
}

/* ---- references, many buffers ---- */

static quern_verdict references(quern_trial *trial)
{
    quern_buffer *buffer;
    quern_extents extents = QUERN_EXTENTS(7, 13);
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(int16_t), extents, &buffer));
    for (int i = 0; i < 3; ++i)
        QUERN_TRY(trial, quern_buffer_retain(buffer));
    QUERN_TRY(trial, quern_buffer_release(buffer));
    QUERN_CHECK(round_trip(trial, buffer, QUERN_TYPE(int16_t), extents));
    QUERN_TRY(trial, quern_buffer_release(buffer));
    QUERN_TRY(trial, quern_buffer_release(buffer));
    QUERN_CHECK(round_trip(trial, buffer, QUERN_TYPE(int16_t), extents)); /* the creator's reference is left */
    QUERN_TRY(trial, quern_buffer_release(NULL));
    return QUERN_PASSED;
}

/* Buffers that live at once lie apart. */
static quern_verdict many_buffers(quern_trial *trial)
{
    enum { BUFFERS = 61 };
    quern_guarded *arrays = quern_trial_memory(trial, BUFFERS * sizeof *arrays);
    QUERN_WANT(trial, arrays, "no memory for %d arrays", BUFFERS);
    for (size_t i = 0; i < BUFFERS; ++i) {
        quern_extents extents = QUERN_EXTENTS(1 + i % 5, 1 + i * i % 251);
        QUERN_CHECK(quern_guarded_make(trial, trial->device, "buffer",
                                       quern_guarded_pitched(quern_sweep_type(i % QUERN_SWEEP_TYPES), extents),
                                       &arrays[i]));
        quern_guarded_vary(&arrays[i], (uint32_t)i);
        QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &arrays[i]));
    }
    for (size_t i = 0; i < BUFFERS; ++i)
        QUERN_CHECK(quern_trial_within(trial, quern_guarded_check(trial, trial->queue, &arrays[i]), "buffer %zu of %d",
                                       i, (int)BUFFERS));
    return QUERN_PASSED;
}

/* ---- too large, or wrong ---- */

static quern_verdict too_large(quern_trial *trial)
{
    quern_buffer *buffer = NULL;
    uint64_t largest = trial->info.largest_allocation;
    QUERN_REFUSED(
        trial,
        quern_buffer_create(trial->device, QUERN_TYPE(int64_t), QUERN_EXTENTS(1ull << 31, 1ull << 31, 4), &buffer),
        QUERN_OVERFLOW, "");
    if (largest > 0 && largest < 1ull << 62)
        QUERN_REFUSED(trial,
                      quern_buffer_create(trial->device, QUERN_TYPE(uint8_t), QUERN_EXTENTS(largest + 1), &buffer),
                      QUERN_LIMIT_EXCEEDED, "largest");
    quern_status status = quern_buffer_create(trial->device, QUERN_TYPE(int64_t), QUERN_EXTENTS(1ull << 50), &buffer);
    QUERN_WANT(trial, status == QUERN_OUT_OF_MEMORY || status == QUERN_LIMIT_EXCEEDED,
               "2^53 bytes gave %s, wanted QUERN_OUT_OF_MEMORY or QUERN_LIMIT_EXCEEDED", quern_status_name(status));
    QUERN_WANT(trial, !buffer, "a refused buffer was written to the result");
    /* The device goes on as before. */
    quern_extents extents = QUERN_EXTENTS(101);
    QUERN_TRY(trial, quern_trial_buffer(trial, trial->device, QUERN_TYPE(float), extents, &buffer));
    return round_trip(trial, buffer, QUERN_TYPE(float), extents);
}

static quern_verdict misuse(quern_trial *trial)
{
    quern_buffer *buffer = NULL;
    quern_layout layout;
    quern_extents seven = QUERN_EXTENTS(1);
    const quern_type none = {0, 0, 0};
    seven.rank = 7;
    QUERN_REFUSED(trial, quern_buffer_create(trial->device, QUERN_TYPE(float), seven, &buffer), QUERN_INVALID_SHAPE,
                  "7");
    QUERN_REFUSED(trial, quern_buffer_create(trial->device, QUERN_TYPE(float), QUERN_EXTENTS(-3), &buffer),
                  QUERN_INVALID_SHAPE, "-3");
    QUERN_REFUSED(trial, quern_buffer_create(trial->device, none, QUERN_EXTENTS(3), &buffer), QUERN_INVALID_TYPE, "");
    QUERN_REFUSED(trial, quern_buffer_create(trial->device, QUERN_TYPE(float), QUERN_EXTENTS(3), NULL),
                  QUERN_INVALID_ARGUMENT, "buffer");
    QUERN_REFUSED(trial, quern_buffer_create(NULL, QUERN_TYPE(float), QUERN_EXTENTS(3), &buffer),
                  QUERN_INVALID_ARGUMENT, "device");
    QUERN_TRY(trial, quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(3), &layout));
    QUERN_REFUSED(trial, quern_buffer_create_with_layout(trial->device, &layout, (quern_memory_kind)9, &buffer),
                  QUERN_INVALID_ARGUMENT, "kind");
    QUERN_WANT(trial, !buffer, "a refused buffer was written to the result");
    return QUERN_PASSED;
}

/* ---- control ---- */

/* A guard element written beside the array. */
static quern_verdict control_guard(quern_trial *trial)
{
    quern_guarded x;
    quern_view byte;
    size_t zero = 0;
    QUERN_CHECK(
        quern_guarded_make(trial, trial->device, "x", quern_guarded_packed(QUERN_TYPE(float), QUERN_EXTENTS(5)), &x));
    QUERN_CHECK(quern_guarded_upload(trial, trial->queue, &x));
    QUERN_TRY(trial, quern_view_sub(x.all, &zero, QUERN_EXTENTS(1), &byte));
    uint8_t value = (uint8_t)~x.image[0];
    QUERN_TRY(trial, quern_fill(trial->queue, byte, QUERN_TYPE(uint8_t), &value));
    return quern_guarded_check(trial, trial->queue, &x);
}

const quern_conformance_test quern_storage_tests[] = {
    {"storage.ranks", "buffers of ranks 0 to 6: layout, alignment, values in and out", ranks, 0},
    {"storage.zero_extents", "buffers without elements", zero_extents, 0},
    {"storage.host_memory", "a buffer in pageable host memory", host_memory, 0},
    {"storage.pinned_memory", "a buffer in pinned host memory", pinned_memory, 0},
    {"storage.unified_memory", "a buffer in unified memory", unified_memory, 0},
    {"storage.wrapped_memory", "a buffer over the caller's memory, given back once", wrapped_memory, 0},
    {"storage.nested_views", "a sub-view of a sub-view keeps the pitches", nested_views, 0},
    {"storage.views_outside", "views that do not lie in their parent or buffer are refused", views_outside, 0},
    {"storage.references", "retain and release", references, 0},
    {"storage.many_buffers", "buffers that live at once lie apart", many_buffers, 0},
    {"storage.too_large", "sizes that overflow, or pass the largest allocation, are refused", too_large, 0},
    {"storage.misuse", "ranks, types and arguments that are none are refused", misuse, 0},
    {"storage.control_guard", "a guard beside an array is overwritten", control_guard, 1},
    {NULL, NULL, NULL, 0},
};
