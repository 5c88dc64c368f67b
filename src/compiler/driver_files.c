/* Files and directories as the compiler needs them. */
#include "driver_files.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *quern_path(const char *format, ...)
{
    va_list arguments;
    char *path;
    va_start(arguments, format);
    int length = vasprintf(&path, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : path;
}

const char *quern_temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

/* ---- files ---- */

static int read_open_file(int file, quern_text *text)
{
    char bytes[16384];
    ssize_t size;
    while ((size = read(file, bytes, sizeof bytes)) != 0) {
        if (size > 0)
            quern_text_add_bytes(text, bytes, (size_t)size);
        else if (errno != EINTR)
            return errno;
        if (text->failed)
            return ENOMEM;
    }
    return 0;
}

int quern_file_try_read(const char *path, quern_text *text)
{
    /* A pipe in the place of a file would be waited for, for ever. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return errno;
    struct stat facts;
    int error = fstat(file, &facts) != 0                           ? errno
                : S_ISREG(facts.st_mode) || S_ISCHR(facts.st_mode) ? 0
                : S_ISDIR(facts.st_mode)                           ? EISDIR
                                                                   : EINVAL;
    if (!error)
        error = read_open_file(file, text);
    close(file);
    return error;
}

quern_status quern_file_read(const char *path, quern_text *text)
{
    int error = quern_file_try_read(path, text);
    if (error == ENOMEM)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is read", path);
    if (error)
        return quern_fail(QUERN_FILE_ERROR, "cannot read '%s': %s", path, strerror(error));
    return QUERN_SUCCESS;
}

static int write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR)
            return errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

quern_status quern_file_write(const char *path, const void *bytes, size_t size, int synchronise)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), error = errno;
    if (file < 0)
        return quern_fail(QUERN_FILE_ERROR, "cannot write '%s': %s", path, strerror(error));
    error = write_all(file, bytes, size);
    if (!error && synchronise && fsync(file) != 0)
        error = errno;
    if (close(file) != 0 && !error)
        error = errno;
    if (!error)
        return QUERN_SUCCESS;
    unlink(path);
    return quern_fail(QUERN_FILE_ERROR, "cannot write '%s': %s", path, strerror(error));
}

/* ---- directories ---- */

static int make_one(const char *path, unsigned mode)
{
    struct stat info;
    if (mkdir(path, (mode_t)mode) == 0)
        return 0;
    int error = errno;
    /* On some file systems mkdir of an existing directory fails with something else than EEXIST. */
    if (stat(path, &info) == 0)
        return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    return error;
}

quern_status quern_directory_make(const char *path, unsigned mode)
{
    char *copy = quern_path("%s", path);
    int error = 0;
    if (!copy)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while directory '%s' is made", path);
    for (char *slash = copy + 1; *copy && !error && (slash = strchr(slash, '/')) != NULL; ++slash) {
        *slash = '\0';
        error = make_one(copy, mode);
        *slash = '/';
    }
    if (!error)
        error = make_one(copy, mode);
    free(copy);
    if (error)
        return quern_fail(QUERN_FILE_ERROR, "cannot make directory '%s': %s", path, strerror(error));
    return QUERN_SUCCESS;
}

quern_status quern_directory_make_private(const char *parent, const char *name, char **path)
{
    *path = quern_path("%s/%sXXXXXX", parent, name);
    if (!*path)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while a directory in '%s' is made", parent);
    if (mkdtemp(*path))
        return QUERN_SUCCESS;
    int error = errno;
    free(*path);
    *path = NULL;
    return quern_fail(QUERN_FILE_ERROR, "cannot write in directory '%s': %s", parent, strerror(error));
}

/* Removes what the directory holds. It never follows a link. */
static void empty(int directory)
{
    DIR *stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(stream), entry->d_name, 0) == 0)
            continue;
        int inner = openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner >= 0)
            empty(inner);
        unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR);
    }
    closedir(stream);
}

void quern_directory_remove(const char *path)
{
    int directory = path ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (directory < 0)
        return;
    empty(directory);
    rmdir(path);
}
