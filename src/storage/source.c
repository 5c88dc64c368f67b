/*
 * Sources: generators, and reading elements on the host.
 *
 * Elements are moved with memcpy throughout: a legal layout may put them at addresses that their
 * type's alignment does not divide.
 */
#include <quern/source.h>

#include <stdlib.h>
#include <string.h>

#include "base/object.h"
#include "check.h"
#include "host_access.h"
#include "layout.h"
#include "random.h"

/* A generator's shape is that of packed memory which is nowhere. */
static quern_status make_generator(quern_source_kind kind, quern_extents extents, quern_type type, quern_source *source)
{
    quern_layout layout;
    QUERN_CHECK(quern_layout_packed(type, extents, &layout));
    memset(source, 0, sizeof *source);
    source->kind = (uint32_t)kind;
    source->span.alignment = type.alignment;
    source->span.layout = layout;
    return QUERN_SUCCESS;
}

quern_status quern_linear_index(quern_extents extents, quern_source *source)
{
    QUERN_CHECK_POINTER(source);
    return make_generator(QUERN_SOURCE_LINEAR_INDEX, extents, QUERN_TYPE(int64_t), source);
}

quern_status quern_constant(quern_extents extents, quern_type type, const void *value, quern_source *source)
{
    QUERN_CHECK_POINTER(value);
    QUERN_CHECK_POINTER(source);
    if (type.size > sizeof source->value)
        return quern_fail(QUERN_INVALID_TYPE, "type.size is %u, wanted at most %zu, the largest constant", type.size,
                          sizeof source->value);
    unsigned char bytes[sizeof source->value]; /* value may lie in *source */
    memcpy(bytes, value, type.size);
    QUERN_CHECK(make_generator(QUERN_SOURCE_CONSTANT, extents, type, source));
    memcpy(source->value, bytes, type.size);
    return QUERN_SUCCESS;
}

quern_status quern_random(quern_extents extents, uint64_t seed, quern_source *source)
{
    QUERN_CHECK_POINTER(source);
    QUERN_CHECK(make_generator(QUERN_SOURCE_RANDOM, extents, QUERN_TYPE(double), source));
    source->seed = seed;
    return QUERN_SUCCESS;
}

/* A source that can be read on the host; without elements it needs no memory. */
static quern_status check_source(const quern_source *source)
{
    const quern_layout *layout = &source->span.layout;
    QUERN_CHECK(quern_type_check(layout->type));
    QUERN_CHECK(quern_shape_check(layout->rank, layout->extents, "the source's extents"));
    switch (source->kind) {
    case QUERN_SOURCE_MEMORY:
        if (quern_shape_is_empty(layout->rank, layout->extents))
            return QUERN_SUCCESS;
        if (!source->span.address)
            return quern_fail(QUERN_INVALID_ARGUMENT, "the source's address is NULL, wanted memory of its elements");
#ifdef QUERN_DEBUG
        if (source->buffer)
            QUERN_CHECK(
                quern_object_check((const quern_object *)source->buffer, QUERN_MARK_BUFFER, "the source's buffer"));
#endif
        if (source->device && !quern_buffer_host_accessible(source->device, source->buffer))
            return quern_fail(QUERN_WRONG_DEVICE,
                              "the source is memory of a device that the host cannot reach, wanted host memory (copy "
                              "it with quern_copy_to_host first)");
        return QUERN_SUCCESS;
    case QUERN_SOURCE_LINEAR_INDEX:
        if (layout->type.kind == QUERN_KIND_INT64)
            return QUERN_SUCCESS;
        break;
    case QUERN_SOURCE_CONSTANT:
        if (layout->type.size <= sizeof source->value)
            return QUERN_SUCCESS;
        break;
    case QUERN_SOURCE_RANDOM:
        if (layout->type.kind == QUERN_KIND_FLOAT64)
            return QUERN_SUCCESS;
        break;
    default:
        return quern_fail(QUERN_INVALID_ARGUMENT, "source->kind is %u, wanted 0 to %d", source->kind,
                          (int)QUERN_SOURCE_RANDOM);
    }
    return quern_fail(QUERN_INVALID_TYPE, "the source's type is %s of %u bytes, wanted what its generator makes",
                      quern_type_name(layout->type), layout->type.size);
}

/* count elements of a generator from number on, one after another. */
static void generate(const quern_source *source, size_t number, size_t count, char *target)
{
    size_t size = source->span.layout.type.size;
    for (size_t i = 0; i < count; ++i, target += size) {
        if (source->kind == QUERN_SOURCE_LINEAR_INDEX) {
            int64_t value = (int64_t)(number + i);
            memcpy(target, &value, sizeof value);
        } else if (source->kind == QUERN_SOURCE_RANDOM) {
            double value = quern_random_double(source->seed, number + i);
            memcpy(target, &value, sizeof value);
        } else {
            memcpy(target, source->value, size);
        }
    }
}

quern_status quern_source_read(const quern_source *source, const ptrdiff_t *index, void *element)
{
    QUERN_CHECK_POINTER(source);
    QUERN_CHECK_POINTER(element);
    QUERN_CHECK(check_source(source));
    const quern_layout *layout = &source->span.layout;
    QUERN_CHECK(quern_index_check(layout->rank, layout->extents, index));
    if (source->kind == QUERN_SOURCE_MEMORY) {
        ptrdiff_t offset;
        QUERN_CHECK(quern_layout_offset(layout, index, &offset));
        memmove(element, (const char *)source->span.address + offset, layout->type.size);
        return QUERN_SUCCESS;
    }
    quern_extents extents = {.rank = layout->rank};
    size_t number;
    memcpy(extents.n, layout->extents, sizeof extents.n);
    QUERN_CHECK(quern_extents_linear_index(extents, index, &number));
    generate(source, number, 1, element);
    return QUERN_SUCCESS;
}

/* The rows of an array in row-major order; one row when the rank is 0 or 1. */
typedef struct row_walk {
    const quern_layout *layout;
    size_t index[QUERN_MAX_RANK];
} row_walk;

/* To the next row; 0 behind the last. */
static int next_row(row_walk *walk)
{
    for (uint32_t d = walk->layout->rank; d-- > 0;) {
        if (d + 1 == walk->layout->rank)
            continue; /* along the row */
        if (++walk->index[d] < walk->layout->extents[d])
            return 1;
        walk->index[d] = 0;
    }
    return 0;
}

/* The byte offset of the walk's row in a layout of the same extents, which is sound. */
static ptrdiff_t row_offset(const row_walk *walk, const quern_layout *layout)
{
    ptrdiff_t offset = 0;
    for (uint32_t d = 0; d + 1 < layout->rank; ++d)
        offset += (ptrdiff_t)walk->index[d] * layout->pitches[d];
    return offset;
}

static size_t row_elements(const quern_layout *layout)
{
    return layout->rank ? layout->extents[layout->rank - 1] : 1;
}

/* Both layouts are sound, of the same extents and type, and have elements, so a row is one piece of memory. */
static void copy_rows(char *target, const quern_layout *target_layout, const char *source,
                      const quern_layout *source_layout)
{
    row_walk walk = {.layout = target_layout};
    size_t bytes = row_elements(target_layout) * target_layout->type.size;
    do
        memcpy(target + row_offset(&walk, target_layout), source + row_offset(&walk, source_layout), bytes);
    while (next_row(&walk));
}

static void generate_rows(const quern_source *source, const quern_span *target)
{
    row_walk walk = {.layout = &target->layout};
    size_t elements = row_elements(&target->layout), number = 0;
    do {
        generate(source, number, elements, (char *)target->address + row_offset(&walk, &target->layout));
        number += elements;
    } while (next_row(&walk));
}

/* Every element is read before the first is written. */
static quern_status copy_through_memory(const quern_span *target, const quern_const_span *source)
{
    quern_extents extents = {.rank = source->layout.rank};
    quern_layout packed;
    size_t bytes;
    memcpy(extents.n, source->layout.extents, sizeof extents.n);
    QUERN_CHECK(quern_layout_packed(source->layout.type, extents, &packed));
    QUERN_CHECK(quern_layout_bytes(&packed, &bytes));
    char *copy = malloc(bytes);
    if (!copy)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a copy of the source's %zu bytes, which target overlaps",
                          bytes);
    copy_rows(copy, &packed, source->address, &source->layout);
    copy_rows(target->address, &target->layout, copy, &packed);
    free(copy);
    return QUERN_SUCCESS;
}

static int same_pitches(const quern_layout *a, const quern_layout *b)
{
    for (uint32_t d = 0; d < a->rank; ++d)
        if (a->extents[d] > 1 && a->pitches[d] != b->pitches[d])
            return 0;
    return 1;
}

static quern_status read_memory(const quern_const_span *source, const quern_span *target, size_t target_reach)
{
    size_t source_reach, taken;
    QUERN_CHECK(quern_layout_measure(&source->layout, &source_reach, &taken));
    uintptr_t from = (uintptr_t)source->address, to = (uintptr_t)target->address;
    if (from - to >= target_reach && to - from >= source_reach) { /* the distance wraps to a large one if negative */
        copy_rows(target->address, &target->layout, source->address, &source->layout);
        return QUERN_SUCCESS;
    }
    if (from == to && same_pitches(&source->layout, &target->layout))
        return QUERN_SUCCESS; /* the very elements */
    return copy_through_memory(target, source);
}

/* The same extents and type. */
static quern_status check_same_shape(const quern_layout *source, const quern_layout *target)
{
    if (source->rank != target->rank)
        return quern_fail(QUERN_INVALID_SHAPE, "the rank of target is %u, wanted %u as the source's", target->rank,
                          source->rank);
    for (uint32_t d = 0; d < source->rank; ++d)
        if (source->extents[d] != target->extents[d])
            return quern_fail(QUERN_INVALID_SHAPE, "target.layout.extents[%u] is %zu, wanted %zu as the source's", d,
                              target->extents[d], source->extents[d]);
    if (!quern_type_equal(source->type, target->type))
        return quern_fail(QUERN_INVALID_TYPE, "target's type is %s of %u bytes, wanted %s of %u bytes as the source's",
                          quern_type_name(target->type), target->type.size, quern_type_name(source->type),
                          source->type.size);
    return QUERN_SUCCESS;
}

quern_status quern_source_read_all(const quern_source *source, quern_span target)
{
    size_t reach, taken;
    QUERN_CHECK_POINTER(source);
    QUERN_CHECK(check_source(source));
    QUERN_CHECK(quern_layout_measure(&target.layout, &reach, &taken));
    QUERN_CHECK(check_same_shape(&source->span.layout, &target.layout));
    if (reach == 0)
        return QUERN_SUCCESS;
    if (!target.address)
        return quern_fail(QUERN_INVALID_ARGUMENT, "target.address is NULL, wanted memory of %zu bytes", reach);
    if (source->kind == QUERN_SOURCE_MEMORY)
        return read_memory(&source->span, &target, reach);
    generate_rows(source, &target);
    return QUERN_SUCCESS;
}
