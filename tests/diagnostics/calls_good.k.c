/* Calls with floating arguments of one type; integers go with either. */
#include <quern/kernel.h>

STRUCT(mixed, field(float, f), field(double, d))

DEVICE float blend(float a, double b, float c)
{
    return a * (float)b + c;
}

KERNEL(one_type, in(float, x), inout(double, d), in_nd(float, 2, n), value(mixed, m), out(float, y), in(int32_t, k))
{
    EACH2 (j, i) {
        float f = x[i];
        double e = 2.0;
        y[i] = fma(f, x[i], 2.0f);
        y[i] = pow(f, 2) + pow(f, 2.f) + ldexp(f, k[i]);
        d[i] = pow(d[i], (double)f) + fma(e, 2.0, d[i]);
        y[i] = MIN(AT(n, j, i), 1e-3f) + MAX(f, (float)e) + (float)MAX(k[i], 3);
        y[i] = fmax((float)e, sqrt(f)) + fabs(f);
        y[i] = atan2(m.f, (float)m.d) + (float)MAX(i, j);
        d[i] = fmin(m.d, M_PI) + MAX(m.d, DBL_MAX);
        y[i] = fmin(x[i] > 0.0 ? f : 1.0f, FLT_MAX);
        y[i] = blend(f, e, f) + blend(2.0, 2.0f, 1);
        y[i] += isnan(f) || isinf(e) ? 1.0f : (float)popcount(k[i]);
        if (f > 2.0 && e < 3.0f)
            PRINT("%f %f\n", (double)f, e);
        d[i] += (double)ABS(f) + e;
        y[i] = MIN(f * 2, ABS(-f));
    }
}
