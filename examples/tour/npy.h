/* The elevation model as it comes: a .npy file of 16-bit integers. */
#ifndef TOUR_NPY_H
#define TOUR_NPY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a 2-d array of little-endian int16 as numpy.save writes it. *values holds rows × columns numbers and is to be
 * freed. Gives 0; or -1 when the file cannot be read or is not such a file, after a line on stderr that says why.
 */
int npy_read_int16(const char *path, size_t *rows, size_t *columns, int16_t **values);

#endif
