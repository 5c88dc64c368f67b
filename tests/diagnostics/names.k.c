/* Names that another language of the dialect, or the dialect itself, has taken. */
// clang-format off
#include <quern/kernel.h>

typedef float uint; // ERROR: a type cannot be 'uint': that is a keyword of OpenCL C
struct template { float x; }; // ERROR: a struct cannot be 'template': that is a keyword of C++
enum private { global, here }; // ERROR: an enum cannot be 'private': that is a keyword of OpenCL C // ERROR: an enumerator cannot be 'global': that is a keyword of OpenCL C
CONSTANT float float4[2] = {1.0f, 2.0f}; // ERROR: a table cannot be 'float4': that is a vector type of OpenCL C and CUDA

DEVICE float scale(float class, float x) // ERROR: a parameter cannot be 'class': that is a keyword of C++
{
    return class * x;
}

KERNEL(reserved, in(float, x), out(float, y))
{
    int half = 3, ok = 2; // ERROR: a variable cannot be 'half': that is a keyword of OpenCL C
    int generic = 1; // ERROR: a variable cannot be 'generic': that is a keyword of OpenCL C
    int pipe = 1;    // ERROR: a variable cannot be 'pipe': that is a keyword of OpenCL C
    EACH (i) {
        float quern_sum = 0.0f, new = x[i]; // ERROR: a variable cannot be 'quern_sum': that is one of Quern's own names // ERROR: a variable cannot be 'new': that is a keyword of C++
        float GLOBAL = 0.0f; // ERROR: a variable cannot be 'GLOBAL': that is a word of the dialect
        int threadIdx = 0; // ERROR: a variable cannot be 'threadIdx': that is a keyword of CUDA
        float __x = 0.0f; // ERROR: a variable cannot be '__x': that is reserved for the compilers, as are all names that begin with two underscores
        y[i] = quern_sum + new + GLOBAL + (float)(threadIdx + half + ok) + __x;
    }
    EACH (i) {
        int linux = 0, unix = 1; // ERROR: a variable cannot be 'linux': that is a macro of gcc and clang // ERROR: a variable cannot be 'unix': that is a macro of gcc and clang
        float NAN = 0.0f; // ERROR: a variable cannot be 'NAN': that is a constant that C's headers bring
        int INT_MAX = linux + unix; // ERROR: a variable cannot be 'INT_MAX': that is a constant that C's headers bring
        y[i] = (float)INT_MAX + NAN;
    }
    EACH (this) // ERROR: an index cannot be 'this': that is a keyword of C++
        y[this] = 0.0f;
}

GROUP_KERNEL(reserved_memory, 64, out(float, y))
{
    LOCAL(float, local, 64); // ERROR: a variable cannot be 'local': that is a keyword of OpenCL C
    PRIVATE(float, private); // ERROR: a variable cannot be 'private': that is a keyword of OpenCL C
    ITEMS (kernel) // ERROR: an index cannot be 'kernel': that is a keyword of OpenCL C
        y[kernel] = local[kernel] + MINE(private, kernel);
    READ_UNIFORM(float, constant, local[0]); // ERROR: a variable cannot be 'constant': that is a keyword of OpenCL C
    ITEMS (i)
        y[i] = constant;
}
