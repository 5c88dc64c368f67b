/* Parameters: structs, macros for names, types, ranks and sizes, a body that is compiled twice, 64 of them. */
#include <quern/kernel.h>

STRUCT(affine, field(float, scale), field(float, shift))

STRUCT(bundle, field(int16_t, kind), field(affine, map), field(double, table, 3), field(uint8_t, flags, 2))

/* A struct by value, and arrays of structs; MAKE. */
KERNEL(struct_value, in(float, x), out(affine, y), value(bundle, b))
{
    EACH (i)
        y[i] = MAKE(affine, b.map.scale * x[i] + b.map.shift, (float)(b.table[i % 3] + b.kind + b.flags[i % 2]));
}

KERNEL(struct_tag, in(struct affine, x), inout(struct affine, y))
{
    EACH (i) {
        y[i].scale += x[i].shift;
        y[i].shift += x[i].scale;
    }
}

/* Everything may be a macro: the kernel's name, types, names, ranks, a whole list of parameters, sizes. */
#define NAME macro_kernel
#define TYPE int32_t
#define INPUT a_rather_long_name
#define RANK 2
#define PARAMETERS in_nd(TYPE, RANK, INPUT), out_nd(TYPE, RANK, result)
KERNEL(NAME, PARAMETERS, value(TYPE, k))
{
    EACH2 (y, x)
        AT(result, y, x) = AT(INPUT, y, x) * k + (TYPE)EXTENT(INPUT, 0);
}

#define ROWS 2
#define GROUP (ROWS, 2 * ROWS)
GROUP_KERNEL(macro_group, GROUP, out(TYPE, sizes))
{
    ONCE sizes[GROUP_LINEAR] = (TYPE)(100 * GROUP_SIZE_Y + GROUP_SIZE);
}

/* One body, two operators. */
#define OPERATOR plus
#define APPLY(a, b) ((a) + (b))
#include "twice.h"
#undef OPERATOR
#undef APPLY

#define OPERATOR larger
#define APPLY(a, b) MAX(a, b)
#include "twice.h"
#undef OPERATOR
#undef APPLY

/* Kernels that are called as functions and words of other languages are. */
KERNEL(dot, in(float, in), out(float, out))
{
    EACH (i)
        out[i] = in[i] + 1;
}

KERNEL(sqrt, in(float, value), out(float, field))
{
    EACH (i)
        field[i] = sqrt(value[i]);
}

/* Helpers and a constant table. */
CONSTANT int32_t table[4] = {3, 1, 4, 1};

DEVICE int32_t look_up(CONSTANT_POINTER(int32_t) from, int32_t i);

DEVICE int32_t look_up(CONSTANT_POINTER(int32_t) from, int32_t i)
{
    return from[i & 3];
}

DEVICE void add_to(GLOBAL_POINTER(int32_t) to, LOCAL_POINTER(const int32_t) what)
{
    *to += *what;
}

GROUP_KERNEL(helpers, 4, inout(int32_t, y))
{
    LOCAL(int32_t, looked_up, GROUP_SIZE);
    ALL_ITEMS (i)
        looked_up[i] = look_up(table, (int32_t)i);
    ITEMS (i)
        add_to(&y[GLOBAL(i)], &looked_up[i]);
}

/* 64 parameters, as many as there may be. */
KERNEL(sixty_four, out(int64_t, p0), value(int8_t, p1), value(uint8_t, p2), value(int16_t, p3), value(uint16_t, p4),
       value(int32_t, p5), value(uint32_t, p6), value(int64_t, p7), value(uint64_t, p8), value(float, p9),
       value(double, p10), in(int32_t, p11), in_nd(int32_t, 2, p12), in_nd(int32_t, 6, p13), inout(int32_t, p14),
       out_nd(int32_t, 1, p15), value(int32_t, p16), value(int32_t, p17), value(int32_t, p18), value(int32_t, p19),
       value(int32_t, p20), value(int32_t, p21), value(int32_t, p22), value(int32_t, p23), value(int32_t, p24),
       value(int32_t, p25), value(int32_t, p26), value(int32_t, p27), value(int32_t, p28), value(int32_t, p29),
       value(int32_t, p30), value(int32_t, p31), value(int32_t, p32), value(int32_t, p33), value(int32_t, p34),
       value(int32_t, p35), value(int32_t, p36), value(int32_t, p37), value(int32_t, p38), value(int32_t, p39),
       value(int32_t, p40), value(int32_t, p41), value(int32_t, p42), value(int32_t, p43), value(int32_t, p44),
       value(int32_t, p45), value(int32_t, p46), value(int32_t, p47), value(int32_t, p48), value(int32_t, p49),
       value(int32_t, p50), value(int32_t, p51), value(int32_t, p52), value(int32_t, p53), value(int32_t, p54),
       value(int32_t, p55), value(int32_t, p56), value(int32_t, p57), value(int32_t, p58), value(int32_t, p59),
       value(int32_t, p60), value(int32_t, p61), value(int32_t, p62), value(int32_t, p63))
{
    EACH (i) {
        p0[i] = p1 + 2 * p2 + 3 * p3 + 4 * p4 + 5 * p5 + 6 * (int64_t)p6 + 7 * p7 + 8 * (int64_t)p8 + 9 * (int64_t)p9 +
                10 * (int64_t)p10 + 11 * p11[i] + 12 * AT(p12, i, i) + 13 * AT(p13, i, i, i, i, i, i);
        p0[i] += 16 * p16 + 17 * p17 + 18 * p18 + 19 * p19 + 20 * p20 + 21 * p21 + 22 * p22 + 23 * p23 + 24 * p24 +
                 25 * p25 + 26 * p26 + 27 * p27 + 28 * p28 + 29 * p29 + 30 * p30 + 31 * p31 + 32 * p32 + 33 * p33 +
                 34 * p34 + 35 * p35 + 36 * p36 + 37 * p37 + 38 * p38 + 39 * p39 + 40 * p40 + 41 * p41 + 42 * p42 +
                 43 * p43 + 44 * p44 + 45 * p45 + 46 * p46 + 47 * p47 + 48 * p48 + 49 * p49 + 50 * p50 + 51 * p51 +
                 52 * p52 + 53 * p53 + 54 * p54 + 55 * p55 + 56 * p56 + 57 * p57 + 58 * p58 + 59 * p59 + 60 * p60 +
                 61 * p61 + 62 * p62 + 63 * p63;
        p14[i] += 1;
        AT(p15, i) = p14[i];
    }
}

/* The same number behind a group's size. */
#define EIGHT(n)                                                                                                       \
    value(int32_t, n##0), value(int32_t, n##1), value(int32_t, n##2), value(int32_t, n##3), value(int32_t, n##4),      \
        value(int32_t, n##5), value(int32_t, n##6), value(int32_t, n##7)
GROUP_KERNEL(sixty_four_in_groups, (1, 3), out(int64_t, y), EIGHT(a), EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f),
             EIGHT(g), value(int32_t, h0), value(int32_t, h1), value(int32_t, h2), value(int32_t, h3),
             value(int32_t, h4), value(int32_t, h5), local(int32_t, h6))
{
    ITEMS2 (k, j) {
        h6[j] = a0 + 2 * a1 + 3 * h5;
        y[GLOBAL_LINEAR(k, j)] = h6[j];
    }
}
