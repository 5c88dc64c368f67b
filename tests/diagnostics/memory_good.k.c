/* Sizes that are constants. */
#include <quern/kernel.h>

#define WIDTH 16

enum { HALO = 2 };

CONSTANT float weights[3] = {1.0f, 2.0f, 1.0f};
CONSTANT int32_t grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, other[HALO] = {0};

STRUCT(pair, field(float, first), field(float, second, 3))

DEVICE float first_of(const float *from, float table[3], CONSTANT_POINTER(float) fixed)
{
    float own[HALO + 1];
    own[0] = from[0];
    return own[0] + table[0] + fixed[0];
}

GROUP_KERNEL(sizes, (4, WIDTH), out(float, y), value(pair, p))
{
    LOCAL(float, a, GROUP_SIZE);
    LOCAL(float, b, (GROUP_SIZE + 2 * HALO) * (GROUP_SIZE_Y + 2 * HALO));
    LOCAL(float, c, GROUP_ITEMS);
    LOCAL(float, d, sizeof(p));
    LOCAL(pair, e, 3 * WIDTH);
    ALL_ITEMS2 (j, i) {
        float own[sizeof p / sizeof p.first];
        float both[HALO][WIDTH] = {{0.0f}};
        float table[3] = {1.0f, 2.0f, 3.0f};
        own[0] = weights[0] + (float)grid[1][2] + (float)other[0];
        a[i] = own[0] + both[0][0];
        b[0] = c[0] = d[0] = e[0].first = first_of(own, table, weights);
        y[0] = p.second[0] + (float)j;
    }
}

struct plain {
    pair first;
    unsigned short rest[3];
};

typedef unsigned int number;

GROUP_KERNEL(element_types, 64, out(float, y), value(int32_t, n))
{
    LOCAL(unsigned char, a, 64);
    LOCAL(struct plain, b, 64);
    LOCAL(number, c, 64);
    PRIVATE(quern_index, d);
    TEAM_EACH (j, 2 * n) {
        a[j] = b[j].rest[0] > 3 ? 1 : 0;
        c[j] = 1u;
    }
    ITEMS (i) {
        MINE(d, i) = GLOBAL(i);
        y[MINE(d, i)] = (float)(a[i] + c[i]);
    }
}
