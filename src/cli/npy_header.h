/* The header of a .npy file: a Python dictionary as text. */
#ifndef QUERN_CLI_NPY_HEADER_H
#define QUERN_CLI_NPY_HEADER_H

#include <quern/layout.h>

/* Reads the dictionary, length bytes of text. FILE_ERROR, whose sentence begins with path. */
quern_status quern_npy_header_parse(const char *path, const char *text, size_t length, quern_type *type,
                                    quern_extents *extents);

/* Writes the dictionary for the type and extents, without padding; text takes QUERN_NPY_HEADER_TEXT bytes.
 * INVALID_TYPE for a type without a name in the format. */
enum { QUERN_NPY_HEADER_TEXT = 256 };
quern_status quern_npy_header_format(quern_type type, quern_extents extents, char *text);

#endif
