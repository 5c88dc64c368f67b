/* The signature pass, and what else both kinds of compilation share. */
#include "compile_front.h"

#include "base/error.h"
#include "driver_files.h"
#include "emit_device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static quern_status out_of_memory(const quern_front *front)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is compiled", front->emission.path);
}

/* ---- opening ---- */

/* What is put before a path that the C compiler could take for an option. */
static const char *shield(const char *path)
{
    return path[0] == '-' ? "./" : "";
}

/* Where the kernel file's own includes are looked for. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return quern_path(".");
    return slash == path ? quern_path("/") : quern_path("%s%.*s", shield(path), (int)(slash - path), path);
}

static quern_status make_work(quern_front *front, const char *parent, const char *name)
{
    char *shielded = quern_path("%s%s", shield(parent), parent);
    if (!shielded)
        return out_of_memory(front);
    quern_status status = quern_private_directory_make(shielded, name, &front->work);
    free(shielded);
    return status;
}

quern_status quern_front_open(quern_front *front, const char *path, const quern_compile_options *options,
                              const char *parent, const char *name)
{
    *front = (quern_front){0};
    front->emission = (quern_emission){
        .signature = &front->signature, .path = path, .prefix = options->prefix ? options->prefix : ""};
    front->build = (quern_build){&front->compiler, options, NULL, NULL, options->fp};
    quern_status status = quern_file_read(path, &front->source);
    if (status != QUERN_SUCCESS)
        return status;
    front->source_directory = directory_of(path);
    if (!front->source_directory)
        return out_of_memory(front);
    front->build.source_directory = front->source_directory;
    status = quern_compiler_find(options->compiler, &front->compiler);
    return status == QUERN_SUCCESS ? make_work(front, parent, name) : status;
}

void quern_front_close(quern_front *front)
{
    quern_private_directory_remove(&front->work);
    free(front->include_directory);
    free(front->source_directory);
    quern_compiler_free(&front->compiler);
    quern_pieces_free(&front->pieces);
    quern_signature_free(&front->signature);
    for (size_t i = 0; i < sizeof front->texts / sizeof front->texts[0]; ++i)
        quern_text_free(&front->texts[i].text);
    quern_text_free(&front->source);
    quern_text_free(&front->preprocessed);
    quern_text_free(&front->version);
}

char *quern_front_path(const quern_front *front, const char *name)
{
    char *path = quern_path("%s/%s", front->work.path, name);
    if (!path)
        out_of_memory(front);
    return path;
}

quern_status quern_front_write(const quern_front *front, const char *path, quern_text *text)
{
    quern_status status = text->failed ? out_of_memory(front) : quern_file_write(path, text->data, text->length, 0);
    quern_text_free(text);
    return status;
}

/* ---- running ---- */

static quern_status report_failure(const quern_process *process)
{
    if (process->errors.length)
        return quern_fail_text(QUERN_COMPILE_FAILED, process->errors.data);
    return quern_fail(QUERN_COMPILE_FAILED, "the C compiler '%s' ended with status %d and said nothing",
                      process->command.items[0], process->exit_code);
}

void quern_front_warn(const quern_front *front, const char *text, size_t length)
{
    char **warnings = front->build.options->warnings;
    quern_text all = {0};
    if (!warnings || !length)
        return;
    if (*warnings)
        quern_text_add(&all, "%s", *warnings);
    quern_text_add_bytes(&all, text, length);
    if (!all.failed) {
        free(*warnings);
        *warnings = all.data;
    } else {
        quern_text_free(&all);
    }
}

quern_status quern_front_run(const quern_front *front, quern_process *processes, size_t count)
{
    quern_status status = quern_processes_run(processes, count, front->build.options->verbose);
    if (status != QUERN_SUCCESS)
        return status;
    for (size_t i = 0; i < count; ++i)
        if (processes[i].exit_code != 0)
            return report_failure(&processes[i]);
    for (size_t i = 0; i < count; ++i)
        quern_front_warn(front, quern_text_string(&processes[i].errors), processes[i].errors.length);
    return QUERN_SUCCESS;
}

quern_status quern_front_made(const quern_front *front, const char *path)
{
    if (access(path, F_OK) == 0)
        return QUERN_SUCCESS;
    return quern_fail(
        QUERN_COMPILE_FAILED,
        "the C compiler '%s' ended without an error for '%s', but made no file of it; is it a C compiler?",
        front->compiler.command.items[0], front->emission.path);
}

/* ---- what the tokens say about the compilation ---- */

/* Moves *at behind word and the blanks before it; 0 when something else stands there. */
static int take(const char **at, const char *word)
{
    const char *begin = *at + strspn(*at, " \t");
    size_t length = strlen(word);
    if (strncmp(begin, word, length) != 0)
        return 0;
    *at = begin + length;
    return 1;
}

/* #pragma quern fp(contract): the loosest of all that ask counts, so that the file's own helpers get what they need. */
static void read_pragma(quern_front *front, const quern_token *token, quern_diagnostics *diagnostics)
{
    static const char *const modes[] = {"strict", "contract", "fast"};
    const char *at = token->text;
    if (!take(&at, "#") || !take(&at, "pragma") || !take(&at, "quern") || (*at != ' ' && *at != '\t' && *at))
        return;
    for (int mode = 0; mode < 3; ++mode) {
        const char *rest = at;
        if (take(&rest, "fp") && take(&rest, "(") && take(&rest, modes[mode]) && take(&rest, ")") &&
            rest[strspn(rest, " \t\r")] == '\0') {
            if ((int)front->build.fp < mode)
                front->build.fp = (quern_fp_mode)mode;
            return;
        }
    }
    quern_error_at(diagnostics, token,
                   "unknown '#pragma quern'; there are fp(strict), fp(contract) and fp(fast), and this is '%s'",
                   token->text);
}

static void read_choices(quern_front *front, quern_diagnostics *diagnostics)
{
    const quern_token_list *tokens = &front->signature.tokens;
    for (size_t i = 0; i < tokens->count; ++i) {
        const quern_token *token = &tokens->tokens[i];
        if (token->kind == QUERN_TOKEN_PRAGMA)
            read_pragma(front, token, diagnostics);
    }
}

/* ---- the signature pass ---- */

static quern_status preprocess(quern_front *front, int ask_version)
{
    quern_process processes[2] = {{{0}, {0}, {0}, 0, 0, 0, 0}, {{0}, {0}, {0}, 0, 0, 0, 0}};
    quern_text text = {0};
    char *unit = quern_front_path(front, "signature.c");
    if (!unit)
        return QUERN_OUT_OF_MEMORY;
    quern_emit_level(&text, &front->emission, &front->source);
    quern_status status = quern_front_write(front, unit, &text);
    if (status == QUERN_SUCCESS) {
        quern_build_signature(&front->build, unit, &processes[0].command);
        quern_build_version(&front->build, &processes[1].command);
        status = quern_processes_run(processes, ask_version ? 2 : 1, front->build.options->verbose);
    }
    if (status == QUERN_SUCCESS && processes[0].exit_code != 0)
        status = report_failure(&processes[0]);
    front->preprocessed = processes[0].output;
    front->version = processes[1].output;
    processes[0].output = processes[1].output = (quern_text){0};
    quern_process_free(&processes[0]);
    quern_process_free(&processes[1]);
    free(unit);
    return status;
}

/* 1 when the text has a line that says which file and line follows, as every preprocessor writes them. */
static int has_line_marker(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line;
        if (take(&at, "#") && (take(&at, "line") || *at == ' ') && (at += strspn(at, " \t"), *at >= '0' && *at <= '9'))
            return 1;
    }
    return 0;
}

/* A program that is no C compiler may end without an error too. */
static quern_status check_preprocessed(const quern_front *front)
{
    const char *text = quern_text_string(&front->preprocessed);
    if (has_line_marker(text))
        return QUERN_SUCCESS;
    return quern_fail(
        QUERN_COMPILE_FAILED,
        "the C compiler '%s' ended without an error for '%s', but printed %s when it was to preprocess it; "
        "is it a C compiler?",
        front->compiler.command.items[0], front->emission.path,
        text[strspn(text, " \t\n")] ? "no preprocessed C" : "nothing");
}

/* Without the dialect's header nothing in the file means anything, so this is then all that is said; 1 when it was. */
static int report_missing_include(const quern_front *front, quern_diagnostics *diagnostics)
{
    if (front->signature.kernel_count == 0 || strstr(quern_text_string(&front->preprocessed), "quern/kernel.h\""))
        return 0;
    quern_diagnostics_free(diagnostics);
    quern_diagnostics_init(diagnostics);
    quern_error_at(diagnostics, front->signature.kernels[0].where,
                   "kernel '%s' stands in a file that does not include <quern/kernel.h>; wanted #include "
                   "<quern/kernel.h> before it",
                   front->signature.kernels[0].name);
    return 1;
}

static quern_status check(quern_front *front, int for_host, quern_diagnostics *diagnostics)
{
    if (report_missing_include(front, diagnostics))
        return QUERN_SUCCESS;
    read_choices(front, diagnostics);
    if (front->signature.kernel_count == 0 && diagnostics->errors == 0)
        quern_error_at_line(diagnostics, front->emission.path, 1, "there is no KERNEL or GROUP_KERNEL in this file");
    if (for_host && diagnostics->errors == 0)
        quern_emit_check_names(&front->emission, diagnostics);
    /* A body is judged by its kernel's parameters, so those must be right. */
    return diagnostics->errors ? QUERN_SUCCESS : quern_signature_check(&front->signature, diagnostics);
}

static quern_status report_diagnostics(const quern_front *front, quern_diagnostics *diagnostics)
{
    if (diagnostics->out_of_memory)
        return out_of_memory(front);
    if (diagnostics->errors == 0)
        return QUERN_SUCCESS;
    return quern_fail_text(QUERN_COMPILE_FAILED, diagnostics->text ? diagnostics->text : "");
}

/* ---- the texts for devices ---- */

static quern_status write_text(quern_front *front, const quern_device_language *language)
{
    quern_device_text *text = &front->texts[front->emission.text_count++];
    text->backend = language->backend;
    text->language = language->name;
    quern_emit_device(&text->text, &front->signature, &front->pieces, front->emission.path, front->build.fp, language);
    return text->text.failed ? out_of_memory(front) : QUERN_SUCCESS;
}

static quern_status write_texts(quern_front *front)
{
    static const char *const modes[] = {"strict", "contract", "fast"};
    quern_status status = quern_pieces_read(&front->signature, &front->pieces);
    front->emission.pieces = &front->pieces;
    front->emission.texts = front->texts;
    front->emission.fp = modes[front->build.fp];
    if (status == QUERN_SUCCESS)
        status = write_text(front, &quern_language_opencl);
    return status == QUERN_SUCCESS ? write_text(front, &quern_language_cuda) : status;
}

quern_status quern_front_read(quern_front *front, int for_host, int ask_version)
{
    quern_token_list tokens;
    quern_diagnostics diagnostics;
    quern_status status = preprocess(front, ask_version);
    if (status == QUERN_SUCCESS)
        status = check_preprocessed(front);
    if (status == QUERN_SUCCESS)
        status = quern_tokens_read(front->emission.path, quern_text_string(&front->preprocessed),
                                   front->preprocessed.length, &tokens);
    if (status != QUERN_SUCCESS)
        return status;
    quern_diagnostics_init(&diagnostics);
    status = quern_signature_read(tokens, &front->signature, &diagnostics);
    if (status == QUERN_SUCCESS)
        status = check(front, for_host, &diagnostics);
    if (status == QUERN_SUCCESS)
        status = report_diagnostics(front, &diagnostics);
    quern_diagnostics_free(&diagnostics);
    return status == QUERN_SUCCESS ? write_texts(front) : status;
}
