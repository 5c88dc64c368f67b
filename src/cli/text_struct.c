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

/* What stands in braces: the fields of a struct, or the elements of an array. */
typedef struct list {
    size_t count;
    const quern_field *fields; /* NULL: an array */
} list;

/* "a struct of 3 fields" */
static const char *list_text(const list *list, char text[64])
{
    const char *ending = list->count == 1 ? "" : "s";
    if (list->fields)
        snprintf(text, 64, "a struct of %zu field%s", list->count, ending);
    else
        snprintf(text, 64, "an array of %zu element%s", list->count, ending);
    return text;
}

static quern_status expect_begin(reader *reader, const list *list)
{
    char text[64];
    skip_blanks(reader);
    if (*reader->at != '{')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s: wanted '{', found %.20s", reader->path,
                          list_text(list, text), rest(reader));
    ++reader->at;
    return QUERN_SUCCESS;
}

/* The list ends although the one of this number is wanted. */
static quern_status refuse_missing(reader *reader, const list *list, size_t number)
{
    char text[64], given[48] = "none is", place[24];
    snprintf(place, sizeof place, "[%zu]", number);
    if (number > 0)
        snprintf(given, sizeof given, "only %zu %s", number, number == 1 ? "is" : "are");
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s, and %s given; the first missing one is %s", reader->path,
                      list_text(list, text), given, list->fields ? list->fields[number].name : place);
}

/* Before the element or field of this number: there has to be one. */
static quern_status expect_item(reader *reader, const list *list, size_t number)
{
    skip_blanks(reader);
    return *reader->at == '}' ? refuse_missing(reader, list, number) : QUERN_SUCCESS;
}

/* Behind the one of this number: a comma where another is wanted, '}' where none is. */
static quern_status expect_separator(reader *reader, const list *list, size_t number)
{
    char text[64];
    int last = number + 1 == list->count;
    skip_blanks(reader);
    if (*reader->at == (last ? '}' : ',')) {
        ++reader->at;
        return QUERN_SUCCESS;
    }
    if (*reader->at == '}')
        return refuse_missing(reader, list, number + 1);
    if (*reader->at == ',')
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is %s, and more are given", reader->path, list_text(list, text));
    return quern_fail(QUERN_INVALID_ARGUMENT, "%s: wanted '%c' after %zu of %zu, found %.20s", reader->path,
                      last ? '}' : ',', number + 1, list->count, rest(reader));
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
    const list list = {field->count, NULL};
    quern_status status = expect_begin(reader, &list);
    for (uint32_t i = 0; !status && i < field->count; ++i) {
        status = expect_item(reader, &list, i);
        if (status)
            return status;
        size_t length = enter_index(reader, i);
        status = read_element(reader, field->type, field->fields, value + (size_t)i * field->type.size);
        if (!status) {
            reader->path[length] = '\0';
            status = expect_separator(reader, &list, i);
        }
    }
    return status;
}

static quern_status read_struct(reader *reader, const quern_field *fields, unsigned char *value)
{
    list list = {0, fields};
    while (fields[list.count].name)
        ++list.count;
    quern_status status = expect_begin(reader, &list);
    for (size_t i = 0; !status && i < list.count; ++i) {
        const quern_field *field = &fields[i];
        status = expect_item(reader, &list, i);
        if (status)
            return status;
        size_t length = enter_field(reader, field->name);
        status = field->count == 1 ? read_element(reader, field->type, field->fields, value + field->offset)
                                   : read_array(reader, field, value + field->offset);
        if (!status) {
            reader->path[length] = '\0';
            status = expect_separator(reader, &list, i);
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
