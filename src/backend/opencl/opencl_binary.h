/* Compiled programs in the cache of binaries. */
#ifndef QUERN_BACKEND_OPENCL_BINARY_H
#define QUERN_BACKEND_OPENCL_BINARY_H

#include "opencl_program.h"

/* The program from the cache, built; NULL when there is none that the driver accepts. */
cl_program quern_opencl_binary_load(const struct quern_opencl_program *program, const char *options);

/* Puts the program into the cache. What cannot be stored is compiled again next time. */
void quern_opencl_binary_store(const struct quern_opencl_program *program, const char *options, cl_program built);

#endif
