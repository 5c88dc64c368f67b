/* The parameters of a kernel: in(T, x), in_nd(T, rank, x), value(T, a), … */
#include "signature_read.h"

#include <string.h>

typedef struct form {
    const char *word;
    quern_parameter_form form;
    int has_rank;
} form;

static const form forms[] = {
    {"in", QUERN_PARAMETER_IN, 0},         {"out", QUERN_PARAMETER_OUT, 0},
    {"inout", QUERN_PARAMETER_INOUT, 0},   {"in_nd", QUERN_PARAMETER_IN_ND, 1},
    {"out_nd", QUERN_PARAMETER_OUT_ND, 1}, {"inout_nd", QUERN_PARAMETER_INOUT_ND, 1},
    {"value", QUERN_PARAMETER_VALUE, 0},   {"local", QUERN_PARAMETER_LOCAL, 0},
};

#define FORMS "in, out, inout, in_nd, out_nd, inout_nd, value and local"

static const form *find_form(const quern_token *token)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i)
        if (quern_token_is(token, forms[i].word))
            return &forms[i];
    return NULL;
}

static void report_form(quern_signature_reader *reader, const quern_signature_kernel *kernel, quern_token_range range)
{
    const quern_token *where = &reader->tokens[range.begin];
    if (range.begin >= range.end)
        quern_error_at(reader->diagnostics, where, "kernel '%s': a parameter is missing here", kernel->name);
    else if (quern_token_is(where, "source") && quern_signature_is(reader, range.begin + 1, "("))
        quern_error_at(reader->diagnostics, where, "kernel '%s': the parameter form source(…) is not supported yet",
                       kernel->name);
    else if (where->kind == QUERN_TOKEN_NAME && quern_signature_is(reader, range.begin + 1, "("))
        quern_error_at(reader->diagnostics, where, "kernel '%s': unknown parameter form '%s'; there are " FORMS,
                       kernel->name, where->text);
    else
        quern_error_at(reader->diagnostics, where,
                       "kernel '%s': '%s' is no parameter; it must be one of the forms " FORMS, kernel->name,
                       quern_signature_join(reader, range));
}

static void check_parameter_name(quern_signature_reader *reader, const quern_signature_kernel *kernel,
                                 const quern_signature_parameter *parameter)
{
    if (!quern_signature_check_name(reader, parameter->where, "a parameter's name"))
        return;
    for (size_t i = 0; i + 1 < kernel->parameter_count; ++i)
        if (strcmp(kernel->parameters[i].name, parameter->name) == 0)
            quern_error_at(reader->diagnostics, parameter->where, "kernel '%s' has two parameters named '%s'",
                           kernel->name, parameter->name);
    if (quern_signature_find_struct(reader, parameter->name))
        quern_error_at(reader->diagnostics, parameter->where, "kernel '%s': parameter '%s' has the name of a STRUCT",
                       kernel->name, parameter->name);
}

static void read_type(quern_signature_reader *reader, const quern_signature_kernel *kernel,
                      quern_signature_parameter *parameter, quern_token_range range)
{
    quern_signature_type type;
    parameter->type_name = quern_signature_join(reader, range);
    const char *fault = quern_signature_resolve(reader, range, &type);
    parameter->structure = type.structure;
    parameter->host_type = type.host_type ? type.host_type : parameter->type_name;
    parameter->host_header = type.host_header;
    if (fault)
        quern_error_at(reader->diagnostics, parameter->where, "kernel '%s', parameter '%s': type '%s' %s", kernel->name,
                       parameter->name, parameter->type_name, fault);
    else if (!type.host_type || (type.host_header && strcmp(type.host_header, kernel->where->file) == 0 &&
                                 parameter->form == QUERN_PARAMETER_VALUE))
        quern_error_at(reader->diagnostics, parameter->where,
                       "kernel '%s', parameter '%s': host code has no name for the struct '%s'; give it a tag (struct "
                       "name) or declare it with STRUCT",
                       kernel->name, parameter->name, parameter->type_name);
}

static void read_rank(quern_signature_reader *reader, const quern_signature_kernel *kernel,
                      quern_signature_parameter *parameter, quern_token_range range)
{
    int64_t rank;
    /* One digit, once macros are expanded: the dialect makes names with it. */
    const quern_token *digit = &reader->tokens[range.begin];
    if (range.end - range.begin == 1 && strlen(digit->text) == 1 && quern_signature_constant(reader, range, &rank) &&
        rank >= 1 && rank <= QUERN_MAX_RANK)
        parameter->rank = (uint32_t)rank;
    else
        quern_error_at(reader->diagnostics, parameter->where,
                       "kernel '%s', parameter '%s': the rank must be a plain number from 1 to %d (or a macro that is "
                       "one), but is '%s'",
                       kernel->name, parameter->name, QUERN_MAX_RANK, quern_signature_join(reader, range));
}

static quern_signature_parameter *append(quern_signature_reader *reader, quern_signature_kernel *kernel)
{
    quern_signature_parameter *parameters =
        quern_signature_append(reader, kernel->parameters, &kernel->parameter_count, sizeof *parameters);
    if (!parameters)
        return NULL;
    kernel->parameters = parameters;
    return &parameters[kernel->parameter_count - 1];
}

/* Splits what is between the parentheses; 0 when there are more or fewer than count, or one of them is empty. */
static int split(const quern_signature_reader *reader, quern_token_range range, quern_token_range *arguments, int count)
{
    quern_token_range argument;
    int found = 0, more = 1;
    while (quern_signature_next_argument(reader, &range, &more, &argument)) {
        if (found == count || argument.begin >= argument.end)
            return 0;
        arguments[found++] = argument;
    }
    return found == count;
}

void quern_signature_read_parameter(quern_signature_reader *reader, quern_signature_kernel *kernel,
                                    quern_token_range range)
{
    const quern_token *where = &reader->tokens[range.begin];
    const form *form = range.begin < range.end ? find_form(where) : NULL;
    if (!form || !quern_signature_is(reader, range.begin + 1, "(") ||
        quern_tokens_closing(&reader->signature->tokens, range.begin + 1) + 1 != range.end) {
        report_form(reader, kernel, range);
        return;
    }
    quern_token_range arguments[3];
    int count = form->has_rank ? 3 : 2;
    if (!split(reader, (quern_token_range){range.begin + 2, range.end - 1}, arguments, count)) {
        quern_error_at(reader->diagnostics, where, "kernel '%s': %s takes %s, but this is '%s'", kernel->name,
                       form->word, form->has_rank ? "a type, a rank and a name" : "a type and a name",
                       quern_signature_join(reader, range));
        return;
    }
    quern_token_range name = arguments[count - 1];
    if (name.end - name.begin != 1) {
        quern_error_at(reader->diagnostics, &reader->tokens[name.begin], "kernel '%s': '%s' is no name for a parameter",
                       kernel->name, quern_signature_join(reader, name));
        return;
    }
    quern_signature_parameter *parameter = append(reader, kernel);
    if (!parameter)
        return;
    parameter->where = &reader->tokens[name.begin];
    parameter->name = parameter->where->text;
    parameter->form = form->form;
    check_parameter_name(reader, kernel, parameter);
    read_type(reader, kernel, parameter, arguments[0]);
    if (form->has_rank)
        read_rank(reader, kernel, parameter, arguments[1]);
}
