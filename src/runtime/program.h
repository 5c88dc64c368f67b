/* Programs loaded at run time: the object. */
#ifndef QUERN_RUNTIME_PROGRAM_H
#define QUERN_RUNTIME_PROGRAM_H

#include <quern/program.h>

#include "base/object.h"
#include "compiler/compiler.h"
#include "device.h"
#include "order.h"

struct quern_program {
    quern_object object;
    quern_device *device;
    quern_module *module;
    quern_kernel *const *kernels;
    size_t kernel_count;
    char *path;

    quern_program *next; /* in the list of all that are held */

    quern_order_table last_uses; /* after the release: what must finish before the code may go */
    int undated;                 /* there was no memory for last_uses: the graveyard tries again */
    quern_program *next_buried;  /* in the graveyard */
};

/* The loaded program that the kernel is of, with a reference; NULL for a kernel that was compiled into the program. */
quern_program *quern_program_of(const quern_kernel *kernel);

/* Unloads a program that nothing runs any more. */
void quern_program_destroy(quern_program *program);

#endif
