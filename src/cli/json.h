/* JSON on stdout, for programs. */
#ifndef QUERN_CLI_JSON_H
#define QUERN_CLI_JSON_H

#include <quern/status.h>

#ifdef QUERN_HAVE_JANSSON
#include <jansson.h>
#else
#include "json_none.h"
#endif

/* RIGHT when this build can print JSON, else WRONG after a message. */
int quern_cli_json_check(void);

/* Text of any bytes as a JSON string: what is no UTF-8 (a file name, a compiler's message) becomes '?'. NULL text is
 * null. NULL when memory is exhausted. */
json_t *quern_cli_json_text(const char *text);

/* A status as one lower-case word: "success", "not_present". */
json_t *quern_cli_json_status(quern_status status);

/* The text that would be printed, malloc'ed, and drops the reference. NULL when memory is exhausted, and in a build
 * without JSON. */
char *quern_cli_json_dump(json_t *value);

/* Prints value, indented, with a newline, and drops the reference. NULL, which jansson gives when memory is exhausted,
 * is an error. Gives an exit status: RIGHT or WRONG. */
int quern_cli_json_print(json_t *value);

#endif
