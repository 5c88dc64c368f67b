/* Quern: what every public header needs: symbol visibility, C linkage, the version. */
#ifndef QUERN_EXPORT_H
#define QUERN_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#define QUERN_VERSION_MAJOR 0
#define QUERN_VERSION_MINOR 1
#define QUERN_VERSION_PATCH 0
#define QUERN_VERSION "0.1.0"

#if defined(__GNUC__)
#define QUERN_API __attribute__((visibility("default")))
#define QUERN_CHECKED __attribute__((warn_unused_result))
#else
#define QUERN_API
#define QUERN_CHECKED
#endif

#ifdef __cplusplus
#define QUERN_BEGIN_DECLARATIONS extern "C" {
#define QUERN_END_DECLARATIONS }
#else
#define QUERN_BEGIN_DECLARATIONS
#define QUERN_END_DECLARATIONS
#endif

/* The largest rank of anything: an ndrange, a view, a buffer. */
#define QUERN_MAX_RANK 6

/* The largest number of parameters of a kernel. */
#define QUERN_MAX_PARAMETERS 64

#endif
