/* Tables of fields; see adapt_fields.h. */
#include "adapt_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* A const view is read and written as a view. */
_Static_assert(sizeof(quern_view) == sizeof(quern_const_view) &&
                   offsetof(quern_view, device) == offsetof(quern_const_view, device) &&
                   offsetof(quern_view, buffer) == offsetof(quern_const_view, buffer),
               "views and const views have the same members");

/* ---- checking ---- */

/* The tables met so far, so that each is looked at once. */
typedef struct table_list {
    size_t count;
    const quern_adapt_fields *tables[QUERN_TABLES_MAX];
    unsigned char is_open[QUERN_TABLES_MAX]; /* being looked at: a table that is met again in this state holds itself */
} table_list;

static int has_structs(const quern_adapt_field *field)
{
    return field->kind == QUERN_ADAPT_IS_STRUCT || field->kind == QUERN_ADAPT_IS_ARRAY;
}

/* The bytes of the member in its struct; what it counts is sound. */
static size_t bytes_of(const quern_adapt_field *field)
{
    return field->kind == QUERN_ADAPT_IS_ARRAY ? sizeof(void *) : field->size * field->count;
}

/* The bytes that one of the field's things must have. */
static size_t wanted_size(const quern_adapt_field *field)
{
    switch (field->kind) {
    case QUERN_ADAPT_IS_BUFFER:
        return sizeof(quern_buffer *);
    case QUERN_ADAPT_IS_VIEW:
        return sizeof(quern_view);
    default:
        return field->structs->size;
    }
}

/* What can be said without the table of its structs. */
static quern_status check_kind(const quern_adapt_fields *fields, size_t index)
{
    const quern_adapt_field *field = &fields->fields[index];
    if (!field->name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "field %zu of %s has no name, wanted the member's", index,
                          fields->name);
    if (field->kind < QUERN_ADAPT_IS_BUFFER || field->kind > QUERN_ADAPT_IS_ARRAY)
        return quern_fail(QUERN_INVALID_ARGUMENT, "field '%s' of %s has the kind %u, wanted one of quern_adapt_kind",
                          field->name, fields->name, field->kind);
    if (has_structs(field) && !field->structs)
        return quern_fail(QUERN_INVALID_ARGUMENT, "field '%s' of %s has no table, wanted the one of its structs",
                          field->name, fields->name);
    return QUERN_SUCCESS;
}

static quern_status check_size(const quern_adapt_fields *fields, const quern_adapt_field *field)
{
    size_t wanted = wanted_size(field), bytes;
    if (field->size != wanted)
        return quern_fail(QUERN_INVALID_ARGUMENT, "field '%s' of %s is of things of %zu bytes, wanted %zu", field->name,
                          fields->name, field->size, wanted);
    if (field->count == 0 || (field->kind == QUERN_ADAPT_IS_ARRAY && field->count != 1))
        return quern_fail(QUERN_INVALID_ARGUMENT, "field '%s' of %s has the count %zu, wanted %s", field->name,
                          fields->name, field->count, field->count ? "1 for a pointer" : "at least 1");
    if (quern_multiply_overflows(field->size, field->count, &bytes) || bytes_of(field) > fields->size ||
        field->offset > fields->size - bytes_of(field))
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "field '%s' of %s, %zu of %zu bytes from byte %zu on, reaches outside of the struct's %zu "
                          "bytes",
                          field->name, fields->name, field->count, field->size, field->offset, fields->size);
    if (field->kind == QUERN_ADAPT_IS_ARRAY &&
        (fields->size < sizeof(size_t) || field->count_offset > fields->size - sizeof(size_t)))
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "field '%s' of %s has its number of structs at byte %zu, outside of the struct's %zu bytes",
                          field->name, fields->name, field->count_offset, fields->size);
    return QUERN_SUCCESS;
}

/* A member that was named twice would be given up twice. */
static quern_status check_overlap(const quern_adapt_fields *fields, size_t index)
{
    const quern_adapt_field *field = &fields->fields[index];
    for (size_t i = 0; i < index; ++i) {
        const quern_adapt_field *other = &fields->fields[i];
        if (field->offset < other->offset + bytes_of(other) && other->offset < field->offset + bytes_of(field))
            return quern_fail(QUERN_INVALID_ARGUMENT, "fields '%s' and '%s' of %s overlap, wanted each member once",
                              other->name, field->name, fields->name);
    }
    return QUERN_SUCCESS;
}

static quern_status check_head(const quern_adapt_fields *fields)
{
    if (!fields->name)
        return quern_fail(QUERN_INVALID_ARGUMENT, "a table of fields has no name, wanted its struct's");
    if (fields->size == 0 || fields->size > PTRDIFF_MAX)
        return quern_fail(QUERN_INVALID_ARGUMENT, "the table of %s has the size %zu, wanted the bytes of the struct",
                          fields->name, fields->size);
    if (fields->count > QUERN_FIELDS_MAX)
        return quern_fail(QUERN_LIMIT_EXCEEDED, "the table of %s has %zu fields, wanted at most %d", fields->name,
                          fields->count, QUERN_FIELDS_MAX);
    if (fields->count && !fields->fields)
        return quern_fail(QUERN_INVALID_ARGUMENT, "the table of %s has no fields, wanted %zu", fields->name,
                          fields->count);
    return QUERN_SUCCESS;
}

/* Where the table is in the list; list->count when it is new. */
static size_t find_table(const table_list *list, const quern_adapt_fields *fields)
{
    size_t slot = 0;
    while (slot < list->count && list->tables[slot] != fields)
        ++slot;
    return slot;
}

static quern_status check_table(table_list *list, const quern_adapt_fields *fields)
{
    size_t slot = find_table(list, fields);
    if (slot < list->count)
        return list->is_open[slot] ? quern_fail(QUERN_INVALID_ARGUMENT,
                                                "the table of %s holds itself, wanted structs that end", fields->name)
                                   : QUERN_SUCCESS;
    if (slot == QUERN_TABLES_MAX)
        return quern_fail(QUERN_LIMIT_EXCEEDED, "there are more than %d tables below fields, wanted fewer",
                          QUERN_TABLES_MAX);
    list->tables[slot] = fields;
    list->is_open[slot] = 1;
    ++list->count;
    quern_status status = check_head(fields);
    for (size_t i = 0; status == QUERN_SUCCESS && i < fields->count; ++i) {
        const quern_adapt_field *field = &fields->fields[i];
        status = check_kind(fields, i);
        if (status == QUERN_SUCCESS && has_structs(field))
            status = check_table(list, field->structs);
        if (status == QUERN_SUCCESS)
            status = check_size(fields, field);
        if (status == QUERN_SUCCESS)
            status = check_overlap(fields, i);
    }
    list->is_open[slot] = 0;
    return status;
}

quern_status quern_fields_check(const quern_adapt_fields *fields)
{
    table_list list;
    if (!fields)
        return quern_fail(QUERN_INVALID_ARGUMENT, "fields is NULL, wanted a table that QUERN_ADAPT_FIELDS declared");
    list.count = 0;
    return check_table(&list, fields);
}

/* ---- places ---- */

/* Appends the place to the name, which has used characters; gives how many it has then. */
static size_t append_place(const quern_place *place, const char *root, char *name, size_t used)
{
    int is_array = place->field->kind == QUERN_ADAPT_IS_ARRAY || place->field->count > 1;
    if (place->outer)
        used = append_place(place->outer, root, name, used);
    else
        used += (size_t)snprintf(name, QUERN_PLACE_NAME, "%s", root);
    if (used >= QUERN_PLACE_NAME)
        return used;
    used += (size_t)snprintf(name + used, QUERN_PLACE_NAME - used, place->outer ? ".%s" : "->%s", place->field->name);
    if (is_array && used < QUERN_PLACE_NAME)
        used += (size_t)snprintf(name + used, QUERN_PLACE_NAME - used, "[%zu]", place->index);
    return used;
}

const char *quern_place_name(const quern_place *place, const char *root, char name[QUERN_PLACE_NAME])
{
    (void)append_place(place, root, name, 0);
    return name;
}

/* ---- visiting ---- */

static quern_status visit_struct(const quern_adapt_fields *fields, char *structure, const quern_visitor *visitor,
                                 const quern_place *outer);

static quern_status visit_buffer(const quern_visitor *visitor, const quern_place *place, char *member)
{
    quern_buffer *buffer;
    memcpy(&buffer, member, sizeof buffer);
    if (!buffer)
        return QUERN_SUCCESS;
    quern_status status = visitor->buffer(visitor->context, place, &buffer);
    if (status == QUERN_SUCCESS && visitor->writes)
        memcpy(member, &buffer, sizeof buffer);
    return status;
}

static quern_status visit_view(const quern_visitor *visitor, const quern_place *place, char *member)
{
    quern_view view;
    memcpy(&view, member, sizeof view);
    if (!view.buffer && !view.span.address)
        return QUERN_SUCCESS; /* as QUERN_VIEW gives it of a NULL buffer */
    quern_status status = visitor->view(visitor->context, place, &view);
    if (status == QUERN_SUCCESS && visitor->writes)
        memcpy(member, &view, sizeof view);
    return status;
}

static quern_status visit_array(const quern_visitor *visitor, quern_place *place, char *structure)
{
    const quern_adapt_field *field = place->field;
    void *structs;
    size_t count;
    memcpy(&structs, structure + field->offset, sizeof structs);
    memcpy(&count, structure + field->count_offset, sizeof count);
    if (!structs)
        return QUERN_SUCCESS;
    quern_status status = visitor->array(visitor->context, place, &structs, count);
    for (place->index = 0; status == QUERN_SUCCESS && place->index < count; ++place->index)
        status = visit_struct(field->structs, (char *)structs + place->index * field->size, visitor, place);
    if (status == QUERN_SUCCESS && visitor->array_end)
        visitor->array_end(visitor->context, &structs);
    if (status == QUERN_SUCCESS && visitor->writes)
        memcpy(structure + field->offset, &structs, sizeof structs);
    return status;
}

/* One of the things that the member counts. */
static quern_status visit_one(const quern_visitor *visitor, const quern_place *place, char *member)
{
    switch (place->field->kind) {
    case QUERN_ADAPT_IS_BUFFER:
        return visit_buffer(visitor, place, member);
    case QUERN_ADAPT_IS_VIEW:
        return visit_view(visitor, place, member);
    default:
        return visit_struct(place->field->structs, member, visitor, place);
    }
}

static quern_status visit_struct(const quern_adapt_fields *fields, char *structure, const quern_visitor *visitor,
                                 const quern_place *outer)
{
    quern_status status = QUERN_SUCCESS;
    for (size_t i = 0; status == QUERN_SUCCESS && i < fields->count; ++i) {
        const quern_adapt_field *field = &fields->fields[i];
        quern_place place = {outer, field, 0};
        if (field->kind == QUERN_ADAPT_IS_ARRAY) {
            status = visit_array(visitor, &place, structure);
            continue;
        }
        for (; status == QUERN_SUCCESS && place.index < field->count; ++place.index)
            status = visit_one(visitor, &place, structure + field->offset + place.index * field->size);
    }
    return status;
}

quern_status quern_fields_visit(const quern_adapt_fields *fields, void *structure, const quern_visitor *visitor)
{
    return visit_struct(fields, structure, visitor, NULL);
}
