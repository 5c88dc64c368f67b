/* Handles: no addresses, so that whoever looks behind one faults, and never used again, so that a stale one is known.
 */
#include "fake.h"

#include <stdlib.h>

/* A handle is TAG, the kind, a number, and the index of its entry. No address has such high bits. */
#define TAG ((uintptr_t)0xFACE << 48)
enum { INDEX_BITS = 20, KIND_SHIFT = 44 };

static struct entry {
    void *object;
    uintptr_t handle;
    size_t next_free;
} * entries;
static size_t entry_count, free_entries /* index + 1; 0: none */;
static uintptr_t number;

static size_t new_entry(void)
{
    if (free_entries) {
        size_t index = free_entries - 1;
        free_entries = entries[index].next_free;
        return index;
    }
    if (entry_count >> INDEX_BITS)
        return SIZE_MAX;
    if ((entry_count & (entry_count - 1)) == 0) { /* it is full at every power of two */
        struct entry *more = realloc(entries, (entry_count ? 2 * entry_count : 1) * sizeof *more);
        if (!more)
            return SIZE_MAX;
        entries = more;
    }
    return entry_count++;
}

void *fake_handle_make(enum fake_kind kind, void *object)
{
    size_t index = new_entry();
    if (index == SIZE_MAX)
        return NULL;
    number = (number + 1) & (((uintptr_t)1 << (KIND_SHIFT - INDEX_BITS)) - 1);
    uintptr_t handle = TAG | (uintptr_t)kind << KIND_SHIFT | number << INDEX_BITS | index;
    entries[index] = (struct entry){object, handle, 0};
    return (void *)handle;
}

static struct entry *entry_of(const void *handle)
{
    uintptr_t value = (uintptr_t)handle;
    size_t index = value & (((size_t)1 << INDEX_BITS) - 1);
    return index < entry_count && entries[index].handle == value ? &entries[index] : NULL;
}

void *fake_handle_find(enum fake_kind kind, const void *handle)
{
    const struct entry *entry = entry_of(handle);
    return entry && (((uintptr_t)handle >> KIND_SHIFT) & 15) == (uintptr_t)kind ? entry->object : NULL;
}

void fake_handle_drop(const void *handle)
{
    struct entry *entry = entry_of(handle);
    if (!entry)
        return;
    entry->handle = 0;
    entry->object = NULL;
    entry->next_free = free_entries;
    free_entries = (size_t)(entry - entries) + 1;
}
