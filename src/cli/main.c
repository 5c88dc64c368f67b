/* The tool `quern`: finds the subcommand and calls it. */
#include "cli.h"

#include "base/near.h"

#include <errno.h>
#include <quern/export.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} subcommand;

static const subcommand subcommands[] = {
    {"devices", quern_cli_devices, "list the backends and devices of this machine"},
    {"compile", quern_cli_compile, "make an object and a header of a kernel file"},
    {"run", quern_cli_run, "run a kernel of a kernel file on arrays, and compare devices"},
    {"bench", quern_cli_bench, "measure launches and memory bandwidth beside plain loops"},
    {"conformance", quern_cli_conformance, "check that devices do what Quern promises"},
};

enum { SUBCOMMANDS = (int)(sizeof subcommands / sizeof subcommands[0]) };

static void print_usage(FILE *stream)
{
    fputs("usage: quern SUBCOMMAND [ARGUMENT…]\n"
          "\n"
          "Compute kernels written once, in C, for every processor of the machine.\n"
          "\n",
          stream);
    for (int i = 0; i < SUBCOMMANDS; ++i)
        fprintf(stream, "  %-11s  %s\n", subcommands[i].name, subcommands[i].purpose);
    fputs("\n"
          "`quern SUBCOMMAND --help` tells about one of them, `quern --version` which Quern this is.\n"
          "Exit status: 0 right, 1 something failed or is not as wanted, 2 the command line is wrong.\n"
          "\n"
          "example: quern run saxpy.k.c saxpy x=linear:1000003 y=ones:1000003 a=2 -o y=y.npy\n",
          stream);
}

static int unknown_subcommand(const char *name)
{
    const char *names[SUBCOMMANDS];
    char hint[256];
    for (int i = 0; i < SUBCOMMANDS; ++i)
        names[i] = subcommands[i].name;
    quern_near_names(name, names, SUBCOMMANDS, hint, sizeof hint);
    quern_cli_error("there is no %s '%s'%s", name[0] == '-' ? "option" : "subcommand", name,
                    name[0] == '-' ? "" : hint);
    fputs("See `quern --help`.\n", stderr);
    return QUERN_CLI_MISUSE;
}

/* `quern help`, `quern help SUBCOMMAND`: the same as --help. */
static int help(int argc, char **argv, int (*dispatch)(int argc, char **argv))
{
    char option[] = "--help";
    char *asked[] = {argc > 1 ? argv[1] : NULL, option, NULL};
    if (argc > 1)
        return dispatch(2, asked);
    print_usage(stdout);
    return QUERN_CLI_RIGHT;
}

static int dispatch(int argc, char **argv)
{
    for (int i = 0; i < SUBCOMMANDS; ++i)
        if (strcmp(argv[0], subcommands[i].name) == 0)
            return subcommands[i].run(argc, argv);
    if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_usage(stdout);
        return QUERN_CLI_RIGHT;
    }
    if (strcmp(argv[0], "--version") == 0) {
        puts("quern " QUERN_VERSION);
        return QUERN_CLI_RIGHT;
    }
    if (strcmp(argv[0], "help") == 0)
        return help(argc, argv, dispatch);
    return unknown_subcommand(argv[0]);
}

/* What was printed has to arrive: a full disk must not look like success. */
static int finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    quern_cli_error("cannot write to standard output: %s", errno ? strerror(errno) : "an earlier write failed");
    return status == QUERN_CLI_RIGHT ? QUERN_CLI_WRONG : status;
}

/* A driver or a plug-in that calls exit(0) must not look like success. */
static int has_returned;

static void check_return(void)
{
    if (has_returned)
        return;
    (void)fflush(stdout);
    quern_cli_error("a library (a driver or a plug-in) ended the process by exit()");
    _exit(QUERN_CLI_WRONG);
}

int main(int argc, char **argv)
{
    (void)atexit(check_return); /* without it all but that is as it should be */
    if (argc < 2) {
        print_usage(stderr);
        has_returned = 1;
        return QUERN_CLI_MISUSE;
    }
    int status = finish_output(dispatch(argc - 1, argv + 1));
    has_returned = 1;
    return status;
}
