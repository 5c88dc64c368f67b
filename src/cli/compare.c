/* Comparing arrays element by element, to the bit or within some floating numbers. */
#include "compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is compared, and where the reader is in a struct. */
typedef struct comparison {
    uint64_t ulps;
    quern_cli_difference *difference;
} comparison;

static int is_floating(quern_type type)
{
    return type.kind == QUERN_KIND_FLOAT32 || type.kind == QUERN_KIND_FLOAT64;
}

static double floating_number(quern_type type, const void *element)
{
    float single;
    double twofold;
    if (type.kind == QUERN_KIND_FLOAT32) {
        memcpy(&single, element, sizeof single);
        return single;
    }
    memcpy(&twofold, element, sizeof twofold);
    return twofold;
}

static uint64_t element_bits(quern_type type, const void *element)
{
    uint32_t single;
    uint64_t bits = 0;
    if (type.size == 4) {
        memcpy(&single, element, sizeof single);
        return single;
    }
    memcpy(&bits, element, type.size < 8 ? type.size : 8);
    return bits;
}

/* Floating numbers in order, as integers: neighbours differ by 1, and both zeros are 0. */
static int64_t place_in_order(quern_type type, const void *element)
{
    uint64_t bits = element_bits(type, element);
    uint64_t sign = (uint64_t)1 << (type.size * 8 - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

/* 1 and the distance when both are finite, else 0. */
static int ulps_between(quern_type type, const void *first, const void *second, uint64_t *ulps)
{
    if (!is_floating(type) || !__builtin_isfinite(floating_number(type, first)) ||
        !__builtin_isfinite(floating_number(type, second)))
        return 0;
    int64_t a = place_in_order(type, first), b = place_in_order(type, second);
    *ulps = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return 1;
}

static int64_t signed_number(quern_type type, const void *element)
{
    unsigned unused = 64 - type.size * 8;
    return (int64_t)(element_bits(type, element) << unused) >> unused;
}

static void value_text(quern_type type, const void *element, char *text, size_t size)
{
    double number;
    switch (type.kind) {
    case QUERN_KIND_FLOAT32:
    case QUERN_KIND_FLOAT64:
        number = floating_number(type, element);
        if (__builtin_isnan(number)) /* which NaN it is matters when two of them differ */
            snprintf(text, size, "nan (0x%0*" PRIx64 ")", (int)type.size * 2, element_bits(type, element));
        else
            snprintf(text, size, "%.*g", type.size == 4 ? 9 : 17, number);
        break;
    case QUERN_KIND_INT8:
    case QUERN_KIND_INT16:
    case QUERN_KIND_INT32:
    case QUERN_KIND_INT64:
        snprintf(text, size, "%" PRId64, signed_number(type, element));
        break;
    case QUERN_KIND_UINT8:
    case QUERN_KIND_UINT16:
    case QUERN_KIND_UINT32:
    case QUERN_KIND_UINT64:
        snprintf(text, size, "%" PRIu64, element_bits(type, element));
        break;
    default:
        snprintf(text, size, "other bytes");
        break;
    }
}

static int scalar_equal(const comparison *comparison, quern_type type, const void *first, const void *second)
{
    uint64_t ulps = 0;
    if (memcmp(first, second, type.size) == 0)
        return 1;
    int has_ulps = ulps_between(type, first, second, &ulps);
    if (has_ulps && comparison->ulps > 0 && ulps <= comparison->ulps)
        return 1;
    quern_cli_difference *difference = comparison->difference;
    difference->has_ulps = has_ulps;
    difference->ulps = ulps;
    value_text(type, first, difference->first, sizeof difference->first);
    value_text(type, second, difference->second, sizeof difference->second);
    return 0;
}

/* Puts ".name" or ".name[i]" before what the difference's field says already. */
static void name_field(quern_cli_difference *difference, const quern_field *field, uint32_t index)
{
    char inner[sizeof difference->field], number[16] = "";
    memcpy(inner, difference->field, sizeof inner);
    if (field->count > 1)
        snprintf(number, sizeof number, "[%" PRIu32 "]", index);
    int used = snprintf(difference->field, sizeof difference->field, ".%.80s%s", field->name, number);
    snprintf(difference->field + used, sizeof difference->field - (size_t)used, "%.*s", (int)(sizeof inner) - 1 - used,
             inner);
}

static int element_equal(const comparison *comparison, quern_type type, const quern_field *fields, const char *first,
                         const char *second)
{
    if (type.kind != QUERN_KIND_STRUCT || !fields)
        return scalar_equal(comparison, type, first, second);
    for (const quern_field *field = fields; field->name; ++field)
        for (uint32_t i = 0; i < field->count; ++i) {
            size_t offset = field->offset + (size_t)i * field->type.size;
            if (!element_equal(comparison, field->type, field->fields, first + offset, second + offset)) {
                name_field(comparison->difference, field, i);
                return 0;
            }
        }
    return 1;
}

int quern_cli_array_equal(const quern_cli_array *first, const quern_cli_array *second, const quern_field *fields,
                          uint64_t ulps, quern_cli_difference *difference)
{
    const comparison comparison = {ulps, difference};
    size_t bytes = quern_cli_array_bytes(first), size = first->type.size;
    memset(difference, 0, sizeof *difference);
    if (memcmp(first->data, second->data, bytes) == 0)
        return 1;
    for (size_t offset = 0; offset < bytes; offset += size)
        if (!element_equal(&comparison, first->type, fields, (const char *)first->data + offset,
                           (const char *)second->data + offset)) {
            difference->element = offset / size;
            return 0;
        }
    return 1;
}
