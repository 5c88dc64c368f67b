/* The table of functions that backends call. */
#ifndef QUERN_RUNTIME_HOST_H
#define QUERN_RUNTIME_HOST_H

#include <quern/backend.h>

extern const quern_backend_host quern_host;

#endif
