/* CUDA's driver library, opened at run time, and its functions. */
#ifndef QUERN_BACKEND_CUDA_LIBRARY_H
#define QUERN_BACKEND_CUDA_LIBRARY_H

#include "cuda_api.h"

#include <quern/status.h>

struct quern_cuda_functions {
#define QUERN_CUDA_FUNCTION(name, symbol, arguments) CUresult(*name) arguments;
    QUERN_CUDA_FUNCTIONS(QUERN_CUDA_FUNCTION)
    QUERN_CUDA_NEWER_FUNCTIONS(QUERN_CUDA_FUNCTION)
#undef QUERN_CUDA_FUNCTION
};

/* quern_cu.Init(0) is cuInit(0). Set by quern_cuda_library_open. */
extern struct quern_cuda_functions quern_cu;

/* Opens the driver's library: the file that QUERN_CUDA_LIBRARY names, else libcuda.so.1. NOT_PRESENT when there is
 * none, NOT_SUPPORTED when it lacks a function of CUDA 11.0. */
quern_status quern_cuda_library_open(void);

/* Gives the library up. */
void quern_cuda_library_close(void);

/* The file that was opened, for messages. */
const char *quern_cuda_library_name(void);

#endif
