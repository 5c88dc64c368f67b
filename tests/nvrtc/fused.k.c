/* fma where the author wants one: PTX has those, and no other. */
#include <quern/kernel.h>

DEVICE float fused_helper(float a, float b)
{
    return fma(a, a, b);
}

KERNEL(fused_each, in(float, a), in(double, b), inout(float, c), inout(double, d))
{
    EACH (i) {
        const float plain = a[i] * c[i] + 1.0f;
        const float once = fma(a[i], plain, c[i]);
        const float helped = fused_helper(once, plain);
        c[i] = once * helped - plain;
        d[i] = fma(b[i], (double)c[i], d[i]);
        d[i] += b[i] * b[i];
    }
}

/* No loop that a compiler could unroll: as many instructions as calls, three. */
GROUP_KERNEL(fused_group, 32, in(float, a), inout(float, c), inout(double, d))
{
    ITEMS (i) {
        const float plain = a[GLOBAL(i)] * c[GLOBAL(i)] + 1.0f;
        c[GLOBAL(i)] = fma(plain, plain, a[GLOBAL(i)]);
        c[GLOBAL(i)] = fma(c[GLOBAL(i)], -plain, plain) * plain;
        d[GLOBAL(i)] = fma(d[GLOBAL(i)], d[GLOBAL(i)], -1.0) + 2.0 * d[GLOBAL(i)];
    }
}
