/* What comes before the first test of `quern conformance`: plug-ins are loaded and backends started, under guard too.
 */
#include "conformance.h"

#include <inttypes.h>
#include <quern/quern.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/backends.h"

/* "quern: SUBJECT WHAT", malloc'ed; NULL when memory is exhausted. */
static char *sentence(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

static char *sentence(const char *subject, const char *format, ...)
{
    char *what = NULL, *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&what, format, arguments) < 0)
        what = NULL;
    va_end(arguments);
    if (!what || asprintf(&text, "quern: %s %s; no test was run\n", subject, what) < 0)
        text = NULL;
    free(what);
    return text;
}

/* subject: who may crash; when: "while it starts". */
static int guard(const char *subject, const char *when, uint64_t seconds)
{
    quern_cli_guard_texts *texts = calloc(1, sizeof *texts);
    if (texts) {
        texts->crash_error = sentence(subject, "crashed with " QUERN_CLI_GUARD_SIGNAL " %s", when);
        texts->hang_error = sentence(subject, "hangs %s: %" PRIu64 " seconds have passed", when, seconds);
        texts->exit_error = sentence(subject, "called exit() %s", when);
        texts->end_error = sentence(subject, "was ended by " QUERN_CLI_GUARD_SIGNAL " %s", when);
    }
    if (texts && texts->crash_error && texts->hang_error && texts->exit_error && texts->end_error)
        return quern_cli_guard_begin(texts, seconds);
    quern_cli_guard_texts_free(texts);
    quern_cli_error("no memory to watch over %s", subject);
    return QUERN_CLI_WRONG;
}

static int load(const char *path, uint64_t seconds)
{
    char *subject = NULL;
    if (asprintf(&subject, "the plug-in '%s'", path) < 0) {
        quern_cli_error("no memory to load '%s'", path);
        return QUERN_CLI_WRONG;
    }
    int status = guard(subject, "while it is loaded", seconds);
    free(subject);
    if (status)
        return status;
    if (quern_backend_load(path)) {
        quern_cli_library_error(NULL, quern_last_error());
        status = QUERN_CLI_WRONG;
    }
    quern_cli_guard_end();
    return status;
}

static int start(size_t index, uint64_t seconds)
{
    char subject[64];
    snprintf(subject, sizeof subject, "backend %s", quern_backends_at(index)->table->name);
    int status = guard(subject, "while it starts", seconds);
    if (status)
        return status;
    (void)quern_backend_status(index, NULL, NULL, NULL);
    quern_cli_guard_end();
    return QUERN_CLI_RIGHT;
}

int quern_cli_conformance_start(const quern_cli_conformance_options *options)
{
    int status = QUERN_CLI_RIGHT;
    for (size_t i = 0; !status && i < options->plugins.count; ++i)
        status = load(options->plugins.paths[i], options->timeout);
    size_t count = quern_backends_count();
    for (size_t i = 0; !status && i < count; ++i)
        status = start(i, options->timeout);
    return status;
}
