/* Local memory of no constant size, arrays of no constant length, helpers that hold what only kernels can. */
// clang-format off
#include <quern/kernel.h>

CONSTANT float weights[3] = {1.0f, 2.0f, 1.0f};

GROUP_KERNEL(any_size, ANY, value(int, n), out(float, y), local(float, tile))
{
    int m = 3;
    LOCAL(float, a, GROUP_SIZE); // ERROR: the length of LOCAL 'a' depends on 'GROUP_SIZE', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    LOCAL(float, b, n + 1); // ERROR: the length of LOCAL 'b' depends on 'n', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    LOCAL(float, c, 2 * m); // ERROR: the length of LOCAL 'c' depends on 'm', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    LOCAL(float, d, RANGE); // ERROR: the length of LOCAL 'd' depends on 'RANGE', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    ITEMS (i) {
        float e[n]; // ERROR: the length of array 'e' depends on 'n', which is no constant; wanted a constant (in a kernel, a local parameter can have a length from the launch)
        float f[3][GROUP_SIZE]; // ERROR: the length of array 'f' depends on 'GROUP_SIZE', which is no constant; wanted a constant (in a kernel, a local parameter can have a length from the launch)
        y[GLOBAL(i)] = (float)sizeof e + (float)sizeof f;
    }
}

GROUP_KERNEL(any_rows, (ANY, ANY), out(float, y))
{
    LOCAL(float, a, 2 * GROUP_ITEMS); // ERROR: the length of LOCAL 'a' depends on 'GROUP_ITEMS', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    LOCAL(float, b, GROUP_SIZE_Y); // ERROR: the length of LOCAL 'b' depends on 'GROUP_SIZE_Y', which is no constant; wanted a constant, or a local parameter, whose length the launch gives
    ITEMS2 (j, i)
        y[0] = a[0] + b[0];
}

KERNEL(arrays, value(int, n), out(float, y))
{
    static float kept[3] = {0.0f}; // ERROR: a variable of a kernel or helper is declared 'static', which OpenCL C does not have; wanted none, or a CONSTANT table at file scope
    float most[n + 1]; // ERROR: the length of array 'most' depends on 'n', which is no constant; wanted a constant (in a kernel, a local parameter can have a length from the launch)
    EACH (i) {
        register int k = 0; // ERROR: a variable of a kernel or helper is declared 'register', which OpenCL C does not have; wanted none, or a CONSTANT table at file scope
        y[i] = kept[k] + most[k];
    }
}

DEVICE float helper(float x, int n)
{
    LOCAL(float, tile, 64); // ERROR: LOCAL 'tile' stands in helper 'helper'; wanted it in a GROUP_KERNEL
    PRIVATE(float, own); // ERROR: PRIVATE 'own' stands in helper 'helper'; wanted it in a GROUP_KERNEL
    ITEMS (i) // ERROR: ITEMS stands in helper 'helper'; wanted it in a kernel
        tile[i] = 0.0f;
    EACH (i) // ERROR: EACH stands in helper 'helper'; wanted it in a kernel
        tile[i] = 0.0f;
    float table[n]; // ERROR: the length of array 'table' depends on 'n', which is no constant; wanted a constant (in a kernel, a local parameter can have a length from the launch)
    ONCE // ERROR: ONCE stands in helper 'helper'; wanted it in a kernel
        tile[0] = (float)GROUP_ID; // ERROR: GROUP_ID stands in helper 'helper', which does not know it; wanted it as a parameter
    READ_UNIFORM(float, v, tile[0]); // ERROR: READ_UNIFORM 'v' stands in helper 'helper'; wanted it in a GROUP_KERNEL
    return table[GLOBAL(0)] + x + v + (float)RANGE + AT(tile, 0) + weights[0]; // ERROR: GLOBAL stands in helper 'helper', which does not know it; wanted it as a parameter // ERROR: RANGE stands in helper 'helper', which does not know it; wanted it as a parameter // ERROR: AT stands in helper 'helper', which has no kernel parameters; wanted it in a kernel
}

STRUCT(cell, field(int32_t, n))

struct link {
    cell first;
    quern_index next;
};

GROUP_KERNEL(element_types, 64, out(float, y))
{
    LOCAL(long, a, 64); // ERROR: LOCAL 'a' has elements with type long, whose size is not the same on every device; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
    LOCAL(quern_index, b, 64); // ERROR: LOCAL 'b' has elements with type quern_index, whose size is not the same on every device; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
    LOCAL(float *, c, 64); // ERROR: LOCAL 'c' has elements with a pointer, whose size is not the same on every device; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
    LOCAL(struct link, d, 64); // ERROR: LOCAL 'd' has elements with type quern_index, whose size is not the same on every device; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
    LOCAL(unsigned long long, e, 64); // ERROR: LOCAL 'e' has elements with type long long, whose size is not the same on every device; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
    int lane = SUBGROUP_ITEM;
    TEAM_EACH (j, 2 * lane) // ERROR: the count of TEAM_EACH depends on the item (by 'lane'); wanted one that is the same for all items of the group
        y[j] = 0.0f;
}
