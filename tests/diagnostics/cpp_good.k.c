/* What is near to what C++ refuses, and is right. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int8_t, second))

struct fixed {
    const int32_t id;
    float x;
};

enum { LENGTH = 4 };

CONSTANT float small = 1e-42, large = -3.4e38, zero = 0.0, exact = 0x1p-149, infinite = INFINITY;
CONSTANT float scaled[2] = {1e-50 * 1e20, 1e60 / 1e40};
CONSTANT double wide[2][2] = {{1e-300, 1e300}, {2}};
CONSTANT int32_t whole[LENGTH] = {2e9, -2147483648.0, LENGTH, sizeof wide / sizeof wide[0]};
CONSTANT uint32_t natural = 4e9;
CONSTANT pair pairs[] = {{1e-30, 1}, {2, 3}};
CONSTANT int32_t flat[2][2] = {{1, 2}, {3, 4}}, three[3] = {
                                                    1,
                                                    2,
                                                    3,
};

DEVICE float nothing()
{
    return 1;
}

DEVICE void no_result(float *x)
{
    if (*x > 1)
        return;
    *x = 1;
}

DEVICE const float *same(const float *x)
{
    return x;
}

DEVICE float number_of(const void *x, int is_float)
{
    return is_float ? *(const float *)x : (float)*(const int32_t *)x;
}

struct outer {
    struct {
        int32_t a;
    } inner;
    union either {
        int32_t a;
        float b;
    } either;
};

typedef struct named {
    int32_t a;
} named;

CONSTANT struct placed {
    int32_t a;
} placed = {1};

KERNEL(taken, inout(float, x), in(int32_t, n))
{
    EACH (i) {
        const int c = 3;
        int zeros[2] = {}, pairs_of_zeros[][2] = {{}};
        struct within {
            int32_t a;
        } here = {sizeof(struct fixed)};
        struct outer nested = {{1}, {2}};
        named known = {placed.a + zeros[0] + pairs_of_zeros[0][1] + here.a + nested.inner.a};
        const float *late;
        struct fixed f = {c + known.a, 1};
        float v = f.x, w[2] = {1, 2};
        int32_t whole_number = 2;
        void *any = &v;
        float *back = (float *)any;
        int32_t *reinterpreted = (int32_t *)&v;
        const unsigned *natural_number = (const unsigned *)&whole_number;
        late = w;
        no_result(&v);
        if (n[i])
            goto next;
        v = number_of(&v, 1) + number_of(&whole_number, 0) + number_of(any, 1) + *same(&v);
    next:
        x[i] = v + w[0] + *back + *late + nothing() + (float)*reinterpreted + (float)*natural_number;
        x[i] += small + large + zero + exact + infinite + scaled[1] + (float)wide[0][0] + (float)whole[2];
        x[i] += (float)natural + pairs[1].first + (float)flat[0][1] + (float)three[2];
    }
}
