/* The parts of a command line that are numbers: extents, counts, values of a parameter's type. */
#ifndef QUERN_CLI_TEXT_H
#define QUERN_CLI_TEXT_H

#include <quern/layout.h>
#include <quern/program.h>

/*
 * Extents, slowest first, one to most numbers joined by separator: "344x403" with 'x', "4,64" with ','.
 * INVALID_ARGUMENT for anything else, INVALID_SHAPE for more, OVERFLOW when their product passes 2^63 - 1; what names
 * the text in the sentence.
 */
quern_status quern_cli_parse_extents(const char *what, const char *text, char separator, uint32_t most,
                                     quern_extents *extents);

/* Offsets, slowest first, rank whole numbers joined by ',': "1,-1". INVALID_ARGUMENT otherwise. */
quern_status quern_cli_parse_offsets(const char *what, const char *text, uint32_t rank, ptrdiff_t *offsets);

/* Extents as text, "344x403"; "one element" for rank 0. The text is of the caller's, QUERN_CLI_EXTENTS_TEXT bytes. */
enum { QUERN_CLI_EXTENTS_TEXT = 21 * QUERN_MAX_RANK + 16 };
const char *quern_cli_extents_text(quern_extents extents, char separator, char *text);

/* A whole number from 0 (or, with at_least, more) to most, decimal or 0x…. INVALID_ARGUMENT otherwise. */
quern_status quern_cli_parse_count(const char *what, const char *text, uint64_t at_least, uint64_t most,
                                   uint64_t *count);

/*
 * A value of the type from text: a number, or for a struct a brace list in declaration order ({1,2.5}; nested braces
 * for nested structs and arrays). Checked: a whole number for integers, nothing that does not fit, nothing left over.
 * Floating types take hexadecimal, inf and nan too. type.size bytes are written, padding as 0. what names the
 * parameter in the sentence.
 */
quern_status quern_cli_parse_value(const char *what, const char *text, quern_type type, const quern_field *fields,
                                   void *value);

#endif
