/*
 * The images of a kernel (base/nvrtc.h says what there is), and text made into something the driver loads.
 */
#ifndef QUERN_BACKEND_CUDA_IMAGE_H
#define QUERN_BACKEND_CUDA_IMAGE_H

#include "cuda_device.h"

enum { QUERN_CUDA_VARIANTS = 4, QUERN_CUDA_WRAPPED_VARIANT = 3 /* the only one of a user's module */ };

/* The number of the variant of a text, and what it stands for. */
static inline int quern_cuda_variant(uint32_t index_bits, uint32_t linear)
{
    return (index_bits == 64 ? 2 : 0) + (linear ? 1 : 0);
}
static inline int quern_cuda_variant_bits(int variant)
{
    return variant & 2 ? 64 : 32;
}
static inline int quern_cuda_variant_is_linear(int variant)
{
    return variant & 1;
}

/* The kernel's PTX for the newest architecture that is at most limit, of that variant; NULL when there is none.
 * *architecture is that of what was found. */
const quern_kernel_image *quern_cuda_image_ptx(const quern_kernel *kernel, int variant, int limit, int *architecture);

/* The kernel's text, or NULL. */
const quern_kernel_image *quern_cuda_image_text(const quern_kernel *kernel);

/* Compiles the text for the device, or takes what it became before from the cache, if it may be: *from_cache says
 * which. *data is malloc'ed. NOT_PRESENT or NOT_SUPPORTED without an NVRTC that serves, COMPILE_FAILED with its log. */
quern_status quern_cuda_text_compile(const struct quern_cuda_device *device, const quern_kernel *kernel,
                                     const quern_kernel_image *text, int variant, int may_be_cached, void **data,
                                     size_t *size, int *from_cache);

#endif
