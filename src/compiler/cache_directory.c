/* Where the cache is, and the public headers in it. */
#include "cache.h"

#include "base/error.h"
#include "cache_hash.h"
#include "driver_files.h"
#include "embedded.h"
#include "private_directory.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the directory ---- */

/* As the environment has it. */
static quern_status choose_directory(char **chosen)
{
    const char *own = getenv("QUERN_CACHE_DIR"), *shared = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && *own)
        *chosen = quern_path("%s", own);
    else if (shared && shared[0] == '/') /* the XDG specification has relative ones ignored */
        *chosen = quern_path("%s/quern", shared);
    else if (home && *home)
        *chosen = quern_path("%s/.cache/quern", home);
    else
        return quern_fail(QUERN_FILE_ERROR,
                          "there is no cache directory: none of QUERN_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    return *chosen ? QUERN_SUCCESS : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the path of the cache directory");
}

/* Code is loaded from there, so nobody else may put any in. */
static quern_status check_directory(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return quern_fail(QUERN_FILE_ERROR, "the cache directory '%s' cannot be used: %s", path, strerror(errno));
    if (info.st_uid != geteuid())
        return quern_fail(QUERN_FILE_ERROR,
                          "the cache directory '%s' belongs to another user; set QUERN_CACHE_DIR to one of your own",
                          path);
    if (info.st_mode & (S_IWGRP | S_IWOTH))
        return quern_fail(QUERN_FILE_ERROR,
                          "the cache directory '%s' can be written by %s; make it private (chmod go-w) or set "
                          "QUERN_CACHE_DIR to another one",
                          path, info.st_mode & S_IWOTH ? "everybody" : "its group");
    if (access(path, R_OK | W_OK | X_OK) != 0)
        return quern_fail(QUERN_FILE_ERROR,
                          "the cache directory '%s' cannot be written: %s; set QUERN_CACHE_DIR to another one", path,
                          strerror(errno));
    return QUERN_SUCCESS;
}

quern_status quern_cache_directory(char **path)
{
    *path = NULL;
    char *chosen;
    quern_status status = choose_directory(&chosen);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_directory_make(chosen, 0700);
    if (status != QUERN_SUCCESS) {
        char *reason = quern_path("%s", quern_last_error());
        quern_fail(status, "the cache cannot be written: %s; set QUERN_CACHE_DIR to another directory",
                   reason ? reason : chosen);
        free(reason);
    } else {
        status = check_directory(chosen);
    }
    if (status == QUERN_SUCCESS && !(*path = realpath(chosen, NULL)))
        status = quern_fail(errno == ENOMEM ? QUERN_OUT_OF_MEMORY : QUERN_FILE_ERROR,
                            "the cache directory '%s' cannot be used: %s", chosen, strerror(errno));
    free(chosen);
    return status;
}

static int holds_one(const char *text, const int *errors, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (strstr(text, strerror(errors[i])))
            return 1;
    return 0;
}

/* 1 when a compiler's log says that a file could not be written. */
static int is_about_room(const char *log)
{
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG, EROFS, EACCES};
    return holds_one(log, errors, sizeof errors / sizeof *errors);
}

int quern_cache_is_full(quern_status status)
{
    static const int errors[] = {ENOSPC, EDQUOT, EFBIG};
    return (status == QUERN_FILE_ERROR || status == QUERN_COMPILE_FAILED) &&
           holds_one(quern_last_error(), errors, sizeof errors / sizeof *errors);
}

quern_status quern_cache_explain(quern_status status, const char *directory)
{
    const char *sentence = quern_last_error();
    if (!strstr(sentence, directory) || strstr(sentence, "QUERN_CACHE_DIR"))
        return status;
    if (status == QUERN_FILE_ERROR)
        return quern_fail(status,
                          "the cache directory '%s' cannot be used: %s; set QUERN_CACHE_DIR to another directory",
                          directory, sentence);
    if (status == QUERN_COMPILE_FAILED && is_about_room(sentence))
        return quern_fail(status,
                          "%s%sthe compiler wrote into the cache directory '%s'; set QUERN_CACHE_DIR to another one",
                          sentence, sentence[strlen(sentence) - 1] == '\n' ? "" : "\n", directory);
    return status;
}

void quern_cache_sweep(const char *directory)
{
    quern_private_directories_sweep(directory, QUERN_CACHE_WORK);
    quern_lock_files_sweep(directory, ".lock");
}

/* ---- the headers ---- */

static char headers_digits[33];

static void hash_headers(void)
{
    quern_hash hash = {0, 0};
    for (const quern_embedded_header *header = quern_embedded_headers; header->name; ++header) {
        quern_hash name = quern_hash_bytes(header->name, strlen(header->name));
        quern_hash text = quern_hash_bytes(header->text, header->size);
        uint64_t parts[6] = {hash.high, hash.low, name.high, name.low, text.high, text.low};
        hash = quern_hash_bytes(parts, sizeof parts);
    }
    quern_hash_digits(hash, headers_digits);
}

void quern_cache_headers_digits(char digits[33])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hash_headers);
    memcpy(digits, headers_digits, 33);
}

static quern_status write_header(const char *directory, const quern_embedded_header *header)
{
    char *path = quern_path("%s/%s", directory, header->name);
    if (!path)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the headers are written");
    char *slash = strrchr(path, '/');
    *slash = '\0';
    quern_status status = quern_directory_make(path, 0700);
    *slash = '/';
    if (status == QUERN_SUCCESS)
        status = quern_file_write(path, header->text, header->size, 0);
    free(path);
    return status;
}

quern_status quern_cache_write_headers(const char *path)
{
    quern_status status = QUERN_SUCCESS;
    for (const quern_embedded_header *header = quern_embedded_headers; header->name && status == QUERN_SUCCESS;
         ++header)
        status = write_header(path, header);
    return status;
}

/* 1 when every header lies there as it should. */
static int headers_are_sound(const char *directory)
{
    int sound = 1;
    for (const quern_embedded_header *header = quern_embedded_headers; header->name && sound; ++header) {
        quern_text text = {0};
        char *path = quern_path("%s/%s", directory, header->name);
        sound = path && quern_file_try_read(path, &text) == 0 && text.length == header->size &&
                memcmp(quern_text_string(&text), header->text, header->size) == 0;
        free(path);
        quern_text_free(&text);
    }
    return sound;
}

/* What lies at path is spoilt; it may be in use, so it is moved away before it is removed. */
static quern_status replace_headers(const char *directory, const char *aside, const char *path)
{
    quern_private_directory away = {0};
    quern_status status = quern_private_directory_make(directory, QUERN_CACHE_WORK, &away);
    if (status != QUERN_SUCCESS)
        return status;
    char *spoilt = quern_path("%s/spoilt", away.path);
    if (!spoilt)
        status = quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the headers are written");
    else if ((rename(path, spoilt) != 0 || rename(aside, path) != 0) && !headers_are_sound(path))
        status = quern_fail(QUERN_FILE_ERROR, "cannot write '%s' in the cache: %s", path, strerror(errno));
    free(spoilt);
    quern_private_directory_remove(&away);
    return status;
}

/* Writes the headers aside and gives them their name. Another process may do the same: whoever comes second finds them
 * there. */
static quern_status make_headers(const char *directory, const char *path)
{
    quern_private_directory aside = {0};
    quern_status status = quern_private_directory_make(directory, QUERN_CACHE_WORK, &aside);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_cache_write_headers(aside.path);
    if (status == QUERN_SUCCESS && rename(aside.path, path) != 0 && !headers_are_sound(path))
        status = replace_headers(directory, aside.path, path);
    quern_private_directory_remove(&aside);
    return status;
}

quern_status quern_cache_headers(const char *directory, char **path)
{
    char digits[33];
    quern_cache_headers_digits(digits);
    *path = quern_path("%s/include-%s", directory, digits);
    if (!*path)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the cache is searched");
    if (headers_are_sound(*path))
        return QUERN_SUCCESS;
    quern_status status = make_headers(directory, *path);
    if (status != QUERN_SUCCESS) {
        free(*path);
        *path = NULL;
    }
    return status;
}
