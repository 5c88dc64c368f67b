/* Reading and writing .npy files. */
#include "npy.h"
#include "interrupt.h"
#include "npy_header.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error ".npy data are read and written as they lie in memory, which has to be little endian"
#endif

enum {
    MAGIC_BYTES = 8,          /* "\x93NUMPY" and the two bytes of the version */
    LONGEST_HEADER = 1 << 20, /* what Quern reads never needs more than a few hundred bytes */
    WRITTEN_ALIGNMENT = 64    /* the data of a written file begin at a multiple of this */
};

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

static quern_status system_failure(const char *path, const char *verb)
{
    return quern_fail(QUERN_FILE_ERROR, "%s: cannot be %s: %s", path, verb, strerror(errno));
}

/* Reads size bytes, or says that the file ends before. part names what is read. */
static quern_status read_bytes(FILE *file, const char *path, const char *part, void *bytes, size_t size)
{
    errno = 0;
    size_t got = fread(bytes, 1, size, file);
    if (got == size)
        return QUERN_SUCCESS;
    if (ferror(file))
        return system_failure(path, "read");
    return quern_fail(QUERN_FILE_ERROR, "%s: the file is cut short: it ends %zu bytes into %s of %zu bytes", path, got,
                      part, size);
}

/* The header's length, after the magic bytes and the version. *before counts the bytes that lie before the header. */
static quern_status read_header_length(FILE *file, const char *path, size_t *length, size_t *before)
{
    unsigned char start[MAGIC_BYTES];
    quern_status status = read_bytes(file, path, "its first part", start, sizeof start);
    if (status)
        return status;
    if (memcmp(start, magic, sizeof magic) != 0)
        return quern_fail(QUERN_FILE_ERROR, "%s: this is no .npy file (its first bytes are others)", path);
    unsigned major = start[6], minor = start[7];
    if (major < 1 || major > 3 || minor != 0)
        return quern_fail(QUERN_FILE_ERROR, "%s: version %u.%u of .npy is not known; 1.0, 2.0 and 3.0 are", path, major,
                          minor);
    unsigned char field[4] = {0, 0, 0, 0};
    size_t field_size = major == 1 ? 2 : 4;
    status = read_bytes(file, path, "the header's length", field, field_size);
    *length = field[0] | (size_t)field[1] << 8 | (size_t)field[2] << 16 | (size_t)field[3] << 24;
    *before = MAGIC_BYTES + field_size;
    return status;
}

/* file_size is what the file system says, or -1 where it does not know (a pipe). */
static quern_status read_header(FILE *file, const char *path, int64_t file_size, quern_cli_array *array,
                                size_t *data_begin)
{
    size_t length = 0, before = 0;
    quern_status status = read_header_length(file, path, &length, &before);
    if (status)
        return status;
    if (file_size >= 0 && length > (uint64_t)file_size - before)
        return quern_fail(QUERN_FILE_ERROR, "%s: the header is said to have %zu bytes, and the file has only %lld more",
                          path, length, (long long)file_size - (long long)before);
    if (length > LONGEST_HEADER)
        return quern_fail(QUERN_FILE_ERROR, "%s: a header of %zu bytes is longer than any of an array that Quern reads",
                          path, length);
    char *text = malloc(length + 1);
    if (!text)
        return quern_fail(QUERN_OUT_OF_MEMORY, "%s: no memory for the header's %zu bytes", path, length);
    status = read_bytes(file, path, "a header", text, length);
    if (!status)
        status = quern_npy_header_parse(path, text, length, &array->type, &array->extents);
    free(text);
    *data_begin = before + length;
    return status;
}

/* The bytes of the elements, every product checked. */
static quern_status data_size(const char *path, const quern_cli_array *array, size_t *size)
{
    size_t count;
    if (quern_extents_count(array->extents, &count) ||
        quern_multiply_overflows(count, (size_t)array->type.size, size) || *size > PTRDIFF_MAX)
        return quern_fail(QUERN_FILE_ERROR, "%s: the bytes of the array's shape do not fit 63 bits", path);
    return QUERN_SUCCESS;
}

static quern_status check_end(FILE *file, const char *path, size_t size)
{
    if (fgetc(file) != EOF)
        return quern_fail(QUERN_FILE_ERROR, "%s: something follows after the array's %zu bytes", path, size);
    return ferror(file) ? system_failure(path, "read") : QUERN_SUCCESS;
}

static quern_status read_data(FILE *file, const char *path, int64_t file_size, size_t data_begin,
                              quern_cli_array *array)
{
    size_t size = 0;
    quern_status status = data_size(path, array, &size);
    if (status)
        return status;
    /* Before any memory is asked for: a few bytes of header must not cost the machine's memory. */
    if (file_size >= 0 && size > (uint64_t)file_size - data_begin)
        return quern_fail(QUERN_FILE_ERROR, "%s: the file is cut short: the array has %zu bytes, the file holds %lld",
                          path, size, (long long)file_size - (long long)data_begin);
    array->data = malloc(size > 0 ? size : 1);
    if (!array->data)
        return quern_fail(QUERN_OUT_OF_MEMORY, "%s: no memory for the array's %zu bytes", path, size);
    status = read_bytes(file, path, "an array", array->data, size);
    return status ? status : check_end(file, path, size);
}

quern_status quern_npy_read(const char *path, quern_cli_array *array)
{
    memset(array, 0, sizeof *array);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return system_failure(path, "read");
    struct stat info;
    int64_t file_size = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_size : -1;
    size_t data_begin = 0;
    quern_status status = read_header(file, path, file_size, array, &data_begin);
    if (!status)
        status = read_data(file, path, file_size, data_begin, array);
    fclose(file);
    if (status) {
        free(array->data);
        memset(array, 0, sizeof *array);
    }
    return status;
}

/* The magic bytes, the version, the length and the header, padded with blanks. */
static quern_status write_array(FILE *file, const char *path, const quern_cli_array *array)
{
    char text[QUERN_NPY_HEADER_TEXT];
    size_t size = 0;
    quern_status status = quern_npy_header_format(array->type, array->extents, text);
    if (!status)
        status = data_size(path, array, &size);
    if (status)
        return status;
    size_t before = MAGIC_BYTES + 2, length = strlen(text) + 1;
    length += (WRITTEN_ALIGNMENT - (before + length) % WRITTEN_ALIGNMENT) % WRITTEN_ALIGNMENT;
    const unsigned char version_and_length[4] = {1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
    fwrite(magic, 1, sizeof magic, file);
    fwrite(version_and_length, 1, sizeof version_and_length, file);
    fprintf(file, "%-*s\n", (int)length - 1, text);
    if (size > 0)
        fwrite(array->data, 1, size, file);
    return ferror(file) ? system_failure(path, "written") : QUERN_SUCCESS;
}

/* Writes to a file that stays what it is: a pipe, a terminal, /dev/null. */
static quern_status write_directly(const char *path, const quern_cli_array *array)
{
    FILE *file = fopen(path, "wbe");
    if (!file)
        return system_failure(path, "written");
    quern_status status = write_array(file, path, array);
    if (fclose(file) != 0 && !status)
        status = system_failure(path, "written");
    return status;
}

/* The permissions that a new file would get; asking for the mask means setting it for a moment. */
static mode_t new_file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Everything on the disk under the aside name, with the mode, before the rename. */
static quern_status write_aside(int descriptor, const char *path, mode_t mode, const quern_cli_array *array)
{
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        quern_status status = system_failure(path, "written");
        close(descriptor);
        return status;
    }
    quern_status status = write_array(file, path, array);
    if (!status && (fflush(file) != 0 || fchmod(descriptor, mode) != 0 || fsync(descriptor) != 0))
        status = system_failure(path, "written");
    if (fclose(file) != 0 && !status)
        status = system_failure(path, "written");
    return status;
}

static quern_status write_and_rename(const char *path, mode_t mode, const quern_cli_array *array)
{
    /* In the same directory, or the rename would not be one; the name is short whatever the file's own is. */
    static const char name[] = ".quern-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash - path) + 1 : 0;
    char *aside = malloc(directory + sizeof name);
    if (!aside)
        return quern_fail(QUERN_OUT_OF_MEMORY, "%s: no memory for a file name", path);
    memcpy(aside, path, directory);
    memcpy(aside + directory, name, sizeof name);
    quern_status status;
    int descriptor = mkostemp(aside, O_CLOEXEC);
    if (descriptor < 0) {
        status = system_failure(path, "written");
        free(aside);
        return status;
    }
    quern_cli_interrupts_remove(aside);
    status = write_aside(descriptor, path, mode, array);
    if (!status && rename(aside, path) != 0)
        status = system_failure(path, "written");
    if (status)
        unlink(aside);
    quern_cli_interrupts_remove(NULL);
    free(aside);
    return status;
}

quern_status quern_npy_write(const char *path, const quern_cli_array *array)
{
    struct stat info;
    char text[QUERN_NPY_HEADER_TEXT];
    quern_status status = quern_npy_header_format(array->type, array->extents, text);
    if (status)
        return status;
    if (stat(path, &info) != 0)
        return write_and_rename(path, new_file_mode(), array);
    if (!S_ISREG(info.st_mode))
        return write_directly(path, array);
    /* Through a symbolic link: the link stays, the file that it names is replaced. */
    char *target = realpath(path, NULL);
    if (!target)
        return system_failure(path, "written");
    status = write_and_rename(target, info.st_mode & 07777, array);
    free(target);
    return status;
}
