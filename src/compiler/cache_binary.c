/* Binaries in the cache: finding a sound one, and storing one. */
#include "cache_binary.h"

#include "base/error.h"
#include "cache.h"
#include "cache_hash.h"
#include "driver_files.h"
#include "private_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What an entry begins with; the key and the data follow. No padding: it is compared as bytes. */
typedef struct entry_head {
    char magic[16];
    uint64_t key_size, size;
    quern_hash checksum; /* of the data */
} entry_head;

static entry_head make_head(size_t key_size, const void *data, size_t size)
{
    entry_head head = {"quern binary 1\n", key_size, size, quern_hash_bytes(data, size)};
    return head;
}

static quern_status check_key(const char *key, size_t key_size)
{
    if (!key || key_size == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "key is %s, wanted a text", key ? "empty" : "NULL");
    return QUERN_SUCCESS;
}

/* The path of the key's entry; NULL when memory is exhausted. */
static char *entry_path(const char *directory, const char *key, size_t key_size)
{
    char digits[33];
    quern_hash_digits(quern_hash_bytes(key, key_size), digits);
    return quern_path("%s/%s.bin", directory, digits);
}

/* ---- loading ---- */

/* Opens a regular file of the user's own that nobody else may write, and says how long it is; -1 for anything else. */
static int open_own(const char *path, size_t *size)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a pipe would wait for its other end */
    if (file < 0)
        return -1;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) || info.st_size < 0) {
        close(file);
        return -1;
    }
    *size = (size_t)info.st_size;
    return file;
}

/* 1 when so many bytes were there. */
static int read_all(int file, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        ssize_t got = read(file, at, size);
        if (got == 0 || (got < 0 && errno != EINTR))
            return 0;
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        }
    }
    return 1;
}

/* 1 when the open file is the key's entry and sound. *data is then malloc'ed. */
static int read_entry(int file, size_t file_size, const char *key, size_t key_size, void **data, size_t *size)
{
    entry_head found, wanted;
    if (file_size < sizeof found || file_size - sizeof found < key_size)
        return 0;
    size_t length = file_size - sizeof found;
    *size = length - key_size;
    /* The head first: a file that somebody made huge is not read. */
    if (!read_all(file, &found, sizeof found) || found.key_size != key_size || found.size != *size)
        return 0;
    char *bytes = malloc(length);
    int sound = bytes && read_all(file, bytes, length) && memcmp(bytes, key, key_size) == 0;
    if (sound) {
        memmove(bytes, bytes + key_size, *size);
        wanted = make_head(key_size, bytes, *size);
        sound = memcmp(&found, &wanted, sizeof found) == 0;
    }
    if (!sound) {
        free(bytes);
        return 0;
    }
    *data = bytes;
    return 1;
}

quern_status quern_cache_binary_load(const char *key, size_t key_size, void **data, size_t *size)
{
    quern_status status = check_key(key, key_size);
    if (status != QUERN_SUCCESS)
        return status;
    if (!data || !size)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is NULL, wanted a place for the result", data ? "size" : "data");
    char *directory = NULL;
    if (quern_cache_directory(&directory) != QUERN_SUCCESS)
        return QUERN_NOT_FOUND; /* its sentence says why */
    char *path = entry_path(directory, key, key_size);
    size_t file_size = 0;
    int file = path ? open_own(path, &file_size) : -1, sound = 0;
    if (file >= 0) {
        sound = read_entry(file, file_size, key, key_size, data, size);
        close(file);
    }
    free(path);
    free(directory);
    return sound ? QUERN_SUCCESS : quern_fail(QUERN_NOT_FOUND, "the cache has no sound entry of this key");
}

/* ---- storing ---- */

static quern_status write_entry(const char *path, const char *key, size_t key_size, const void *data, size_t size)
{
    entry_head head = make_head(key_size, data, size);
    quern_text text = {0};
    quern_text_add_bytes(&text, &head, sizeof head);
    quern_text_add_bytes(&text, key, key_size);
    quern_text_add_bytes(&text, data, size);
    quern_status status = text.failed
                              ? quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the cache is written")
                              : quern_file_write(path, text.data, text.length, 0);
    quern_text_free(&text);
    return status == QUERN_SUCCESS ? quern_cache_settle(path) : status;
}

/* Written in a private directory, which whoever comes next sweeps away when this process is killed meanwhile. */
static quern_status store(const char *directory, const char *key, size_t key_size, const void *data, size_t size)
{
    quern_private_directory work = {0};
    quern_cache_sweep(directory);
    quern_status status = quern_private_directory_make(directory, QUERN_CACHE_WORK, &work);
    if (status != QUERN_SUCCESS)
        return status;
    char *aside = quern_path("%s/entry.bin", work.path), *path = entry_path(directory, key, key_size);
    if (aside && path)
        status = write_entry(aside, key, key_size, data, size);
    else
        status = quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the cache is written");
    if (status == QUERN_SUCCESS)
        status = quern_cache_move(aside, path);
    free(aside);
    free(path);
    quern_private_directory_remove(&work);
    return status;
}

quern_status quern_cache_binary_store(const char *key, size_t key_size, const void *data, size_t size)
{
    quern_status status = check_key(key, key_size);
    if (status != QUERN_SUCCESS)
        return status;
    if (!data && size)
        return quern_fail(QUERN_INVALID_ARGUMENT, "data is NULL, wanted %zu bytes", size);
    char *directory = NULL;
    status = quern_cache_directory(&directory);
    if (status == QUERN_SUCCESS)
        status = store(directory, key, key_size, data, size);
    if (status != QUERN_SUCCESS && directory)
        status = quern_cache_explain(status, directory);
    free(directory);
    return status;
}
