/* A kernel whose name and operator whoever includes this defines: OPERATOR, APPLY(a, b). */
#ifndef TWICE_JOIN
#define TWICE_JOIN(a, b) TWICE_JOIN_(a, b)
#define TWICE_JOIN_(a, b) a##b
#endif

KERNEL(TWICE_JOIN(twice_, OPERATOR), in(int32_t, a), in(int32_t, b), out(int32_t, c))
{
    EACH (i)
        c[i] = APPLY(a[i], b[i]);
}
