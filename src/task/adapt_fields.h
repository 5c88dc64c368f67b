/* Tables of fields: whether they are sound, and visiting what they name in a struct. */
#ifndef QUERN_TASK_ADAPT_FIELDS_H
#define QUERN_TASK_ADAPT_FIELDS_H

#include <quern/adapt.h>

enum {
    QUERN_TABLES_MAX = 64,   /* below one, itself included: also the depth of nesting */
    QUERN_FIELDS_MAX = 1024, /* in one table: each is compared with all others */
    QUERN_PLACE_NAME = 256   /* bytes of a place's name */
};

/* Every table below this one fits its struct, and none holds itself. */
quern_status quern_fields_check(const quern_adapt_fields *fields);

/* Where a visit is, from the inside out; for sentences. */
typedef struct quern_place {
    const struct quern_place *outer; /* NULL: a member of the struct that was given */
    const quern_adapt_field *field;
    size_t index; /* in the member's array */
} quern_place;

/* "source->cells[1].mass"; root is "source". The end is cut off when it is too long. */
const char *quern_place_name(const quern_place *place, const char *root, char name[QUERN_PLACE_NAME]);

/*
 * What is done with each thing that a table names. A function gets a copy of the member, and what it leaves there is
 * put back if the visitor writes; any status but SUCCESS ends the visit. NULL members are not visited.
 */
typedef struct quern_visitor {
    void *context;
    int writes;
    quern_status (*buffer)(void *context, const quern_place *place, quern_buffer **buffer);
    quern_status (*view)(void *context, const quern_place *place,
                         quern_view *view); /* or a const view: the same bytes */
    /* Before the visit of count structs; *structs is where. */
    quern_status (*array)(void *context, const quern_place *place, void **structs, size_t count);
    void (*array_end)(void *context, void **structs); /* after it; may be NULL */
} quern_visitor;

/* Visits the struct in the order of its tables, which are sound. */
quern_status quern_fields_visit(const quern_adapt_fields *fields, void *structure, const quern_visitor *visitor);

#endif
