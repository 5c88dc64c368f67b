/* How the tool reports what went wrong: on stderr, one sentence that begins with its name. */
#include "cli.h"
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_sentence(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

static void write_sentence(const char *format, va_list arguments)
{
    /* What went well so far comes first where both streams are one terminal or one file. */
    fflush(stdout);
    quern_cli_progress_end();
    fputs("quern: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void quern_cli_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_sentence(format, arguments);
    va_end(arguments);
}

void quern_cli_library_error(const char *prefix, const char *sentence)
{
    size_t length = strlen(sentence);
    const char *joint = !prefix ? "" : strchr(sentence, '\n') ? ":\n" : ": ";
    while (length > 0 && sentence[length - 1] == '\n')
        --length;
    if (length == 0)
        quern_cli_error("%s%san unnamed failure", prefix ? prefix : "", joint);
    else
        quern_cli_error("%s%s%.*s", prefix ? prefix : "", joint, (int)length, sentence);
}

int quern_cli_misuse(const char *subcommand, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_sentence(format, arguments);
    va_end(arguments);
    fprintf(stderr, "See `quern %s --help`.\n", subcommand);
    return QUERN_CLI_MISUSE;
}
