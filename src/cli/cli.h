/* The tool: its subcommands, its exit statuses, and how it speaks to the user. */
#ifndef QUERN_CLI_CLI_H
#define QUERN_CLI_CLI_H

#include <quern/status.h>
#include <stddef.h>

/* What the process ends with. */
enum {
    QUERN_CLI_RIGHT = 0,
    QUERN_CLI_WRONG = 1, /* something failed, or a result is not what was wanted */
    QUERN_CLI_MISUSE = 2 /* the command line is wrong, or does not fit what it names */
};

/* One subcommand each: argv[0] is its name, argv[argc] is NULL. The result is an exit status. */
int quern_cli_devices(int argc, char **argv);
int quern_cli_compile(int argc, char **argv);
int quern_cli_run(int argc, char **argv);
int quern_cli_bench(int argc, char **argv);
int quern_cli_conformance(int argc, char **argv);

/* Writes `quern: sentence` and a newline on stderr. */
void quern_cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with a sentence that the library left. prefix says what failed ("cpu:0") and may be NULL. Lines (a
 * compiler's log) are written whole, on lines of their own. */
void quern_cli_library_error(const char *prefix, const char *sentence);

/* The same as quern_cli_error with a second line that names `quern SUBCOMMAND --help`; gives QUERN_CLI_MISUSE. */
int quern_cli_misuse(const char *subcommand, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The option --plugin PATH of subcommands that use devices, which may be given several times (plugins.c): the paths are
 * collected while the command line is read, and the backends loaded when all of it was right. Starts as {0}. */
enum { QUERN_CLI_MOST_PLUGINS = 16 };

typedef struct quern_cli_plugins {
    const char *paths[QUERN_CLI_MOST_PLUGINS]; /* of argv */
    size_t count;
} quern_cli_plugins;

/* The line about it for a subcommand's help. */
#define QUERN_CLI_PLUGIN_HELP                                                                                          \
    "  --plugin PATH          load a backend from a shared object; may be given several times\n"

/* RIGHT, or MISUSE after a message. */
int quern_cli_plugin_add(quern_cli_plugins *plugins, const char *subcommand, const char *path);

/* Loads them in the order given, before anything else asks for devices: RIGHT, or WRONG after a message. */
int quern_cli_plugins_load(const quern_cli_plugins *plugins);

#endif
