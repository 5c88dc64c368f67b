/* Conformance, subject "order": a kernel whose result shows what was there before it, and in which order several ran.
 */
#include <quern/kernel.h>

KERNEL(order_mix, in_nd(uint32_t, 2, x), inout_nd(uint32_t, 2, y), value(uint32_t, factor))
{
    EACH2 (row, column)
        AT(y, row, column) = factor * AT(y, row, column) + AT(x, row, column);
}
