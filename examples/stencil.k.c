/* The five-point stencil on pitched rows: one step of the heat equation. */
#include <quern/kernel.h>

/*
 * v = u + c (sum of the four neighbours - 4 u) for the interior of u; v's edge keeps its value. Launch it over the
 * interior: extents (rows - 2, columns - 2) with the offsets (1, 1):
 *
 *     quern run stencil.k.c stencil u=random:50x60 v=zeros:50x60 c=0.1 --range 48,58 --offset 1,1
 */
KERNEL(stencil, in_nd(float, 2, u), out_nd(float, 2, v), value(float, c))
{
    EACH2 (y, x)
        AT(v, y, x) =
            AT(u, y, x) + c * (AT(u, y - 1, x) + AT(u, y + 1, x) + AT(u, y, x - 1) + AT(u, y, x + 1) - 4 * AT(u, y, x));
}
