/*
 * .npy files: NumPy's format for one array.
 *
 * Source: numpy.lib.format, "Format Version 1.0" to "3.0". Read are versions 1 to 3, little endian, C order, integers
 * of 8 to 64 bits and floats of 32 and 64; everything else is refused by its name. Written is version 1.0.
 */
#ifndef QUERN_CLI_NPY_H
#define QUERN_CLI_NPY_H

#include "array.h"

/* Reads a whole file; NumPy's shape () is rank 0. FILE_ERROR with a sentence that names the file and what is wrong with
 * it; OUT_OF_MEMORY. On failure *array is empty. */
quern_status quern_npy_read(const char *path, quern_cli_array *array);

/*
 * Writes the array to path. A regular file is written aside and renamed, so that path holds the old contents or the new
 * ones, whole; a pipe or a device is written to directly. FILE_ERROR; INVALID_TYPE for elements that the format has no
 * name for here (structs).
 */
quern_status quern_npy_write(const char *path, const quern_cli_array *array);

#endif
