/*
 * Quern: the kernel dialect in C for gcc and clang: a kernel becomes a function that runs a piece of
 * a launch (dialect/cpu_abi.h).
 *
 * What the author writes is the body of a function of its own, which is never inlined: its pointers
 * are restrict parameters and everything else comes by value, so that the loops in it vectorise
 * without a promise to the compiler beyond C's own. A loop pragma (ivdep, assume_safety) would be one
 * promise too many: gcc and clang then let items share an array that an item declares for itself.
 */
#ifndef QUERN_DIALECT_CPU_H
#define QUERN_DIALECT_CPU_H

#include <float.h>
#include <limits.h>

#include <quern/dialect/cpu_abi.h>
#include <quern/dialect/words.h>

/* The type of an index. */
typedef ptrdiff_t quern_index;

#define QUERN_UNUSED __attribute__((unused))
#define QUERN_INLINE static inline __attribute__((always_inline, unused))

#include <quern/dialect/cpu_parameters.h>

#include <quern/dialect/cpu_kernel.h>

#include <quern/dialect/cpu_items.h>

#include <quern/dialect/cpu_memory.h>

#include <quern/dialect/cpu_atomics.h>

#include <quern/dialect/cpu_math.h>

/* Helper functions and their pointer parameters. __typeof__, so that T may be const already. */
#define DEVICE QUERN_INLINE
#define GLOBAL_POINTER(T) T *
#define LOCAL_POINTER(T) T *
#define CONSTANT_POINTER(T) const __typeof__(T) *

/* A constant table at file scope. */
#define CONSTANT static const __attribute__((unused))

/* A value of the struct or array type T. */
#define MAKE(T, ...) ((T){__VA_ARGS__})

/* printf, of one item at a time. */
#define PRINT(...) ((void)__builtin_printf(__VA_ARGS__))

#endif
