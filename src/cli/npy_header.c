/* The dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), } that begins a .npy file. */
#include "npy_header.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* The type names that Quern has a kind for, without byte order. */
static const struct {
    char code[3];
    quern_type_kind kind;
} known_types[] = {
    {"i1", QUERN_KIND_INT8},    {"i2", QUERN_KIND_INT16},   {"i4", QUERN_KIND_INT32},  {"i8", QUERN_KIND_INT64},
    {"u1", QUERN_KIND_UINT8},   {"u2", QUERN_KIND_UINT16},  {"u4", QUERN_KIND_UINT32}, {"u8", QUERN_KIND_UINT64},
    {"f4", QUERN_KIND_FLOAT32}, {"f8", QUERN_KIND_FLOAT64},
};

enum { KNOWN_TYPES = (int)(sizeof known_types / sizeof known_types[0]) };

/* What else NumPy writes, by the letter of its name, for the message. */
static const char *foreign_type(char letter)
{
    switch (letter) {
    case 'b':
    case '?':
        return "bool";
    case 'c':
        return "complex";
    case 'f':
        return "a float of another width";
    case 'i':
    case 'u':
        return "an integer of another width";
    case 'U':
        return "text";
    case 'S':
    case 'a':
        return "byte strings";
    case 'O':
        return "Python objects";
    case 'M':
        return "dates";
    case 'm':
        return "time differences";
    case 'V':
        return "raw bytes or records";
    default:
        return "unknown";
    }
}

/* Where the reader is; text is not ended by a NUL and may hold any bytes. */
typedef struct scanner {
    const char *path;
    const char *at, *end;
} scanner;

static void skip_blanks(scanner *scanner)
{
    while (scanner->at < scanner->end && memchr(" \t\n\r\f\v", *scanner->at, 6))
        ++scanner->at;
}

static quern_status malformed(const scanner *scanner, const char *wanted)
{
    return quern_fail(QUERN_FILE_ERROR, "%s: the .npy header is malformed: %s", scanner->path, wanted);
}

/* Takes the character if it is next. */
static int take(scanner *scanner, char character)
{
    skip_blanks(scanner);
    if (scanner->at == scanner->end || *scanner->at != character)
        return 0;
    ++scanner->at;
    return 1;
}

/* Takes the word if it is next and no longer word begins there. */
static int take_word(scanner *scanner, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(scanner);
    if ((size_t)(scanner->end - scanner->at) < length || memcmp(scanner->at, word, length) != 0)
        return 0;
    scanner->at += length;
    return 1;
}

/* A string in either quotes, without escapes; at most size - 1 characters. */
static quern_status read_string(scanner *scanner, const char *what, char *string, size_t size)
{
    skip_blanks(scanner);
    char quote = scanner->at < scanner->end ? *scanner->at : '\0';
    if (quote != '\'' && quote != '"')
        return malformed(scanner, what);
    const char *first = ++scanner->at;
    while (scanner->at < scanner->end && *scanner->at != quote)
        ++scanner->at;
    if (scanner->at == scanner->end)
        return malformed(scanner, "a string has no end");
    size_t length = (size_t)(scanner->at - first);
    if (length >= size || memchr(first, '\0', length))
        return malformed(scanner, what);
    memcpy(string, first, length);
    string[length] = '\0';
    ++scanner->at;
    return QUERN_SUCCESS;
}

static quern_status read_type(scanner *scanner, quern_type *type)
{
    char name[32];
    skip_blanks(scanner);
    if (scanner->at < scanner->end && *scanner->at == '[')
        return quern_fail(QUERN_FILE_ERROR, "%s: its elements are records, which Quern does not read", scanner->path);
    quern_status status = read_string(scanner, "'descr' is no type name", name, sizeof name);
    if (status)
        return status;
    char order = '|';
    const char *code = name;
    if (*code && strchr("<>=|", *code))
        order = *code++;
    for (int i = 0; i < KNOWN_TYPES; ++i) {
        if (strcmp(code, known_types[i].code) != 0)
            continue;
        *type = quern_type_scalar(known_types[i].kind);
        if (order == '>' && type->size > 1)
            return quern_fail(QUERN_FILE_ERROR,
                              "%s: its elements are big endian ('%s'); save them little endian, as '<%s'",
                              scanner->path, name, code);
        if (order == '|' && type->size > 1)
            return quern_fail(QUERN_FILE_ERROR, "%s: the element type '%s' names no byte order", scanner->path, name);
        return QUERN_SUCCESS;
    }
    return quern_fail(QUERN_FILE_ERROR,
                      "%s: its element type '%s' (%s) is none that Quern has: 8- to 64-bit integers, float32, float64",
                      scanner->path, name, foreign_type(*code));
}

static quern_status read_order(scanner *scanner)
{
    if (take_word(scanner, "False"))
        return QUERN_SUCCESS;
    if (take_word(scanner, "True"))
        return quern_fail(QUERN_FILE_ERROR,
                          "%s: the array is in Fortran order; save it in C order (numpy.ascontiguousarray)",
                          scanner->path);
    return malformed(scanner, "'fortran_order' is neither True nor False");
}

/* One extent; Python 2 wrote an L behind long ones. */
static quern_status read_extent(scanner *scanner, size_t *extent)
{
    size_t value = 0;
    int overflow = 0;
    skip_blanks(scanner);
    if (scanner->at < scanner->end && *scanner->at == '-')
        return quern_fail(QUERN_FILE_ERROR, "%s: the shape has a negative extent", scanner->path);
    const char *first = scanner->at;
    for (; scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9'; ++scanner->at) {
        overflow |= quern_multiply_overflows(value, (size_t)10, &value);
        overflow |= quern_add_overflows(value, (size_t)(*scanner->at - '0'), &value);
    }
    if (scanner->at == first)
        return malformed(scanner, "'shape' is no tuple of whole numbers");
    if (scanner->at < scanner->end && *scanner->at == 'L')
        ++scanner->at;
    if (overflow || value > INT64_MAX)
        return quern_fail(QUERN_FILE_ERROR, "%s: the shape has an extent that does not fit 63 bits", scanner->path);
    *extent = value;
    return QUERN_SUCCESS;
}

/* (), (5,), (3, 5), (3, 5, ). A tuple of one needs its comma. */
static quern_status read_shape(scanner *scanner, quern_extents *extents)
{
    *extents = quern_extents_scalar();
    if (!take(scanner, '('))
        return malformed(scanner, "'shape' is no tuple of whole numbers");
    while (!take(scanner, ')')) {
        size_t extent = 0;
        quern_status status = read_extent(scanner, &extent);
        if (status)
            return status;
        if (extents->rank == QUERN_MAX_RANK)
            return quern_fail(QUERN_FILE_ERROR, "%s: the array has more than %d dimensions", scanner->path,
                              QUERN_MAX_RANK);
        extents->n[extents->rank++] = extent;
        if (take(scanner, ','))
            continue;
        if (extents->rank < 2 || !take(scanner, ')'))
            return malformed(scanner, "'shape' is no tuple of whole numbers");
        break;
    }
    return QUERN_SUCCESS;
}

/* One entry of the dictionary. seen holds a bit for each key. */
static quern_status read_entry(scanner *scanner, unsigned *seen, quern_type *type, quern_extents *extents)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    char key[32];
    int which = 0;
    quern_status status = read_string(scanner, "wanted a key", key, sizeof key);
    if (status)
        return status;
    while (which < 3 && strcmp(key, keys[which]) != 0)
        ++which;
    if (which == 3)
        return malformed(scanner, "it has a key besides 'descr', 'fortran_order' and 'shape'");
    if (*seen & 1u << which)
        return malformed(scanner, "a key stands twice");
    *seen |= 1u << which;
    if (!take(scanner, ':'))
        return malformed(scanner, "a key has no ':'");
    if (which == 0)
        return read_type(scanner, type);
    return which == 1 ? read_order(scanner) : read_shape(scanner, extents);
}

quern_status quern_npy_header_parse(const char *path, const char *text, size_t length, quern_type *type,
                                    quern_extents *extents)
{
    scanner scanner = {path, text, text + length};
    unsigned seen = 0;
    if (!take(&scanner, '{'))
        return malformed(&scanner, "it does not begin with '{'");
    while (!take(&scanner, '}')) {
        quern_status status = read_entry(&scanner, &seen, type, extents);
        if (status)
            return status;
        if (take(&scanner, ','))
            continue;
        if (!take(&scanner, '}'))
            return malformed(&scanner, "wanted ',' or '}' after an entry");
        break;
    }
    skip_blanks(&scanner);
    if (scanner.at != scanner.end)
        return malformed(&scanner, "something stands after the '}'");
    if (seen != 7)
        return malformed(&scanner, "one of 'descr', 'fortran_order' and 'shape' is missing");
    return QUERN_SUCCESS;
}

quern_status quern_npy_header_format(quern_type type, quern_extents extents, char *text)
{
    const char *code = NULL;
    for (int i = 0; i < KNOWN_TYPES; ++i)
        if (known_types[i].kind == (quern_type_kind)type.kind)
            code = known_types[i].code;
    if (!code)
        return quern_fail(QUERN_INVALID_TYPE, "elements of type %s have no place in a .npy file",
                          quern_type_name(type));
    int used = snprintf(text, QUERN_NPY_HEADER_TEXT, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                        type.size == 1 ? '|' : '<', code);
    for (uint32_t d = 0; d < extents.rank && d < QUERN_MAX_RANK; ++d)
        used += snprintf(text + used, (size_t)(QUERN_NPY_HEADER_TEXT - used), "%s%zu%s", d > 0 ? " " : "", extents.n[d],
                         d + 1 < extents.rank || extents.rank == 1 ? "," : "");
    snprintf(text + used, (size_t)(QUERN_NPY_HEADER_TEXT - used), "), }");
    return QUERN_SUCCESS;
}
