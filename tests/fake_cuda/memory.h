/* Where memory lies: between memory.c, which allots it, and place.c, which has it. */
#ifndef FAKE_CUDA_MEMORY_H
#define FAKE_CUDA_MEMORY_H

#include "fake.h"

/* Pages for bytes of device memory, filled with noise, guards around it: SUCCESS and *memory's begin and page_bytes. */
fc_result fake_place_take(struct fake_memory *memory);
void fake_place_give_back(struct fake_memory *memory);
/* ILLEGAL_ADDRESS, and a violation, when guards were overwritten. */
fc_result fake_place_check(const struct fake_memory *memory);
/* From an address of device memory to the one where the host has it. */
void *fake_place_host(uintptr_t address);
/* 1 for an address that device memory could have. */
int fake_place_is_device(uintptr_t address);
/* The live memory with the lowest end behind the address, or NULL. */
const struct fake_memory *fake_memory_first_from(uintptr_t address);
/* Noise for fresh memory. */
void fake_place_fill(void *address, size_t bytes);

#endif
