/*
 * As much of OpenCL as a test needs to run a text that `quern compile` wrote, without Quern's own backend: the loader
 * is opened at run time, and what is used of it declared here in the test's own words.
 */
#ifndef OPENCL_RAW_H
#define OPENCL_RAW_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct opencl_raw {
    void *library, *device, *context, *queue;
    const char *missing; /* why there is no OpenCL here; NULL when there is */
    int32_t (*get_platforms)(uint32_t, void **, uint32_t *);
    int32_t (*get_devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    int32_t (*device_info)(void *, uint32_t, size_t, void *, size_t *);
    void *(*create_context)(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    void *(*create_queue)(void *, void *, uint64_t, int32_t *);
    void *(*create_program)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    int32_t (*build_info)(void *, void *, uint32_t, size_t, void *, size_t *);
    void *(*create_kernel)(void *, const char *, int32_t *);
    int32_t (*set_argument)(void *, uint32_t, size_t, const void *);
    void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, void *,
                      void *);
    int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
    int32_t (*release_kernel)(void *), (*release_program)(void *), (*release_buffer)(void *);
    int32_t (*release_queue)(void *), (*release_context)(void *);
} opencl_raw;

static inline int opencl_raw_load(opencl_raw *cl)
{
    const struct {
        const char *name;
        void *function;
    } functions[] = {{"clGetPlatformIDs", &cl->get_platforms},
                     {"clGetDeviceIDs", &cl->get_devices},
                     {"clGetDeviceInfo", &cl->device_info},
                     {"clCreateContext", &cl->create_context},
                     {"clCreateCommandQueue", &cl->create_queue},
                     {"clCreateProgramWithSource", &cl->create_program},
                     {"clBuildProgram", &cl->build},
                     {"clGetProgramBuildInfo", &cl->build_info},
                     {"clCreateKernel", &cl->create_kernel},
                     {"clSetKernelArg", &cl->set_argument},
                     {"clCreateBuffer", &cl->create_buffer},
                     {"clEnqueueNDRangeKernel", &cl->launch},
                     {"clEnqueueReadBuffer", &cl->read},
                     {"clReleaseKernel", &cl->release_kernel},
                     {"clReleaseProgram", &cl->release_program},
                     {"clReleaseMemObject", &cl->release_buffer},
                     {"clReleaseCommandQueue", &cl->release_queue},
                     {"clReleaseContext", &cl->release_context}};
    cl->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cl->library)
        return 0;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        void *found = dlsym(cl->library, functions[i].name);
        if (!found)
            return 0;
        memcpy(functions[i].function, &found, sizeof found); /* a function's address in a void * */
    }
    return 1;
}

/* The first device of the first platform that has one. */
static inline void opencl_raw_open(opencl_raw *cl)
{
    void *platforms[8];
    uint32_t count = 0;
    int32_t error = 0;
    *cl = (opencl_raw){.missing = "there is no OpenCL loader (libOpenCL.so.1)"};
    if (!opencl_raw_load(cl))
        return;
    cl->missing = "there is no OpenCL device";
    if (cl->get_platforms(8, platforms, &count) != 0)
        return;
    for (uint32_t i = 0; i < count && i < 8 && !cl->device; ++i)
        if (cl->get_devices(platforms[i], 0xffffffffu, 1, &cl->device, NULL) != 0)
            cl->device = NULL;
    if (!cl->device)
        return;
    cl->context = cl->create_context(NULL, 1, &cl->device, NULL, NULL, &error);
    cl->queue = cl->context ? cl->create_queue(cl->context, cl->device, 0, &error) : NULL;
    cl->missing = cl->queue ? NULL : "the OpenCL device gives no queue";
}

static inline void opencl_raw_close(opencl_raw *cl)
{
    if (cl->queue)
        cl->release_queue(cl->queue);
    if (cl->context)
        cl->release_context(cl->context);
    /* The library stays: drivers do not like to be unloaded. */
}

/* NULL when the device's compiler refuses the text, whose log is then printed. */
static inline void *opencl_raw_build(const opencl_raw *cl, const char *text, const char *options)
{
    static char log[65536];
    int32_t error;
    void *program = cl->create_program(cl->context, 1, &text, NULL, &error);
    if (program && cl->build(program, 1, &cl->device, options, NULL, NULL) == 0)
        return program;
    log[0] = '\0';
    if (program) {
        cl->build_info(program, cl->device, 0x1183, sizeof log - 1, log, NULL);
        cl->release_program(program);
    }
    printf("OpenCL refuses the text with %s:\n%s\n", options, log);
    return NULL;
}

/* Memory that holds a copy of bytes. */
static inline void *opencl_raw_memory(const opencl_raw *cl, const void *bytes, size_t size)
{
    int32_t error;
    return cl->create_buffer(cl->context, 1 | 1 << 5, size, (void *)(uintptr_t)bytes, &error);
}

#endif
