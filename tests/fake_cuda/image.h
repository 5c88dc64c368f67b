/*
 * What the fake can load as a module: PTX, and the fake NVRTC's machine code.
 *
 * Both name the kernel file in a line "// quern: kernels of …" (src/base/nvrtc.h), and by that the code is found. PTX
 * of the real NVRTC has it too.
 */
#ifndef FAKE_CUDA_IMAGE_H
#define FAKE_CUDA_IMAGE_H

#include "api.h"

/* The first line of the fake NVRTC's machine code; an architecture, the line of the kernel file, a line for each entry
 * and FAKE_CUBIN_END follow. */
#define FAKE_CUBIN_BEGIN "\177ELF this is no machine code but what the fake NVRTC of Quern's tests makes\n"
#define FAKE_CUBIN_ARCHITECTURE ".target sm_"
#define FAKE_CUBIN_ENTRY ".entry "
#define FAKE_CUBIN_END ".end\n"

/* What a device has of constant memory, and what the assembler says of more. */
enum { FAKE_CONSTANTS = 64 * 1024 };
#define FAKE_TOO_MANY_CONSTANTS "ptxas error   : File uses too much global constant data (0x%zx bytes, 0x%x max)\n"

struct fake_image {
    char *path; /* of the kernel file; NULL: the image does not say */
    int index_bits, is_linear;
    int floating;       /* 0 strict, 1 contract, 2 fast */
    char **names;       /* of the entries, ended by NULL */
    size_t *item_bytes; /* of each entry's arrays that an item has by itself, as far as PTX says */
    size_t count;
};

/* SUCCESS and *image, or the driver's error and what it writes into the log. data is read up to a NUL. */
fc_result fake_image_read(const char *data, struct fake_image **image, char *log, size_t log_size);
void fake_image_free(struct fake_image *image);

#endif
