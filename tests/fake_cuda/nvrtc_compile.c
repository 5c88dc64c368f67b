/* "Compiling": the options, the preprocessor, the entries of the text, and PTX and machine code that name them. */
#include "image.h"
#include "nvrtc.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- text ---- */

void fake_text_add(struct fake_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int more = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *grown = more < 0 ? NULL : realloc(text->data, text->length + (size_t)more + 1);
    if (grown) {
        text->data = grown;
        vsnprintf(grown + text->length, (size_t)more + 1, format, arguments);
        text->length += (size_t)more;
    } else {
        text->failed = 1;
    }
    va_end(arguments);
}

/* ---- options ---- */

struct settings {
    int architecture, is_real;
    const char *floating;
    int fmad;
    int index_bits, is_linear;
    struct fake_text definitions; /* for the preprocessor's command line */
};

static const char *after(const char *option, const char *begin)
{
    size_t length = strlen(begin);
    return strncmp(option, begin, length) == 0 ? option + length : NULL;
}

static int is_architecture(int architecture)
{
    int list[64];
    size_t count = fake_nvrtc_architectures(list, 64);
    for (size_t i = 0; i < count; ++i)
        if (list[i] == architecture)
            return 1;
    return 0;
}

static int set_architecture(struct settings *settings, const char *value)
{
    const char *real = after(value, "sm_"), *virtual = after(value, "compute_");
    char *end;
    if (!real && !virtual)
        return 0;
    settings->architecture = (int)strtol(real ? real : virtual, &end, 10);
    settings->is_real = real != NULL;
    return !*end && is_architecture(settings->architecture);
}

static int set_definition(struct settings *settings, const char *definition)
{
    if (strchr(definition, '\'') || !(isalpha((unsigned char)*definition) || *definition == '_'))
        return 0;
    fake_text_add(&settings->definitions, " '-D%s'", definition);
    (void)sscanf(definition, "QUERN_INDEX_BITS=%d", &settings->index_bits);
    (void)sscanf(definition, "QUERN_LINEAR=%d", &settings->is_linear);
    return 1;
}

static int is_truth(const char *value)
{
    return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
}

static int set_option(struct settings *settings, const char *option)
{
    static const char *const truths[] = {"--prec-div=", "--prec-sqrt=", "--ftz=", "-prec-div=", "-prec-sqrt=", "-ftz="};
    static const char *const plain[] = {
        "--generate-line-info", "-lineinfo",  "-w",        "--device-as-default-execution-space",
        "-default-device",      "--restrict", "-restrict", "--no-display-error-number"};
    const char *value;
    if ((value = after(option, "--gpu-architecture=")) || (value = after(option, "-arch=")))
        return set_architecture(settings, value);
    if ((value = after(option, "--fmad=")) || (value = after(option, "-fmad="))) {
        settings->fmad = strcmp(value, "true") == 0;
        return is_truth(value);
    }
    if (strcmp(option, "--use_fast_math") == 0 || strcmp(option, "-use_fast_math") == 0) {
        settings->floating = "fast";
        return 1;
    }
    if ((value = after(option, "--define-macro=")) || (value = after(option, "-D")))
        return set_definition(settings, value);
    if ((value = after(option, "--std=")) || (value = after(option, "-std=")))
        return after(value, "c++") != NULL;
    if ((value = after(option, "--maxrregcount=")))
        return atoi(value) > 0;
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; ++i)
        if ((value = after(option, truths[i])))
            return is_truth(value);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
        if (strcmp(option, plain[i]) == 0)
            return 1;
    return 0;
}

static int read_options(struct settings *settings, struct fake_text *log, int count, const char *const *options)
{
    *settings = (struct settings){.architecture = 75, .fmad = 1, .index_bits = 32};
    for (int i = 0; i < count; ++i)
        if (!set_option(settings, options[i])) {
            fake_text_add(log, "nvrtc: error: invalid value or unrecognized option: '%s' (says the fake)\n",
                          options[i]);
            return FN_ERROR_INVALID_OPTION;
        }
    if (!settings->floating)
        settings->floating = settings->fmad ? "contract" : "strict";
    return FN_SUCCESS;
}

/* ---- the preprocessor ---- */

static int read_all(FILE *pipe, struct fake_text *text)
{
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        fake_text_add(text, "%.*s", (int)got, buffer);
    return !text->failed;
}

/* One run: its output, or its complaints. SUCCESS when it ended well. */
static int run(const char *definitions, int file, const char *redirection, struct fake_text *output)
{
    const char *compiler = getenv("QUERN_CC");
    struct fake_text command = {0};
    fake_text_add(&command, "%s -E -x c++%s /dev/fd/%d %s", compiler && *compiler ? compiler : "cc", definitions, file,
                  redirection);
    FILE *pipe = command.failed ? NULL : popen(command.data, "r");
    int read = pipe && read_all(pipe, output);
    int status = pipe ? pclose(pipe) : -1;
    free(command.data);
    return !read ? FN_ERROR_OUT_OF_MEMORY : status ? FN_ERROR_COMPILATION : FN_SUCCESS;
}

static int preprocess(const struct fake_program *program, const struct settings *settings, struct fake_text *output,
                      struct fake_text *log)
{
    const char *definitions = settings->definitions.data ? settings->definitions.data : "";
    size_t length = strlen(program->text);
    int file = memfd_create("text", 0); /* not closed in children: the preprocessor reads it */
    if (file < 0)
        return FN_ERROR_INTERNAL_ERROR;
    int result = write(file, program->text, length) == (ssize_t)length ? FN_SUCCESS : FN_ERROR_INTERNAL_ERROR;
    if (!result)
        result = run(definitions, file, "2>/dev/null", output);
    if (result == FN_ERROR_COMPILATION)
        (void)run(definitions, file, "2>&1 >/dev/null", log);
    close(file);
    return result;
}

/* ---- the text ---- */

/* Brackets must match, outside of literals: what a text with a hole or an end too soon breaks first. */
static int check_brackets(const char *text, struct fake_text *log)
{
    char open[256];
    size_t depth = 0;
    for (const char *at = text; *at; ++at) {
        if (*at == '"' || *at == '\'') {
            char quote = *at++;
            while (*at && *at != quote && *at != '\n')
                at += *at == '\\' && at[1] ? 2 : 1;
            if (!*at)
                break;
        } else if (*at == '#' && (at == text || at[-1] == '\n')) {
            at += strcspn(at, "\n") - 1; /* what the preprocessor leaves: lines and pragmas */
        } else if (strchr("([{", *at)) {
            if (depth < sizeof open)
                open[depth] = *at;
            ++depth;
        } else if (strchr(")]}", *at)) {
            char wanted = *at == ')' ? '(' : *at == ']' ? '[' : '{';
            if (depth == 0 || (depth <= sizeof open && open[depth - 1] != wanted)) {
                fake_text_add(log, "error: unexpected '%c' (says the fake)\n", *at);
                return FN_ERROR_COMPILATION;
            }
            --depth;
        }
    }
    if (depth == 0)
        return FN_SUCCESS;
    fake_text_add(log, "error: unexpected end of the text, %zu brackets are open (says the fake)\n", depth);
    return FN_ERROR_COMPILATION;
}

/* The next entry: a __global__, some words, and quern_k_NAME before a bracket. */
static const char *next_entry(const char *at, size_t *length)
{
    while ((at = strstr(at, "__global__"))) {
        const char *name = strstr(at, "quern_k_"), *end = strpbrk(at, ";{");
        at += 10;
        if (!name || (end && end < name))
            continue;
        *length = 0;
        while (isalnum((unsigned char)name[*length]) || name[*length] == '_')
            ++*length;
        return name;
    }
    return NULL;
}

static int ends_in_kernel_file(const char *name, size_t length)
{
    return length > 4 && strncmp(name + length - 4, ".k.c", 4) == 0;
}

/* The program's name if it is one of a kernel file, else the first that a line marker has; as a literal. "" for none.
 */
static void find_name(const struct fake_program *program, const char *output, struct fake_text *name)
{
    fake_text_add(name, "%s", "");
    if (ends_in_kernel_file(program->name, strlen(program->name))) {
        for (const char *at = program->name; *at; ++at)
            fake_text_add(name,
                          (unsigned char)*at < ' '    ? "\\%03o"
                          : *at == '"' || *at == '\\' ? "\\%c"
                                                      : "%c",
                          (unsigned char)*at);
        return;
    }
    for (const char *at = output; (at = strstr(at, "\n# ")); ++at) {
        const char *begin = strchr(at, '"'), *line_end = strchr(at + 1, '\n');
        const char *end = begin ? strchr(begin + 1, '"') : NULL;
        if (!end || (line_end && end > line_end) || !ends_in_kernel_file(begin + 1, (size_t)(end - begin - 1)))
            continue;
        fake_text_add(name, "%.*s", (int)(end - begin - 1), begin + 1);
        return;
    }
}

/* ---- what comes out ---- */

/* Gives the bytes of constant tables. */
static size_t write_ptx(struct fake_text *ptx, const char *output, int architecture)
{
    int version = fake_nvrtc_major * 10 - 40 + fake_nvrtc_minor; /* 13.0 makes PTX 9.0 */
    fake_text_add(ptx,
                  "//\n// This is no PTX but what the fake NVRTC of Quern's tests makes\n//\n\n.version %d.%d\n.target "
                  "sm_%d\n.address_size 64\n\n",
                  version / 10, version % 10, architecture);
    size_t length, constants = fake_nvrtc_constants(output, ptx);
    for (const char *at = output; (at = next_entry(at, &length)); at += length)
        fake_text_add(ptx, ".visible .entry %.*s(\n)\n{\n\tret;\n}\n\n", (int)length, at);
    return constants;
}

static void write_cubin(struct fake_text *cubin, const char *output, const struct settings *settings, const char *name)
{
    fake_text_add(cubin, FAKE_CUBIN_BEGIN FAKE_CUBIN_ARCHITECTURE "%d\n", settings->architecture);
    if (*name)
        fake_text_add(cubin, "// quern: kernels of \"%s\", QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, %s\n", name,
                      settings->index_bits, settings->is_linear, settings->floating);
    size_t length;
    for (const char *at = output; (at = next_entry(at, &length)); at += length)
        fake_text_add(cubin, FAKE_CUBIN_ENTRY "%.*s\n", (int)length, at);
    fake_text_add(cubin, FAKE_CUBIN_END);
}

int fake_nvrtc_compile(struct fake_program *program, int count, const char *const *options)
{
    struct settings settings;
    struct fake_text output = {0}, name = {0};
    int result = read_options(&settings, &program->log, count, options);
    if (!result)
        result = preprocess(program, &settings, &output, &program->log);
    if (!result)
        result = check_brackets(output.data ? output.data : "", &program->log);
    if (!result) {
        const char *text = output.data ? output.data : "";
        find_name(program, text, &name);
        size_t constants = write_ptx(&program->ptx, text, settings.architecture);
        if (settings.is_real && constants > FAKE_CONSTANTS) {
            fake_text_add(&program->log, FAKE_TOO_MANY_CONSTANTS, constants, FAKE_CONSTANTS);
            result = FN_ERROR_COMPILATION;
        } else if (settings.is_real) {
            write_cubin(&program->cubin, text, &settings, name.data ? name.data : "");
        }
        if (program->ptx.failed || program->cubin.failed || name.failed)
            result = FN_ERROR_OUT_OF_MEMORY;
    }
    free(settings.definitions.data);
    free(output.data);
    free(name.data);
    return result;
}
