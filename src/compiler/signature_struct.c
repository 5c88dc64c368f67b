/* STRUCT(name, field(T, f), field(T, f, n), …) */
#include "signature_read.h"

#include <string.h>

enum { LONGEST_ARRAY = INT32_MAX };

/* The name and length behind a field's type. */
static void read_field_name(quern_signature_reader *reader, quern_signature_struct *structure, quern_token_range rest,
                            int more, quern_signature_field *field)
{
    quern_token_range name, length;
    if (!quern_signature_next_argument(reader, &rest, &more, &name) || name.end != name.begin + 1) {
        quern_error_at(reader->diagnostics, field->where,
                       "STRUCT '%s': a field is field(type, name) or field(type, name, length)", structure->name);
        return;
    }
    field->where = &reader->tokens[name.begin];
    field->name = field->where->text;
    if (!quern_signature_check_name(reader, field->where, "a field's name"))
        return;
    for (size_t i = 0; i + 1 < structure->field_count; ++i)
        if (strcmp(structure->fields[i].name, field->name) == 0)
            quern_error_at(reader->diagnostics, field->where, "STRUCT '%s' has two fields named '%s'", structure->name,
                           field->name);
    if (!more)
        return;
    int64_t count = 0;
    quern_signature_next_argument(reader, &rest, &more, &length);
    if (more || !quern_signature_constant(reader, length, &count) || count < 1 || count > LONGEST_ARRAY)
        quern_error_at(reader->diagnostics, field->where,
                       "field '%s': the length must be a positive integer constant, but is '%s'", field->name,
                       quern_signature_join(reader, length));
    else
        field->count = (size_t)count;
}

/* range: the tokens of field(…) */
static void read_field(quern_signature_reader *reader, quern_signature_struct *structure, quern_token_range range)
{
    quern_signature_field *fields =
        quern_signature_append(reader, structure->fields, &structure->field_count, sizeof *fields);
    if (!fields)
        return;
    structure->fields = fields;
    quern_signature_field *field = &fields[structure->field_count - 1];
    *field = (quern_signature_field){&reader->tokens[range.begin], "", "", 1, NULL};
    if (!quern_signature_is(reader, range.begin, "field") || !quern_signature_is(reader, range.begin + 1, "(") ||
        quern_tokens_closing(&reader->signature->tokens, range.begin + 1) + 1 != range.end) {
        quern_error_at(reader->diagnostics, &reader->tokens[range.begin], "STRUCT '%s': '%s' is no field(type, name)",
                       structure->name, quern_signature_join(reader, range));
        return;
    }
    quern_token_range inner = {range.begin + 2, range.end - 1}, type_range;
    quern_signature_type type;
    int more = 1;
    quern_signature_next_argument(reader, &inner, &more, &type_range);
    read_field_name(reader, structure, inner, more, field);
    field->type_name = quern_signature_join(reader, type_range);
    const char *fault = quern_signature_resolve(reader, type_range, &type);
    if (fault)
        quern_error_at(reader->diagnostics, field->where, "field '%s': type '%s' %s", field->name, field->type_name,
                       fault);
    field->nested = type.structure;
}

static void add_struct(quern_signature_reader *reader, quern_signature_struct *structure)
{
    quern_signature *signature = reader->signature;
    const quern_signature_struct *earlier = quern_signature_find_struct(reader, structure->name);
    if (earlier) {
        quern_error_at(reader->diagnostics, structure->where, "STRUCT '%s' is declared twice, first at %s:%d",
                       structure->name, earlier->where->file, earlier->where->line);
        return;
    }
    quern_signature_struct **structs =
        quern_signature_append(reader, signature->structs, &signature->struct_count, sizeof *structs);
    if (!structs)
        return;
    signature->structs = structs;
    structs[signature->struct_count - 1] = structure;
}

size_t quern_signature_read_struct(quern_signature_reader *reader, size_t at)
{
    size_t closing = quern_tokens_closing(&reader->signature->tokens, at + 1);
    if (closing >= reader->count) {
        quern_error_at(reader->diagnostics, &reader->tokens[at], "the '(' of this STRUCT is not closed");
        return reader->count;
    }
    quern_signature_struct *structure = quern_arena_take(reader->arena, sizeof *structure);
    if (!structure) {
        reader->out_of_memory = 1;
        return closing + 1;
    }
    quern_token_range range = {at + 2, closing}, argument;
    int more = 1;
    quern_signature_next_argument(reader, &range, &more, &argument);
    structure->where = &reader->tokens[argument.begin];
    structure->name = structure->where->text;
    int named =
        argument.end == argument.begin + 1 && quern_signature_check_name(reader, structure->where, "a STRUCT's name");
    if (argument.end != argument.begin + 1)
        quern_error_at(reader->diagnostics, structure->where, "STRUCT needs a name and fields");
    while (quern_signature_next_argument(reader, &range, &more, &argument))
        read_field(reader, structure, argument);
    if (named && structure->field_count == 0)
        quern_error_at(reader->diagnostics, structure->where, "STRUCT '%s' has no fields", structure->name);
    if (named)
        add_struct(reader, structure);
    return closing + 1;
}
