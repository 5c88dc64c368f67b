/*
 * The cache of what a backend's own compiler made: host->cache_load and host->cache_store of <quern/backend.h>.
 *
 * It lies in the same private directory as the compiled kernel files (cache.h). An entry is one file, HASH.bin, named
 * by the hash of its key; it holds the whole key and a checksum of the data, so that an entry that is cut short,
 * overwritten, or another key's is noticed, whoever spoilt it.
 */
#ifndef QUERN_COMPILER_CACHE_BINARY_H
#define QUERN_COMPILER_CACHE_BINARY_H

#include <quern/status.h>
#include <stddef.h>

/* The data of the entry of exactly this key, malloc'ed. NOT_FOUND when there is no sound one, for whatever reason;
 * INVALID_ARGUMENT for a NULL or an empty key. */
quern_status quern_cache_binary_load(const char *key, size_t key_size, void **data, size_t *size);

/* Makes or replaces the entry. FILE_ERROR or OUT_OF_MEMORY when that cannot be: nothing is changed then, and nothing is
 * broken; INVALID_ARGUMENT for a NULL or an empty key, or NULL data of some size. */
quern_status quern_cache_binary_store(const char *key, size_t key_size, const void *data, size_t size);

#endif
