/*
 * OpenCL C 1.2: the head of a kernel and its first declarations (dialect/device_abi.h says how it is called).
 *
 * Parameters are addressed by the memory that they lie in, as bytes, and an offset, since OpenCL C has no pointer
 * inside a struct and OpenCL no buffer that begins anywhere. The pointers are restrict: nothing that a kernel writes is
 * reached by two of its arguments, even where both lie in one memory.
 */
#include "emit_device.h"

#include <stdlib.h>

static void begin(quern_device_writer *writer, quern_fp_mode fp)
{
    quern_device_line(writer, "#pragma OPENCL FP_CONTRACT %s", fp == QUERN_FP_STRICT ? "OFF" : "ON");
}

static int is_input(const quern_signature_parameter *parameter)
{
    return parameter->form == QUERN_PARAMETER_IN || parameter->form == QUERN_PARAMETER_IN_ND;
}

/* ---- the head ---- */

static void add_parameter(quern_text *head, quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    char *type = quern_device_type(writer, parameter->type_name);
    if (parameter->form == QUERN_PARAMETER_VALUE)
        quern_text_add(head, ", const %s %s%s", type ? type : "", prefix, name);
    else if (parameter->form == QUERN_PARAMETER_LOCAL)
        quern_text_add(head, ", __local %s *restrict %s%s", type ? type : "", prefix, name);
    else
        quern_text_add(head, ", __global %schar *restrict quern_memory_of_%s%s", is_input(parameter) ? "const " : "",
                       prefix, name);
    free(type);
}

static void write_head(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    quern_text head = {0};
    quern_device_line(writer, "struct quern_words_%s { quern_index w[%zu]; };", kernel->name,
                      quern_device_word(kernel, kernel->parameter_count));
    quern_text_add(&head, "__kernel ");
    if (kernel->is_group && kernel->group[0])
        quern_text_add(&head, "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ",
                       kernel->group[kernel->group_rank - 1],
                       kernel->group_rank > 1 ? kernel->group[kernel->group_rank - 2] : 1,
                       kernel->group_rank > 2 ? kernel->group[0] : 1);
    quern_text_add(&head, "void quern_k_%s(const struct quern_words_%s quern_words", kernel->name, kernel->name);
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

static int is_memory(const quern_signature_parameter *parameter)
{
    return parameter->form != QUERN_PARAMETER_VALUE && parameter->form != QUERN_PARAMETER_LOCAL;
}

/* quern_row_of_x, a pointer to its elements, and quern_bytes_of_x. */
static void declare_types(quern_device_writer *writer, const quern_signature_parameter *parameter)
{
    const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
    const char *constant = is_input(parameter) ? "const " : "";
    char *type = quern_device_type(writer, parameter->type_name);
    quern_device_line(writer, "    typedef __global %s%s *quern_row_of_%s%s;", constant, type ? type : "", prefix,
                      name);
    if (parameter->rank)
        quern_device_line(writer, "    typedef __global %schar *quern_bytes_of_%s%s;", constant, prefix, name);
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

/* The author's name for the elements. All types come first: a parameter may be called as another's type is. */
static void declare_parameters(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        if (is_memory(&kernel->parameters[i])) {
            at_parameter(writer, &kernel->parameters[i]);
            declare_types(writer, &kernel->parameters[i]);
        }
    for (size_t i = 0; i < kernel->parameter_count; ++i) {
        const quern_signature_parameter *parameter = &kernel->parameters[i];
        const char *name = parameter->name, *prefix = quern_device_prefix(writer, name);
        size_t word = quern_device_word(kernel, i);
        if (!is_memory(parameter))
            continue;
        declare_layout(writer, parameter, word);
        at_parameter(writer, parameter);
        quern_device_line(writer,
                          "    quern_row_of_%s%s restrict %s%s = (quern_row_of_%s%s)(quern_memory_of_%s%s + "
                          "quern_words.w[%zu]);",
                          prefix, name, prefix, name, prefix, name, prefix, name, word);
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

static void open_kernel(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    write_head(writer, kernel);
    declare_parameters(writer, kernel);
    declare_items(writer, kernel);
}

static const char *const headers[] = {"quern/dialect/opencl.h",        "quern/dialect/opencl_items.h",
                                      "quern/dialect/opencl_memory.h", "quern/dialect/opencl_atomics.h",
                                      "quern/dialect/opencl_math.h",   NULL};

const quern_device_language quern_language_opencl = {"opencl",           "opencl-c-1.2", headers,
                                                     {"((", "){", "})"}, begin,          open_kernel};
