/*
 * Conformance, subject "memory": LOCAL arrays, local parameters, PRIVATE, constant tables, structs with padding,
 * helpers that get pointers.
 */
#include <quern/kernel.h>

/* 3 bytes of padding behind `small`, 2 behind `middle`, 4 at the end. */
STRUCT(memory_padded, field(int8_t, small), field(int32_t, number), field(int16_t, middle), field(int64_t, large),
       field(float, last))

/* Every array is its own: what is written to one shows in no other, whatever its type and length. */
GROUP_KERNEL(memory_locals, 7, out(int64_t, y))
{
    LOCAL(int8_t, a, 1);
    LOCAL(int64_t, b, GROUP_SIZE);
    LOCAL(int16_t, c, 3 * GROUP_SIZE);
    LOCAL(memory_padded, d, GROUP_SIZE);
    LOCAL(uint8_t, e, GROUP_SIZE + 4);
    LOCAL(float, f, 2 * GROUP_SIZE - 1);
    ONCE a[0] = (int8_t)(-100 + GROUP_ID);
    ALL_ITEMS (i) {
        b[i] = (int64_t)1000000007 * (i + 1);
        c[i] = c[GROUP_SIZE + i] = c[2 * GROUP_SIZE + i] = (int16_t)(200 + i);
        d[i] = MAKE(memory_padded, (int8_t)(30 + i), (int32_t)(400 + i), (int16_t)(500 + i), 600 + i, 0.5f * (float)i);
    }
    TEAM_EACH (j, GROUP_SIZE + 4)
        e[j] = (uint8_t)(240 + j);
    TEAM_EACH (j, 2 * GROUP_SIZE - 1)
        f[j] = 0.25f * (float)j;
    ITEMS (i) {
        const quern_index k = (i + 3) % GROUP_SIZE;
        y[GLOBAL(i)] = a[0] + b[k] + (int64_t)3 * c[k + 2 * GROUP_SIZE] + 5 * c[k] + 7 * d[k].small + 11 * d[k].number +
                       13 * d[k].middle + 17 * d[k].large + (int64_t)(64.0f * d[k].last) + 19 * e[i + 4] +
                       (int64_t)(128.0f * f[2 * i]);
    }
}

/*
 * The same with lengths that the launch gives, 0 among them; each array is filled to its very end. In the control
 * nothing is wrong but that filling `d` writes to `c` as well, as if they lay one over the other.
 */
#define PARAMETERS_KERNEL(name, slip)                                                                                  \
    GROUP_KERNEL(name, ANY, value(int32_t, na), value(int32_t, nb), value(int32_t, nc), value(int32_t, nd),            \
                 local(int8_t, a), local(int64_t, b), local(int16_t, none), local(memory_padded, c),                   \
                 local(uint16_t, d), out(int64_t, y))                                                                  \
    {                                                                                                                  \
        TEAM_EACH (j, na)                                                                                              \
            a[j] = (int8_t)(j % 101 - 50);                                                                             \
        TEAM_EACH (j, nb)                                                                                              \
            b[j] = (int64_t)1000000007 * j + GROUP_ID;                                                                 \
        TEAM_EACH (j, nc)                                                                                              \
            c[j] = MAKE(memory_padded, (int8_t)(j % 89), (int32_t)(7 * j), (int16_t)(j % 997), -(int64_t)j,            \
                        0.5f * (float)j);                                                                              \
        TEAM_EACH (j, nd) {                                                                                            \
            d[j] = (uint16_t)(60000 + j % 5000);                                                                       \
            if (slip && j < nc)                                                                                        \
                c[j].middle = (int16_t)(j - 5);                                                                        \
        }                                                                                                              \
        ITEMS (i) {                                                                                                    \
            int64_t sum = GLOBAL(i);                                                                                   \
            for (int32_t j = 0; j < na; ++j)                                                                           \
                sum += (j + 1) * a[j];                                                                                 \
            for (int32_t j = 0; j < nb; ++j)                                                                           \
                sum += (j + 2) * b[j];                                                                                 \
            for (int32_t j = 0; j < nc; ++j)                                                                           \
                sum += (j + 3) * (c[j].small + (int64_t)c[j].number + c[j].middle + c[j].large) +                      \
                       (int64_t)(2 * c[j].last);                                                                       \
            for (int32_t j = 0; j < nd; ++j)                                                                           \
                sum += (j + 4) * d[j];                                                                                 \
            y[GLOBAL(i)] = sum;                                                                                        \
        }                                                                                                              \
    }
PARAMETERS_KERNEL(memory_parameters, 0)
PARAMETERS_KERNEL(memory_control, 1)

/* Values per item survive barriers, while those of the neighbours change: scalars, structs, arrays. */
STRUCT(memory_bundle, field(int32_t, first), field(int16_t, rest, 5))
typedef int32_t memory_row[3];

#define KEEP(...)                                                                                                      \
    MINE(scalar, __VA_ARGS__) = 3 * (int32_t)(GLOBAL_LINEAR(__VA_ARGS__)) + 1;                                         \
    MINE(mixed, __VA_ARGS__).first = 100 + (int32_t)ITEM_LINEAR(__VA_ARGS__);                                          \
    for (int32_t k = 0; k < 5; ++k)                                                                                    \
        MINE(mixed, __VA_ARGS__).rest[k] = (int16_t)(k * ITEM_LINEAR(__VA_ARGS__));                                    \
    for (int32_t k = 0; k < 3; ++k)                                                                                    \
        MINE(array, __VA_ARGS__)[k] = (int32_t)(10 * ITEM_LINEAR(__VA_ARGS__)) + k;                                    \
    shared[ITEM_LINEAR(__VA_ARGS__)] = MINE(scalar, __VA_ARGS__)

#define STIR(...)                                                                                                      \
    MINE(mixed, __VA_ARGS__).rest[2] =                                                                                 \
        (int16_t)(MINE(mixed, __VA_ARGS__).rest[2] + shared[GROUP_ITEMS - 1 - ITEM_LINEAR(__VA_ARGS__)] % 100);        \
    MINE(array, __VA_ARGS__)[1] += MINE(scalar, __VA_ARGS__)

#define RESULT(...)                                                                                                    \
    (MINE(scalar, __VA_ARGS__) + 2 * MINE(mixed, __VA_ARGS__).first + 3 * MINE(mixed, __VA_ARGS__).rest[2] +           \
     5 * MINE(mixed, __VA_ARGS__).rest[4] + 7 * MINE(array, __VA_ARGS__)[0] + 11 * MINE(array, __VA_ARGS__)[1] +       \
     13 * MINE(array, __VA_ARGS__)[2])

#define PRIVATES                                                                                                       \
    PRIVATE(int32_t, scalar);                                                                                          \
    PRIVATE(memory_bundle, mixed);                                                                                     \
    PRIVATE(memory_row, array);

GROUP_KERNEL(memory_private_1, 13, out(int32_t, y))
{
    PRIVATES
    LOCAL(int32_t, shared, GROUP_ITEMS);
    ALL_ITEMS (i) {
        KEEP(i);
    }
    ALL_ITEMS (i) {
        STIR(i);
    }
    ITEMS (i)
        y[GLOBAL_LINEAR(i)] = RESULT(i);
}

GROUP_KERNEL(memory_private_2, (ANY, ANY), out(int32_t, y), local(int32_t, shared))
{
    PRIVATES
    ALL_ITEMS2 (j, i) {
        KEEP(j, i);
    }
    ALL_ITEMS2 (j, i) {
        STIR(j, i);
    }
    ITEMS2 (j, i)
        y[GLOBAL_LINEAR(j, i)] = RESULT(j, i);
}

GROUP_KERNEL(memory_private_3, (2, 3, 5), out(int32_t, y))
{
    PRIVATES
    LOCAL(int32_t, shared, GROUP_ITEMS);
    ALL_ITEMS3 (h, j, i) {
        KEEP(h, j, i);
    }
    ALL_ITEMS3 (h, j, i) {
        STIR(h, j, i);
    }
    ITEMS3 (h, j, i)
        y[GLOBAL_LINEAR(h, j, i)] = RESULT(h, j, i);
}

/* 4 KiB per item. */
STRUCT(memory_large, field(int32_t, slot, 1024))

GROUP_KERNEL(memory_private_large, 33, in(int32_t, x), out(int32_t, y))
{
    PRIVATE(memory_large, mine);
    LOCAL(int32_t, shared, GROUP_SIZE);
    ALL_ITEMS (i) {
        for (int32_t k = 0; k < 1024; ++k)
            MINE(mine, i).slot[k] = (int32_t)(k * (i + 1));
        shared[i] = GLOBAL(i) < RANGE ? x[GLOBAL(i)] : 0;
    }
    ALL_ITEMS (i)
        MINE(mine, i).slot[shared[(i + 1) % GROUP_SIZE] & 1023] = -7;
    ITEMS (i) {
        int32_t sum = 0;
        for (int32_t k = 0; k < 1024; ++k)
            sum += MINE(mine, i).slot[k];
        y[GLOBAL(i)] = sum;
    }
}

/* Arrays that an item declares for itself, indexed by what the data say. */
KERNEL(memory_own_arrays, in(int32_t, x), out(int32_t, y))
{
    EACH (i) {
        int32_t sorted[11];
        for (int32_t k = 0; k < 11; ++k) {
            const int32_t next = (x[i] * (k + 3)) % 101;
            int32_t at = k;
            while (at > 0 && sorted[at - 1] > next) {
                sorted[at] = sorted[at - 1];
                --at;
            }
            sorted[at] = next;
        }
        y[i] = sorted[0] + 3 * sorted[5] + 7 * sorted[10] + 11 * sorted[x[i] % 11];
    }
}

/* Constant tables of several types, indexed by data, at file scope and through a helper's pointer. */
CONSTANT int8_t memory_bytes[5] = {-3, 1, 4, -1, 5};
CONSTANT uint32_t memory_words[3] = {4000000000u, 7u, 65537u};
CONSTANT float memory_fractions[4] = {0.5f, -0.25f, 1.5f, 3.0f};
CONSTANT int16_t memory_grid[2][3] = {{1, 2, 3}, {40, 50, 60}};
CONSTANT memory_padded memory_structs[2] = {{1, 2, 3, 4, 5.0f}, {-1, -2, -3, -4, -5.0f}};

DEVICE int64_t memory_look_up(CONSTANT_POINTER(uint32_t) table, int32_t i)
{
    return table[i];
}

KERNEL(memory_constants, in(int32_t, x), out(int64_t, y))
{
    EACH (i) {
        const int32_t k = x[i];
        y[i] = memory_bytes[k % 5] + 3 * memory_look_up(memory_words, k % 3) +
               (int64_t)(64.0f * memory_fractions[k % 4]) + 5 * memory_grid[k % 2][k % 3] +
               7 * memory_structs[k % 2].large + 11 * memory_structs[(k + 1) % 2].small +
               (int64_t)memory_structs[k % 2].last;
    }
}

/* Structs with padding in global memory, read, changed and written whole. */
KERNEL(memory_structs_1, in(memory_padded, x), inout(memory_padded, y), in_nd(memory_padded, 2, z))
{
    EACH (i) {
        memory_padded both = x[i];
        both.number += y[i].number;
        both.large -= AT(z, i, 0).large;
        both.small = AT(z, i, 1).small;
        both.last *= 2.0f;
        y[i] = both;
    }
}

/* Helpers change what a pointer to global or local memory or to a variable leads to. */
DEVICE void memory_add_global(GLOBAL_POINTER(int32_t) to, LOCAL_POINTER(const int32_t) what, int32_t n)
{
    for (int32_t k = 0; k < n; ++k)
        *to += what[k];
}

DEVICE void memory_double_local(LOCAL_POINTER(int32_t) p)
{
    *p *= 2;
}

DEVICE void memory_divide(int32_t a, int32_t b, int32_t *quotient, int32_t *rest)
{
    *quotient = a / b;
    *rest = a % b;
}

GROUP_KERNEL(memory_helpers, 6, inout(int32_t, y))
{
    LOCAL(int32_t, tile, GROUP_SIZE);
    ALL_ITEMS (i)
        tile[i] = (int32_t)i + 1;
    ALL_ITEMS (i)
        memory_double_local(&tile[i]);
    ITEMS (i) {
        int32_t quotient, rest;
        memory_divide(y[GLOBAL(i)], 7, &quotient, &rest);
        y[GLOBAL(i)] = quotient - 1000 * rest;
        memory_add_global(&y[GLOBAL(i)], &tile[i % 3], 3);
    }
}
