/*
 * Pictures: from colour to grey, and a blur, once straightforward and once with tiles in local memory.
 *
 *     quern run examples/image.k.c grey rgb=@photograph.npy grey=zeros:512x512 -o grey=grey.npy
 *     quern run examples/image.k.c blur picture=@grey.npy blurred=zeros:512x512 -o blurred=blurred.npy
 */
#include <quern/kernel.h>

/* The luminance of ITU-R BT.601 in 8 bits; rgb is rows × columns × 3. */
KERNEL(grey, in_nd(uint8_t, 3, rgb), out_nd(uint8_t, 2, grey))
{
    EACH2 (y, x)
        AT(grey, y, x) =
            (uint8_t)((77 * AT(rgb, y, x, 0) + 150 * AT(rgb, y, x, 1) + 29 * AT(rgb, y, x, 2) + 128) / 256);
}

/*
 * The same, to the bit, of rows of red, green, blue, red, ...: rgb is rows × (3 columns). The distance of two pixels
 * is a constant here, so that the loop becomes SIMD code.
 */
KERNEL(grey_interleaved, in_nd(uint8_t, 2, rgb), out_nd(uint8_t, 2, grey))
{
    EACH2 (y, x)
        AT(grey, y, x) =
            (uint8_t)((77 * AT(rgb, y, 3 * x) + 150 * AT(rgb, y, 3 * x + 1) + 29 * AT(rgb, y, 3 * x + 2) + 128) / 256);
}

/* The binomial coefficients: the weights of a blur of five pixels, together 16. */
CONSTANT int32_t weights[5] = {1, 4, 6, 4, 1};

/* The weighted mean of 5 × 5 pixels, rounded. At the edges a missing pixel is replaced by the nearest one. */
KERNEL(blur, in_nd(uint8_t, 2, picture), out_nd(uint8_t, 2, blurred))
{
    EACH2 (y, x) {
        int32_t sum = 128;
        for (int dy = 0; dy < 5; ++dy) {
            quern_index row = MIN(MAX(y + dy - 2, 0), EXTENT(picture, 0) - 1);
            for (int dx = 0; dx < 5; ++dx) {
                quern_index column = MIN(MAX(x + dx - 2, 0), EXTENT(picture, 1) - 1);
                sum += weights[dy] * weights[dx] * AT(picture, row, column);
            }
        }
        AT(blurred, y, x) = (uint8_t)(sum / 256);
    }
}

/*
 * The same, to the bit: a group loads its tile and two pixels around it once, and blurs the columns first, then the
 * rows, with 10 multiplications a pixel instead of 25.
 */
#define TILE_ROWS 16
#define TILE_COLUMNS 64
#define TILE_WIDTH (TILE_COLUMNS + 4)

GROUP_KERNEL(blur_tiled, (TILE_ROWS, TILE_COLUMNS), in_nd(uint8_t, 2, picture), out_nd(uint8_t, 2, blurred))
{
    LOCAL(uint8_t, tile, (TILE_ROWS + 4) * TILE_WIDTH);
    LOCAL(int32_t, columns, TILE_ROWS * TILE_WIDTH);

    TEAM_EACH (j, (TILE_ROWS + 4) * TILE_WIDTH) {
        quern_index row = GLOBAL_Y(j / TILE_WIDTH) - 2, column = GLOBAL(j % TILE_WIDTH) - 2;
        tile[j] = AT(picture, MIN(MAX(row, 0), EXTENT(picture, 0) - 1), MIN(MAX(column, 0), EXTENT(picture, 1) - 1));
    }
    TEAM_EACH (j, TILE_ROWS * TILE_WIDTH) {
        int32_t sum = 0;
        for (int d = 0; d < 5; ++d)
            sum += weights[d] * tile[j + d * TILE_WIDTH];
        columns[j] = sum;
    }
    ITEMS2 (y, x) {
        int32_t sum = 128;
        for (int d = 0; d < 5; ++d)
            sum += weights[d] * columns[y * TILE_WIDTH + x + d];
        AT(blurred, GLOBAL_Y(y), GLOBAL(x)) = (uint8_t)(sum / 256);
    }
}
