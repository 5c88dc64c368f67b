/* Assignments that mean something else on each backend. */
// clang-format off
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(float, second, 3))

KERNEL(in_each, in(float, x), out(float, y), value(float, a), value(pair, p))
{
    float sum = 0.0f, table[5];
    pair own;
    EACH (i) {
        sum += x[i]; // ERROR: 'sum' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        table[i % 5] = x[i]; // ERROR: 'table' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        *table = 0.0f; // ERROR: 'table' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        *(table + 1) = 0.0f; // ERROR: 'table' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        own.first = x[i]; // ERROR: 'own' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 10; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        own.second[1]++; // ERROR: 'own' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 10; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        --own.second[2]; // ERROR: 'own' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 10; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        a = 2.0f; // ERROR: parameter 'a' itself is assigned inside EACH; wanted an assignment to a variable declared inside
        p.first = 0.0f; // ERROR: parameter 'p' itself is assigned inside EACH; wanted an assignment to a variable declared inside
        p.second[0] = 0.0f; // ERROR: parameter 'p' itself is assigned inside EACH; wanted an assignment to a variable declared inside
        y = y + 1; // ERROR: parameter 'y' itself is assigned inside EACH; wanted an assignment to its elements
        i = 0; // ERROR: 'i', the index of EACH, is assigned; wanted an assignment to a variable declared inside it
        y[i] = sum;
        if ((sum = a) > 0.0f) // ERROR: 'sum' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
            y[i] = (sum > 0.0f, sum *= 2.0f); // ERROR: 'sum' is assigned inside EACH, but is a variable of the kernel, declared outside of it on line 9; wanted a parameter's element, LOCAL, MINE or a variable declared inside
    }
}

GROUP_KERNEL(in_phases, 64, in(float, x), inout(float, y), local(float, tile))
{
    int turns = 0;
    ITEMS (i) {
        float own = x[GLOBAL(i)];
        own += 1.0f;
        turns = (int)own; // ERROR: 'turns' is assigned inside ITEMS, but is a variable of the kernel, declared outside of it on line 32; wanted a parameter's element, LOCAL, MINE or a variable declared inside
        x[GLOBAL(i)] = own; // ERROR: an element of 'x' is written, which is an in parameter; wanted out or inout
        tile = 0; // ERROR: parameter 'tile' itself is assigned inside ITEMS; wanted an assignment to its elements
    }
    ONCE
        turns++; // ERROR: 'turns' is assigned inside ONCE, but is a variable of the kernel, declared outside of it on line 32; wanted a parameter's element, LOCAL, MINE or a variable declared inside
    TEAM_EACH (j, 9)
        for (turns = 0; turns < 3; turns++) // ERROR: 'turns' is assigned inside TEAM_EACH, but is a variable of the kernel, declared outside of it on line 32; wanted a parameter's element, LOCAL, MINE or a variable declared inside
            y[j] += 1.0f;
}

GROUP_KERNEL(outside, 64, in(float, x), inout(float, y), out_nd(float, 2, z), local(float, tile), value(int, n))
{
    LOCAL(float, slice, 64);
    PRIVATE(float, own);
    GLOBAL_POINTER(float) to = y + 3;
    y[GROUP_ID] = 0.0f; // ERROR: an element of 'y' is written outside of a phase, by every item alike; wanted it inside
    AT(z, 0, 1) += 1.0f; // ERROR: an element of 'z' is written outside of a phase, by every item alike; wanted it inside
    slice[0] = 1.0f; // ERROR: local memory is written outside of a phase, by every item alike; wanted it inside a phase
    tile[3]++; // ERROR: local memory is written outside of a phase, by every item alike; wanted it inside a phase
    *to = 1.0f; // ERROR: global memory is written outside of a phase, by every item alike; wanted it inside
    to[1] = 1.0f; // ERROR: global memory is written outside of a phase, by every item alike; wanted it inside
    *(y + 1) = 2.0f; // ERROR: an element of 'y' is written outside of a phase, by every item alike; wanted it inside
    x[0] = 1.0f; // ERROR: an element of 'x' is written, which is an in parameter; wanted out or inout
    MINE(own, 0) = 1.0f; // ERROR: MINE stands outside of a phase, where no item is at hand; wanted it inside a phase
    n = 3; // ERROR: value parameter 'n' is assigned; wanted an assignment to a variable
    ATOMIC_ADD(&y[0], 1.0f); // ERROR: an element of 'y' is written outside of a phase, by every item alike; wanted it inside
    ITEMS (i) {
        y[GLOBAL(i)] = own; // ERROR: PRIVATE 'own' is used as it stands; wanted MINE(own, …) with the item's index
        y[GLOBAL(i)] = MINE(slice, i); // ERROR: 'slice' in MINE is no PRIVATE variable; wanted the name of one
    }
}

KERNEL(outside_each, in_nd(float, 2, x), out(float, y))
{
    y[0] = 0.0f; // ERROR: an element of 'y' is written outside of EACH, by every item alike; wanted it inside
    EACH2 (j, i)
        AT(x, j, i) = 0.0f; // ERROR: an element of 'x' is written, which is an in_nd parameter; wanted out_nd or inout_nd
    EACH2 (j2, i2) {
        at[0] = 3;
        AT_INDEX(x, at) = 0.0f; // ERROR: an element of 'x' is written, which is an in_nd parameter; wanted out_nd or inout_nd
        ATOMIC_ADD(&AT(x, 0, 1), 1.0f); // ERROR: an element of 'x' is written, which is an in_nd parameter; wanted out_nd or inout_nd
        y[at[1]] = AT(x, at[0]); // ERROR: AT(x, …) has 1 index, but 'x' has rank 2; wanted one for each dimension
    }
}
