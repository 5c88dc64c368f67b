/*
 * OpenCL C 1.2: what begins a text and the head of a kernel.
 *
 * OpenCL C has no pointer inside a struct, and OpenCL no buffer that begins anywhere, so that memory and offset come
 * apart (dialect/device_abi.h).
 */
#include "emit_device.h"

static void begin(quern_device_writer *writer, quern_fp_mode fp)
{
    quern_device_line(writer, "#pragma OPENCL FP_CONTRACT %s", fp == QUERN_FP_STRICT ? "OFF" : "ON");
}

static void add_head(quern_text *head, const quern_signature_kernel *kernel)
{
    quern_text_add(head, "__kernel ");
    if (kernel->is_group && kernel->group[0])
        quern_text_add(head, "__attribute__((reqd_work_group_size(%zu, %zu, %zu))) ",
                       kernel->group[kernel->group_rank - 1],
                       kernel->group_rank > 1 ? kernel->group[kernel->group_rank - 2] : 1,
                       kernel->group_rank > 2 ? kernel->group[0] : 1);
    quern_text_add(head, "void quern_k_%s", kernel->name);
}

static const char *const headers[] = {"quern/dialect/opencl.h",
                                      "quern/dialect/opencl_items.h",
                                      "quern/dialect/constants.h",
                                      "quern/dialect/device_memory.h",
                                      "quern/dialect/opencl_atomics.h",
                                      "quern/dialect/opencl_math.h",
                                      NULL};

const quern_device_language quern_language_opencl = {
    .backend = "opencl",
    .name = "opencl-c-1.2",
    .headers = headers,
    .literal = {"((", "){", "})"},
    .math = "",
    .global = "__global ",
    .local = "__local ",
    .restricted = "restrict",
    .begin = begin,
    .add_head = add_head,
};
