/* Casts, choices, strings and tables that stay in one memory. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int32_t, second, 2))

CONSTANT float weights[3] = {1.0f, 2.0f, 1.0f};
CONSTANT pair pairs[2] = {{1.0f, {1, 2}}, {2.0f, {3, 4}}};
CONSTANT char letters[] = "letters";
CONSTANT float one = 1.0f, two[2] = {2.0f, INFINITY};

typedef struct holder {
    float *own;
    GLOBAL_POINTER(float) theirs;
    int n;
} holder;

typedef struct mixed {
    float numbers[2];
    float *own;
    GLOBAL_POINTER(float) theirs;
} mixed;

DEVICE int length(CONSTANT_POINTER(char) text)
{
    int n = 0;
    while (text[n] != 0)
        ++n;
    return n;
}

DEVICE void count(GLOBAL_POINTER(int32_t) all, LOCAL_POINTER(int32_t) some)
{
    ATOMIC_ADD(all, 1);
    ATOMIC_ADD(&some[1], 1);
}

DEVICE float change(GLOBAL_POINTER(pair) one, LOCAL_POINTER(pair) other, GLOBAL_POINTER(pair) end)
{
    GLOBAL_POINTER(float) first = &one->first;
    ATOMIC_ADD(&one->first, 1.0f);
    ATOMIC_XOR(&one->second[1], 1);
    ATOMIC_MAX(other->second, 1);
    return *first + (float)(one == end) + (float)(end - one) + (float)(other != 0) + 2.5f + (float)(0x1Fl + 3L + 0x1eL);
}

DEVICE GLOBAL_POINTER(const float) row(GLOBAL_POINTER(const float) from, quern_index n)
{
    return from + n;
}

KERNEL(casts, in(float, x), inout(float, y), out(uint32_t, u), out(uint64_t, addresses))
{
    EACH (i) {
        float own = x[i], *p = &own, **q = &p;
        u[i] = ((GLOBAL_POINTER(const uint32_t))x)[i];
        u[i] += *(GLOBAL_POINTER(uint32_t)) & y[i];
        u[i] += *(uint32_t *)&own + *(uint32_t *)p + (uint32_t)*row(x, 3);
        u[i] += ((CONSTANT_POINTER(uint32_t))weights)[i];
        GLOBAL_POINTER(const void) nothing = x;
        u[i] += ((GLOBAL_POINTER(const uint32_t))nothing)[i] + (nothing != 0);
        addresses[i] = (uint64_t)(uintptr_t)x + (uint64_t)(intptr_t)p + (uint64_t)(y + i - y);
        **q = 1.0f;
    }
}

GROUP_KERNEL(choices, 64, in(float, x), inout(float, y), inout(int32_t, n))
{
    LOCAL(float, tile, 64);
    LOCAL(int32_t, counts, 2);
    ITEMS (i) {
        float own = 1.0f, other = 2.0f;
        tile[i] = 1.0f;
        y[i] = *(i > 3 ? &own : &other) + (i > 3 ? tile : &tile[i])[0] + (i > 3 ? x : &x[1])[i];
        y[i] += x[i] != 0 ? 1.0f : 2.0f;
        y[i] += n[i] ? 1.0f : own;
        y[i] += !own ? 1.0f : 2.0f;
        y[i] += own && other ? 1.0f : 2.0f;
        if (own)
            y[i] += 1.0f;
        while (own)
            own = 0.0f;
        count(n, counts);
    }
}

KERNEL(strings, inout(float, y))
{
    EACH (i) {
        char text[] = "text";
        y[i] = (float)(length("text") + length(letters) + text[0] + "abc"[i & 1] + 'x');
        PRINT("%s %d\n", "text", (int)i);
    }
}

KERNEL(braces, inout(float, y))
{
    EACH (i) {
        float own = 1.0f;
        holder a = {&own, &y[i], 1}, b = {0};
        holder c[2] = {{&own, &y[i], 1}, {&own, y, 2}};
        mixed d = {1.0f, 2.0f, &own, y}, e = {{1.0f, 2.0f}, &own, y};
        float *p[2] = {&own, 0};
        GLOBAL_POINTER(float) q[2] = {y, y + 1};
        y[i] = *a.own + *c[0].own + *p[0] + q[1][i] + *d.own + e.theirs[i] + (float)b.n;
        y[i] += pairs[1].first + one + two[1] + (float)pairs[0].second[1];
    }
}
