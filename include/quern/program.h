/*
 * Quern: programs and kernels: what `quern compile` makes of a kernel file, and kernel files loaded
 * at run time.
 *
 * A compiled-in kernel is an object NAME_kernel of the generated header; a kernel of a program
 * loaded at run time is looked up by name. Both are launched alike (launch.h).
 */
#ifndef QUERN_PROGRAM_H
#define QUERN_PROGRAM_H

#include <quern/device.h>

typedef enum quern_parameter_form {
    QUERN_PARAMETER_IN = 1, /* in(T, x): contiguous, read only */
    QUERN_PARAMETER_OUT,    /* out(T, x) */
    QUERN_PARAMETER_INOUT,  /* inout(T, x) */
    QUERN_PARAMETER_IN_ND,  /* in_nd(T, rank, x): pitched */
    QUERN_PARAMETER_OUT_ND,
    QUERN_PARAMETER_INOUT_ND,
    QUERN_PARAMETER_VALUE, /* value(T, a): by value */
    QUERN_PARAMETER_LOCAL  /* local(T, tile): group memory of a length given at the launch */
} quern_parameter_form;

/* A field of a struct that the kernel file declared with STRUCT. */
typedef struct quern_field {
    const char *name;
    quern_type type;
    uint32_t offset;                  /* bytes from the struct's begin */
    uint32_t count;                   /* elements, 1 unless the field is an array */
    const struct quern_field *fields; /* of a field that is itself such a struct, ended by a NULL name; else NULL */
} quern_field;

typedef struct quern_parameter {
    const char *name;
    const char *type_name; /* as written in the kernel file */
    uint32_t form;         /* a quern_parameter_form */
    uint32_t rank;         /* of the _nd forms, else 0 */
    quern_type type;
    const quern_field *fields; /* of a STRUCT, ended by a NULL name; else NULL */
} quern_parameter;

/* One translation of a kernel: machine code, or text for a device's compiler. */
typedef struct quern_kernel_image {
    const char *backend;    /* "cpu", "opencl" */
    const char *target;     /* "x86-64-v3"; "generic" for one that every processor of the build runs. Of text: the
                               language and how floating point is meant, "opencl-c-1.2 strict" (or contract, fast) */
    void (*function)(void); /* "cpu": a quern_cpu_function (dialect/cpu_abi.h); else NULL */
    const void *data;       /* text (of the whole kernel file) or binary; else NULL */
    size_t size;            /* bytes of data */
} quern_kernel_image;

/* What `quern compile` knows of a kernel. Filled by generated code; the library owns state, so a descriptor is static,
 * or lives until quern_shutdown. */
typedef struct quern_kernel {
    uint32_t version; /* QUERN_KERNEL_VERSION of the compiler that made it */
    uint32_t parameter_count;
    const char *name;
    const char *file; /* the author's */
    uint32_t line;
    int32_t rank;           /* of the ndrange: 0 to 6, or -1 for any (EACH_INDEX) */
    uint32_t is_group;      /* 1: GROUP_KERNEL */
    uint32_t group_rank;    /* 1 to 3 for a group kernel, else 0 */
    size_t group[3];        /* its group size, slowest first; 0: ANY, given at the launch */
    uint64_t local_bytes;   /* of its LOCAL arrays */
    uint64_t private_bytes; /* of its PRIVATE variables, per item */
    const quern_parameter *parameters;
    const quern_kernel_image *images;
    size_t image_count;
    uint32_t needs; /* QUERN_NEEDS_…: what a device must have */
    void *state;    /* the library's; NULL at first */
} quern_kernel;

#define QUERN_KERNEL_VERSION 2u

/* What a kernel needs beyond what every device has. A launch on a device without it is NOT_SUPPORTED. */
#define QUERN_NEEDS_FP64 1u      /* it, or a helper, struct or table that it uses, has a double */
#define QUERN_NEEDS_ATOMICS64 2u /* it, or a helper that it uses, has an atomic on 64-bit numbers (as far as known) */

typedef struct quern_program quern_program;

QUERN_BEGIN_DECLARATIONS

/*
 * Compiles a kernel file for the device with the system's compiler, or takes it from the cache, and loads it.
 *
 * The cache is the directory QUERN_CACHE_DIR, else XDG_CACHE_HOME/quern, else HOME/.cache/quern; it is private to the
 * user. The compiler is QUERN_CC, else the first of cc, gcc, clang. COMPILE_FAILED carries the compiler's or Quern's
 * own messages, whole, in quern_last_error(); FILE_ERROR when the file cannot be read or the cache not be written.
 */
QUERN_API quern_status quern_program_load(quern_device *device, const char *path, quern_program **program);
QUERN_API quern_status quern_program_retain(quern_program *program);

/* NULL is fine. Commands that still use its kernels are finished first; release never waits. */
QUERN_API quern_status quern_program_release(quern_program *program);

/* A kernel by name; borrowed, valid while the program is held. NOT_FOUND names near ones. */
QUERN_API quern_status quern_program_kernel(quern_program *program, const char *name, quern_kernel **kernel);

/* The number of kernels, and each; index counts from 0. */
QUERN_API quern_status quern_program_kernel_count(quern_program *program, size_t *count);
QUERN_API quern_status quern_program_kernel_at(quern_program *program, size_t index, quern_kernel **kernel);

/*
 * Has the kernel built for the device now; without it that happens at the first launch there, which then takes as long
 * as the device's compiler. A device may still build again for a range or for arrays past 2^31. Any thread.
 * INVALID_ARGUMENT, NOT_SUPPORTED (no translation for the device, or the kernel needs what it lacks), COMPILE_FAILED.
 */
QUERN_API quern_status quern_kernel_prepare(quern_kernel *kernel, quern_device *device);

QUERN_END_DECLARATIONS

#endif
