/* A struct from a brace list: {1,2.5}, in declaration order, nested braces for nested structs and arrays. */
#include "text.h"
#include "text_number.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NUMBER = 128, LONGEST_PATH = 256, DEEPEST = 32 };

/* Where the reader is, and what it fills. */
typedef struct reader {
    const char *at;
    char path[LONGEST_PATH]; /* "p.velocity[2]", for messages */
    int depth;
} reader;

static quern_status read_element(reader *reader, quern_type type, const quern_field *fields, unsigned char *value);

static void skip_blanks(reader *reader)
{
    reader->at += strspn(reader->at, " \t\n");
}

/* Appends to the path; the result is the length to cut it back to. */
static size_t enter_field(reader *reader, const char *name)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, ".%s", name);
    return length;
}

static size_t enter_index(reader *reader, uint32_t index)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, "[%u]", (unsigned)index);
    return length;
}

/* What stands at the reader, for messages: a few characters of it. */
static const char *rest(const reader *reader)
{
    return *reader->at ? reader->at : "the end";
}

static quern_status expect(reader *reader, char bracket, const char *what)
{
    skip_blanks(reader);
    if (*reader->at != bracket)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s: wanted '%c', found %.20s", reader->path, what, bracket,
                          rest(reader));
    ++reader->at;
    return QUERN_SUCCESS;
}

/* Between two elements of a list (or before its end): a comma where another is wanted, '}' where none is. */
static quern_status expect_separator(reader *reader, int last, const char *what, size_t given, size_t wanted)
{
    skip_blanks(reader);
    if (*reader->at == (last ? '}' : ',')) {
        ++reader->at;
        return QUERN_SUCCESS;
    }
    if (*reader->at == '}')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s of %zu, and only %zu given", reader->path, what, wanted,
                          given);
    if (*reader->at == ',')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s of %zu, and more given", reader->path, what, wanted);
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s: wanted '%c' after %zu of %zu, found %.20s", reader->path,
                      last ? '}' : ',', given, wanted, rest(reader));
}

/* {} holds nothing, and no list here is empty. */
static quern_status refuse_empty(reader *reader, const char *what, size_t wanted)
{
    skip_blanks(reader);
    if (*reader->at == '}')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s of %zu, and none given", reader->path, what, wanted);
    return QUERN_SUCCESS;
}

static quern_status read_scalar(reader *reader, quern_type type, void *value)
{
    char number[LONGEST_NUMBER];
    skip_blanks(reader);
    size_t length = strcspn(reader->at, ",{} \t\n");
    if (length == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: wanted a number of type %s, found %.20s", reader->path,
                          quern_type_name(type), rest(reader));
    if (length >= sizeof number)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: a number of %zu characters is too long", reader->path, length);
    memcpy(number, reader->at, length);
    number[length] = '\0';
    reader->at += length;
    return quern_cli_parse_scalar(reader->path, number, type, value);
}

static quern_status read_array(reader *reader, const quern_field *field, unsigned char *value)
{
    quern_status status = expect(reader, '{', "an array");
    if (!status)
        status = refuse_empty(reader, "an array", field->count);
    for (uint32_t i = 0; !status && i < field->count; ++i) {
        size_t length = enter_index(reader, i);
        status = read_element(reader, field->type, field->fields, value + (size_t)i * field->type.size);
        if (!status) {
            reader->path[length] = '\0';
            status = expect_separator(reader, i + 1 == field->count, "an array", i + 1, field->count);
        }
    }
    return status;
}

static quern_status read_struct(reader *reader, const quern_field *fields, unsigned char *value)
{
    size_t count = 0;
    while (fields[count].name)
        ++count;
    quern_status status = expect(reader, '{', "a struct");
    if (!status)
        status = refuse_empty(reader, "a struct", count);
    for (size_t i = 0; !status && i < count; ++i) {
        const quern_field *field = &fields[i];
        size_t length = enter_field(reader, field->name);
        status = field->count == 1 ? read_element(reader, field->type, field->fields, value + field->offset)
                                   : read_array(reader, field, value + field->offset);
        if (!status) {
            reader->path[length] = '\0';
            status = expect_separator(reader, i + 1 == count, "a struct", i + 1, count);
        }
    }
    return status;
}

/* One element, at whose begin the reader stands. */
static quern_status read_element(reader *reader, quern_type type, const quern_field *fields, unsigned char *value)
{
    if (type.kind != QUERN_KIND_STRUCT)
        return read_scalar(reader, type, value);
    if (!fields)
        return quern_fail(QUERN_INVALID_TYPE, "%s is a struct whose fields are not known; declare it with STRUCT",
                          reader->path);
    if (++reader->depth > DEEPEST)
        return quern_fail(QUERN_LIMIT_EXCEEDED, "%s lies more than %d structs deep", reader->path, DEEPEST);
    quern_status status = read_struct(reader, fields, value);
    --reader->depth;
    return status;
}

quern_status quern_cli_parse_value(const char *what, const char *text, quern_type type, const quern_field *fields,
                                   void *value)
{
    if (type.kind != QUERN_KIND_STRUCT)
        return quern_cli_parse_scalar(what, text, type, value);
    reader reader = {text, "", 0};
    snprintf(reader.path, sizeof reader.path, "%s", what);
    memset(value, 0, type.size);
    quern_status status = read_element(&reader, type, fields, value);
    if (status)
        return status;
    skip_blanks(&reader);
    if (*reader.at != '\0')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s: nothing is wanted after the last '}', found %.20s", what,
                          reader.at);
    return QUERN_SUCCESS;
}
