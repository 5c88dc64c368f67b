/* Numbers on a command line: checked whole, so that nothing arrives as something else. */
#include "text.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_number.h"

/* Reads digits into *magnitude. *used is how many characters were read, 0 when there is no number. 1 on overflow. */
static int read_magnitude(const char *text, uint64_t *magnitude, size_t *used)
{
    unsigned base = 10;
    size_t i = 0;
    int overflow = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        i = 2;
    }
    size_t first = i;
    *magnitude = 0;
    for (;; ++i) {
        unsigned digit;
        if (text[i] >= '0' && text[i] <= '9')
            digit = (unsigned)(text[i] - '0');
        else if (base == 16 && ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'f'))
            digit = (unsigned)((text[i] | 32) - 'a' + 10);
        else
            break;
        overflow |= quern_multiply_overflows(*magnitude, base, magnitude);
        overflow |= quern_add_overflows(*magnitude, digit, magnitude);
    }
    *used = i == first ? 0 : i;
    return overflow;
}

quern_status quern_cli_parse_count(const char *what, const char *text, uint64_t at_least, uint64_t most,
                                   uint64_t *count)
{
    uint64_t number;
    size_t used;
    int overflow = read_magnitude(text, &number, &used);
    if (text[0] == '-' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: %s is negative; wanted is a whole number from %llu on", what,
                          text, (unsigned long long)at_least);
    if (used == 0 || text[used] != '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: '%s' is not a whole number from %llu on", what, text,
                          (unsigned long long)at_least);
    if (overflow || number < at_least || number > most)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: %s is not between %llu and %llu", what, text,
                          (unsigned long long)at_least, (unsigned long long)most);
    *count = number;
    return QUERN_SUCCESS;
}

/* Why text, of which at is a part, is no list of extents. */
static quern_status refuse_extents(const char *what, const char *text, const char *at, char separator, uint32_t most)
{
    size_t length = at[0] == '-' ? strspn(at + 1, "0123456789") : 0;
    if (length > 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: '%s' is no list of extents: %.*s is negative", what, text,
                          (int)length + 1, at);
    return quern_fail(QUERN_INVALID_ARGUMENT,
                      "%s: '%s' is no list of extents; wanted are 1 to %u whole numbers joined by '%c', slowest first",
                      what, text, (unsigned)most, separator);
}

quern_status quern_cli_parse_extents(const char *what, const char *text, char separator, uint32_t most,
                                     quern_extents *extents)
{
    quern_extents result = quern_extents_scalar();
    const char *at = text;
    for (;; ++at) {
        /* Decimal only: "0x5" is two extents where x separates. */
        char *end;
        errno = 0;
        unsigned long long extent = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != '\0' && *end != separator))
            return refuse_extents(what, text, at, separator, most);
        if (result.rank == most)
            return quern_fail(QUERN_INVALID_SHAPE, "%s: '%s' has more than %u dimensions", what, text, (unsigned)most);
        if (errno == ERANGE || extent > INT64_MAX)
            return quern_fail(QUERN_OVERFLOW, "%s: '%s' has an extent that does not fit 63 bits", what, text);
        result.n[result.rank++] = (size_t)extent;
        at = end;
        if (*at == '\0')
            break;
    }
    size_t count;
    if (quern_extents_count(result, &count))
        return quern_fail(QUERN_OVERFLOW, "%s: the product of '%s' does not fit 63 bits", what, text);
    *extents = result;
    return QUERN_SUCCESS;
}

quern_status quern_cli_parse_offsets(const char *what, const char *text, uint32_t rank, ptrdiff_t *offsets)
{
    const char *at = text;
    for (uint32_t d = 0; d < rank; ++d) {
        char *end;
        errno = 0;
        long long offset = strtoll(at, &end, 10);
        const char *digits = at + (*at == '-' || *at == '+');
        if (*digits < '0' || *digits > '9' || *end != (d + 1 < rank ? ',' : '\0'))
            return quern_fail(QUERN_INVALID_ARGUMENT,
                              "%s: '%s' is not what the range wants: %u whole number%s, slowest first", what, text,
                              (unsigned)rank, rank == 1 ? "" : "s joined by ','");
        if (errno == ERANGE)
            return quern_fail(QUERN_INVALID_ARGUMENT, "%s: '%s' has an offset that does not fit 64 bits", what, text);
        offsets[d] = (ptrdiff_t)offset;
        at = end + 1;
    }
    return QUERN_SUCCESS;
}

const char *quern_cli_extents_text(quern_extents extents, char separator, char *text)
{
    int used = 0;
    if (extents.rank == 0)
        return "one element";
    for (uint32_t d = 0; d < extents.rank && d < QUERN_MAX_RANK; ++d) {
        if (d > 0)
            text[used++] = separator;
        used += snprintf(text + used, 21, "%zu", extents.n[d]);
    }
    return text;
}

/* The limits of an integer kind: 0 … most, and the magnitude of the lowest number. */
static void integer_limits(quern_type type, uint64_t *most, uint64_t *lowest_magnitude)
{
    unsigned bits = type.size * 8;
    int is_signed = type.kind >= QUERN_KIND_INT8 && type.kind <= QUERN_KIND_INT64;
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    *most = is_signed ? all >> 1 : all;
    *lowest_magnitude = is_signed ? *most + 1 : 0;
}

static quern_status integer_value(const char *what, const char *text, quern_type type, void *value)
{
    uint64_t most, lowest, magnitude;
    size_t used;
    int negative = text[0] == '-';
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    int overflow = read_magnitude(digits, &magnitude, &used);
    integer_limits(type, &most, &lowest);
    if (used == 0 || digits[used] != '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: '%s' is no whole number, and the type is %s", what, text,
                          quern_type_name(type));
    if (overflow || magnitude > (negative ? lowest : most))
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: %s does not fit %s, which goes from %s%llu to %llu", what, text,
                          quern_type_name(type), lowest ? "-" : "", (unsigned long long)lowest,
                          (unsigned long long)most);
    uint64_t bits = negative ? 0 - magnitude : magnitude;
    switch (type.size) {
    case 1:
        memcpy(value, &(uint8_t){(uint8_t)bits}, 1);
        break;
    case 2:
        memcpy(value, &(uint16_t){(uint16_t)bits}, 2);
        break;
    case 4:
        memcpy(value, &(uint32_t){(uint32_t)bits}, 4);
        break;
    default:
        memcpy(value, &bits, 8);
        break;
    }
    return QUERN_SUCCESS;
}

static quern_status floating_value(const char *what, const char *text, quern_type type, void *value)
{
    char *end = NULL;
    int is_zero, is_infinite;
    /* strtod skips blanks; here they are as wrong as any other letter. */
    int starts = text[0] != '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL;
    errno = 0;
    /* Each by its own function: a double rounded again to float is not the nearest float. */
    if (type.kind == QUERN_KIND_FLOAT32) {
        float number = strtof(text, &end);
        is_zero = number == 0;
        is_infinite = __builtin_isinf(number);
        memcpy(value, &number, sizeof number);
    } else {
        double number = strtod(text, &end);
        is_zero = number == 0;
        is_infinite = __builtin_isinf(number);
        memcpy(value, &number, sizeof number);
    }
    if (!starts || end == text || *end != '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: '%s' is no number, and the type is %s", what, text,
                          quern_type_name(type));
    if (errno == ERANGE && (is_zero || is_infinite))
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: %s is too %s for %s", what, text, is_zero ? "small" : "large",
                          quern_type_name(type));
    return QUERN_SUCCESS;
}

quern_status quern_cli_parse_scalar(const char *what, const char *text, quern_type type, void *value)
{
    switch (type.kind) {
    case QUERN_KIND_INT8:
    case QUERN_KIND_INT16:
    case QUERN_KIND_INT32:
    case QUERN_KIND_INT64:
    case QUERN_KIND_UINT8:
    case QUERN_KIND_UINT16:
    case QUERN_KIND_UINT32:
    case QUERN_KIND_UINT64:
        return integer_value(what, text, type, value);
    case QUERN_KIND_FLOAT32:
    case QUERN_KIND_FLOAT64:
        return floating_value(what, text, type, value);
    default:
        return quern_fail(QUERN_INVALID_TYPE, "%s: a value of type %s cannot be given on the command line", what,
                          quern_type_name(type));
    }
}
