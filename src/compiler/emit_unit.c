/*
 * Translation units: the author's text between what Quern puts before and behind it.
 *
 * Behind the author's text his macros are in force, so everything there has names that begin with quern_, initialisers
 * have no field names, and types are spelled as the preprocessor left them.
 */
#include "emit.h"

#include <string.h>

/* ---- the author's text ---- */

static void add_source(quern_text *text, const quern_emission *emission, const quern_text *source)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8; legal only where a file begins */
    const char *bytes = quern_text_string(source);
    size_t size = source->length, skipped = size >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    quern_text_add(text, "#line 1 ");
    quern_text_add_literal(text, emission->path);
    quern_text_add(text, "\n");
    quern_text_add_bytes(text, bytes + skipped, size - skipped);
    quern_text_add(text, "\n\n#line 1 \"<code that Quern adds>\"\n");
}

/* ---- descriptors ---- */

static void add_type(quern_text *text, const char *type)
{
    quern_text_add(text, "{QUERN_KIND_OF_(%s), QUERN_ALIGN_OF_(%s), sizeof(%s)}", type, type, type);
}

static void add_fields(quern_text *text, const quern_signature_struct *structure)
{
    quern_text_add(text, "static const quern_field quern_fields_%s[] = {\n", structure->name);
    for (size_t i = 0; i < structure->field_count; ++i) {
        const quern_signature_field *field = &structure->fields[i];
        quern_text_add(text, "    {\"%s\", ", field->name);
        add_type(text, field->type_name);
        quern_text_add(text, ", __builtin_offsetof(struct %s, %s), %zu, ", structure->name, field->name, field->count);
        if (field->nested)
            quern_text_add(text, "quern_fields_%s},\n", field->nested->name);
        else
            quern_text_add(text, "0},\n");
    }
    quern_text_add(text, "    {0, {0, 0, 0}, 0, 0, 0}};\n");
}

static int is_used(const quern_signature *signature, const quern_signature_struct *structure)
{
    for (size_t i = 0; i < signature->kernel_count; ++i)
        for (size_t p = 0; p < signature->kernels[i].parameter_count; ++p)
            if (signature->kernels[i].parameters[p].structure == structure)
                return 1;
    for (size_t i = 0; i < signature->struct_count; ++i)
        for (size_t f = 0; f < signature->structs[i]->field_count; ++f)
            if (signature->structs[i]->fields[f].nested == structure)
                return is_used(signature, signature->structs[i]);
    return 0;
}

static void add_parameters(quern_text *text, const quern_signature_kernel *kernel)
{
    if (kernel->parameter_count == 0)
        return;
    quern_text_add(text, "static const quern_parameter quern_parameters_%s[] = {\n", kernel->name);
    for (size_t i = 0; i < kernel->parameter_count; ++i) {
        const quern_signature_parameter *parameter = &kernel->parameters[i];
        quern_text_add(text, "    {\"%s\", ", parameter->name);
        quern_text_add_literal(text, parameter->type_name);
        quern_text_add(text, ", %u, %u, ", (unsigned)parameter->form, parameter->rank);
        add_type(text, parameter->type_name);
        if (parameter->structure)
            quern_text_add(text, ", quern_fields_%s},\n", parameter->structure->name);
        else
            quern_text_add(text, ", 0},\n");
    }
    quern_text_add(text, "};\n");
}

/* A group kernel is the same in both layouts: one of them will do. */
static int has_ptx(const quern_signature_kernel *kernel, const quern_ptx_image *ptx)
{
    return !kernel->is_group || !ptx->linear;
}

static void add_images(quern_text *text, const quern_emission *emission, const quern_signature_kernel *kernel)
{
    quern_text images = {0};
    for (const char *const *level = emission->levels; *level; ++level) {
        quern_text suffix = {0};
        quern_emit_level_suffix(&suffix, *level, emission->prefix);
        quern_text_add(text, "quern_cpu_function quern_k_%s%s __attribute__((visibility(\"hidden\")));\n", kernel->name,
                       quern_text_string(&suffix));
        quern_text_add(&images, "    {\"cpu\", \"%s\", (void (*)(void))quern_k_%s%s, 0, 0},\n", *level, kernel->name,
                       quern_text_string(&suffix));
        text->failed |= suffix.failed;
        quern_text_free(&suffix);
    }
    for (size_t i = 0; i < emission->text_count; ++i)
        quern_text_add(&images, "    {\"%s\", \"%s %s\", 0, quern_text_%zu, sizeof quern_text_%zu - 1},\n",
                       emission->texts[i].backend, emission->texts[i].language, emission->fp, i, i);
    for (size_t i = 0; i < emission->ptx_count; ++i)
        if (has_ptx(kernel, &emission->ptx[i]))
            quern_text_add(&images, "    {\"cuda\", \"ptx %s %d %d %s\", 0, quern_ptx_%zu, sizeof quern_ptx_%zu},\n",
                           emission->fp, emission->ptx[i].architecture, emission->ptx[i].index_bits,
                           emission->ptx[i].linear ? "linear" : "grid", i, i);
    quern_text_add(text, "static const quern_kernel_image quern_images_%s[] = {\n%s};\n", kernel->name,
                   quern_text_string(&images));
    text->failed |= images.failed;
    quern_text_free(&images);
}

static uint32_t find_needs(const quern_emission *emission, const quern_signature_kernel *kernel)
{
    for (size_t i = 0; emission->pieces && i < emission->pieces->count; ++i) {
        const quern_piece *piece = &emission->pieces->pieces[i];
        if (piece->kind == QUERN_PIECE_KERNEL && &emission->signature->kernels[piece->kernel] == kernel)
            return piece->needs;
    }
    return 0;
}

static size_t count_images(const quern_emission *emission, const quern_signature_kernel *kernel)
{
    size_t count = emission->text_count;
    for (const char *const *level = emission->levels; *level; ++level)
        ++count;
    for (size_t i = 0; i < emission->ptx_count; ++i)
        count += (size_t)has_ptx(kernel, &emission->ptx[i]);
    return count;
}

/* declaration: "quern_kernel saxpy_kernel" */
static void add_descriptor(quern_text *text, const quern_emission *emission, const quern_signature_kernel *kernel)
{
    size_t images = count_images(emission, kernel);
    quern_text_add(text, " = {QUERN_KERNEL_VERSION, %zu, \"%s\", ", kernel->parameter_count, kernel->name);
    quern_text_add_literal(text, kernel->where->file);
    quern_text_add(text, ", %d, %d, %d, %u, {%zu, %zu, %zu},\n    ", kernel->where->line, kernel->rank,
                   kernel->is_group, kernel->group_rank, kernel->group[0], kernel->group[1], kernel->group[2]);
    quern_emit_memory(text, emission->signature, kernel, "LOCAL");
    quern_text_add(text, ",\n    ");
    quern_emit_memory(text, emission->signature, kernel, "PRIVATE");
    quern_text_add(text, kernel->parameter_count ? ",\n    quern_parameters_%s, " : ",\n    0, ", kernel->name);
    quern_text_add(text, "quern_images_%s, %zu, %u, 0};\n", kernel->name, images, find_needs(emission, kernel));
}

/* One literal for all kernels' images. It is longer than C17 wants compilers to take, which the real ones do. */
static void add_array(quern_text *text, const char *name, size_t number, const char *line)
{
    quern_text_add(text,
                   "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
                   "static const char quern_%s_%zu[] =\n",
                   name, number);
    while (*line) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        quern_text_add_literal_bytes(text, line, length);
        quern_text_add(text, "\n");
        line += length;
    }
    quern_text_add(text, "    \"\";\n#pragma GCC diagnostic pop\n");
}

static void add_texts(quern_text *text, const quern_emission *emission)
{
    for (size_t i = 0; i < emission->text_count; ++i)
        add_array(text, "text", i, quern_text_string(&emission->texts[i].text));
    for (size_t i = 0; i < emission->ptx_count; ++i)
        add_array(text, "ptx", i, emission->ptx[i].data);
}

static void add_tables(quern_text *text, const quern_emission *emission)
{
    const quern_signature *signature = emission->signature;
    add_texts(text, emission);
    for (size_t i = 0; i < signature->struct_count; ++i)
        if (is_used(signature, signature->structs[i]))
            add_fields(text, signature->structs[i]);
    for (size_t i = 0; i < signature->kernel_count; ++i) {
        add_parameters(text, &signature->kernels[i]);
        add_images(text, emission, &signature->kernels[i]);
    }
}

/* ---- launch functions ---- */

static void add_argument(quern_text *text, const quern_signature_parameter *parameter, size_t number)
{
    const char *type = quern_emit_argument_type(parameter);
    if (parameter->form == QUERN_PARAMETER_VALUE)
        quern_text_add(text,
                       "        {QUERN_ARGUMENT_VALUE, {QUERN_KIND_OF_(%s), QUERN_ALIGN_OF_(%s), sizeof(%s)}, "
                       "&quern_%zu, 0},\n",
                       parameter->type_name, parameter->type_name, parameter->type_name, number);
    else if (parameter->form == QUERN_PARAMETER_LOCAL)
        quern_text_add(text, "        {QUERN_ARGUMENT_LENGTH, {0, 0, 0}, 0, quern_%zu},\n", number);
    else
        quern_text_add(text, "        {%s, {0, 0, 0}, &quern_%zu, 0},\n",
                       strcmp(type, "quern_const_view") == 0 ? "QUERN_ARGUMENT_CONST_VIEW" : "QUERN_ARGUMENT_VIEW",
                       number);
}

static void add_launch(quern_text *text, const quern_emission *emission, const quern_signature_kernel *kernel)
{
    quern_text_add(text, "quern_status %s%s(quern_queue *quern_on, quern_range quern_over", emission->prefix,
                   kernel->name);
    for (size_t i = 0; i < kernel->parameter_count; ++i) {
        const quern_signature_parameter *parameter = &kernel->parameters[i];
        int is_value = parameter->form == QUERN_PARAMETER_VALUE;
        quern_text_add(text, ", %s quern_%zu", is_value ? parameter->type_name : quern_emit_argument_type(parameter),
                       i);
    }
    quern_text_add(text, ")\n{\n");
    if (kernel->parameter_count) {
        quern_text_add(text, "    const quern_argument quern_with[] = {\n");
        for (size_t i = 0; i < kernel->parameter_count; ++i)
            add_argument(text, &kernel->parameters[i], i);
        quern_text_add(text, "    };\n");
    }
    quern_text_add(text, "    return quern_launch(quern_on, &%s%s_kernel, &quern_over, %s, %zu);\n}\n",
                   emission->prefix, kernel->name, kernel->parameter_count ? "quern_with" : "0",
                   kernel->parameter_count);
}

/* ---- units ---- */

void quern_emit_level(quern_text *text, const quern_emission *emission, const quern_text *source)
{
    add_source(text, emission, source);
}

void quern_emit_program(quern_text *text, const quern_emission *emission, const quern_text *source)
{
    const quern_signature *signature = emission->signature;
    quern_text_add(text, "#include <quern/quern.h>\n");
    add_source(text, emission, source);
    add_tables(text, emission);
    for (size_t i = 0; i < signature->kernel_count; ++i) {
        quern_text_add(text, "quern_kernel %s%s_kernel", emission->prefix, signature->kernels[i].name);
        add_descriptor(text, emission, &signature->kernels[i]);
        add_launch(text, emission, &signature->kernels[i]);
    }
}

void quern_emit_module(quern_text *text, const quern_emission *emission, const quern_text *source)
{
    const quern_signature *signature = emission->signature;
    quern_text_add(text, "#include <quern/program.h>\n");
    add_source(text, emission, source);
    add_tables(text, emission);
    for (size_t i = 0; i < signature->kernel_count; ++i) {
        quern_text_add(text, "static const quern_kernel quern_descriptor_%s", signature->kernels[i].name);
        add_descriptor(text, emission, &signature->kernels[i]);
    }
    quern_text_add(text,
                   "extern const quern_kernel *const quern_module_table[] __attribute__((visibility(\"default\")));\n"
                   "const quern_kernel *const quern_module_table[] = {\n");
    for (size_t i = 0; i < signature->kernel_count; ++i)
        quern_text_add(text, "    &quern_descriptor_%s,\n", signature->kernels[i].name);
    quern_text_add(text, "    0};\n");
}
