/* What the subset has. */
#include <quern/kernel.h>

#define DOUBLE_IT(x) ((x) + (x))

typedef struct point {
    float x, y;
    int32_t cell[3];
} point;

struct outer {
    point first;
    struct {
        uint8_t a;
        uint16_t b[2];
    } inner;
};

union bits {
    float f;
    uint32_t u;
};

enum mode { PLAIN, TWICE = 3 };

typedef float row[4];
typedef unsigned short small;

STRUCT(affine, field(float, scale), field(float, shift))
STRUCT(nested, field(affine, a), field(int32_t, n, 3));

CONSTANT float table[2][2] = {{1.0f, 2.0f}, {3.0f, 4.0f}};
CONSTANT affine identity = {1.0f, 0.0f};

DEVICE int odd(int n);

DEVICE int is_even(int n)
{
    return n % 2 == 0 ? 1 : odd(n);
}

DEVICE int odd(int n)
{
    return n % 2;
}

DEVICE void swap(float *a, float *b)
{
    float c = *a;
    *a = *b;
    *b = c;
}

DEVICE affine compose(affine a, affine b)
{
    return MAKE(affine, a.scale * b.scale, a.scale * b.shift + a.shift);
}

KERNEL(plain_c, in(point, points), out(float, y), in(struct outer, o), value(nested, n), in(small, s))
{
    const int count = 3;
    EACH (i) {
        point p = points[i], q = {1.0f, 2.0f, {1, 2, 3}};
        union bits b;
        row r = {0.0f};
        uint64_t wide = (uint64_t)i << 3;
        long far = (long)i;
        quern_index near = i;
        size_t bytes = sizeof(struct outer);
        float a = p.x, c = (float)count;
        int mode = TWICE;
        swap(&a, &c);
        b.f = a;
        b.u ^= 1u;
        r[i & 3] = b.f;
        affine f = compose(identity, n.a);
        y[i] = mode == TWICE ? DOUBLE_IT(a) : f.scale;
        y[i] += q.x + (float)q.cell[2] + r[0] + (float)(wide + bytes) + (float)(far + near) + (float)o[i].inner.b[1] +
                (float)s[i];
        y[i] += (float)is_even(n.n[1]) + table[1][0];
        for (int k = 0, m = 9; k < m; k++, m--)
            y[i] += (float)k, y[i] -= (float)m;
        if ((p.x))
            y[i] *= (p.y) + (c);
        while (a > 1.0f)
            a *= 0.5f;
        ;
        {
            ;
        }
    }
}
