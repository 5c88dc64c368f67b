/* Words of the dialect with arguments that they do not take. */
// clang-format off
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(int16_t, small))

KERNEL(side_effects, in(int32_t, x), inout(int32_t, y), inout_nd(int32_t, 2, u))
{
    EACH (i) {
        int k = 0;
        y[i] = MIN(k++, 3); // ERROR: an argument of MIN has a side effect, ++; wanted that in a statement of its own
        y[i] = MAX(k += 2, 1); // ERROR: an argument of MAX has a side effect, +=; wanted that in a statement of its own
        y[i] = ABS(--k); // ERROR: an argument of ABS has a side effect, --; wanted that in a statement of its own
        y[i] = MAX(1, ABS(k = 3)); // ERROR: an argument of ABS has a side effect, =; wanted that in a statement of its own
        ATOMIC_ADD(&y[k++], 1); // ERROR: an argument of ATOMIC_ADD has a side effect, ++; wanted that in a statement of its own
        ATOMIC_MAX(&y[0], k--); // ERROR: an argument of ATOMIC_MAX has a side effect, --; wanted that in a statement of its own
        y[i] = MIN(ATOMIC_ADD(&y[0], 1), 3); // ERROR: an argument of MIN has a side effect, ATOMIC_ADD; wanted that in a statement of its own
        AT(u, i, k++) = x[i]; // ERROR: an argument of AT has a side effect, ++; wanted that in a statement of its own
    }
}

GROUP_KERNEL(atomics, 64, inout(int8_t, b), inout(uint16_t, h), inout(float, f), inout(double, d), inout(pair, p), inout(int32_t, n), in(int32_t, x))
{
    PRIVATE(int32_t, own);
    ITEMS (i) {
        int32_t mine = 0;
        ATOMIC_ADD(&b[0], 1); // ERROR: ATOMIC_ADD on an integer of 8 bits; wanted a 32- or 64-bit integer, a float or a double
        ATOMIC_MIN(h, 1); // ERROR: ATOMIC_MIN on an integer of 16 bits; wanted a 32- or 64-bit integer, a float or a double
        ATOMIC_OR(&b[0], 1); // ERROR: ATOMIC_OR on an integer of 8 bits; wanted a 32- or 64-bit integer
        ATOMIC_AND(&f[0], 1); // ERROR: ATOMIC_AND on a float; wanted a 32- or 64-bit integer
        ATOMIC_XOR(d + 1, 1); // ERROR: ATOMIC_XOR on a double; wanted a 32- or 64-bit integer
        ATOMIC_EXCHANGE(&p[0], p[1]); // ERROR: ATOMIC_EXCHANGE on a struct; wanted a 32- or 64-bit integer, a float or a double
        ATOMIC_ADD(&p[0].small, 1); // ERROR: ATOMIC_ADD on an integer of 16 bits; wanted a 32- or 64-bit integer, a float or a double
        ATOMIC_ADD(n[0], 1); // ERROR: argument 1 of ATOMIC_ADD is no address; wanted & in front of it
        ATOMIC_ADD(&n[0]); // ERROR: ATOMIC_ADD has 1 argument; wanted 2
        ATOMIC_COMPARE_EXCHANGE(&n[0], 1); // ERROR: ATOMIC_COMPARE_EXCHANGE has 2 arguments; wanted 3
        ATOMIC_ADD(&mine, 1); // ERROR: ATOMIC_ADD on a variable; wanted the address of an element in global or local memory
        ATOMIC_ADD(&MINE(own, i), 1); // ERROR: ATOMIC_ADD on MINE; wanted the address of an element in global or local memory
        n[0] = popcount(b[i]); // ERROR: popcount of an integer of 8 bits; wanted one of 32 or 64 bits, as a cast to uint32_t makes it
        n[0] = clz(h[i]) + ffs(p[0].small); // ERROR: clz of an integer of 16 bits; wanted one of 32 or 64 bits, as a cast to uint32_t makes it // ERROR: ffs of an integer of 16 bits; wanted one of 32 or 64 bits, as a cast to uint32_t makes it
        n[0] = popcount(f[i]) + clz(2.0 * d[i]); // ERROR: popcount of a float; wanted a 32- or 64-bit integer // ERROR: clz of a double; wanted a 32- or 64-bit integer
        f[i] = (float)sqrt(x[i]); // ERROR: sqrt of an integer, which has no result of its own on every device; wanted a cast to float or double
        d[i] = pow(2, x[i]) + fabs(mine - 3) + exp(i); // ERROR: pow of integers, which has no result of its own on every device; wanted a cast to float or double // ERROR: fabs of an integer, which has no result of its own on every device; wanted a cast to float or double // ERROR: exp of an integer, which has no result of its own on every device; wanted a cast to float or double
        n[0] = isnan(x[i]); // ERROR: isnan of an integer, which has no result of its own on every device; wanted a cast to float or double
    }
}
