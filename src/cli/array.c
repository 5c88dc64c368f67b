/* Arrays on the host, and the patterns that fill them. */
#include "array.h"

#include "base/error.h"

#include <quern/source.h>
#include <stdlib.h>
#include <string.h>

size_t quern_cli_array_count(const quern_cli_array *array)
{
    size_t count = 1;
    for (uint32_t d = 0; d < array->extents.rank; ++d)
        count *= array->extents.n[d];
    return count;
}

size_t quern_cli_array_bytes(const quern_cli_array *array)
{
    return quern_cli_array_count(array) * array->type.size;
}

quern_status quern_cli_array_allocate(quern_type type, quern_extents extents, quern_cli_array *array)
{
    size_t count, bytes;
    memset(array, 0, sizeof *array);
    quern_status status = quern_extents_count(extents, &count);
    if (status)
        return status;
    if (quern_multiply_overflows(count, (size_t)type.size, &bytes) || bytes > PTRDIFF_MAX)
        return quern_fail(QUERN_OVERFLOW, "the bytes of %zu elements of type %s do not fit 63 bits", count,
                          quern_type_name(type));
    array->data = malloc(bytes > 0 ? bytes : 1);
    if (!array->data)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu elements of type %s (%zu bytes)", count,
                          quern_type_name(type), bytes);
    array->type = type;
    array->extents = extents;
    return QUERN_SUCCESS;
}

void quern_cli_array_free(quern_cli_array *array)
{
    free(array->data);
    memset(array, 0, sizeof *array);
}

/* One element of a scalar type from a whole number; integers keep the low bits, which is wrapping. */
static void store_whole(quern_type type, void *element, uint64_t number)
{
    float single = (float)number;
    double twofold = (double)number;
    switch (type.kind) {
    case QUERN_KIND_FLOAT32:
        memcpy(element, &single, sizeof single);
        break;
    case QUERN_KIND_FLOAT64:
        memcpy(element, &twofold, sizeof twofold);
        break;
    case QUERN_KIND_INT8:
    case QUERN_KIND_UINT8:
        memcpy(element, &(uint8_t){(uint8_t)number}, 1);
        break;
    case QUERN_KIND_INT16:
    case QUERN_KIND_UINT16:
        memcpy(element, &(uint16_t){(uint16_t)number}, 2);
        break;
    case QUERN_KIND_INT32:
    case QUERN_KIND_UINT32:
        memcpy(element, &(uint32_t){(uint32_t)number}, 4);
        break;
    default:
        memcpy(element, &number, 8);
        break;
    }
}

/* An element from the 53 random bits of a double in [0, 1). */
static void store_random(quern_type type, void *element, double uniform)
{
    uint64_t bits = (uint64_t)(uniform * 0x1p53);
    /* Cut, not rounded: the nearest float of a double just under 1 is 1. */
    float single = (float)(bits >> 29) * 0x1p-24f;
    if (type.kind == QUERN_KIND_FLOAT64)
        memcpy(element, &uniform, sizeof uniform);
    else if (type.kind == QUERN_KIND_FLOAT32)
        memcpy(element, &single, sizeof single);
    else
        store_whole(type, element, bits * 100 >> 53);
}

/* An array that is being filled. */
typedef struct filling {
    quern_cli_pattern pattern;
    quern_source source; /* of random numbers */
    size_t element;      /* the one that is being made */
    size_t number;       /* how many numbers came before, in all elements */
    quern_status status;
} filling;

static void store_number(filling *f, quern_type type, void *at)
{
    double uniform = 0;
    ptrdiff_t index = (ptrdiff_t)f->number++;
    if (f->pattern != QUERN_CLI_RANDOM) {
        store_whole(type, at, f->pattern == QUERN_CLI_ONES ? 1 : f->element);
        return;
    }
    if (!f->status)
        f->status = quern_source_read(&f->source, &index, &uniform);
    store_random(type, at, uniform);
}

static void store_element(filling *f, quern_type type, const quern_field *fields, char *at)
{
    if (!fields)
        store_number(f, type, at);
    for (const quern_field *field = fields; field && field->name; ++field)
        for (uint32_t i = 0; i < field->count; ++i)
            store_element(f, field->type, field->fields, at + field->offset + (size_t)i * field->type.size);
}

static size_t count_numbers(const quern_field *fields)
{
    size_t count = fields ? 0 : 1;
    for (const quern_field *field = fields; field && field->name; ++field)
        count += field->count * count_numbers(field->fields);
    return count;
}

static quern_status fill(quern_cli_array *array, const quern_field *fields, quern_cli_pattern pattern, uint64_t seed)
{
    filling f = {.pattern = pattern};
    size_t count = quern_cli_array_count(array), numbers = count_numbers(fields);
    if (pattern == QUERN_CLI_RANDOM)
        f.status = quern_random(QUERN_EXTENTS(count * numbers), seed, &f.source);
    for (; !f.status && f.element < count; ++f.element)
        store_element(&f, array->type, fields, (char *)array->data + f.element * array->type.size);
    return f.status;
}

quern_status quern_cli_array_generate(quern_type type, const quern_field *fields, quern_extents extents,
                                      quern_cli_pattern pattern, uint64_t seed, quern_cli_array *array)
{
    memset(array, 0, sizeof *array);
    int is_struct = type.kind == QUERN_KIND_STRUCT;
    if (is_struct && !fields && pattern != QUERN_CLI_ZEROS)
        return quern_fail(QUERN_INVALID_TYPE,
                          "elements that are structs without known fields can be made by zeros:SHAPE only; STRUCT in "
                          "the kernel file makes them known");
    quern_status status = quern_cli_array_allocate(type, extents, array);
    if (status)
        return status;
    if (is_struct || pattern == QUERN_CLI_ZEROS)
        memset(array->data, 0, quern_cli_array_bytes(array));
    if (pattern != QUERN_CLI_ZEROS)
        status = fill(array, is_struct ? fields : NULL, pattern, seed);
    if (status)
        quern_cli_array_free(array);
    return status;
}

/* Marks the bytes that belong to a field. */
static void mark_fields(const quern_field *fields, unsigned char *used)
{
    for (const quern_field *field = fields; field->name; ++field)
        for (uint32_t i = 0; i < field->count; ++i) {
            unsigned char *element = used + field->offset + (size_t)i * field->type.size;
            if (field->fields)
                mark_fields(field->fields, element);
            else
                memset(element, 1, field->type.size);
        }
}

void quern_cli_array_clear_padding(quern_cli_array *array, const quern_field *fields)
{
    size_t size = array->type.size;
    if (!fields || array->type.kind != QUERN_KIND_STRUCT)
        return;
    unsigned char *used = calloc(size, 1);
    if (!used)
        return; /* the padding then counts, which can only show a difference that is none */
    mark_fields(fields, used);
    if (memchr(used, 0, size)) {
        size_t bytes = quern_cli_array_bytes(array);
        unsigned char *data = array->data;
        for (size_t element = 0; element < bytes; element += size)
            for (size_t i = 0; i < size; ++i)
                data[element + i] = used[i] ? data[element + i] : 0;
    }
    free(used);
}
