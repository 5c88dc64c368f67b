/* What is generic in the type: atomics, MIN, MAX, ABS, mathematical functions; and PRINT. */
#include <quern/kernel.h>

/*
 * One atomic operation on *target by every item; old holds what each saw. value is the operand, or the item's own
 * number where a set of operands is wanted.
 */
#define ATOMIC_KERNEL(name, T, OPERATION)                                                                              \
    KERNEL(name, inout(T, target), in(T, value), out(T, old))                                                          \
    {                                                                                                                  \
        EACH (i)                                                                                                       \
            old[i] = OPERATION(&target[0], value[i]);                                                                  \
    }
#define ATOMIC_KERNELS(suffix, T)                                                                                      \
    ATOMIC_KERNEL(atomic_add_##suffix, T, ATOMIC_ADD)                                                                  \
    ATOMIC_KERNEL(atomic_sub_##suffix, T, ATOMIC_SUB)                                                                  \
    ATOMIC_KERNEL(atomic_min_##suffix, T, ATOMIC_MIN)                                                                  \
    ATOMIC_KERNEL(atomic_max_##suffix, T, ATOMIC_MAX)                                                                  \
    ATOMIC_KERNEL(atomic_exchange_##suffix, T, ATOMIC_EXCHANGE)                                                        \
    KERNEL(atomic_compare_exchange_##suffix, inout(T, target), in(T, expected), in(T, value), out(T, old))             \
    {                                                                                                                  \
        EACH (i)                                                                                                       \
            old[i] = ATOMIC_COMPARE_EXCHANGE(&target[0], expected[i], value[i]);                                       \
    }
#define ATOMIC_BIT_KERNELS(suffix, T)                                                                                  \
    ATOMIC_KERNEL(atomic_and_##suffix, T, ATOMIC_AND)                                                                  \
    ATOMIC_KERNEL(atomic_or_##suffix, T, ATOMIC_OR)                                                                    \
    ATOMIC_KERNEL(atomic_xor_##suffix, T, ATOMIC_XOR)
ATOMIC_KERNELS(int32, int32_t)
ATOMIC_KERNELS(uint32, uint32_t)
ATOMIC_KERNELS(int64, int64_t)
ATOMIC_KERNELS(uint64, uint64_t)
ATOMIC_KERNELS(float, float)
ATOMIC_KERNELS(double, double)
ATOMIC_BIT_KERNELS(int32, int32_t)
ATOMIC_BIT_KERNELS(uint32, uint32_t)
ATOMIC_BIT_KERNELS(int64, int64_t)
ATOMIC_BIT_KERNELS(uint64, uint64_t)

/* Atomics on local memory: a histogram. */
GROUP_KERNEL(histogram, 64, in(uint8_t, x), inout(uint32_t, counts))
{
    LOCAL(uint32_t, own, 16);
    TEAM_EACH (j, 16)
        own[j] = 0;
    ITEMS (i)
        ATOMIC_ADD(&own[x[GLOBAL(i)] & 15], 1u);
    TEAM_EACH (j, 16)
        ATOMIC_ADD(&counts[j], own[j]);
}

/* Functions of floats are floats: the sizes of what they give, then values. */
KERNEL(math_float, in(float, x), out(float, y), inout(int32_t, sizes))
{
    EACH (i) {
        y[i] = sqrt(x[i]) + floor(x[i]) * fma(x[i], 3.0f, 1.0f) + fabs(-x[i]) + sin(x[i]) + exp(-x[i]) +
               pow(x[i], 1.5f) + hypot(x[i], 2.0f) + fmin(x[i], 0.5f) + fmax(x[i], 0.25f) + ldexp(x[i], 2) +
               MIN(x[i], 1.0f) + MAX(x[i], 1.0f) + ABS(-x[i]);
        sizes[0] = sizeof(sqrt(x[i])) + sizeof(pow(x[i], x[i])) + sizeof(fma(x[i], x[i], x[i]));
        sizes[1] = sizeof(MIN(x[i], x[i])) + sizeof(ABS(x[i]));
    }
}

KERNEL(math_double, in(double, x), out(double, y), inout(int32_t, sizes))
{
    EACH (i) {
        y[i] = sqrt(x[i]) + floor(x[i]) * fma(x[i], 3.0, 1.0) + fabs(-x[i]) + sin(x[i]) + exp(-x[i]) + pow(x[i], 1.5) +
               hypot(x[i], 2.0) + fmin(x[i], 0.5) + fmax(x[i], 0.25) + ldexp(x[i], 2) + MIN(x[i], 1.0) +
               MAX(x[i], 1.0) + ABS(-x[i]);
        sizes[0] = sizeof(sqrt(x[i])) + sizeof(pow(x[i], x[i])) + sizeof(fma(x[i], x[i], x[i]));
        sizes[1] = sizeof(MIN(x[i], x[i])) + sizeof(ABS(x[i]));
    }
}

KERNEL(integers, out(int64_t, y), value(int32_t, a), value(uint32_t, b), value(int64_t, c), value(uint64_t, d))
{
    EACH (i) {
        y[0] = MIN(a, -3);
        y[1] = MAX(a, -3);
        y[2] = ABS(a);
        y[3] = MIN(c, (int64_t)1 << 40);
        y[4] = (int64_t)MAX(d, (uint64_t)5);
        y[5] = popcount(b) + 100 * popcount(d);
        y[6] = clz(b) + 100 * clz(d) + 10000 * clz((uint32_t)0) + 1000000 * clz((int64_t)0);
        y[7] = ffs(b) + 100 * ffs(d) + 10000 * ffs(0);
        y[8] = MIN(MAX(a, -2), MAX(7, MIN(a, 9)));
        y[9] = ABS(c);
        y[10] = INT32_MAX;
        y[11] = UINT8_MAX;
    }
}

KERNEL(special, in(float, x), out(int32_t, kind), out(double, constants))
{
    EACH (i) {
        kind[i] = isnan(x[i]) + 2 * isinf(x[i]) + 4 * isfinite(x[i]) + 8 * signbit(x[i]);
        constants[0] = M_PI;
        constants[1] = FLT_MAX;
        constants[2] = DBL_EPSILON;
        constants[3] = INFINITY;
        constants[4] = NAN;
    }
}

KERNEL(prints, in(int32_t, x))
{
    EACH (i)
        PRINT("item %d: %g\n", x[i], 0.5 * x[i]);
}

/* Constants whose values are calls of C's macros, which are no names that the file declares. */
CONSTANT uint64_t literal_high = UINT64_C(1) << 40, literal_low = UINT64_C(5) * 3;

KERNEL(literals, out(int64_t, y))
{
    EACH (i)
        y[i] = (int64_t)(literal_high + literal_low) + INT64_C(7) * i;
}
