/*
 * The cache of compiled kernel files.
 *
 * One private directory: QUERN_CACHE_DIR, else XDG_CACHE_HOME/quern, else HOME/.cache/quern. An entry is two files,
 * KEY.so and KEY.key; the latter holds the whole key text and what the former must be, so that an entry that is cut
 * short, overwritten, or another key's is noticed, whoever spoilt it. Files come into the directory by rename only.
 */
#ifndef QUERN_COMPILER_CACHE_H
#define QUERN_COMPILER_CACHE_H

#include "text.h"

/* Begins the names of private directories in the cache. */
#define QUERN_CACHE_WORK "build-"

/* The directory's absolute path, made if it is missing; to be freed. FILE_ERROR when there can be none. */
quern_status quern_cache_directory(char **path);

/* Passes status on, a failure of something that was done in the cache; where the calling thread's sentence names a file
 * of the cache but not the way out, it gets it. */
quern_status quern_cache_explain(quern_status status, const char *directory);

/* 1 when the status, with the calling thread's sentence, says that there is no room on the disk. */
int quern_cache_is_full(quern_status status);

/* The public headers as files, DIRECTORY/include-HASH, written or mended if need be; to be freed. */
quern_status quern_cache_headers(const char *directory, char **path);

/* The headers written into a new directory. */
quern_status quern_cache_write_headers(const char *path);

/* Removes what compilations that were killed have left there. */
void quern_cache_sweep(const char *directory);

/* A hash of all headers, as 32 digits. */
void quern_cache_headers_digits(char digits[33]);

typedef struct quern_cache_entry {
    char *object; /* path of KEY.so */
    char *key;    /* path of KEY.key */
    char *lock;   /* path of KEY.lock */
    int lock_file;
} quern_cache_entry;

/* The entry's paths. OUT_OF_MEMORY. */
quern_status quern_cache_entry_open(const char *directory, const quern_text *key, quern_cache_entry *entry);
void quern_cache_entry_close(quern_cache_entry *entry);

/* 1 when the entry is there and sound: KEY.so may be loaded. Never fails: what cannot be read is not sound. */
int quern_cache_entry_is_sound(const quern_cache_entry *entry, const quern_text *key);

/* What comes before a file of the cache gets its name: the permissions that a reader wants, and its bytes on the disk.
 * FILE_ERROR. */
quern_status quern_cache_settle(const char *path);

/* Gives a file that lies in the same file system its name in the cache, whatever lies there, a directory too.
 * FILE_ERROR. */
quern_status quern_cache_move(const char *from, const char *to);

/* Waits until no other process builds this entry. Does nothing where locks do not work: two then build it, which is
 * fine. */
void quern_cache_entry_lock(quern_cache_entry *entry);

/* Moves a shared object that lies in the same file system into the entry. work: a private directory in the cache.
 * FILE_ERROR. */
quern_status quern_cache_entry_store(const quern_cache_entry *entry, const quern_text *key, const char *work,
                                     const char *object);

#endif
