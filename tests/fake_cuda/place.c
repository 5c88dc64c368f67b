/*
 * The addresses of device memory. What a program gets is an address in a reservation that nobody may touch; the bytes
 * lie in a second one, a constant distance away. So a program that follows a device pointer faults.
 *
 * Every allocation has pages of its own, an untouchable one behind them, and guard bytes on both sides. It begins at an
 * odd multiple of 256, as the driver promises no more. Addresses are taken in turn, so that a stale one stays
 * recognisable for long.
 */
#include "memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, ALIGNMENT = 256, GUARD = 64, NOISE = 0xC7, GUARD_BYTE = 0xBD };

/* Filled with noise at both ends when it is larger than twice this, else everywhere. */
#define NOISE_BYTES ((size_t)32 << 20)

static uintptr_t begin;
static size_t size, next;

/* Past the sanitizers, which would look after the whole range. */
static void *map(uintptr_t address, size_t bytes)
{
    long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0);
    return (void *)syscall(SYS_mmap, address, bytes, PROT_NONE, flags, -1, 0);
}

static int reserve(void)
{
    for (size = (size_t)128 << 30; size >= (size_t)4 << 30 && !begin; size /= 2) {
        void *place = map(0, 2 * size);
        if (place != MAP_FAILED) {
            begin = (uintptr_t)place;
            return 1;
        }
    }
    return begin != 0;
}

int fake_place_is_device(uintptr_t address)
{
    return begin && address >= begin && address < begin + size;
}

void *fake_place_host(uintptr_t address)
{
    return (void *)(address + size);
}

void fake_place_fill(void *address, size_t bytes)
{
    if (bytes <= 2 * NOISE_BYTES) {
        memset(address, NOISE, bytes);
        return;
    }
    memset(address, NOISE, NOISE_BYTES);
    memset((char *)address + bytes - NOISE_BYTES, NOISE, NOISE_BYTES);
}

/* The first byte of the allocation's pages, where the host has them. */
static char *pages_of(const struct fake_memory *memory)
{
    return (char *)((uintptr_t)fake_place_host(memory->begin) & ~(uintptr_t)(PAGE - 1));
}

/* Room that is no memory's, looked for from the last one on and then once more from the begin. */
static int find_room(size_t bytes, uintptr_t *found)
{
    for (int round = 0; round < 2; ++round, next = 0)
        while (bytes <= size && next <= size - bytes) {
            const struct fake_memory *other = fake_memory_first_from(begin + next);
            if (!other || other->begin >= begin + next + bytes || !fake_place_is_device(other->begin)) {
                *found = begin + next;
                next += bytes;
                return 1;
            }
            next = ((other->begin - begin) & ~(size_t)(PAGE - 1)) + other->page_bytes;
        }
    return 0;
}

fc_result fake_place_take(struct fake_memory *memory)
{
    size_t offset = (size_t)ALIGNMENT * (1 + 2 * (fake_random() % 8));
    size_t used = (offset + memory->bytes + GUARD + PAGE - 1) / PAGE * PAGE;
    uintptr_t found;
    if ((!begin && !reserve()) || used < memory->bytes || !find_room(used + PAGE, &found))
        return FC_ERROR_OUT_OF_MEMORY;
    char *pages = fake_place_host(found);
    if (mprotect(pages, used, PROT_READ | PROT_WRITE))
        return FC_ERROR_OUT_OF_MEMORY;
    memory->begin = found + offset;
    memory->page_bytes = used + PAGE;
    memset(pages, GUARD_BYTE, offset);
    fake_place_fill(pages + offset, memory->bytes);
    memset(pages + offset + memory->bytes, GUARD_BYTE, used - offset - memory->bytes);
    return FC_SUCCESS;
}

fc_result fake_place_check(const struct fake_memory *memory)
{
    const unsigned char *pages = (const unsigned char *)pages_of(memory);
    size_t used = memory->page_bytes - PAGE, offset = memory->begin & (PAGE - 1);
    for (size_t i = 0; i < used; i = i + 1 == offset ? offset + memory->bytes : i + 1)
        if (pages[i] != GUARD_BYTE) {
            fake_violation("byte %td of device memory of %zu bytes was written", (ptrdiff_t)i - (ptrdiff_t)offset,
                           memory->bytes);
            return FC_ERROR_ILLEGAL_ADDRESS;
        }
    return FC_SUCCESS;
}

void fake_place_give_back(struct fake_memory *memory)
{
    (void)map((uintptr_t)pages_of(memory), memory->page_bytes);
}
