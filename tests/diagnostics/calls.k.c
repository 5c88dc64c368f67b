/* Calls of what is not there, and floating arguments of two types in one call. */
// clang-format off
#include <quern/kernel.h>

STRUCT(mixed, field(float, f), field(double, d))

DEVICE double twice(double x)
{
    return 2.0 * x;
}

KERNEL(other, out(float, y))
{
    EACH (i)
        y[i] = 0.0f;
}

KERNEL(unknown, in(float, x), out(float, y))
{
    EACH (i) {
        int inner(int a) { return a; } // ERROR: function 'inner' is defined inside another; wanted a DEVICE helper at file scope
        printf("%f\n", x[i]); // ERROR: unknown function 'printf'; wanted PRINT
        memcpy(&y[i], &x[i], sizeof(float)); // ERROR: unknown function 'memcpy'; wanted an assignment or a loop
        y[get_global_id(0)] = x[threadIdx.x + blockIdx.x * 64]; // ERROR: unknown function 'get_global_id'; wanted the index of EACH, or GLOBAL(i) // ERROR: 'threadIdx' is CUDA's and no word of the dialect; wanted the index of EACH or ITEMS // ERROR: 'blockIdx' is CUDA's and no word of the dialect; wanted GROUP_ID in a GROUP_KERNEL, or just the index of EACH
        y[i] = sqrtf(x[i]); // ERROR: unknown function 'sqrtf'; wanted sqrt, which takes floats and doubles
        y[i] = (float)nearbyint(x[i]) + __builtin_fabsf(x[i]); // ERROR: unknown function 'nearbyint'; wanted a DEVICE helper of this file, a math function or a word of the dialect // ERROR: unknown function '__builtin_fabsf'; wanted a DEVICE helper of this file, a math function or a word of the dialect
        other(y); // ERROR: 'other' is a kernel, which only a launch can start; wanted a DEVICE helper
    }
}

KERNEL(two_types, in(float, x), inout(double, d), in_nd(float, 2, n), value(mixed, m), out(float, y))
{
    EACH (i) {
        float f = x[i];
        double e = 2.0, all[3] = {0.0};
        y[i] = (float)fma(f, x[i], 2.0); // ERROR: the floating arguments of fma have two types: argument 1 is a float, argument 3 is a double, as a literal without f is; wanted one type
        y[i] = (float)pow(f, d[i]); // ERROR: the floating arguments of pow have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)MIN(AT(n, 0, i), 1e-3); // ERROR: the floating arguments of MIN have two types: argument 1 is a float, argument 2 is a double, as a literal without f is; wanted one type
        y[i] = (float)MAX(f * 2.0, f); // ERROR: the floating arguments of MAX have two types: argument 1 is a double, argument 2 is a float; wanted one type
        y[i] = (float)fmax((float)e, sqrt(d[i])); // ERROR: the floating arguments of fmax have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)atan2(m.f, m.d); // ERROR: the floating arguments of atan2 have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)hypot(-f, all[1]); // ERROR: the floating arguments of hypot have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)fmod(f, twice(f)); // ERROR: the floating arguments of fmod have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)fmin(f, M_PI); // ERROR: the floating arguments of fmin have two types: argument 1 is a float, argument 2 is a double; wanted one type
        y[i] = (float)copysign(sqrt(f), e > 1.0 ? e : f); // ERROR: the floating arguments of copysign have two types: argument 1 is a float, argument 2 is a double; wanted one type
        GLOBAL_POINTER(double) p = d;
        y[i] = (float)pow(*p, *x); // ERROR: the floating arguments of pow have two types: argument 1 is a double, argument 2 is a float; wanted one type
        y[i] = (float)pow(f, (double)f); // ERROR: the floating arguments of pow have two types: argument 1 is a float, argument 2 is a double; wanted one type
    }
}

DEVICE static int storage_behind(int x) // ERROR: 'static' stands beside DEVICE or CONSTANT, which has a class of its own; wanted it left out
{
    return x;
}

static DEVICE int storage_before(int x) // ERROR: 'static' stands beside DEVICE or CONSTANT, which has a class of its own; wanted it left out
{
    return x;
}

static CONSTANT int one_table[2] = {1, 2}; // ERROR: 'static' stands beside DEVICE or CONSTANT, which has a class of its own; wanted it left out
CONSTANT static int other_table[2] = {1, 2}; // ERROR: 'static' stands beside DEVICE or CONSTANT, which has a class of its own; wanted it left out
DEVICE const int no_helper[2] = {1, 2}; // ERROR: 'no_helper' is a variable, but is marked DEVICE, as functions are; wanted CONSTANT, for a table

DEVICE int sum_of(int n, ...) // ERROR: helper 'sum_of' takes a varying number of arguments, which OpenCL C does not have; wanted a parameter for each
{
    return n;
}
