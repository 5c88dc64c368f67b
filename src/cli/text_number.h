/* A scalar from text; used by the brace lists of text_struct.c. */
#ifndef QUERN_CLI_TEXT_NUMBER_H
#define QUERN_CLI_TEXT_NUMBER_H

#include <quern/type.h>

/* As quern_cli_parse_value, for a type that is no struct. */
quern_status quern_cli_parse_scalar(const char *what, const char *text, quern_type type, void *value);

#endif
