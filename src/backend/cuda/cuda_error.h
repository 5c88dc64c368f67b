/* CUDA's error numbers: their names, and what they are to Quern. */
#ifndef QUERN_BACKEND_CUDA_ERROR_H
#define QUERN_BACKEND_CUDA_ERROR_H

#include "cuda_library.h"

enum { QUERN_CUDA_ERROR_TEXT = 256 };

/* Writes "CUDA_ERROR_OUT_OF_MEMORY (2), out of memory"; gives text. */
const char *quern_cuda_error_text(CUresult error, char text[QUERN_CUDA_ERROR_TEXT]);

/* The status that an error is; never SUCCESS. */
quern_status quern_cuda_error_status(CUresult error);

/* 1 for an error after which no call of the context works any more. */
int quern_cuda_error_is_sticky(CUresult error);

/* Leaves "WHAT failed: the CUDA driver says CUDA_ERROR_… (n), …" and returns the error's status; what as printf. */
quern_status quern_cuda_fail(CUresult error, const char *what, ...) __attribute__((format(printf, 2, 3)));

#endif
