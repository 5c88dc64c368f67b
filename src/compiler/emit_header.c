/* NAME.k.h: what a program includes to launch the kernels of a file. Plain C17 and C++17. */
#include "emit.h"

#include "cache_hash.h"

#include <string.h>

/* Text for a comment, which it cannot end. */
static void add_in_comment(quern_text *text, const char *string)
{
    for (; *string; ++string) {
        int ends = string[0] == '*' && string[1] == '/';
        if ((unsigned char)*string < 0x20)
            quern_text_add(text, "?");
        else
            quern_text_add(text, ends ? "%c " : "%c", *string);
    }
}

/* ---- structs ---- */

static void add_struct_body(quern_text *text, const quern_signature_struct *structure)
{
    quern_text_add(text, "typedef struct %s {\n", structure->name);
    for (size_t i = 0; i < structure->field_count; ++i) {
        const quern_signature_field *field = &structure->fields[i];
        quern_text_add(text, "    %s %s", field->type_name, field->name);
        if (field->count != 1)
            quern_text_add(text, "[%zu]", field->count);
        quern_text_add(text, ";\n");
    }
    quern_text_add(text, "} %s;\n", structure->name);
}

/* Several headers may define one STRUCT; two different ones of a name are noticed. */
static void add_struct(quern_text *text, const quern_signature_struct *structure)
{
    quern_text body = {0};
    add_struct_body(&body, structure);
    unsigned number = (unsigned)(quern_hash_bytes(quern_text_string(&body), body.length).low & 0x7fffffffu);
    quern_text_add(text, "#ifndef QUERN_STRUCT_%s\n#define QUERN_STRUCT_%s 0x%08x\n", structure->name, structure->name,
                   number);
    quern_text_add_bytes(text, quern_text_string(&body), body.length);
    quern_text_add(text,
                   "#elif QUERN_STRUCT_%s != 0x%08x\n"
                   "#error \"STRUCT %s is declared in two kernel files, in different ways\"\n#endif\n\n",
                   structure->name, number, structure->name);
    text->failed |= body.failed;
    quern_text_free(&body);
}

static const quern_signature_parameter *parameter_at(const quern_signature *signature, size_t number)
{
    for (size_t i = 0; i < signature->kernel_count; ++i) {
        if (number < signature->kernels[i].parameter_count)
            return &signature->kernels[i].parameters[number];
        number -= signature->kernels[i].parameter_count;
    }
    return NULL;
}

/* The host's spelling of a value parameter's type when it is the first of its kind, else NULL. */
static const char *new_host_type(const quern_signature *signature, size_t number)
{
    const quern_signature_parameter *parameter = parameter_at(signature, number), *earlier;
    if (parameter->form != QUERN_PARAMETER_VALUE || parameter->structure)
        return NULL;
    for (size_t i = 0; i < number; ++i) {
        earlier = parameter_at(signature, i);
        if (earlier->form == QUERN_PARAMETER_VALUE && strcmp(earlier->host_type, parameter->host_type) == 0)
            return NULL;
    }
    return parameter->host_type;
}

/* Plain C structs are the author's: their header is included, or they are announced by their tag. */
static void add_foreign_types(quern_text *text, const quern_signature *signature)
{
    const quern_signature_parameter *parameter;
    for (size_t i = 0; (parameter = parameter_at(signature, i)) != NULL; ++i) {
        const char *type = new_host_type(signature, i);
        if (!type)
            continue;
        if (parameter->host_header)
            quern_text_add(text, "#include \"%s\"\n\n", parameter->host_header);
        else if (strncmp(type, "struct ", 7) == 0)
            quern_text_add(text, "%s; /* include the header that defines it to launch a kernel that takes one */\n\n",
                           type);
    }
}

/* ---- launch functions ---- */

/* How the launch function calls queue and range: other than the kernel's parameters. */
static const char *own_name(const quern_signature_kernel *kernel, const char *name, const char *other)
{
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        if (strcmp(kernel->parameters[i].name, name) == 0)
            return other;
    return name;
}

static void add_group(quern_text *text, const quern_signature_kernel *kernel)
{
    if (!kernel->is_group)
        return;
    if (kernel->group[0] == 0) {
        quern_text_add(text, " The size of a group, of rank %u, comes with the range.", kernel->group_rank);
        return;
    }
    quern_text_add(text, " Groups of ");
    for (uint32_t d = 0; d < kernel->group_rank; ++d)
        quern_text_add(text, d ? " x %zu" : "%zu", kernel->group[d]);
    quern_text_add(text, " items.");
}

static void add_parameter_line(quern_text *text, const quern_signature_parameter *parameter)
{
    static const char *const meanings[] = {"",
                                           "contiguous, read",
                                           "contiguous, written",
                                           "contiguous, read and written",
                                           "read, any pitches",
                                           "written, any pitches",
                                           "read and written, any pitches",
                                           "passed by value",
                                           "elements of local memory, their number"};
    quern_text_add(text, " *   %-12s %s(", parameter->name, quern_emit_form_word(parameter->form));
    add_in_comment(text, parameter->type_name);
    if (parameter->rank)
        quern_text_add(text, ", %u", parameter->rank);
    quern_text_add(text, "): %s\n", meanings[parameter->form]);
}

static void add_comment(quern_text *text, const quern_signature_kernel *kernel)
{
    quern_text_add(text, "/*\n * Launches the kernel %s (", kernel->name);
    add_in_comment(text, quern_emit_base_name(kernel->where->file));
    quern_text_add(text, ":%d) ", kernel->where->line);
    if (kernel->rank < 0)
        quern_text_add(text, "over a range of any rank.");
    else
        quern_text_add(text, "over a range of rank %d.", kernel->rank);
    add_group(text, kernel);
    quern_text_add(text, "\n");
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        add_parameter_line(text, &kernel->parameters[i]);
    quern_text_add(text, " * Checks, order and errors as quern_launch (<quern/launch.h>).\n */\n");
}

static void add_kernel(quern_text *text, const quern_emission *emission, const quern_signature_kernel *kernel)
{
    add_comment(text, kernel);
    quern_text_add(text, "quern_status %s%s(quern_queue *%s, quern_range %s", emission->prefix, kernel->name,
                   own_name(kernel, "queue", "quern_queue_"), own_name(kernel, "range", "quern_range_"));
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        quern_text_add(text, ", %s %s", quern_emit_argument_type(&kernel->parameters[i]), kernel->parameters[i].name);
    quern_text_add(text, ");\n\n/* What Quern knows of it, for quern_launch and quern_launch_configuration. */\n");
    quern_text_add(text, "extern quern_kernel %s%s_kernel;\n\n", emission->prefix, kernel->name);
}

void quern_emit_header(quern_text *text, const quern_emission *emission)
{
    quern_text body = {0};
    for (size_t i = 0; i < emission->signature->struct_count; ++i)
        add_struct(&body, emission->signature->structs[i]);
    add_foreign_types(&body, emission->signature);
    quern_text_add(&body, "QUERN_BEGIN_DECLARATIONS\n\n");
    for (size_t i = 0; i < emission->signature->kernel_count; ++i)
        add_kernel(&body, emission, &emission->signature->kernels[i]);
    quern_text_add(&body, "QUERN_END_DECLARATIONS\n");
    /* The guard is made of what is declared: two kernel files of one name in different folders go together. */
    quern_hash hash = quern_hash_bytes(quern_text_string(&body), body.length);
    quern_text_add(text, "/* Launches the kernels of ");
    add_in_comment(text, quern_emit_base_name(emission->path));
    quern_text_add(text, ". Made by `quern compile`: change the kernel file, not this one. */\n");
    quern_text_add(text, "#ifndef QUERN_KERNELS_%016llX\n#define QUERN_KERNELS_%016llX\n\n#include <quern/quern.h>\n\n",
                   (unsigned long long)hash.low, (unsigned long long)hash.low);
    quern_text_add_bytes(text, quern_text_string(&body), body.length);
    quern_text_add(text, "\n#endif\n");
    text->failed |= body.failed;
    quern_text_free(&body);
}
