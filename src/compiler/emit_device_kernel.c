/*
 * The begin of a kernel for a device: its head, and the declarations that the author's words need
 * (dialect/device_abi.h says how it is called).
 *
 * Parameters are addressed by the memory that they lie in, as bytes, and an offset. The pointers are restrict: nothing
 * that a kernel writes is reached by two of its arguments, even where both lie in one memory.
 */
#include "emit_device.h"

#include <stdlib.h>

static int is_input(const quern_signature_parameter *parameter)
{
    return parameter->form == QUERN_PARAMETER_IN || parameter->form == QUERN_PARAMETER_IN_ND;
}

static int is_memory(const quern_signature_parameter *parameter)
{
    return parameter->form != QUERN_PARAMETER_VALUE && parameter->form != QUERN_PARAMETER_LOCAL;
}

/* ---- the head ---- */

static void add_parameter(quern_text *head, quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    const quern_device_language *language = writer->language;
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    char *type = quern_device_type(writer, parameter->type_name);
    if (parameter->form == QUERN_PARAMETER_VALUE)
        quern_text_add(head, ", const %s %s%s", type ? type : "", prefix, name);
    else if (parameter->form == QUERN_PARAMETER_LOCAL && language->local)
        quern_text_add(head, ", %s%s *%s %s%s", language->local, type ? type : "", language->restricted, prefix, name);
    else if (parameter->form != QUERN_PARAMETER_LOCAL)
        quern_text_add(head, ", %s%schar *%s quern_memory_of_%s%s", language->global,
                       is_input(parameter) ? "const " : "", language->restricted, prefix, name);
    free(type);
}

static void write_head(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    quern_text head = {0};
    quern_device_line(writer, "struct quern_words_%s { quern_index w[%zu]; };", kernel->name,
                      quern_device_word(writer->language, kernel, kernel->parameter_count));
    writer->language->add_head(&head, kernel);
    quern_text_add(&head, "(const struct quern_words_%s quern_words", kernel->name);
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        add_parameter(&head, writer, &kernel->parameters[i]);
    quern_device_place(writer, kernel->where);
    quern_device_insert(writer, "%s)\n{\n", quern_text_string(&head));
    writer->last = NULL;
    writer->file = NULL;
    writer->text->failed |= head.failed;
    quern_text_free(&head);
}

/* ---- the declarations ---- */

/* quern_row_of_x, a pointer to its elements, and quern_bytes_of_x. */
static void declare_types(quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    const char *constant = is_input(parameter) ? "const " : "", *global = writer->language->global;
    char *type = quern_device_type(writer, parameter->type_name);
    quern_device_line(writer, "    typedef %s%s%s *quern_row_of_%s%s;", is_memory(parameter) ? global : "", constant,
                      type ? type : "", prefix, name);
    if (parameter->rank)
        quern_device_line(writer, "    typedef %s%schar *quern_bytes_of_%s%s;", global, constant, prefix, name);
    free(type);
}

static void declare_layout(quern_device_writer *writer, const quern_signature_parameter *parameter, size_t word)
{
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    for (uint32_t d = 0; d < parameter->rank; ++d)
        quern_device_line(writer, "    const quern_index quern_extent_of_%s%s_%u = quern_words.w[%zu];", prefix, name,
                          d, word + 1 + d);
    for (uint32_t d = 0; d + 1 < parameter->rank; ++d)
        quern_device_line(writer, "    const quern_index quern_pitch_of_%s%s_%u = quern_words.w[%zu];", prefix, name, d,
                          word + 1 + parameter->rank + d);
}

/* A driver's complaint about what follows is one about the parameter. */
static void at_parameter(quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    quern_text line = {0};
    quern_text_add(&line, "#line %d ", parameter->where->line);
    quern_text_add_literal(&line, parameter->where->file);
    quern_device_line(writer, "%s", quern_text_string(&line));
    writer->text->failed |= line.failed;
    quern_text_free(&line);
}

/* 1 when the author's name is declared in the kernel, and not in its head. */
static int is_declared(const quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    return is_memory(parameter) || (parameter->form == QUERN_PARAMETER_LOCAL && !writer->language->local);
}

/* The author's name for the elements. */
static void declare_elements(quern_device_writer *writer, const quern_signature_parameter *parameter, size_t word)
{
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    quern_device_line(writer, "    quern_row_of_%s%s %s %s%s = (quern_row_of_%s%s)(%s%s%s + quern_words.w[%zu]);",
                      prefix, name, writer->language->restricted, prefix, name, prefix, name,
                      is_memory(parameter) ? "quern_memory_of_" : "quern_dynamic", is_memory(parameter) ? prefix : "",
                      is_memory(parameter) ? name : "", word);
}

/* All types come first: a parameter may be called as another's type is. */
static void declare_parameters(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        if (is_declared(writer, &kernel->parameters[i])) {
            at_parameter(writer, &kernel->parameters[i]);
            declare_types(writer, &kernel->parameters[i]);
        }
    for (size_t i = 0; i < kernel->parameter_count; ++i) {
        const quern_signature_parameter *parameter = &kernel->parameters[i];
        size_t word = quern_device_word(writer->language, kernel, i);
        if (!is_declared(writer, parameter))
            continue;
        declare_layout(writer, parameter, word);
        at_parameter(writer, parameter);
        declare_elements(writer, parameter, word);
    }
}

static void declare_items(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    const size_t *group = kernel->group;
    if (!kernel->is_group && kernel->rank < 0)
        quern_device_line(writer, "    QUERN_PLAIN_ANY");
    else if (!kernel->is_group)
        quern_device_line(writer, "    QUERN_PLAIN_%d", kernel->rank);
    else if (!group[0])
        quern_device_line(writer, "    QUERN_GROUP_ANY_%u", kernel->group_rank);
    else if (kernel->group_rank == 1)
        quern_device_line(writer, "    QUERN_GROUP_1(%zu)", group[0]);
    else if (kernel->group_rank == 2)
        quern_device_line(writer, "    QUERN_GROUP_2(%zu, %zu)", group[0], group[1]);
    else
        quern_device_line(writer, "    QUERN_GROUP_3(%zu, %zu, %zu)", group[0], group[1], group[2]);
}

void quern_device_open_kernel(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    write_head(writer, kernel);
    declare_parameters(writer, kernel);
    declare_items(writer, kernel);
}
