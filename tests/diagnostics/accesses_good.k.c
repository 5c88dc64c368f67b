/* Parameters and variables that are used as what they are. */
#include <quern/kernel.h>

DEVICE void store(GLOBAL_POINTER(float) to, float v)
{
    to[0] = v;
}

KERNEL(accesses, in(float, x), out(float, y), in_nd(float, 2, u), out_nd(float, 1, v))
{
    EACH (i) {
        GLOBAL_POINTER(const float) row = &AT(u, 1, 0);
        y[i] = x[i] + AT(u, 0, i) + row[i] + *(row + 1) + (float)EXTENT(u, 1);
        AT(v, i) = (&AT(u, 0, 0))[i];
    }
}

KERNEL(any_rank, in_nd(float, 2, x), out_nd(float, 2, y))
{
    EACH_INDEX (idx)
        AT_INDEX(y, idx) = AT_INDEX(x, idx);
}

KERNEL(old_elements, in(float, x), out(float, y), out(float, z), out(float, w), out(float, v), out(int32_t, n))
{
    GLOBAL_POINTER(float) to = v;
    EACH (i) {
        float sum = 0.0f;
        y[i] = x[i];
        y[i] += 1.0f;
        for (int k = 0; k < 3; k++)
            if (k > 0)
                z[i] += x[i];
            else
                z[i] = y[i];
        store(&w[i], 2.0f);
        w[i] *= sum;
        to[i] = 0.0f;
        v[i]++;
        ATOMIC_EXCHANGE(&n[i], 3);
        n[i] += 1;
    }
}

KERNEL(variable_types, out(float, y))
{
    EACH (i) {
        long a = 3;
        size_t b = sizeof(float);
        ptrdiff_t c = 1;
        quern_index d = i;
        unsigned long e = 2;
        y[i] = (float)(a + c + d) + (float)(b + e);
    }
}
