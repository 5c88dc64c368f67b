/*
 * As much of CUDA C++ as the texts of `quern compile` use, for the host's C++ compiler: what stands before a text that
 * a test runs on the CPU. It declares just what NVRTC has by itself, so that a text with anything else does not
 * compile, and includes nothing, as NVRTC includes nothing.
 *
 * The threads of a block are fibres of one thread (cuda_emulation.cpp): no two run at once, and they take turns at
 * barriers only. Who makes a shared object of it writes CUDA_EMULATION_KERNEL(name) behind the text for every kernel
 * that is to be run, and calls cuda_emulation_run_NAME.
 */
#ifndef CUDA_EMULATION_H
#define CUDA_EMULATION_H

#define NULL 0
typedef __SIZE_TYPE__ size_t;

/* ---- words ---- */

#define __global__
#define __device__
#define __constant__
#define __shared__ thread_local /* with or without extern, in a function and outside */
#define __forceinline__ inline
#define __launch_bounds__(most_threads)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct cuda_emulation_place {
    unsigned x, y, z;
};
extern "C" {
extern cuda_emulation_place threadIdx, blockIdx, blockDim, gridDim;
void __syncthreads();
int printf(const char *format, ...);
}

/* ---- atomics, on the types that CUDA has them for ---- */

#define CUDA_EMULATION_ATOMIC(name, T, wanted)                                                                         \
    static inline T name(T *p, T v)                                                                                    \
    {                                                                                                                  \
        const T old = *p;                                                                                              \
        *p = wanted;                                                                                                   \
        return old;                                                                                                    \
    }
#define CUDA_EMULATION_ORDER(T)                                                                                        \
    CUDA_EMULATION_ATOMIC(atomicMin, T, v < old ? v : old)                                                             \
    CUDA_EMULATION_ATOMIC(atomicMax, T, v > old ? v : old)
#define CUDA_EMULATION_BITS(T)                                                                                         \
    CUDA_EMULATION_ATOMIC(atomicAdd, T, old + v)                                                                       \
    CUDA_EMULATION_ATOMIC(atomicAnd, T, old &v)                                                                        \
    CUDA_EMULATION_ATOMIC(atomicOr, T, old | v)                                                                        \
    CUDA_EMULATION_ATOMIC(atomicXor, T, old ^ v)                                                                       \
    CUDA_EMULATION_ATOMIC(atomicExch, T, v)                                                                            \
    static inline T atomicCAS(T *p, T expected, T desired)                                                             \
    {                                                                                                                  \
        const T old = *p;                                                                                              \
        *p = old == expected ? desired : old;                                                                          \
        return old;                                                                                                    \
    }
CUDA_EMULATION_BITS(unsigned)
CUDA_EMULATION_BITS(unsigned long long)
CUDA_EMULATION_ORDER(int)
CUDA_EMULATION_ORDER(unsigned)
CUDA_EMULATION_ORDER(long long)
CUDA_EMULATION_ORDER(unsigned long long)
CUDA_EMULATION_ATOMIC(atomicAdd, float, old + v)
CUDA_EMULATION_ATOMIC(atomicAdd, double, old + v)

/* ---- bits ---- */

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

#define CUDA_EMULATION_CAST(name, T, U)                                                                                \
    static inline T name(U x)                                                                                          \
    {                                                                                                                  \
        return __builtin_bit_cast(T, x);                                                                               \
    }
CUDA_EMULATION_CAST(__float_as_uint, unsigned, float)
CUDA_EMULATION_CAST(__float_as_int, int, float)
CUDA_EMULATION_CAST(__uint_as_float, float, unsigned)
CUDA_EMULATION_CAST(__double_as_longlong, long long, double)
CUDA_EMULATION_CAST(__longlong_as_double, double, long long)

/* ---- mathematical functions, those of the host's C library ---- */

#define CUDA_EMULATION_1(name)                                                                                         \
    float name##f(float);                                                                                              \
    double name(double);
#define CUDA_EMULATION_2(name)                                                                                         \
    float name##f(float, float);                                                                                       \
    double name(double, double);
extern "C" {
CUDA_EMULATION_1(acos)
CUDA_EMULATION_1(acosh)
CUDA_EMULATION_1(asin)
CUDA_EMULATION_1(asinh)
CUDA_EMULATION_1(atan)
CUDA_EMULATION_1(atanh)
CUDA_EMULATION_1(cbrt)
CUDA_EMULATION_1(ceil)
CUDA_EMULATION_1(cos)
CUDA_EMULATION_1(cosh)
CUDA_EMULATION_1(erf)
CUDA_EMULATION_1(erfc)
CUDA_EMULATION_1(exp)
CUDA_EMULATION_1(exp2)
CUDA_EMULATION_1(expm1)
CUDA_EMULATION_1(fabs)
CUDA_EMULATION_1(floor)
CUDA_EMULATION_1(lgamma)
CUDA_EMULATION_1(log)
CUDA_EMULATION_1(log10)
CUDA_EMULATION_1(log1p)
CUDA_EMULATION_1(log2)
CUDA_EMULATION_1(logb)
CUDA_EMULATION_1(rint)
CUDA_EMULATION_1(round)
CUDA_EMULATION_1(sin)
CUDA_EMULATION_1(sinh)
CUDA_EMULATION_1(sqrt)
CUDA_EMULATION_1(tan)
CUDA_EMULATION_1(tanh)
CUDA_EMULATION_1(tgamma)
CUDA_EMULATION_1(trunc)
CUDA_EMULATION_2(atan2)
CUDA_EMULATION_2(copysign)
CUDA_EMULATION_2(fdim)
CUDA_EMULATION_2(fmax)
CUDA_EMULATION_2(fmin)
CUDA_EMULATION_2(fmod)
CUDA_EMULATION_2(hypot)
CUDA_EMULATION_2(nextafter)
CUDA_EMULATION_2(pow)
CUDA_EMULATION_2(remainder)
float fmaf(float, float, float);
double fma(double, double, double);
float ldexpf(float, int);
double ldexp(double, int);
}

/* ---- launches ---- */

/* Runs item(of) once for each thread of the grid. Gives what went wrong, or NULL. */
extern "C" const char *cuda_emulation_run(void (*item)(void *), void *of, const unsigned *grid, const unsigned *block);

template <typename... Types> struct cuda_emulation_types {
};

/* Calls the kernel with what the pointers lead to, as the types say. */
template <typename Kernel, typename... Values>
static void cuda_emulation_call(Kernel kernel, void **, cuda_emulation_types<>, const Values &...values)
{
    kernel(values...);
}
template <typename Kernel, typename Type, typename... Types, typename... Values>
static void cuda_emulation_call(Kernel kernel, void **pointers, cuda_emulation_types<Type, Types...>,
                                const Values &...values)
{
    cuda_emulation_call(kernel, pointers + 1, cuda_emulation_types<Types...>(), values..., *(const Type *)*pointers);
}

template <typename... Types> struct cuda_emulation_launch {
    void (*kernel)(Types...);
    void **arguments;
    static void item(void *self)
    {
        const cuda_emulation_launch *launch = (cuda_emulation_launch *)self;
        cuda_emulation_call(launch->kernel, launch->arguments, cuda_emulation_types<Types...>());
    }
};
template <typename... Types>
static const char *cuda_emulation_begin(void (*kernel)(Types...), void **arguments, const unsigned *grid,
                                        const unsigned *block)
{
    cuda_emulation_launch<Types...> launch = {kernel, arguments};
    return cuda_emulation_run(launch.item, &launch, grid, block);
}

#define CUDA_EMULATION_KERNEL(name)                                                                                    \
    extern "C" const char *cuda_emulation_run_##name(void **arguments, const unsigned *grid, const unsigned *block)    \
    {                                                                                                                  \
        return cuda_emulation_begin(name, arguments, grid, block);                                                     \
    }

#endif
