/* What the subset of C leaves out. */
// clang-format off
#include <quern/kernel.h>

_Static_assert(sizeof(int) == 4, "int"); // ERROR: _Static_assert is no part of the dialect; wanted a condition of the preprocessor with #error

STRUCT(pair, field(float, first), field(float, second))

struct flags {
    unsigned low : 3; // ERROR: a field has a width in bits, which OpenCL C does not have; wanted a whole integer
    unsigned high : 5; // ERROR: a field has a width in bits, which OpenCL C does not have; wanted a whole integer
};

struct wide {
    long count;
    float x;
};

struct linked {
    float *next;
};

typedef float (*operation)(float, float); // ERROR: 'operation' is a pointer to a function, which a kernel file cannot have; wanted a call of a DEVICE helper by name

float counter; // ERROR: 'counter' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel
static const int32_t limit = 3, bounds[2] = {1, 2}; // ERROR: 'limit' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel // ERROR: 'bounds' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel
extern int32_t elsewhere; // ERROR: 'elsewhere' is a variable at file scope; wanted a CONSTANT table, or a variable of a kernel

float not_marked(float x) // ERROR: function 'not_marked' is not marked DEVICE; wanted DEVICE in front of its type
{
    return x;
}

static inline float declared(float x); // ERROR: function 'declared' is not marked DEVICE; wanted DEVICE in front of its type

CONSTANT float designated[3] = {[1] = 2.0f}; // ERROR: a designated initialiser is no part of the dialect; wanted the values in order

DEVICE float add(float a, float b)
{
    return a + b;
}

DEVICE float apply(float (*f)(float, float), float a) // ERROR: 'f' is a pointer to a function, which a kernel file cannot have; wanted a call of a DEVICE helper by name
{
    return f(a, a);
}

DEVICE int down(int n)
{
    return n == 0 ? 0 : down(n - 1); // ERROR: helper 'down' calls itself; wanted a loop, OpenCL C has no recursion
}

DEVICE int odd(int n);

DEVICE int even(int n)
{
    return n == 0 ? 1 : odd(n - 1); // ERROR: helper 'even' calls 'odd', which calls 'even' again; wanted a loop, OpenCL C has no recursion
}

DEVICE int odd(int n)
{
    return n == 0 ? 0 : even(n - 1); // ERROR: helper 'odd' calls 'even', which calls 'odd' again; wanted a loop, OpenCL C has no recursion
}

KERNEL(left_out, in(float, x), out(float, y), in(struct wide, w), value(struct linked, l)) // ERROR: parameter 'w' has type 'struct wide', in which there is long; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these // ERROR: parameter 'l' has type 'struct linked', in which there is a pointer; wanted fixed-width integers, char, short, int, float, double, and structs and arrays of these
{
    EACH (i) {
        pair p = {.first = 1.0f, .second = 2.0f}; // ERROR: a designated initialiser is no part of the dialect; wanted the values in order
        pair q = (pair){1.0f, 2.0f}; // ERROR: a compound literal is no part of the dialect; wanted MAKE(T, …)
        int table[3] = {[0] = 1}; // ERROR: a designated initialiser is no part of the dialect; wanted the values in order
        __typeof__(x[i]) z = x[i]; // ERROR: __typeof__ is no part of the dialect; wanted the type's name
        int m = ({ int k = 3; k; }); // ERROR: a statement inside an expression is no part of the dialect; wanted a DEVICE helper
        float g = _Generic(z, float: 1.0f, default: 2.0f); // ERROR: _Generic is no part of the dialect; wanted a helper for each type, or a macro that takes the type's name
        asm("nop"); // ERROR: assembly is no part of the dialect; wanted C
        y[i] = p.first + q.first + (float)(table[0] + m) + g + apply(add, z) + counter; // ERROR: helper 'add' is used as a value, and a kernel file has no pointers to functions; wanted a call
        y[i] += not_marked(1.0f);
        _Alignas(16) float aligned = 0.0f; // ERROR: _Alignas is no part of the dialect; wanted it left out
        y[i] += aligned;
        _Bool yes = 1; // ERROR: _Bool is no part of the dialect; wanted int or uint8_t
        bool no = 0; // ERROR: bool is no part of the dialect; wanted int or uint8_t
        y[i] += (float)(yes + no);
    }
}
