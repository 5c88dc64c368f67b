/* A kernel with more local memory than the assembler lets a group have. */
#include <quern/kernel.h>

GROUP_KERNEL(large, 8, out(double, x))
{
    LOCAL(double, much, 8192);
    ITEMS (i)
        much[i] = 1.0;
    ITEMS (i)
        x[GLOBAL(i)] = much[i];
}
