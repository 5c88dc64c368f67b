/*
 * The same work as the kernels do, as a loop of plain C on one thread: what the results are compared
 * with, and the times.
 */
#ifndef TOUR_SEQUENTIAL_H
#define TOUR_SEQUENTIAL_H

#include <stddef.h>
#include <stdint.h>

#include "picture.h"

/* The sum and the largest of count values, first to last. */
double sequential_sum(size_t count, const double *values);
double sequential_max(size_t count, const double *values);

/* The sum of count values and of their magnitudes with more digits than double has, pair by pair. */
long double accurate_sum(size_t count, const double *values);
long double accurate_magnitude(size_t count, const double *values);

/* How the ground is lit: the distance between two heights, and where the light comes from. */
typedef struct light {
    float cell, east, north, up;
} light;

/* heights, rgb and from have the rows and columns of what is written; at the edges the nearest element goes on. */
void sequential_hillshade(const int16_t *heights, light light, picture *shade);
void sequential_grey(const picture *rgb, picture *grey);
void sequential_blur(const picture *from, picture *to);

#endif
