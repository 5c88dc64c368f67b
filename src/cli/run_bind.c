/* Fitting the arguments of the command line to the parameters of the kernel. */
#include "run.h"

#include "cli.h"

#include "npy.h"
#include "progress.h"
#include "text.h"

#include "base/error.h"
#include "base/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int quern_cli_parameter_is_array(const quern_parameter *parameter)
{
    return parameter->form != QUERN_PARAMETER_VALUE && parameter->form != QUERN_PARAMETER_LOCAL;
}

int quern_cli_parameter_is_written(const quern_parameter *parameter)
{
    return quern_cli_parameter_is_array(parameter) && parameter->form != QUERN_PARAMETER_IN &&
           parameter->form != QUERN_PARAMETER_IN_ND;
}

int quern_cli_parameter_find(const quern_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->parameter_count; ++i)
        if (strcmp(kernel->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The parameter as its author wrote it: "in_nd(float, 2, x)". */
static const char *parameter_text(const quern_parameter *parameter, char text[160])
{
    static const char *const forms[] = {"?", "in", "out", "inout", "in_nd", "out_nd", "inout_nd", "value", "local"};
    char rank[16] = "";
    uint32_t form = parameter->form < sizeof forms / sizeof forms[0] ? parameter->form : 0;
    if (parameter->rank > 0)
        snprintf(rank, sizeof rank, "%u, ", (unsigned)parameter->rank);
    snprintf(text, 160, "%s(%.60s, %s%.60s)", forms[form], parameter->type_name, rank, parameter->name);
    return text;
}

static int library_misuse(void)
{
    return quern_cli_misuse("run", "%s", quern_last_error());
}

static int unknown_parameter(const quern_kernel *kernel, const char *name)
{
    const char *names[QUERN_MAX_PARAMETERS];
    char hint[512];
    size_t count = 0;
    for (; count < kernel->parameter_count && count < QUERN_MAX_PARAMETERS; ++count)
        names[count] = kernel->parameters[count].name;
    quern_near_names(name, names, count, hint, sizeof hint);
    return quern_cli_misuse("run", "kernel %s has no parameter '%s'%s", kernel->name, name, hint);
}

/* values[i] becomes the text for parameter i. */
static int match_arguments(const quern_cli_run_options *options, const quern_kernel *kernel, const char **values)
{
    char missing[512] = "";
    for (size_t i = 0; i < options->argument_count; ++i) {
        const quern_cli_assignment *argument = &options->arguments[i];
        int parameter = quern_cli_parameter_find(kernel, argument->name);
        if (parameter < 0)
            return unknown_parameter(kernel, argument->name);
        if (values[parameter])
            return quern_cli_misuse("run", "the argument %s is given twice", argument->name);
        values[parameter] = argument->value;
    }
    for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
        char text[160];
        size_t used = strlen(missing);
        if (!values[i])
            snprintf(missing + used, sizeof missing - used, "%s%s", used > 0 ? ", " : "",
                     parameter_text(&kernel->parameters[i], text));
    }
    if (missing[0])
        return quern_cli_misuse("run", "kernel %s also needs %s", kernel->name, missing);
    return QUERN_CLI_RIGHT;
}

/* Every -o names an array that a file can hold, and no file twice. */
static int check_outputs(const quern_cli_run_options *options, const quern_kernel *kernel)
{
    for (size_t i = 0; i < options->output_count; ++i) {
        const quern_cli_assignment *output = &options->outputs[i];
        char text[160];
        int which = quern_cli_parameter_find(kernel, output->name);
        if (which < 0)
            return unknown_parameter(kernel, output->name);
        const quern_parameter *parameter = &kernel->parameters[which];
        if (!quern_cli_parameter_is_array(parameter))
            return quern_cli_misuse("run", "-o %s: %s is no array", output->name, parameter_text(parameter, text));
        if (parameter->type.kind == QUERN_KIND_STRUCT)
            return quern_cli_misuse("run", "-o %s: elements of type %s have no place in a .npy file", output->name,
                                    parameter->type_name);
        for (size_t j = 0; j < i; ++j)
            if (strcmp(options->outputs[j].value, output->value) == 0)
                return quern_cli_misuse("run", "two arrays are to be written to %s", output->value);
    }
    return QUERN_CLI_RIGHT;
}

static int read_file(const quern_parameter *parameter, const char *path, quern_cli_array *array)
{
    if (parameter->type.kind == QUERN_KIND_STRUCT)
        return quern_cli_misuse("run", "%s: an array of structs (%s) cannot be read from a file; zeros:SHAPE makes one",
                                parameter->name, parameter->type_name);
    quern_cli_progress("reading %s", path);
    if (quern_npy_read(path, array)) {
        quern_cli_library_error(parameter->name, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    if (array->type.kind != parameter->type.kind)
        return quern_cli_misuse("run", "%s: the elements of %s are %s, and the parameter's are %s (%s)",
                                parameter->name, path, quern_type_name(array->type), quern_type_name(parameter->type),
                                parameter->type_name);
    return QUERN_CLI_RIGHT;
}

/* SHAPE, and for random :SEED. */
static int generate(const quern_parameter *parameter, quern_cli_pattern pattern, const char *text, uint64_t seed,
                    quern_cli_array *array)
{
    char shape[256];
    quern_extents extents;
    size_t length = pattern == QUERN_CLI_RANDOM ? strcspn(text, ":") : strlen(text);
    if (length >= sizeof shape)
        return quern_cli_misuse("run", "%s: a shape of %zu characters is too long", parameter->name, length);
    memcpy(shape, text, length);
    shape[length] = '\0';
    if (quern_cli_parse_extents(parameter->name, shape, 'x', QUERN_MAX_RANK, &extents))
        return library_misuse();
    if (text[length] == ':' && quern_cli_parse_count(parameter->name, text + length + 1, 0, UINT64_MAX, &seed))
        return library_misuse();
    quern_cli_progress("making %s", parameter->name);
    quern_status status = quern_cli_array_generate(parameter->type, parameter->fields, extents, pattern, seed, array);
    if (status == QUERN_INVALID_TYPE || status == QUERN_OVERFLOW)
        return quern_cli_misuse("run", "%s: %s", parameter->name, quern_last_error());
    if (status) {
        quern_cli_library_error(parameter->name, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    return QUERN_CLI_RIGHT;
}

/* The generator that text begins with: its pattern, and *shape behind the colon. 0 when there is none. */
static int find_pattern(const char *text, quern_cli_pattern *pattern, const char **shape)
{
    static const struct {
        const char *prefix;
        quern_cli_pattern pattern;
    } patterns[] = {
        {"zeros:", QUERN_CLI_ZEROS},
        {"ones:", QUERN_CLI_ONES},
        {"linear:", QUERN_CLI_LINEAR},
        {"random:", QUERN_CLI_RANDOM},
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i) {
        size_t length = strlen(patterns[i].prefix);
        if (strncmp(text, patterns[i].prefix, length) != 0)
            continue;
        *pattern = patterns[i].pattern;
        *shape = text + length;
        return 1;
    }
    return 0;
}

/* An _nd parameter takes its own rank; the others take any. */
static int check_rank(const quern_parameter *parameter, const quern_cli_array *array)
{
    char text[160], extents[QUERN_CLI_EXTENTS_TEXT];
    if (parameter->rank == 0 || array->extents.rank == parameter->rank)
        return QUERN_CLI_RIGHT;
    return quern_cli_misuse("run", "%s: %s wants an array of rank %u, and %s is one of rank %u", parameter->name,
                            parameter_text(parameter, text), (unsigned)parameter->rank,
                            quern_cli_extents_text(array->extents, 'x', extents), (unsigned)array->extents.rank);
}

static int bind_array(const quern_parameter *parameter, uint64_t number, const char *text, quern_cli_binding *binding)
{
    quern_cli_pattern pattern = QUERN_CLI_ZEROS;
    const char *shape = NULL;
    char form[160];
    int status;
    if (text[0] == '@' && text[1] != '\0')
        status = read_file(parameter, text + 1, &binding->array);
    else if (find_pattern(text, &pattern, &shape))
        status = generate(parameter, pattern, shape, number, &binding->array);
    else
        return quern_cli_misuse("run",
                                "%s: '%s' is no array, and %s wants one: @FILE.npy, zeros:SHAPE, ones:SHAPE, "
                                "linear:SHAPE or random:SHAPE[:SEED]",
                                parameter->name, text, parameter_text(parameter, form));
    return status ? status : check_rank(parameter, &binding->array);
}

static int bind_value(const quern_parameter *parameter, const char *text, quern_cli_binding *binding)
{
    const char *shape;
    quern_cli_pattern pattern;
    char form[160];
    if (text[0] == '@' || find_pattern(text, &pattern, &shape))
        return quern_cli_misuse("run", "%s: '%s' is an array, and %s wants one value", parameter->name, text,
                                parameter_text(parameter, form));
    binding->value = calloc(1, parameter->type.size > 0 ? parameter->type.size : 1);
    if (!binding->value) {
        quern_cli_error("%s: no memory for a value of %u bytes", parameter->name, (unsigned)parameter->type.size);
        return QUERN_CLI_WRONG;
    }
    if (quern_cli_parse_value(parameter->name, text, parameter->type, parameter->fields, binding->value))
        return library_misuse();
    return QUERN_CLI_RIGHT;
}

static int bind_length(const quern_parameter *parameter, const char *text, quern_cli_binding *binding)
{
    uint64_t length;
    if (quern_cli_parse_count(parameter->name, text, 0, INT64_MAX, &length))
        return library_misuse();
    binding->length = (size_t)length;
    return QUERN_CLI_RIGHT;
}

static int bind(const quern_parameter *parameter, uint64_t number, const char *text, quern_cli_binding *binding)
{
    if (parameter->form == QUERN_PARAMETER_VALUE)
        return bind_value(parameter, text, binding);
    if (parameter->form == QUERN_PARAMETER_LOCAL)
        return bind_length(parameter, text, binding);
    return bind_array(parameter, number, text, binding);
}

/* The bytes of all arrays; they are in memory, so their sum fits. */
static size_t sum_bytes(const quern_cli_plan *plan)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < plan->kernel->parameter_count; ++i)
        if (plan->bindings[i].array.data)
            bytes += quern_cli_array_bytes(&plan->bindings[i].array);
    return bytes;
}

int quern_cli_plan_make(const quern_cli_run_options *options, const quern_kernel *kernel, quern_cli_plan *plan)
{
    const char *values[QUERN_MAX_PARAMETERS] = {NULL};
    memset(plan, 0, sizeof *plan);
    plan->kernel = kernel;
    plan->repeat = options->repeat;
    int status = match_arguments(options, kernel, values);
    if (!status)
        status = check_outputs(options, kernel);
    if (status)
        return status;
    plan->bindings = calloc(kernel->parameter_count + 1, sizeof *plan->bindings);
    if (!plan->bindings) {
        quern_cli_error("no memory for the arguments of kernel %s", kernel->name);
        return QUERN_CLI_WRONG;
    }
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i)
        status = bind(&kernel->parameters[i], i, values[i], &plan->bindings[i]);
    if (!status)
        status = quern_cli_plan_range(options, plan);
    plan->array_bytes = sum_bytes(plan);
    return status ? status : quern_cli_plan_note_arrays(plan);
}

void quern_cli_plan_free(quern_cli_plan *plan)
{
    for (uint32_t i = 0; plan->bindings && i < plan->kernel->parameter_count; ++i) {
        quern_cli_array_free(&plan->bindings[i].array);
        free(plan->bindings[i].value);
    }
    free(plan->bindings);
    plan->bindings = NULL;
    for (size_t i = 0; i < plan->note_count; ++i)
        free(plan->notes[i]);
    free(plan->notes);
    plan->notes = NULL;
    plan->note_count = 0;
}
