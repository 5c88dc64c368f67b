/*
 * Conformance, subject "math": the kernels of one floating type, for math_float.k.c and math_double.k.c.
 *
 * Each item computes a row of functions of its own arguments. kernels_math_table.c lists them in the same order.
 */
#ifndef QUERN_CONFORMANCE_MATH_KERNELS_H
#define QUERN_CONFORMANCE_MATH_KERNELS_H

#define MATH_ROW_8(name, T, f0, f1, f2, f3, f4, f5, f6, f7)                                                            \
    KERNEL(name, in(T, x), out(T, y))                                                                                  \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const T v = x[i];                                                                                          \
            y[8 * i + 0] = f0(v);                                                                                      \
            y[8 * i + 1] = f1(v);                                                                                      \
            y[8 * i + 2] = f2(v);                                                                                      \
            y[8 * i + 3] = f3(v);                                                                                      \
            y[8 * i + 4] = f4(v);                                                                                      \
            y[8 * i + 5] = f5(v);                                                                                      \
            y[8 * i + 6] = f6(v);                                                                                      \
            y[8 * i + 7] = f7(v);                                                                                      \
        }                                                                                                              \
    }

#define MATH_KERNELS(suffix, T)                                                                                        \
    MATH_ROW_8(math_unary_0_##suffix, T, acos, acosh, asin, asinh, atan, atanh, cbrt, cos)                             \
    MATH_ROW_8(math_unary_1_##suffix, T, cosh, erf, erfc, exp, exp2, expm1, sin, sinh)                                 \
    MATH_ROW_8(math_unary_2_##suffix, T, lgamma, log, log10, log1p, log2, tan, tanh, tgamma)                           \
    MATH_ROW_8(math_unary_3_##suffix, T, ceil, fabs, floor, logb, rint, round, sqrt, trunc)                            \
                                                                                                                       \
    KERNEL(math_binary_##suffix, in(T, x), in(T, y), out(T, z))                                                        \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const T a = x[i], b = y[i];                                                                                \
            z[12 * i + 0] = atan2(a, b);                                                                               \
            z[12 * i + 1] = hypot(a, b);                                                                               \
            z[12 * i + 2] = pow(a, b);                                                                                 \
            z[12 * i + 3] = copysign(a, b);                                                                            \
            z[12 * i + 4] = fdim(a, b);                                                                                \
            z[12 * i + 5] = fmax(a, b);                                                                                \
            z[12 * i + 6] = fmin(a, b);                                                                                \
            z[12 * i + 7] = fmod(a, b);                                                                                \
            z[12 * i + 8] = nextafter(a, b);                                                                           \
            z[12 * i + 9] = remainder(a, b);                                                                           \
            z[12 * i + 10] = MIN(a, b);                                                                                \
            z[12 * i + 11] = MAX(a, b);                                                                                \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    /* What every device gives the same bits of. Products of sums stand by themselves, for else they may be shared. */ \
    KERNEL(math_exact_##suffix, in(T, x), in(T, y), in(T, z), out(T, r))                                               \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const T a = x[i], b = y[i], c = z[i];                                                                      \
            r[8 * i + 0] = a + b;                                                                                      \
            r[8 * i + 1] = a - b;                                                                                      \
            r[8 * i + 2] = a * b;                                                                                      \
            r[8 * i + 3] = a / b;                                                                                      \
            r[8 * i + 4] = fma(a, b, c);                                                                               \
            r[8 * i + 5] = ABS(a) - c;                                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    KERNEL(math_sums_##suffix, in(T, x), in(T, y), in(T, z), out(T, r))                                                \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const T a = x[i], b = y[i], c = z[i];                                                                      \
            r[8 * i + 6] = a * b + c;                                                                                  \
            r[8 * i + 7] = a * b - c * b;                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    KERNEL(math_scale_##suffix, in(T, x), in(int32_t, e), out(T, y), out(int32_t, kinds))                              \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            y[i] = ldexp(x[i], e[i]);                                                                                  \
            kinds[i] = isnan(x[i]) + 2 * isinf(x[i]) + 4 * isfinite(x[i]) + 8 * signbit(x[i]);                         \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    /* Conversions. Whoever launches it keeps x in the integers' ranges. */                                            \
    KERNEL(math_to_integers_##suffix, in(T, x), in(T, wide), out(int64_t, y))                                          \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const T v = x[i], u = fabs(v), w = v / (T)65536, q = w / (T)256;                                           \
            y[8 * i + 0] = (int64_t)wide[i];                                                                           \
            y[8 * i + 1] = (int64_t)(uint64_t)fabs(wide[i]);                                                           \
            y[8 * i + 2] = (int32_t)v;                                                                                 \
            y[8 * i + 3] = (uint32_t)u;                                                                                \
            y[8 * i + 4] = (int16_t)w;                                                                                 \
            y[8 * i + 5] = (uint16_t)fabs(w);                                                                          \
            y[8 * i + 6] = (int8_t)q;                                                                                  \
            y[8 * i + 7] = (uint8_t)fabs(q);                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    KERNEL(math_from_integers_##suffix, in(int64_t, x), out(T, y))                                                     \
    {                                                                                                                  \
        EACH (i) {                                                                                                     \
            const int64_t v = x[i];                                                                                    \
            y[8 * i + 0] = (T)v;                                                                                       \
            y[8 * i + 1] = (T)(uint64_t)v;                                                                             \
            y[8 * i + 2] = (T)(int32_t)(v >> 32);                                                                      \
            y[8 * i + 3] = (T)(uint32_t)(v >> 32);                                                                     \
            y[8 * i + 4] = (T)(int16_t)(v >> 48);                                                                      \
            y[8 * i + 5] = (T)(uint16_t)(v >> 48);                                                                     \
            y[8 * i + 6] = (T)(int8_t)(v >> 56);                                                                       \
            y[8 * i + 7] = (T)(uint8_t)(v >> 56);                                                                      \
        }                                                                                                              \
    }

#endif
