/* quern compile: kernel files into objects and headers. */
#include "cli.h"
#include "interrupt.h"

#include "compiler/compiler.h"
#include "compiler/emit.h"

#include <quern/export.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 8 };

typedef struct request {
    quern_compile_options options;
    const char *directory;
    const char *print; /* the backend whose text is printed instead of compiling, or NULL */
    const char **files, **arguments, *levels[MOST_LEVELS + 1];
    char *level_text; /* --levels, cut at its commas */
    size_t file_count, argument_count;
    int help, no_warnings;
} request;

static void print_help(void)
{
    puts("usage: quern compile FILE.k.c… -o DIR [OPTION…]\n"
         "       quern compile FILE.k.c --print opencl|cuda [OPTION…]\n"
         "\n"
         "Makes DIR/FILE.k.o, the kernels' code, and DIR/FILE.k.h, their launch functions, of each kernel file.\n"
         "A file that is refused leaves what was in DIR as it was.\n"
         "\n"
         "  -o DIR               where the outputs go; made if it is missing\n"
         "  --levels L,L,…       instruction-set levels: x86-64-v2, x86-64-v3, x86-64-v4, generic\n"
         "                       (default on x86-64: all three; the best one is chosen when the program runs)\n"
         "  --fp MODE            strict (default: the same bits on every device), contract (a*b+c may be one fma)\n"
         "                       or fast (reassociation too); a file chooses for itself by #pragma quern fp(contract)\n"
         "  --cuda-arch A,A,…    embed PTX for these CUDA architectures, made by NVRTC: numbers (75, sm_90), oldest,\n"
         "                       newest, all, or none. Programs then run on NVIDIA GPUs of these and later "
         "architectures\n"
         "                       without NVRTC; with it they need no PTX, for the text is embedded in any case\n"
         "                       (default: auto, the oldest that NVRTC knows, or none where there is no NVRTC)\n"
         "  --prefix P           names of launch functions and descriptors begin with P\n"
         "  -I DIR, -D NAME[=V]  for the C preprocessor\n"
         "  -g                   with debug information\n"
         "  -w                   keep the compilers' warnings back, and those of kernels that no NVIDIA GPU can hold\n"
         "  --cc CC              the C compiler (default: the environment variable QUERN_CC, else cc, gcc or clang)\n"
         "  --depfile FILE       write what the outputs depend on, as a rule for make and ninja; one kernel file only\n"
         "  --print opencl|cuda  print the text that OpenCL devices or NVRTC get, with Quern's own headers in front, "
         "and\n"
         "                       compile nothing; -o is not needed\n"
         "  --verbose            show the commands that are run\n"
         "  --help               show this\n"
         "\n"
         "Exit status: 0 right, 1 a file did not compile, 2 the command line is wrong.\n"
         "\n"
         "example: quern compile saxpy.k.c -o build && cc -Ibuild main.c build/saxpy.k.o -lquern");
}

/* ---- the command line ---- */

/* The value of an option that is written `--name value`, `--name=value` or, for a single letter, `-Xvalue`. 1: this is
 * the option; *value is NULL when the value is missing. */
static int take_value(const char *name, char **argv, int *i, const char **value)
{
    const char *argument = argv[*i];
    size_t length = strlen(name);
    int is_letter = name[1] != '-';
    if (strncmp(argument, name, length) != 0)
        return 0;
    if (argument[length] == '\0') {
        *value = argv[*i + 1];
        *i += *value != NULL;
        return 1;
    }
    if (is_letter || argument[length] == '=') {
        *value = argument + length + (is_letter ? 0 : 1);
        return 1;
    }
    return 0;
}

static int missing(const char *option)
{
    return quern_cli_misuse("compile", "option %s needs a value", option);
}

static int read_levels(request *r, const char *value)
{
    size_t count = 0;
    free(r->level_text);
    r->level_text = strdup(value);
    if (!r->level_text) {
        quern_cli_error("memory is exhausted");
        return QUERN_CLI_WRONG;
    }
    char *state, *level = strtok_r(r->level_text, ",", &state);
    for (; level; level = strtok_r(NULL, ",", &state)) {
        if (count == MOST_LEVELS)
            return quern_cli_misuse("compile", "there are more than %d levels in --levels %s", MOST_LEVELS, value);
        r->levels[count++] = level;
    }
    if (count == 0)
        return quern_cli_misuse("compile", "--levels names no level");
    r->levels[count] = NULL;
    r->options.levels = r->levels;
    return QUERN_CLI_RIGHT;
}

static int read_fp(request *r, const char *value)
{
    static const char *const modes[] = {"strict", "contract", "fast"};
    for (int mode = 0; mode < 3; ++mode)
        if (strcmp(value, modes[mode]) == 0) {
            r->options.fp = (quern_fp_mode)mode;
            return QUERN_CLI_RIGHT;
        }
    return quern_cli_misuse("compile", "--fp '%s' is none of strict, contract and fast", value);
}

/* -I and -D are handed on as one word. */
static int add_argument(request *r, const char *letter, const char *value)
{
    size_t size = strlen(letter) + strlen(value) + 1;
    char *word = malloc(size);
    if (!word) {
        quern_cli_error("memory is exhausted");
        return QUERN_CLI_WRONG;
    }
    snprintf(word, size, "%s%s", letter, value);
    r->arguments[r->argument_count++] = word;
    return QUERN_CLI_RIGHT;
}

static int read_option(request *r, char **argv, int *i)
{
    static const char *const names[] = {"--levels", "--fp", "--prefix",    "--cc", "--depfile",
                                        "--print",  "-o",   "--cuda-arch", "-I",   "-D"};
    const char *argument = argv[*i], *value = NULL;
    int number = 0, count = (int)(sizeof names / sizeof names[0]);
    if (strcmp(argument, "-g") == 0)
        r->options.debug = 1;
    else if (strcmp(argument, "-w") == 0)
        r->no_warnings = 1;
    else if (strcmp(argument, "--verbose") == 0)
        r->options.verbose = 1;
    else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0)
        r->help = 1;
    else
        while (number < count && !take_value(names[number], argv, i, &value))
            ++number;
    if (r->help || strcmp(argument, "-g") == 0 || strcmp(argument, "-w") == 0 || strcmp(argument, "--verbose") == 0)
        return QUERN_CLI_RIGHT;
    if (number == count)
        return quern_cli_misuse("compile", "there is no option '%s'", argument);
    if (!value)
        return missing(names[number]);
    switch (number) {
    case 0:
        return read_levels(r, value);
    case 1:
        return read_fp(r, value);
    case 2:
        r->options.prefix = value;
        return QUERN_CLI_RIGHT;
    case 3:
        r->options.compiler = value;
        return QUERN_CLI_RIGHT;
    case 4:
        r->options.depfile = value;
        return QUERN_CLI_RIGHT;
    case 5:
        r->print = value;
        return QUERN_CLI_RIGHT;
    case 6:
        r->directory = value;
        return QUERN_CLI_RIGHT;
    case 7:
        r->options.cuda_architectures = value;
        return QUERN_CLI_RIGHT;
    default:
        return add_argument(r, names[number], value);
    }
}

/* The outputs are named by the last part of the file's path, which therefore none before may have. */
static int check_name(const request *r, size_t which)
{
    const char *name = quern_emit_base_name(r->files[which]);
    for (size_t i = 0; i < which; ++i)
        if (strcmp(quern_emit_base_name(r->files[i]), name) == 0)
            return strcmp(r->files[i], r->files[which]) == 0
                       ? quern_cli_misuse("compile", "'%s' is given twice", r->files[which])
                       : quern_cli_misuse("compile",
                                          "'%s' and '%s' would have the same outputs in '%s'; compile them "
                                          "into two directories",
                                          r->files[i], r->files[which], r->directory);
    return QUERN_CLI_RIGHT;
}

static int check_print(const request *r)
{
    if (strcmp(r->print, "opencl") != 0 && strcmp(r->print, "cuda") != 0)
        return quern_cli_misuse("compile", "--print '%s' is no text that there is; wanted opencl or cuda", r->print);
    if (r->file_count > 1)
        return quern_cli_misuse("compile", "--print goes with one kernel file, and there are %zu", r->file_count);
    if (r->directory)
        return quern_cli_misuse("compile", "--print and -o exclude each other: one prints, the other makes files");
    if (strcmp(r->options.cuda_architectures, "auto") != 0)
        return quern_cli_misuse("compile",
                                "--print and --cuda-arch exclude each other: one prints a text, the other embeds PTX");
    if (r->options.depfile)
        return quern_cli_misuse("compile",
                                "--print and --depfile exclude each other: one prints, the other makes files");
    return QUERN_CLI_RIGHT;
}

static int read_command_line(request *r, int argc, char **argv)
{
    int only_files = 0, status = QUERN_CLI_RIGHT;
    for (int i = 1; i < argc && status == QUERN_CLI_RIGHT && !r->help; ++i) {
        if (!only_files && strcmp(argv[i], "--") == 0)
            only_files = 1;
        else if (!only_files && argv[i][0] == '-' && argv[i][1])
            status = read_option(r, argv, &i);
        else
            r->files[r->file_count++] = argv[i];
    }
    if (status != QUERN_CLI_RIGHT || r->help)
        return status;
    if (r->file_count == 0)
        return quern_cli_misuse("compile", "there is no kernel file to compile");
    if (r->print)
        return check_print(r);
    if (!r->directory)
        return quern_cli_misuse("compile", "option -o DIR is missing: where do the outputs go?");
    for (size_t i = 1; i < r->file_count; ++i)
        if (check_name(r, i))
            return QUERN_CLI_MISUSE;
    if (r->options.depfile && r->file_count > 1)
        return quern_cli_misuse("compile", "--depfile goes with one kernel file, and there are %zu", r->file_count);
    return QUERN_CLI_RIGHT;
}

/* ---- compiling ---- */

static quern_status print_text(const request *r, const char *file)
{
    char *text = NULL;
    quern_status status = quern_compile_text(file, r->print, &r->options, &text);
    if (status == QUERN_SUCCESS)
        fputs(text, stdout);
    free(text);
    return status;
}

static quern_status make_files(request *r, const char *file)
{
    char *warnings = NULL;
    r->options.warnings = &warnings;
    quern_status status = quern_compile_file(file, r->directory, &r->options);
    if (warnings && !r->no_warnings)
        fputs(warnings, stderr);
    free(warnings);
    return status;
}

static int compile_one(request *r, const char *file)
{
    quern_status status = r->print ? print_text(r, file) : make_files(r, file);
    if (status == QUERN_SUCCESS)
        return QUERN_CLI_RIGHT;
    /* Compilers' messages, which are whole lines, begin with file and line, which editors look for: nothing is put
     * before them. */
    if (status == QUERN_COMPILE_FAILED && strchr(quern_last_error(), '\n')) {
        const char *text = quern_last_error();
        fprintf(stderr, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
        return QUERN_CLI_WRONG;
    }
    quern_cli_library_error(NULL, quern_last_error());
    return status == QUERN_INVALID_ARGUMENT ? QUERN_CLI_MISUSE : QUERN_CLI_WRONG;
}

static int compile_all(request *r)
{
    int worst = QUERN_CLI_RIGHT;
    quern_cli_interrupts_catch();
    for (size_t i = 0; i < r->file_count && !quern_cli_interrupted(); ++i) {
        int status = compile_one(r, r->files[i]);
        worst = status > worst ? status : worst;
    }
    quern_cli_interrupts_release();
    return worst;
}

int quern_cli_compile(int argc, char **argv)
{
    request r = {.options.cuda_architectures = "auto"};
    int status = QUERN_CLI_WRONG;
    r.files = calloc((size_t)argc + 1, sizeof *r.files);
    r.arguments = calloc((size_t)argc + 1, sizeof *r.arguments);
    if (r.files && r.arguments) {
        r.options.arguments = r.arguments;
        status = read_command_line(&r, argc, argv);
        if (r.help)
            print_help();
        else if (status == QUERN_CLI_RIGHT)
            status = compile_all(&r);
    } else {
        quern_cli_error("memory is exhausted");
    }
    for (size_t i = 0; i < r.argument_count; ++i)
        free((char *)(uintptr_t)r.arguments[i]);
    free(r.files);
    free(r.arguments);
    free(r.level_text);
    return status;
}
