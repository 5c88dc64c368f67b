/*
 * NVRTC, NVIDIA's compiler from CUDA C++ to PTX and machine code: found at run time (dlopen), never required. `quern
 * compile` makes PTX with it, the CUDA backend machine code.
 *
 * The library is the file QUERN_NVRTC_LIBRARY names, else what the dynamic linker finds under NVRTC's names, else that
 * of a toolkit in its usual place. It is opened once and stays.
 */
#ifndef QUERN_BASE_NVRTC_H
#define QUERN_BASE_NVRTC_H

#include <quern/status.h>

#include <stddef.h>

typedef struct quern_nvrtc_info {
    int major, minor;         /* version, 13.0 */
    const int *architectures; /* compute capabilities that it compiles for, ascending: 75, 80, …; 10 * major + minor */
    size_t architecture_count;
    char path[256]; /* of the library, for messages */
} quern_nvrtc_info;

/* NOT_PRESENT with a sentence when there is none or it does not work (too old, a cut file); the same each time. *info
 * is valid for the life of the process. Any thread. */
quern_status quern_nvrtc_open(const quern_nvrtc_info **info);

/* After a quern_nvrtc_open that failed: 1 when nobody has named an NVRTC and none was found, 0 when there is one that
 * cannot be used. */
int quern_nvrtc_is_absent(void);

typedef enum quern_nvrtc_form { QUERN_NVRTC_PTX, QUERN_NVRTC_CUBIN } quern_nvrtc_form;

/* What a kernel file's CUDA text is compiled for. */
typedef struct quern_nvrtc_target {
    int architecture;     /* one of the info's */
    const char *floating; /* "strict", "contract", "fast": the last word of the text's image target */
    int index_bits;       /* QUERN_INDEX_BITS of dialect/device_abi.h: 32 or 64 */
    int linear;           /* QUERN_LINEAR: 1 or 0 */
} quern_nvrtc_target;

/*
 * Compiles the text of kernel file name. *data is malloc'ed and has *size bytes; PTX ends with a NUL that counts. PTX
 * begins with a comment line that says what it is made of:
 *
 *     // quern: kernels of "NAME", QUERN_INDEX_BITS=32, QUERN_LINEAR=0, strict
 *
 * and so the driver's user can tell which is which. COMPILE_FAILED with the whole log as the sentence; NOT_PRESENT,
 * also when a part of NVRTC is missing; NOT_SUPPORTED for an architecture that it does not know; OUT_OF_MEMORY. Any
 * thread; several at once, though NVRTC lets them take turns.
 */
quern_status quern_nvrtc_compile(const char *text, size_t text_size, const char *name, const quern_nvrtc_target *target,
                                 quern_nvrtc_form form, void **data, size_t *size);

/*
 * Images of a kernel (quern_kernel_image), backend "cuda": the text, target "cuda-c++ strict"; and PTX for one
 * architecture and variant each, target "ptx strict 75 32 grid" or "ptx strict 75 64 linear": how floating point is
 * meant, the architecture, the index bits, the layout. A group kernel takes whichever layout there is. The size of a
 * text does not count its NUL, that of PTX does.
 */

#endif
