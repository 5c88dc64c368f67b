/* Addresses that may go where they go. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(float, second, 3))

CONSTANT float weights[3] = {1.0f, 2.0f, 1.0f};

DEVICE void set(GLOBAL_POINTER(float) p)
{
    p[0] = 1.0f;
}

DEVICE float get(GLOBAL_POINTER(const float) p)
{
    return p[0];
}

DEVICE float get_twice(GLOBAL_POINTER(const float) p)
{
    GLOBAL_POINTER(const float) q = p + 1;
    return get(p) + get(q);
}

DEVICE float get_local(LOCAL_POINTER(const float) p, int32_t n)
{
    return p[n];
}

DEVICE void set_local(LOCAL_POINTER(float) p)
{
    p[0] = 1.0f;
}

DEVICE float fixed(CONSTANT_POINTER(const float) p, CONSTANT_POINTER(float) q)
{
    return p[0] + q[0];
}

DEVICE void split(float x, float *whole, float *rest)
{
    *whole = trunc(x);
    *rest = x - *whole;
}

DEVICE float both(float x)
{
    float whole, rest, *to = &whole;
    split(x, to, &rest);
    return whole + rest;
}

DEVICE float first(const float *from, pair *p)
{
    p->first = from[0];
    return p->second[1];
}

DEVICE quern_index total(const quern_index *idx)
{
    return idx[0] + idx[5];
}

KERNEL(plain, in(float, x), inout(float, y), in_nd(float, 2, u), value(pair, p))
{
    float whole, rest, start = get(x) + get(y) + get(&AT(u, 0, 0));
    split(start, &whole, &rest);
    GLOBAL_POINTER(const float) from = x + 3;
    GLOBAL_POINTER(float) to = y;
    EACH (i) {
        float a, b, table[3] = {0.0f};
        pair own = p;
        split(x[i] + rest, &a, &b);
        split(whole, table, table + 1);
        split(whole, &own.first, &own.second[2]);
        float *q = &a, *r = i > 3 ? &a : &b;
        *q = 1.0f;
        *r = first(table, &own) + fixed(weights, &weights[1]);
        y[i] = a + b + get(from) + get_twice(x) + get(&AT(u, 0, i)) + both(a);
        set(&y[i]);
        set(to + i);
        q = &b;
        y[i] += *q;
    }
}

KERNEL(indices, in_nd(float, 3, u), out(int32_t, y))
{
    EACH_INDEX (idx)
        y[idx[2]] = (int32_t)(total(idx) + EXTENT(u, 0));
}

GROUP_KERNEL(groups, 64, inout(float, x), local(float, tile))
{
    LOCAL(float, slice, 64);
    ITEMS (i) {
        set_local(tile + i);
        set_local(&slice[i]);
    }
    float begin = get_local(slice, 3) + get_local(tile, 0);
    READ_UNIFORM(float, end, get_local(slice, 9));
    ITEMS (i)
        x[GLOBAL(i)] = get_local(slice, (int32_t)i) + begin + end;
}
