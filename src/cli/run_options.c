/* The command line of `quern run`. */
#include "run.h"

#include "cli.h"

#include "text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/near.h"

enum { MOST_REPETITIONS = 1000000 };

enum {
    OPTION_DEVICE = 256,
    OPTION_RANGE,
    OPTION_OFFSET,
    OPTION_GROUP,
    OPTION_REPEAT,
    OPTION_ULP,
    OPTION_JSON,
    OPTION_PLUGIN,
    OPTION_COUNT
};

static const struct option long_options[] = {
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"range", required_argument, NULL, OPTION_RANGE},
    {"offset", required_argument, NULL, OPTION_OFFSET},
    {"group", required_argument, NULL, OPTION_GROUP},
    {"output", required_argument, NULL, 'o'},
    {"repeat", required_argument, NULL, OPTION_REPEAT},
    {"ulp", required_argument, NULL, OPTION_ULP},
    {"json", no_argument, NULL, OPTION_JSON},
    {"plugin", required_argument, NULL, OPTION_PLUGIN},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void quern_cli_run_help(void)
{
    fputs("usage: quern run [OPTION]… FILE.k.c KERNEL ARG=VALUE…\n"
          "\n"
          "Compiles the kernel file (or takes it from the cache), runs the kernel on arrays, says how long it took\n"
          "and what came out, and whether several devices agree.\n"
          "\n"
          "One ARG=VALUE for every parameter of the kernel. SHAPE is extents, slowest first: 1000, 344x403.\n"
          "  arrays   @FILE.npy            the file's array; its element type is the parameter's\n"
          "           zeros:SHAPE          ones:SHAPE\n"
          "           linear:SHAPE         0, 1, 2, …, wrapping in the parameter's type\n"
          "           random:SHAPE[:SEED]  uniform in [0, 1), integers in 0 … 99; SEED is else the parameter's number\n"
          "           of a STRUCT so are the numbers in its fields: linear gives them the element's number\n"
          "  value    a number, or for a STRUCT a brace list in declaration order: {1,2.5}\n"
          "  local    a number of elements: as many as the kernel uses of it, often one for each item of a group\n"
          "in(T, x), out and inout take an array of any rank by its linear index, the _nd forms one of their rank.\n"
          "Nothing checks what a kernel indexes: arrays and local arrays have to be as long as it makes of the range\n"
          "and of its group. A note says which array has less elements than the range has items.\n"
          "\n"
          "  --device NAME|all      where to run: cpu:0, …, or every device; else the default "
          "device\n" QUERN_CLI_PLUGIN_HELP
          "  --range N[,M…]         the ndrange, slowest first; else the extents of the first array that is written\n"
          "                         (of a kernel of rank 1 their product)\n"
          "  --offset N[,M…]        added to the items' indices, slowest first; may be negative; else 0\n"
          "  --group G[,H[,I]]      the items of a group, slowest first\n"
          "  -o, --output ARG=FILE  write the array to FILE, .npy version 1.0, after the last repetition\n"
          "  --repeat N             run N times, each from fresh arrays, after a first time that is not counted:\n"
          "                         a driver may compile during it; the time is the median\n"
          "  --ulp N                let floating numbers differ by N units in the last place between devices\n"
          "  --json                 print JSON\n"
          "Options may stand anywhere; -- ends them.\n"
          "\n"
          "The bandwidth counts the bytes of every array once; the checksum is the XXH3-64 of the written arrays in\n"
          "the order of the parameters. Files are written from the first device that ran.\n"
          "Exit status: 0; 1 when devices disagree or something failed; 2 when the command line is wrong or does not\n"
          "fit the kernel.\n"
          "\n"
          "examples: quern run saxpy.k.c saxpy x=linear:1000003 y=ones:1000003 a=2 --device all -o y=y.npy\n"
          "          quern run stencil.k.c stencil u=random:50x60 v=zeros:50x60 c=0.1 --range 48,58 --offset 1,1\n",
          stdout);
}

static int misuse_of_library(void)
{
    return quern_cli_misuse("run", "%s", quern_last_error());
}

/* Cuts ARG=VALUE at its first '='. what is named in the message. */
static int split(char *text, const char *what, quern_cli_assignment *assignment)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || equals[1] == '\0')
        return quern_cli_misuse("run", "'%s' is not of the form %s", text, what);
    *equals = '\0';
    assignment->name = text;
    assignment->value = equals + 1;
    return QUERN_CLI_RIGHT;
}

/* The order that is wanted, for whoever has another. */
static int refuse_order(const char *text, const char *wanted)
{
    return quern_cli_misuse("run", "'%s' stands where %s is wanted; the order is quern run FILE.k.c KERNEL ARG=VALUE…",
                            text, wanted);
}

static int is_file_name(const char *text)
{
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".k.c") == 0;
}

/* An ARG=VALUE, and not the name of an odd file. */
static int is_argument(const char *text)
{
    return strchr(text, '=') && access(text, F_OK) != 0;
}

static int check_order(const quern_cli_run_options *options)
{
    if (is_argument(options->file))
        return refuse_order(options->file, "the kernel file");
    if (is_file_name(options->kernel) && !is_file_name(options->file))
        return refuse_order(options->file, "the kernel file");
    if (is_argument(options->kernel) || is_file_name(options->kernel))
        return refuse_order(options->kernel, "the kernel's name");
    return QUERN_CLI_RIGHT;
}

/* FILE, then KERNEL, then arguments. */
static int read_operand(char *text, quern_cli_run_options *options)
{
    if (!options->file)
        options->file = text;
    else if (!options->kernel)
        options->kernel = text;
    else if (check_order(options))
        return QUERN_CLI_MISUSE;
    else
        return split(text, "ARG=VALUE", &options->arguments[options->argument_count++]);
    return QUERN_CLI_RIGHT;
}

static int read_option(int option, char *argument, quern_cli_run_options *options)
{
    switch (option) {
    case OPTION_DEVICE:
        options->device = argument;
        return QUERN_CLI_RIGHT;
    case OPTION_RANGE:
        options->range = argument;
        return QUERN_CLI_RIGHT;
    case OPTION_OFFSET:
        options->offset = argument;
        return QUERN_CLI_RIGHT;
    case OPTION_GROUP:
        options->group = argument;
        return QUERN_CLI_RIGHT;
    case 'o':
        return split(argument, "ARG=FILE", &options->outputs[options->output_count++]);
    case OPTION_REPEAT:
        return quern_cli_parse_count("--repeat", argument, 1, MOST_REPETITIONS, &options->repeat) ? misuse_of_library()
                                                                                                  : QUERN_CLI_RIGHT;
    case OPTION_ULP:
        return quern_cli_parse_count("--ulp", argument, 0, UINT64_MAX, &options->ulps) ? misuse_of_library()
                                                                                       : QUERN_CLI_RIGHT;
    case OPTION_JSON:
        options->json = 1;
        return QUERN_CLI_RIGHT;
    case OPTION_PLUGIN:
        return quern_cli_plugin_add(&options->plugins, "run", argument);
    default:
        options->help = 1;
        return QUERN_CLI_RIGHT;
    }
}

/* getopt has refused argv[optind - 1]: why. given is what it returned. */
static int refuse(int given, char **argv)
{
    const char *text = argv[optind - 1];
    const char *names[sizeof long_options / sizeof long_options[0]];
    char hint[256];
    size_t count = 0;
    if (given == ':')
        return quern_cli_misuse("run", "the option %s wants a value", text);
    if (optopt >= OPTION_DEVICE || strncmp(text, "--", 2) != 0) {
        if (optopt >= OPTION_DEVICE || optopt == 'h')
            return quern_cli_misuse("run", "the option %s takes no value", text);
        return quern_cli_misuse("run", "there is no option -%c", optopt);
    }
    for (; long_options[count].name; ++count)
        names[count] = long_options[count].name;
    quern_near_names(text + 2, names, count, hint, sizeof hint);
    return quern_cli_misuse("run", "there is no option %s%s", text, hint);
}

/* Options that make no sense twice. */
static int refuse_repeated(int option, unsigned *seen, const char *text)
{
    if (option < OPTION_DEVICE || option == OPTION_JSON || option == OPTION_PLUGIN)
        return QUERN_CLI_RIGHT;
    unsigned bit = 1u << (option - OPTION_DEVICE);
    if (*seen & bit)
        return quern_cli_misuse("run", "the option %s is given twice", text);
    *seen |= bit;
    return QUERN_CLI_RIGHT;
}

static const char *option_name(int option)
{
    static char name[32];
    for (const struct option *known = long_options; known->name; ++known)
        if (known->val == option)
            snprintf(name, sizeof name, "--%s", known->name);
    return name;
}

static int read_all(int argc, char **argv, quern_cli_run_options *options)
{
    /* '-' gives operands in their place as option 1, whatever POSIXLY_CORRECT says; ':' tells a missing value apart. */
    static const char short_options[] = "-:o:h";
    unsigned seen = 0;
    int option, status = QUERN_CLI_RIGHT;
    optind = 0;
    opterr = 0;
    while (!status && !options->help && (option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        if (option == '?' || option == ':')
            return refuse(option, argv);
        status = refuse_repeated(option, &seen, option_name(option));
        if (!status)
            status = option == 1 ? read_operand(optarg, options) : read_option(option, optarg, options);
    }
    for (; !status && !options->help && optind < argc; ++optind)
        status = read_operand(argv[optind], options);
    return status;
}

static int check_operands(const quern_cli_run_options *options)
{
    if (!options->file)
        return quern_cli_misuse("run", "a kernel file and a kernel's name are wanted");
    if (!options->kernel && !is_argument(options->file))
        return quern_cli_misuse("run", "the name of a kernel of %s is wanted", options->file);
    return check_order(options);
}

int quern_cli_run_options_read(int argc, char **argv, quern_cli_run_options *options)
{
    memset(options, 0, sizeof *options);
    options->repeat = 1;
    options->arguments = calloc((size_t)argc, sizeof *options->arguments);
    options->outputs = calloc((size_t)argc, sizeof *options->outputs);
    if (!options->arguments || !options->outputs) {
        quern_cli_error("no memory for the command line");
        return QUERN_CLI_WRONG;
    }
    int status = read_all(argc, argv, options);
    if (status || options->help)
        return status;
    return check_operands(options);
}

void quern_cli_run_options_free(quern_cli_run_options *options)
{
    free(options->arguments);
    free(options->outputs);
}
