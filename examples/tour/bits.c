/* What the first device has computed, so that the others' results can be compared with it bit by bit. */
#include "tour.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
    struct result *next;
    char kernel[64];
    size_t size;
    unsigned char data[];
} result;

static result *results;

static bits keep(const char *kernel, const void *data, size_t size)
{
    result *result = malloc(sizeof *result + size);
    if (!result)
        return BITS_NO_MEMORY;
    strncpy(result->kernel, kernel, sizeof result->kernel - 1);
    result->kernel[sizeof result->kernel - 1] = '\0';
    result->size = size;
    memcpy(result->data, data, size);
    result->next = results;
    results = result;
    return BITS_FIRST;
}

bits bits_compare(const char *kernel, const void *data, size_t size)
{
    for (const result *first = results; first; first = first->next)
        if (strcmp(first->kernel, kernel) == 0)
            return first->size == size && memcmp(first->data, data, size) == 0 ? BITS_SAME : BITS_OTHER;
    return keep(kernel, data, size);
}

void bits_free(void)
{
    while (results) {
        result *next = results->next;
        free(results);
        results = next;
    }
}
