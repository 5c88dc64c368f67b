/* The sweep's tables. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>

const quern_extents quern_sweep_extents[QUERN_SWEEP_EXTENTS] = {
    {0, {0}},
    {1, {3}},
    {2, {7, 3}},
    {3, {5, 7, 3}},
    {4, {3, 2, 5, 3}},
    {5, {2, 3, 1, 3, 5}},
    {6, {2, 3, 1, 3, 2, 5}},
    {3, {1, 1, 1}},
    {1, {1}},
    {1, {4099}},
    {2, {1, 1009}},
    {2, {997, 1}},
    {2, {31, 257}},
    {3, {13, 7, 123}},
    {4, {5, 7, 3, 11}},
};

quern_type quern_sweep_type(size_t index)
{
    switch (index) {
    case 0:
        return QUERN_TYPE(uint8_t);
    case 1:
        return QUERN_TYPE(int16_t);
    case 2:
        return quern_type_struct(3, 1);
    case 3:
        return QUERN_TYPE(float);
    case 4:
        return QUERN_TYPE(int64_t);
    case 5:
        return quern_type_struct(12, 4);
    default:
        return quern_type_struct(16, 8);
    }
}

quern_guarded_shape quern_sweep_shape(size_t layout, quern_type type, quern_extents extents)
{
    quern_guarded_shape shape = quern_guarded_pitched(type, extents);
    if (layout == 1) {
        shape.row_padding = (size_t)3 * type.alignment;
        shape.empty_rows = 1;
    }
    if (layout == 2)
        shape.plane_padding = (size_t)5 * type.alignment;
    if (layout == 3)
        shape.is_packed = 1;
    return shape;
}

const char *quern_sweep_text(size_t layout, quern_type type, quern_extents extents, char text[160])
{
    static const char *const layouts[QUERN_SWEEP_LAYOUTS] = {"aligned rows", "padded rows", "padded planes", "packed"};
    size_t used = (size_t)snprintf(text, 160, "%s of %u bytes, ", quern_type_name(type), type.size);
    for (uint32_t d = 0; d < extents.rank; ++d)
        used += (size_t)snprintf(text + used, 160 - used, "%s%zu", d > 0 ? "x" : "", extents.n[d]);
    snprintf(text + used, 160 - used, "%s, %s", extents.rank == 0 ? "one element" : "", layouts[layout]);
    return text;
}
