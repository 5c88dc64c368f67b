/*
 * Hillshade: how bright the sun makes each cell of an elevation model.
 *
 *     quern run examples/hillshade.k.c hillshade elevation=@dem.npy cell=30 'sun={-0.5,0.5,0.7071}' \
 *         shade=zeros:344x403 -o shade=shade.npy
 */
#include <quern/kernel.h>

/* A vector of length 1 that points to the sun. */
STRUCT(direction, field(float, east), field(float, north), field(float, up))

/*
 * shade = 255 × the cosine of the angle between the surface and the sun, 0 where that is behind the surface.
 *
 * elevation  metres, rows from north to south
 * cell       the distance between two elevations, metres
 *
 * The slopes are those of B. K. P. Horn, "Hill shading and the reflectance map", Proceedings of the IEEE 69 (1981):
 * differences over the eight neighbours, of which the nearer ones count twice. At the edges a missing neighbour is
 * replaced by the nearest cell.
 */
KERNEL(hillshade, in_nd(int16_t, 2, elevation), value(float, cell), value(direction, sun), out_nd(uint8_t, 2, shade))
{
    EACH2 (y, x) {
        quern_index north = MAX(y - 1, 0), south = MIN(y + 1, EXTENT(elevation, 0) - 1);
        quern_index west = MAX(x - 1, 0), east = MIN(x + 1, EXTENT(elevation, 1) - 1);

        int rise_east = AT(elevation, north, east) + 2 * AT(elevation, y, east) + AT(elevation, south, east) -
                        AT(elevation, north, west) - 2 * AT(elevation, y, west) - AT(elevation, south, west);
        int rise_north = AT(elevation, north, west) + 2 * AT(elevation, north, x) + AT(elevation, north, east) -
                         AT(elevation, south, west) - 2 * AT(elevation, south, x) - AT(elevation, south, east);
        float slope_east = (float)rise_east / (8 * cell);
        float slope_north = (float)rise_north / (8 * cell);

        float length = sqrt(1.0f + slope_east * slope_east + slope_north * slope_north);
        float cosine = (sun.up - slope_east * sun.east - slope_north * sun.north) / length;
        AT(shade, y, x) = (uint8_t)(255.0f * MAX(cosine, 0.0f) + 0.5f);
    }
}
