/* Casts, choices, strings and tables that languages for devices, with their separate memories, do not take. */
// clang-format off
#include <quern/kernel.h>

CONSTANT float weights[3] = {1.0f, 2.0f, 1.0f};
CONSTANT_POINTER(char) name = "name"; // ERROR: 'name' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel
CONSTANT char *names[2] = {"one", "two"}; // ERROR: table 'names' holds pointers, which a device cannot have at file scope; wanted numbers, and structs and arrays of these

typedef struct holder {
    float *own;
    GLOBAL_POINTER(float) theirs;
    int n;
} holder;

DEVICE int length(const char *text)
{
    return text[0] != 0;
}

DEVICE void count(int32_t *n, GLOBAL_POINTER(int32_t) all)
{
    ATOMIC_ADD(n, 1); // ERROR: ATOMIC_ADD on what a plain pointer leads to, a variable; wanted a GLOBAL_POINTER or LOCAL_POINTER
    ATOMIC_ADD(&n[1], 1); // ERROR: ATOMIC_ADD on what a plain pointer leads to, a variable; wanted a GLOBAL_POINTER or LOCAL_POINTER
    ATOMIC_ADD(all, 1);
}

KERNEL(casts, in(float, x), inout(float, y), out(uint32_t, u))
{
    EACH (i) {
        float own = x[i];
        u[i] = ((const uint32_t *)x)[i]; // ERROR: a cast to a plain pointer of what leads to global memory; wanted a cast to GLOBAL_POINTER(const T)
        u[i] = *(uint32_t *)&y[i]; // ERROR: a cast to a plain pointer of what leads to global memory; wanted a cast to GLOBAL_POINTER(T)
        u[i] = *(GLOBAL_POINTER(uint32_t))&own; // ERROR: a cast to a GLOBAL_POINTER of what leads to a variable's memory; wanted a cast to a plain pointer
        u[i] = *(LOCAL_POINTER(const uint32_t))(y + i); // ERROR: a cast to a LOCAL_POINTER of what leads to global memory; wanted a cast to GLOBAL_POINTER(const T)
        u[i] += ((const uint32_t *)weights)[i]; // ERROR: a cast to a plain pointer of what leads to constant memory; wanted a cast to CONSTANT_POINTER(T)
    }
}

GROUP_KERNEL(choices, 64, in(float, x), inout(float, y), inout(double, d))
{
    LOCAL(float, tile, 64);
    ITEMS (i) {
        float own = 1.0f;
        y[i] = (i > 3 ? tile : x)[i]; // ERROR: ?: chooses between local memory and global memory; wanted two addresses in one memory
        y[i] = *(i > 3 ? &own : &y[0]); // ERROR: ?: chooses between a variable's memory and global memory; wanted two addresses in one memory
        y[i] = *(i > 3 ? weights : tile); // ERROR: ?: chooses between constant memory and local memory; wanted two addresses in one memory
        y[i] = x[i] ? 1.0f : 2.0f; // ERROR: the condition of ?: is a float, which OpenCL C does not take; wanted a comparison, as != 0 is
        y[i] = own * 2 ? 1.0f : 2.0f; // ERROR: the condition of ?: is a float, which OpenCL C does not take; wanted a comparison, as != 0 is
        d[i] = d[i] ? 1 : 2; // ERROR: the condition of ?: is a double, which OpenCL C does not take; wanted a comparison, as != 0 is
        y[i] = (i & 3) ?: 1; // ERROR: ?: without its middle operand is no part of the dialect; wanted that written out
    }
}

GROUP_KERNEL(comparisons, 64, in(float, x), inout(float, y))
{
    LOCAL(float, tile, 64);
    ITEMS (i) {
        float own = 1.0f;
        tile[i] = y == tile; // ERROR: == stands between addresses in global memory and in local memory; wanted two in one memory
        y[i] += &own < &x[0]; // ERROR: < stands between addresses in a variable's memory and in global memory; wanted two in one memory
        y[i] += tile - x; // ERROR: - stands between addresses in local memory and in global memory; wanted two in one memory
    }
}

DEVICE double loud(register double x) // ERROR: a variable of a kernel or helper is declared 'register', which OpenCL C does not have; wanted none, or a CONSTANT table at file scope
{
    return x + 1.0L + 0x1p3l + 2.5f; // ERROR: 1.0L is a long double, which not every language has; wanted a double // ERROR: 0x1p3l is a long double, which not every language has; wanted a double
}

KERNEL(literals, inout(int64_t, y))
{
    EACH (i) {
        y[i] = (long long)i; // ERROR: a cast to long long, which not every language has; wanted one to an element type
        y[i] = (long double)i > 3; // ERROR: a cast to long double, which not every language has; wanted one to an element type
        y[i] = L'x' + u8"x"[0]; // ERROR: L'x' has characters of another type than char; wanted it without L // ERROR: u8"x" has characters of another type than char; wanted it without u8
    }
}

KERNEL(strings, inout(float, y))
{
    EACH (i) {
        const char *text = "text"; // ERROR: pointer 'text' leads to constant memory, but its type is a plain pointer; wanted CONSTANT_POINTER(T)
        text = "other"; // ERROR: the pointer that is assigned leads to constant memory, but its type is a plain pointer; wanted CONSTANT_POINTER(T)
        y[i] = (float)length("text"); // ERROR: argument 1 of 'length' leads to constant memory, but its type is a plain pointer; wanted CONSTANT_POINTER(T)
    }
}

KERNEL(braces, inout(float, y))
{
    EACH (i) {
        float own = 1.0f;
        holder a = {&y[i], 0, 1}; // ERROR: the pointer that is assigned leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(T)
        holder b = {&own, &own, 1}; // ERROR: the pointer that is assigned leads to a variable's memory, but its type is a GLOBAL_POINTER; wanted a plain pointer
        holder c[2] = {{&own, &y[i], 1}, {y, y, 2}}; // ERROR: the pointer that is assigned leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(T)
        float *p[2] = {&own, &y[i]}; // ERROR: the pointer that is assigned leads to global memory, but its type is a plain pointer; wanted GLOBAL_POINTER(T)
        int_fast8_t fast = 1; // ERROR: int_fast8_t has not the same width everywhere; wanted one of int8_t to uint64_t
        uint_least32_t least = 1; // ERROR: uint_least32_t has not the same width everywhere; wanted one of int8_t to uint64_t
        y[i] = *a.own + *b.own + *c[0].own + *p[0] + (float)fast + (float)least;
    }
}
