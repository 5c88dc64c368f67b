/* The entries of the cache: checking, locking, storing. */
#include "cache.h"

#include "base/error.h"
#include "cache_hash.h"
#include "driver_files.h"
#include "driver_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

quern_status quern_cache_entry_open(const char *directory, const quern_text *key, quern_cache_entry *entry)
{
    char digits[33];
    quern_hash_digits(quern_hash_bytes(quern_text_string(key), key->length), digits);
    *entry = (quern_cache_entry){quern_path("%s/%s.so", directory, digits), quern_path("%s/%s.key", directory, digits),
                                 quern_path("%s/%s.lock", directory, digits), -1};
    if (entry->object && entry->key && entry->lock)
        return QUERN_SUCCESS;
    quern_cache_entry_close(entry);
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the cache is searched");
}

void quern_cache_entry_close(quern_cache_entry *entry)
{
    if (entry->lock_file >= 0) {
        /* Whoever waits for this lock looks for the entry first, so that it may go. */
        unlink(entry->lock);
        close(entry->lock_file);
    }
    free(entry->object);
    free(entry->key);
    free(entry->lock);
    *entry = (quern_cache_entry){.lock_file = -1};
}

void quern_cache_entry_lock(quern_cache_entry *entry)
{
    entry->lock_file = open(entry->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (entry->lock_file < 0)
        return;
    while (flock(entry->lock_file, LOCK_EX) != 0)
        if (errno != EINTR || quern_compile_interrupted)
            return;
}

/* A file of the user's own that nobody else may write. */
static int read_own(const char *path, quern_text *text)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)))
        return 0;
    return quern_file_try_read(path, text) == 0;
}

/* What KEY.key holds. */
static void write_record(quern_text *record, const quern_text *key, const quern_text *object)
{
    char digits[33];
    quern_hash_digits(quern_hash_bytes(quern_text_string(object), object->length), digits);
    quern_text_add(record, "quern cache entry 1\nobject %zu %s\nkey %zu\n", object->length, digits, key->length);
    quern_text_add_bytes(record, quern_text_string(key), key->length);
}

int quern_cache_entry_is_sound(const quern_cache_entry *entry, const quern_text *key)
{
    quern_text object = {0}, found = {0}, wanted = {0};
    int sound = 0;
    if (read_own(entry->key, &found) && read_own(entry->object, &object)) {
        write_record(&wanted, key, &object);
        sound = !wanted.failed && wanted.length == found.length && memcmp(wanted.data, found.data, found.length) == 0;
    }
    quern_text_free(&object);
    quern_text_free(&found);
    quern_text_free(&wanted);
    return sound;
}

quern_status quern_cache_move(const char *from, const char *to)
{
    if (rename(from, to) == 0)
        return QUERN_SUCCESS;
    /* A directory in the way is no entry of ours: away with it. */
    if (errno == EISDIR || errno == EEXIST || errno == ENOTEMPTY) {
        quern_directory_remove(to);
        if (rename(from, to) == 0)
            return QUERN_SUCCESS;
    }
    return quern_fail(QUERN_FILE_ERROR, "cannot write '%s' in the cache: %s", to, strerror(errno));
}

quern_status quern_cache_settle(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    int done = file >= 0 && fchmod(file, 0600) == 0 && fsync(file) == 0, error = errno;
    if (file >= 0)
        close(file);
    return done ? QUERN_SUCCESS : quern_fail(QUERN_FILE_ERROR, "cannot write '%s': %s", path, strerror(error));
}

quern_status quern_cache_entry_store(const quern_cache_entry *entry, const quern_text *key, const char *work,
                                     const char *object)
{
    quern_text bytes = {0}, record = {0};
    char *record_path = quern_path("%s/entry.key", work);
    quern_status status = record_path ? quern_file_read(object, &bytes) : QUERN_OUT_OF_MEMORY;
    if (status == QUERN_SUCCESS) {
        write_record(&record, key, &bytes);
        status = record.failed ? QUERN_OUT_OF_MEMORY : quern_file_write(record_path, record.data, record.length, 0);
    }
    if (status == QUERN_OUT_OF_MEMORY)
        quern_fail(status, "memory is exhausted while the cache is written");
    if (status == QUERN_SUCCESS)
        status = quern_cache_settle(object);
    if (status == QUERN_SUCCESS)
        status = quern_cache_settle(record_path);
    if (status == QUERN_SUCCESS)
        status = quern_cache_move(object, entry->object);
    if (status == QUERN_SUCCESS)
        status = quern_cache_move(record_path, entry->key);
    free(record_path);
    quern_text_free(&bytes);
    quern_text_free(&record);
    return status;
}
