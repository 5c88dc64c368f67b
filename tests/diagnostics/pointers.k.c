/* Addresses that would take a variable, or what may be written, past the rules on assignments. */
// clang-format off
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

DEVICE void set_local(LOCAL_POINTER(float) p)
{
    p[0] = 1.0f;
}

DEVICE float fixed(CONSTANT_POINTER(float) p)
{
    return p[0];
}

DEVICE void bump(float *s)
{
    s[0] += 1.0f;
}

DEVICE float look(const float *s)
{
    return s[0];
}

DEVICE void step(quern_index *i)
{
    *i += 1;
}

DEVICE void confused(float *s, GLOBAL_POINTER(const float) p)
{
    set(s); // ERROR: argument 1 of 'set' leads to a variable's memory, but its type is a GLOBAL_POINTER; wanted a plain pointer
    bump(p); // ERROR: argument 1 of 'bump' leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(const T)
    set(p); // ERROR: argument 1 of 'set' leads to what is const, and could write it; wanted GLOBAL_POINTER(const T)
}

KERNEL(outside, inout(float, x), in(float, w), value(float, a))
{
    float sum = 0.0f;
    set(x); // ERROR: argument 1 of 'set' is global memory, which 'set' could write outside of EACH, by every item alike; wanted the call inside, or a pointer to const
    set(&x[3]); // ERROR: argument 1 of 'set' is global memory, which 'set' could write outside of EACH, by every item alike; wanted the call inside, or a pointer to const
    GLOBAL_POINTER(float) to = x + 1;
    set(to); // ERROR: argument 1 of 'set' is global memory, which 'set' could write outside of EACH, by every item alike; wanted the call inside, or a pointer to const
    float *p = &sum; // ERROR: pointer 'p' leads to 'sum', a variable of the kernel, outside of EACH; wanted the variable itself
    p = &sum; // ERROR: the pointer that is assigned leads to 'sum', a variable of the kernel, outside of EACH; wanted the variable itself
    EACH (i) {
        set(w); // ERROR: argument 1 of 'set' leads to elements of 'w', which is an in parameter, and could write them; wanted GLOBAL_POINTER(const T)
        GLOBAL_POINTER(float) q = &w[i]; // ERROR: pointer 'q' leads to elements of 'w', which is an in parameter, and could write them; wanted GLOBAL_POINTER(const T)
        *q = *p;
        step(&i); // ERROR: argument 1 of 'step' leads to 'i', the index of EACH, and could write it; wanted the address of a variable declared inside it
        bump(&a); // ERROR: argument 1 of 'bump' leads to value parameter 'a'; wanted the address of a variable that it is copied to
    }
}

KERNEL(through_helper, inout(float, x), value(pair, p))
{
    float s = 0.0f, table[3] = {0.0f};
    pair own = p;
    EACH (i) {
        bump(&s); // ERROR: argument 1 of 'bump' leads to 's', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        bump(table); // ERROR: argument 1 of 'bump' leads to 'table', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        bump(table + 1); // ERROR: argument 1 of 'bump' leads to 'table', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        bump(&own.second[1]); // ERROR: argument 1 of 'bump' leads to 'own', a variable of the kernel, declared outside of EACH on line 72; wanted the address of a variable declared inside
        bump(i > 3 ? &s : &table[0]); // ERROR: argument 1 of 'bump' leads to 's', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        bump((float *)&s); // ERROR: argument 1 of 'bump' leads to 's', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        x[i] = look(&s); // ERROR: argument 1 of 'look' leads to 's', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        float *all[1] = {&s}; // ERROR: the pointer that is assigned leads to 's', a variable of the kernel, declared outside of EACH on line 71; wanted the address of a variable declared inside
        *all[0] = 1.0f;
    }
}

GROUP_KERNEL(in_phase, 64, inout(float, x), out_nd(float, 2, rows), local(float, tile))
{
    LOCAL(float, slice, 64);
    PRIVATE(float, mine);
    int32_t n = 0;
    set_local(tile); // ERROR: argument 1 of 'set_local' is local memory, which 'set_local' could write outside of a phase, by every item alike; wanted the call inside, or a pointer to const
    set_local(&slice[3]); // ERROR: argument 1 of 'set_local' is local memory, which 'set_local' could write outside of a phase, by every item alike; wanted the call inside, or a pointer to const
    ITEMS (i) {
        int32_t *q = &n; // ERROR: pointer 'q' leads to 'n', a variable of the kernel, declared outside of ITEMS on line 90; wanted the address of a variable declared inside
        *q = 3;
        bump(x); // ERROR: argument 1 of 'bump' leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(T)
        bump(&tile[i]); // ERROR: argument 1 of 'bump' leads to local memory, but its type is a plain pointer; wanted LOCAL_POINTER(T)
        bump(slice); // ERROR: argument 1 of 'bump' leads to local memory, but its type is a plain pointer; wanted LOCAL_POINTER(T)
        x[i] = look(weights); // ERROR: argument 1 of 'look' leads to constant memory, but its type is a plain pointer; wanted CONSTANT_POINTER(T)
        x[i] = look(x); // ERROR: argument 1 of 'look' leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(const T)
        set(slice); // ERROR: argument 1 of 'set' leads to local memory, but its type is a GLOBAL_POINTER; wanted LOCAL_POINTER(T)
        x[i] = fixed(x); // ERROR: argument 1 of 'fixed' leads to global memory, but its type is a CONSTANT_POINTER; wanted GLOBAL_POINTER(const T)
        float own = 0.0f, *to = &x[i]; // ERROR: pointer 'to' leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(T)
        set(&own); // ERROR: argument 1 of 'set' leads to a variable's memory, but its type is a GLOBAL_POINTER; wanted a plain pointer
        x[i] = get(&own); // ERROR: argument 1 of 'get' leads to a variable's memory, but its type is a GLOBAL_POINTER; wanted a plain pointer to const
        bump(&MINE(mine, i)); // ERROR: argument 1 of 'bump' leads to MINE; wanted the address of a variable declared inside ITEMS
        *to = own;
        weights[1] = 2.0f; // ERROR: 'weights' is written, which is a CONSTANT table; wanted LOCAL or a variable
    }
    ONCE
        set(rows); // ERROR: 'rows' is an _nd parameter, whose rows lie a pitch apart, but is used like a plain one; wanted AT(rows, …) with 2 indices
}
