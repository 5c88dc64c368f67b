/* Binaries: their key in the cache, and the way from a program to its bytes and back. */
#include "opencl_binary.h"

#include "opencl_backend.h"

#include <stdlib.h>
#include <string.h>

/* All that a binary depends on: driver, device, options and text; malloc'ed, NULL without memory. */
static char *make_key(const struct quern_opencl_program *program, const char *options, size_t *size)
{
    const char *parts[] = {"opencl\n", program->device->identity, options, "\n"};
    size_t length = program->size, used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        length += strlen(parts[i]);
    char *key = malloc(length);
    if (!key)
        return NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        size_t part = strlen(parts[i]);
        memcpy(key + used, parts[i], part);
        used += part;
    }
    memcpy(key + used, program->text, program->size);
    *size = length;
    return key;
}

/* The driver may refuse a binary when it sees it or when it builds it: either way there is none. */
static cl_program build(struct quern_opencl_device *device, const char *options, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    cl_int error = CL_SUCCESS, accepted = CL_SUCCESS;
    cl_program program =
        quern_cl.CreateProgramWithBinary(device->context, 1, &device->id, &size, &bytes, &accepted, &error);
    if (!error && program && accepted == CL_SUCCESS &&
        quern_cl.BuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
        return program;
    if (!error && program)
        quern_cl.ReleaseProgram(program);
    return NULL;
}

cl_program quern_opencl_binary_load(const struct quern_opencl_program *program, const char *options)
{
    cl_program result = NULL;
    size_t key_size = 0, size = 0;
    void *data = NULL;
    char *key = quern_opencl_host->cache_load ? make_key(program, options, &key_size) : NULL;
    if (key && quern_opencl_host->cache_load(key, key_size, &data, &size) == QUERN_SUCCESS) {
        if (size)
            result = build(program->device, options, data, size);
        free(data);
    }
    free(key);
    return result;
}

void quern_opencl_binary_store(const struct quern_opencl_program *program, const char *options, cl_program built)
{
    size_t key_size = 0, size = 0;
    if (!quern_opencl_host->cache_store ||
        quern_cl.GetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) || size == 0)
        return;
    char *key = make_key(program, options, &key_size);
    unsigned char *bytes = malloc(size), *places[] = {bytes};
    if (key && bytes && quern_cl.GetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof places, places, NULL) == CL_SUCCESS)
        (void)quern_opencl_host->cache_store(key, key_size, bytes, size);
    free(bytes);
    free(key);
}
