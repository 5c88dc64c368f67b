/*
 * Quern: the kernel dialect in OpenCL C 1.2: what the text for a device begins with.
 *
 * `quern compile` puts these headers, opencl*.h, before the author's text, so that a device's compiler needs no include
 * path; nobody else includes them. They are written for the compilers of OpenCL devices, all of which are made from
 * clang: functions are overloaded by attribute, and there are no variadic macros, which OpenCL C does not have. The
 * words with a varying number of arguments come with that number behind their names: AT(x, i, j) as QUERN_AT_2.
 *
 * What a backend defines (QUERN_INDEX_BITS, QUERN_LINEAR, QUERN_CONTIGUOUS) and how it calls a kernel is in
 * device_abi.h.
 */
#ifndef QUERN_DIALECT_OPENCL_H
#define QUERN_DIALECT_OPENCL_H

#if !defined(QUERN_INDEX_BITS) || !defined(QUERN_LINEAR) || !defined(QUERN_CONTIGUOUS)
#error "QUERN_INDEX_BITS, QUERN_LINEAR and QUERN_CONTIGUOUS must be defined"
#endif

/* ---- what the device has ---- */

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define QUERN_FP64 1
#define QUERN_DOUBLE(code) code
#else
#define QUERN_DOUBLE(code)
#endif

#if defined(cl_khr_int64_base_atomics) && defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define QUERN_ATOMICS64 1
#endif

#define QUERN_OVERLOAD static inline __attribute__((overloadable))

/* ---- types ---- */

typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#if QUERN_INDEX_BITS == 32
typedef int quern_index;
#else
typedef long quern_index;
#endif

/* ---- constants ---- */

#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-9223372036854775807L - 1)
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) c##L
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##u
#define UINT64_C(c) c##ul

#ifndef SIZE_MAX
#define SIZE_MAX ((size_t)-1)
#endif
#ifndef PTRDIFF_MAX
#define PTRDIFF_MAX ((ptrdiff_t)(SIZE_MAX / 2))
#define PTRDIFF_MIN (-PTRDIFF_MAX - 1)
#endif
#ifndef FLT_DECIMAL_DIG
#define FLT_DECIMAL_DIG 9
#endif
#ifndef FLT_TRUE_MIN
#define FLT_TRUE_MIN 0x1p-149f
#endif
#ifndef DBL_DECIMAL_DIG
#define DBL_DECIMAL_DIG 17
#endif
#ifndef DBL_TRUE_MIN
#define DBL_TRUE_MIN 0x1p-1074
#endif

#undef INFINITY
#undef NAN
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

/* ---- helpers, tables, memory, printing ---- */

#define DEVICE static
#define GLOBAL_POINTER(T) __global T *
#define LOCAL_POINTER(T) __local T *
#define CONSTANT_POINTER(T) __constant T *
#define CONSTANT __constant
#define LOCAL(T, name, n) __local T name[n]
#define PRINT printf

#endif
