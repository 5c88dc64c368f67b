/* The baseline on OpenCL: the loader, the device, its context and queue, its memory. */
#include "opencl_device.h"

#include "base/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *code_name(cl_int code)
{
    switch (code) {
#define CASE(name, number)                                                                                             \
    case number:                                                                                                       \
        return #name;
        QUERN_OPENCL_ERRORS(CASE)
#undef CASE
    default:
        return "an unknown error";
    }
}

quern_status quern_handwritten_check(cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return QUERN_SUCCESS;
    return quern_fail(QUERN_SYSTEM_ERROR, "the OpenCL baseline: %s: %s (%d)", call, code_name(code), (int)code);
}

/* The library that the backend uses as well. It stays loaded: drivers do not like to go. */
static quern_status load(quern_handwritten_functions *cl)
{
    const char *name = getenv("QUERN_OPENCL_LIBRARY");
    void *library = dlopen(name && name[0] ? name : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library && !(name && name[0]))
        library = dlopen("libOpenCL.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return quern_fail(QUERN_NOT_PRESENT, "the OpenCL baseline: %s", dlerror());
#define LOOK_UP(name, result, arguments)                                                                               \
    *(void **)&cl->name = dlsym(library, "cl" #name);                                                                  \
    if (!cl->name)                                                                                                     \
        return quern_fail(QUERN_NOT_PRESENT, "the OpenCL baseline: the loader has no cl" #name);
    QUERN_OPENCL_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return QUERN_SUCCESS;
}

/* ---- which device ---- */

#define MAX_DEVICES 256

typedef struct device_list {
    cl_device_id devices[MAX_DEVICES];
    size_t count;
} device_list;

static quern_status list_all(const quern_handwritten_functions *cl, device_list *list)
{
    const cl_bitfield every_type = 0xffffffff;
    cl_platform_id platforms[64];
    cl_uint count = 0;
    quern_status status = quern_handwritten_check(cl->GetPlatformIDs(64, platforms, &count), "clGetPlatformIDs");

    list->count = 0;
    for (cl_uint i = 0; !status && i < count && i < 64; ++i) {
        cl_uint room = (cl_uint)(MAX_DEVICES - list->count), found = 0;
        /* A platform without devices says so by an error. */
        if (room > 0 &&
            cl->GetDeviceIDs(platforms[i], every_type, room, list->devices + list->count, &found) == CL_SUCCESS)
            list->count += found < room ? found : room;
    }
    return status;
}

/* Quern keeps the beginning of a long name, without blanks around it. */
static int is_called(const quern_handwritten_functions *cl, cl_device_id device, const char *name)
{
    char own[512] = "";
    if (cl->GetDeviceInfo(device, CL_DEVICE_NAME, sizeof own - 1, own, NULL) != CL_SUCCESS)
        return 0;
    return strncmp(own + strspn(own, " "), name, strlen(name)) == 0;
}

/* The device of that number, unless a platform before it did not list its devices: the first of that name then. */
static quern_status find(quern_handwritten *program, size_t index, const char *name)
{
    const quern_handwritten_functions *cl = &program->cl;
    device_list list;
    cl_bitfield type = 0;
    quern_status status = list_all(cl, &list);
    if (status)
        return status;
    if (index < list.count && is_called(cl, list.devices[index], name))
        program->device = list.devices[index];
    for (size_t i = 0; !program->device && i < list.count; ++i)
        if (is_called(cl, list.devices[i], name))
            program->device = list.devices[i];
    if (!program->device)
        return quern_fail(QUERN_NOT_PRESENT, "the OpenCL baseline: there is no device '%s'", name);
    status = quern_handwritten_check(cl->GetDeviceInfo(program->device, CL_DEVICE_TYPE, sizeof type, &type, NULL),
                                     "clGetDeviceInfo");
    program->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    return status;
}

static quern_status make_context(quern_handwritten *program)
{
    const quern_handwritten_functions *cl = &program->cl;
    cl_int code;
    program->context = cl->CreateContext(NULL, 1, &program->device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return quern_handwritten_check(code, "clCreateContext");
    program->queue = cl->CreateCommandQueue(program->context, program->device, 0, &code);
    return quern_handwritten_check(code, "clCreateCommandQueue");
}

quern_status quern_handwritten_open(size_t index, const char *name, quern_handwritten **program)
{
    quern_handwritten *made = calloc(1, sizeof *made);
    *program = NULL;
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the OpenCL baseline");
    quern_status status = load(&made->cl);
    if (!status)
        status = find(made, index, name);
    if (!status)
        status = make_context(made);
    if (status)
        quern_handwritten_close(made);
    else
        *program = made;
    return status;
}

void quern_handwritten_close(quern_handwritten *program)
{
    if (!program)
        return;
    const quern_handwritten_functions *cl = &program->cl;
#define RELEASE(name)                                                                                                  \
    if (program->kernel.name)                                                                                          \
        (void)cl->ReleaseKernel(program->kernel.name);
    QUERN_HANDWRITTEN_KERNELS(RELEASE)
#undef RELEASE
    if (program->program)
        (void)cl->ReleaseProgram(program->program);
    if (program->queue)
        (void)cl->ReleaseCommandQueue(program->queue);
    if (program->context)
        (void)cl->ReleaseContext(program->context);
    free(program);
}

/* ---- memory ---- */

quern_status quern_handwritten_array_create(quern_handwritten *program, size_t bytes, quern_handwritten_array **array)
{
    cl_int code;
    *array = program->cl.CreateBuffer(program->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    return quern_handwritten_check(code, "clCreateBuffer");
}

void quern_handwritten_array_release(quern_handwritten *program, quern_handwritten_array *array)
{
    if (array)
        (void)program->cl.ReleaseMemObject(array);
}

quern_status quern_handwritten_array_write(quern_handwritten *program, quern_handwritten_array *to, const void *from,
                                           size_t bytes)
{
    return quern_handwritten_check(
        program->cl.EnqueueWriteBuffer(program->queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

quern_status quern_handwritten_array_read(quern_handwritten *program, quern_handwritten_array *from, void *to,
                                          size_t bytes)
{
    return quern_handwritten_check(
        program->cl.EnqueueReadBuffer(program->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}
