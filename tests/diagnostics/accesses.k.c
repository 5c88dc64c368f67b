/* Parameters, and variables, that are used as what they are not. */
// clang-format off
#include <quern/kernel.h>

KERNEL(no_groups, inout(float, x), local(float, tile)) // ERROR: parameter 'tile' is local, but 'no_groups' is a KERNEL and has no groups; wanted a GROUP_KERNEL
{
    EACH (i)
        x[i] = 1.0f;
}

KERNEL(accesses, in(float, x), out(float, y), inout(float, z), in_nd(float, 2, u), out_nd(float, 1, v), value(float, a))
{
    EACH (i) {
        float own[3] = {0.0f};
        y[i] = AT(x, i); // ERROR: 'x' in AT is no _nd parameter; wanted x[…], or in_nd in its place
        AT(y, i, i) = 0.0f; // ERROR: 'y' in AT is no _nd parameter; wanted y[…], or out_nd in its place
        AT(z, 0) = 0.0f; // ERROR: 'z' in AT is no _nd parameter; wanted z[…], or inout_nd in its place
        y[i] = AT(own, 1) + AT(a, 1); // ERROR: 'own' in AT is no _nd parameter; wanted the name of one // ERROR: 'a' in AT is no _nd parameter; wanted the name of one
        y[i] = (float)EXTENT(x, 0); // ERROR: 'x' in EXTENT is no _nd parameter; wanted the name of one
        y[i] = u[i]; // ERROR: 'u' is an _nd parameter, whose rows lie a pitch apart, but is used like a plain one; wanted AT(u, …) with 2 indices
        y[i] = *u + *(u + 1); // ERROR: 'u' is an _nd parameter, whose rows lie a pitch apart, but is used like a plain one; wanted AT(u, …) with 2 indices
        v[i] = 0.0f; // ERROR: 'v' is an _nd parameter, whose rows lie a pitch apart, but is used like a plain one; wanted AT(v, …) with 1 index
    }
}

KERNEL(any_rank, in(float, x), out_nd(float, 2, y))
{
    EACH_INDEX (idx)
        AT_INDEX(y, idx) = AT_INDEX(x, idx); // ERROR: 'x' in AT_INDEX is no _nd parameter; wanted x[…], or in_nd in its place
}

KERNEL(old_elements, in(float, x), out(float, y), out(int32_t, n), out(float, z), out_nd(float, 2, u), out(float, w))
{
    EACH (i) {
        y[i] += x[i]; // ERROR: += reads an old element of 'y', which is an out parameter that this kernel never just assigns; wanted inout
        n[i]++; // ERROR: ++ reads an old element of 'n', which is an out parameter that this kernel never just assigns; wanted inout
        --n[i]; // ERROR: -- reads an old element of 'n', which is an out parameter that this kernel never just assigns; wanted inout
        ATOMIC_ADD(&n[0], 1); // ERROR: ATOMIC_ADD reads an old element of 'n', which is an out parameter that this kernel never just assigns; wanted inout
        z[i] = z[i] * 2.0f + x[i]; // ERROR: = reads an old element of 'z', which is an out parameter that this kernel never just assigns; wanted inout
        AT(u, 0, i) *= 2.0f; // ERROR: *= reads an old element of 'u', which is an out_nd parameter that this kernel never just assigns; wanted inout_nd
        w[i] = 0.0f;
        w[i] += x[i];
    }
}

GROUP_KERNEL(private_types, 64, out(float, y))
{
    PRIVATE(long long, a); // ERROR: variable 'a' has type long long, which not every language has; wanted an element type, quern_index, size_t or long
    ITEMS (i)
        y[i] = (float)MINE(a, i);
}

KERNEL(variable_types, out(float, y))
{
    EACH (i) {
        long long a = 3; // ERROR: variable 'a' has type long long, which not every language has; wanted an element type, quern_index, size_t or long
        long double b = 3; // ERROR: variable 'b' has type long double, which not every language has; wanted an element type, quern_index, size_t or long
        intmax_t c = 3; // ERROR: variable 'c' has type intmax_t, which not every language has; wanted an element type, quern_index, size_t or long
        y[i] = (float)(a + c) + (float)b;
    }
}
