/* What C takes and C++ refuses, as which CUDA's compiler compiles. */
// clang-format off
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int8_t, second))

struct fixed {
    const int32_t id;
    float x;
};

struct empty {
    float x;
    float none[0]; // ERROR: array 'none' has 0 elements; wanted 1 or more
};

struct flexible {
    float x;
    float rest[]; // ERROR: field 'rest' is an array without a length; wanted one
};

CONSTANT float tiny = 1e-60; // ERROR: 1e-60 is too small for a float, and CUDA has no such constant; wanted one that fits
CONSTANT float huge[2][2] = {{1, 2}, {3, -1e39}}; // ERROR: 1e39 is too large for a float, and CUDA has no such constant; wanted one that fits
CONSTANT int32_t whole[2] = {1, 1e10}; // ERROR: 1e10 is too large for an integer of 32 bits, and CUDA has no such constant; wanted one that fits
CONSTANT pair pairs[1] = {{1e-60, 1}}; // ERROR: 1e-60 is too small for a float, and CUDA has no such constant; wanted one that fits
CONSTANT float half_of = 2.0f;
CONSTANT float of_another[2] = {1, half_of * 2}; // ERROR: the value of table 'of_another' depends on 'half_of', which is no constant in every language; wanted numbers, enumerators and macros
CONSTANT int32_t later[2]; // ERROR: table 'later' has no value, and can get none later; wanted '= …' behind it
CONSTANT int32_t too_many[2] = {1, 2, 3}; // ERROR: array 'too_many' has 2 elements and gets 3 values; wanted no more than fit

CONSTANT int32_t valueless[] = {}; // ERROR: array 'valueless' has neither a length nor values; wanted a length, or values in the braces

struct outer {
    struct inner { int a; } b;
    enum mode { PLAIN, TWICE } c;
};

typedef int open_array[];

DEVICE struct result { int a; } defines(int a) // ERROR: struct 'result' is defined as the result of a helper, where C++ lets none be; wanted it at file scope
{
    struct result r = {a};
    return r;
}

DEVICE int takes(enum kind { ONE, TWO } k) // ERROR: enum 'kind' is defined inside brackets, where C++ lets none be; wanted it at file scope
{
    return k;
}

DEVICE float old(a) // ERROR: the types of the parameters of helper 'old' stand behind the brackets; wanted them inside
    float a;
{
    return a;
}

DEVICE untyped(int a) // ERROR: 'untyped' has no type; wanted one in front of it, such as int
{
    return a;
}

DEVICE float nothing()
{
    return 1;
}

DEVICE void no_result(int a)
{
    return a; // ERROR: helper 'no_result' gives no result, and returns one; wanted return alone
}

DEVICE float first_of(float *x)
{
    return *x;
}

DEVICE float variable_length(int m, float x[m]) // ERROR: the length of array 'x' depends on 'm', which is no constant; wanted a constant (in a kernel, a local parameter can have a length from the launch)
{
    return x[0];
}

KERNEL(refused, inout(float, x), in(int32_t, n))
{
    EACH (i) {
        const int c; // ERROR: variable 'c' is const and has no value; wanted '= …' behind it
        const d = 3; // ERROR: 'd' has no type; wanted one in front of it, such as int
        struct fixed f; // ERROR: variable 'f' has a field that is const, 'id', and no value; wanted '= …'
        float none[0]; // ERROR: array 'none' has 0 elements; wanted 1 or more
        int three[2] = {1, 2, 3,}; // ERROR: array 'three' has 2 elements and gets 3 values; wanted no more than fit
        int no_values[] = {}; // ERROR: array 'no_values' has neither a length nor values; wanted a length, or values in the braces
        int no_rows[][2] = {}; // ERROR: array 'no_rows' has neither a length nor values; wanted a length, or values in the braces
        open_array by_name = {}; // ERROR: array 'by_name' has neither a length nor values; wanted a length, or values in the braces
        struct inner outside = {1}; // ERROR: struct 'inner' is defined within another type, outside of which C++ has none of that name; wanted it at file scope
        enum mode too = 1; // ERROR: enum 'mode' is defined within another type, outside of which C++ has none of that name; wanted it at file scope
        x[i] = sizeof(struct sized { int a; }); // ERROR: struct 'sized' is defined inside brackets, where C++ lets none be; wanted it at file scope
        x[i] = (enum { FIRST, SECOND })1; // ERROR: an enum is defined inside brackets, where C++ lets none be; wanted it at file scope
        x[i] = sizeof(int[sizeof(union { int a; float b; })]); // ERROR: a union is defined inside brackets, where C++ lets none be; wanted it at file scope
        float square(float); // ERROR: function 'square' is declared inside another; wanted a DEVICE helper at file scope
        float v = 1, w[2] = {1, 2};
        int64_t wide = 1;
        void *any = &v;
        float *back = any; // ERROR: pointer 'back' gets the address of another type, which C++ does not convert by itself; wanted a cast, or the right type
        int *other = &v; // ERROR: pointer 'other' gets the address of another type, which C++ does not convert by itself; wanted a cast, or the right type
        int32_t *narrow = &wide; // ERROR: pointer 'narrow' gets the address of another type, which C++ does not convert by itself; wanted a cast, or the right type
        x[i] = nothing(2); // ERROR: helper 'nothing' takes no argument, and gets 1
        x[i] = first_of(any); // ERROR: argument 1 of 'first_of' gets the address of another type, which C++ does not convert by itself; wanted a cast, or the right type
        x[i] = first_of(&wide); // ERROR: argument 1 of 'first_of' gets the address of another type, which C++ does not convert by itself; wanted a cast, or the right type
        if (n[i])
            goto try;
    try: // ERROR: a label cannot be 'try': that is a keyword of C++
        x[i] = v + w[0];
    }
}
