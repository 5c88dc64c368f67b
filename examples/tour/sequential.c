/* Plain C loops, compiled for this machine as a careful user would. */
#include "sequential.h"

#include <float.h>
#include <math.h>

double sequential_sum(size_t count, const double *values)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    return sum;
}

double sequential_max(size_t count, const double *values)
{
    double largest = -DBL_MAX;
    for (size_t i = 0; i < count; ++i)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

long double accurate_sum(size_t count, const double *values)
{
    long double sum = 0.0L;
    if (count > 64)
        return accurate_sum(count / 2, values) + accurate_sum(count - count / 2, values + count / 2);
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    return sum;
}

long double accurate_magnitude(size_t count, const double *values)
{
    long double sum = 0.0L;
    for (size_t i = 0; i < count; ++i)
        sum += fabsl((long double)values[i]);
    return sum;
}

/* position + distance, but not outside 0 … count - 1. */
static size_t near(size_t position, ptrdiff_t distance, size_t count)
{
    ptrdiff_t moved = (ptrdiff_t)position + distance, last = (ptrdiff_t)count - 1;
    return (size_t)(moved < 0 ? 0 : moved > last ? last : moved);
}

static void hillshade_row(size_t columns, const int16_t *above, const int16_t *here, const int16_t *below, light light,
                          uint8_t *restrict shade)
{
    for (size_t x = 0; x < columns; ++x) {
        size_t w = near(x, -1, columns), e = near(x, 1, columns);
        int rise_east = above[e] + 2 * here[e] + below[e] - above[w] - 2 * here[w] - below[w];
        int rise_north = above[w] + 2 * above[x] + above[e] - below[w] - 2 * below[x] - below[e];
        float slope_east = (float)rise_east / (8 * light.cell);
        float slope_north = (float)rise_north / (8 * light.cell);
        float length = sqrtf(1.0f + slope_east * slope_east + slope_north * slope_north);
        float cosine = (light.up - slope_east * light.east - slope_north * light.north) / length;
        shade[x] = (uint8_t)(255.0f * (cosine > 0.0f ? cosine : 0.0f) + 0.5f);
    }
}

void sequential_hillshade(const int16_t *heights, light light, picture *shade)
{
    size_t rows = shade->rows, columns = shade->columns;
    for (size_t y = 0; y < rows; ++y)
        hillshade_row(columns, heights + near(y, -1, rows) * columns, heights + y * columns,
                      heights + near(y, 1, rows) * columns, light, shade->bytes + y * columns);
}

static void grey_of(size_t pixels, const uint8_t *restrict rgb, uint8_t *restrict grey)
{
    for (size_t i = 0; i < pixels; ++i)
        grey[i] = (uint8_t)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2] + 128) / 256);
}

void sequential_grey(const picture *rgb, picture *grey)
{
    grey_of(grey->rows * grey->columns, rgb->bytes, grey->bytes);
}

static void blur_row(const picture *from, size_t y, uint8_t *restrict to)
{
    static const int weight[5] = {1, 4, 6, 4, 1};
    for (size_t x = 0; x < from->columns; ++x) {
        int sum = 128;
        for (int dy = 0; dy < 5; ++dy) {
            const uint8_t *row = from->bytes + near(y, dy - 2, from->rows) * from->columns;
            for (int dx = 0; dx < 5; ++dx)
                sum += weight[dy] * weight[dx] * row[near(x, dx - 2, from->columns)];
        }
        to[x] = (uint8_t)(sum / 256);
    }
}

void sequential_blur(const picture *from, picture *to)
{
    for (size_t y = 0; y < to->rows; ++y)
        blur_row(from, y, to->bytes + y * to->columns);
}
