/* Reads one kind of .npy file. Source: numpy.lib.format, "Format Version 1.0". */
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of rows and of columns. */
#define LIMIT 65536

static int refuse(const char *path, const char *why)
{
    fprintf(stderr, "quern-tour: %s: %s\n", path, why);
    return -1;
}

/* The magic bytes, the version, and a Python dictionary of that length. */
static int read_header(FILE *file, const char *path, size_t *rows, size_t *columns)
{
    unsigned char prefix[10];
    char header[65536], end = 0;
    int fields;

    if (fread(prefix, 1, sizeof prefix, file) != sizeof prefix || memcmp(prefix, "\x93NUMPY", 6) != 0)
        return refuse(path, "not a .npy file");
    if (prefix[6] != 1)
        return refuse(path, "not a .npy file of version 1.0");
    size_t length = prefix[8] + 256u * prefix[9];
    if (fread(header, 1, length, file) != length)
        return refuse(path, "ends within its header");
    header[length] = '\0';
    fields = sscanf(header, "{'descr': '<i2', 'fortran_order': False, 'shape': (%5zu, %5zu), %c", rows, columns, &end);
    if (fields != 3 || end != '}')
        return refuse(path, "not a 2-d array of little-endian 16-bit integers in C order");
    if (*rows < 1 || *columns < 1 || *rows > LIMIT || *columns > LIMIT)
        return refuse(path, "too small or too large");
    return 0;
}

static int read_file(FILE *file, const char *path, size_t *rows, size_t *columns, int16_t **values)
{
    unsigned char *bytes;
    size_t count;

    if (read_header(file, path, rows, columns) != 0)
        return -1;
    count = *rows * *columns;
    *values = malloc(2 * count);
    if (!*values)
        return refuse(path, "no memory for it");
    bytes = (unsigned char *)*values;
    if (fread(bytes, 2, count, file) != count)
        return refuse(path, "ends before its last element");
    if (fgetc(file) != EOF)
        return refuse(path, "goes on after its last element");
    for (size_t i = 0; i < count; ++i) /* whatever the byte order of this machine */
        (*values)[i] = (int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8);
    return 0;
}

int npy_read_int16(const char *path, size_t *rows, size_t *columns, int16_t **values)
{
    FILE *file = fopen(path, "rb");
    int result;

    *values = NULL;
    if (!file)
        return refuse(path, "cannot be opened");
    result = read_file(file, path, rows, columns, values);
    fclose(file);
    if (result != 0) {
        free(*values);
        *values = NULL;
    }
    return result;
}
