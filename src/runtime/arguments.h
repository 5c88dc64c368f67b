/* Checks the arguments of a launch and makes what a backend takes of them. */
#ifndef QUERN_RUNTIME_ARGUMENTS_H
#define QUERN_RUNTIME_ARGUMENTS_H

#include <quern/backend.h>
#include <quern/launch.h>

#include "order.h"

typedef struct quern_checked_arguments {
    quern_backend_argument arguments[QUERN_MAX_PARAMETERS];
    quern_buffer_use uses[QUERN_MAX_PARAMETERS]; /* of the views that have elements */
    size_t use_count;
    uint64_t local_bytes; /* of the local parameters, each rounded up to 64 */
} quern_checked_arguments;

/* Fills in checked; only the entries that are used are written. */
quern_status quern_arguments_check(const quern_device *device, const quern_kernel *kernel,
                                   const quern_argument *arguments, size_t count, quern_checked_arguments *checked);

#endif
