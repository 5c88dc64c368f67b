/*
 * Quern: the kernel dialect in CUDA C++: what the text for NVRTC begins with.
 *
 * `quern compile` puts these headers, cuda*.h, before the author's text, since NVRTC has no header of its own to
 * include; nobody else includes them. The words with a varying number of arguments come with that number behind their
 * names: AT(x, i, j) as QUERN_AT_2. What a backend defines (QUERN_INDEX_BITS, QUERN_LINEAR) and how it calls a kernel
 * is in device_abi.h.
 */
#ifndef QUERN_DIALECT_CUDA_H
#define QUERN_DIALECT_CUDA_H

#if !defined(QUERN_INDEX_BITS) || !defined(QUERN_LINEAR)
#error "QUERN_INDEX_BITS and QUERN_LINEAR must be defined"
#endif

/* What is right in C and may be doubted in C++ is no business of the author's: changes of sign (68), statements behind
 * a jump (111, 128), what is declared and not used (177, 550), an unsigned number compared with 0 (186), jumps past a
 * declaration (546), a wider number in braces (2361). */
#pragma nv_diag_suppress 68, 111, 128, 177, 186, 546, 550, 2361

/* ---- what every device has that NVRTC compiles for ---- */

#define QUERN_FP64 1
#define QUERN_ATOMICS64 1

#define QUERN_INLINE static __device__ __forceinline__

/* T by a name that a word such as const may stand before, and braces behind. */
template <typename T> struct quern_type {
    typedef T type;
};

/* The integer that variables of an enum are in C: unsigned when no enumerator is negative. */
template <bool is_negative> struct quern_enum {
    typedef unsigned type;
};
template <> struct quern_enum<true> {
    typedef int type;
};

/* ---- types ---- */

/* The integers of 64 bits in the names of CUDA's own functions. */
typedef long long quern_wide;
typedef unsigned long long quern_unsigned_wide;

/* In the dialect a long has 64 bits. With libnvrtc.alt.so, which NVIDIA ships beside the usual one, it has 32, as on
 * Windows: there the word stands for long long, `quern compile` writes an author's 1L as QUERN_LONG(1), and NVRTC would
 * doubt PRINT's %ld (181), which the driver reads as this system does. */
#if defined(__LP64__) || defined(_LP64)
#define QUERN_LONG(c) c##L
#else
#define QUERN_LONG(c) c##LL
#define long long long
#pragma nv_diag_suppress 181
#endif

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
/* NVRTC may have declared these itself, and is asked what they are; size_t it always has. */
typedef decltype((char *)0 - (char *)0) ptrdiff_t;
typedef decltype((char *)0 - (char *)0) intptr_t;
typedef decltype(sizeof(int)) uintptr_t;
static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == 8 && sizeof(int) == 4, "NVRTC's integers have other sizes");

#if QUERN_INDEX_BITS == 32
typedef int quern_index;
#else
typedef long quern_index;
#endif

/* A word of C's that C++ has by another name. */
#define restrict __restrict__

/* ---- constants ---- */

#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-QUERN_LONG(9223372036854775807) - 1)
#define LONG_MAX QUERN_LONG(9223372036854775807)
#define ULONG_MAX QUERN_LONG(18446744073709551615u)
#define INT8_MIN SCHAR_MIN
#define INT8_MAX SCHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define PTRDIFF_MIN LONG_MIN
#define PTRDIFF_MAX LONG_MAX
#define INT8_C(c) c
#define INT16_C(c) c
#define INT32_C(c) c
#define INT64_C(c) QUERN_LONG(c)
#define UINT8_C(c) c
#define UINT16_C(c) c
#define UINT32_C(c) c##u
#define UINT64_C(c) QUERN_LONG(c##u)

#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_DECIMAL_DIG 9
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 3.40282346638528859812e+38f
#define FLT_MIN 1.17549435082228750797e-38f
#define FLT_EPSILON 1.19209289550781250000e-7f
#define FLT_TRUE_MIN 1.40129846432481707092e-45f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_DECIMAL_DIG 17
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 1.79769313486231570815e+308
#define DBL_MIN 2.22507385850720138309e-308
#define DBL_EPSILON 2.22044604925031308085e-16
#define DBL_TRUE_MIN 4.94065645841246544177e-324

#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fc00000)

/* ---- helpers, tables, memory, printing ---- */

#define DEVICE static __device__
#define GLOBAL_POINTER(T) T *
#define LOCAL_POINTER(T) T *
#define CONSTANT_POINTER(T) const quern_type<T>::type *
#define CONSTANT static __constant__ const
#define LOCAL(T, name, n) __shared__ T name[n]

/* The memory of the kernel's `local` parameters, each at an offset that is a multiple of what its elements need. */
extern __shared__ __align__(16) char quern_dynamic[];

#define PRINT printf

#endif
