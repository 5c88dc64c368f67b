/* What the tour works on: the elevation model, random numbers, the photograph; and the sequential loops over them. */
#include "tour.h"

#include "npy.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define RANDOM_COUNT ((size_t)1 << 24)
#define RANDOM_SEED 1

#define PATH_LENGTH 4096

/* Median seconds of some repetitions of the statement. */
#define MEDIAN_SECONDS(seconds, statement)                                                                             \
    do {                                                                                                               \
        double times_[REPETITIONS];                                                                                    \
        for (int i_ = 0; i_ < REPETITIONS; ++i_) {                                                                     \
            double begin_ = now();                                                                                     \
            statement;                                                                                                 \
            times_[i_] = now() - begin_;                                                                               \
        }                                                                                                              \
        (seconds) = median_seconds(times_, REPETITIONS);                                                               \
    } while (0)

static void accumulate_sequentially(numbers *numbers)
{
    /* volatile: the repetitions are not to be merged into one */
    volatile double sum = 0, max = 0;
    MEDIAN_SECONDS(numbers->sum_seconds, sum = sequential_sum(numbers->count, numbers->values));
    MEDIAN_SECONDS(numbers->max_seconds, max = sequential_max(numbers->count, numbers->values));
    numbers->sum = sum;
    numbers->max = max;
    numbers->accurate_sum = accurate_sum(numbers->count, numbers->values);
    numbers->error_bound =
        (long double)numbers->count * DBL_EPSILON * accurate_magnitude(numbers->count, numbers->values);
}

/* The element of a generator of Quern's, uniform in [0, 1). */
static int make_random(numbers *numbers)
{
    quern_extents extents = QUERN_EXTENTS(RANDOM_COUNT);
    quern_source source;
    quern_layout layout;
    quern_span span;

    numbers->name = "2^24 doubles";
    numbers->count = RANDOM_COUNT;
    numbers->values = malloc(RANDOM_COUNT * sizeof(double));
    if (!numbers->values) {
        fputs("quern-tour: no memory for 2^24 doubles\n", stderr);
        return -1;
    }
    quern_status status = quern_random(extents, RANDOM_SEED, &source);
    if (!status)
        status = quern_layout_packed(QUERN_TYPE(double), extents, &layout);
    if (!status)
        status = quern_span_make(numbers->values, &layout, &span);
    if (!status)
        status = quern_source_read_all(&source, span);
    return status ? complain("random numbers") : 0;
}

/*
 * The Jacksboro fault: cells of 0.000833 degrees, which at 36.6 degrees north are 93 m by 74 m, taken for squares of
 * their mean, and half of that, so that the slopes are twice as steep as they are and the ridges stand out. The
 * light comes from the north-west, 45 degrees high.
 */
static const light north_west = {.cell = 0.5f * 83.5f, .east = -0.5f, .north = 0.5f, .up = 0.70710678f};

static int read_elevations(const char *folder, inputs *inputs)
{
    char path[PATH_LENGTH];
    size_t rows, columns;
    numbers *numbers = &inputs->elevations;

    snprintf(path, sizeof path, "%s/jacksboro_elevation.npy", folder);
    if (npy_read_int16(path, &rows, &columns, &inputs->heights) != 0)
        return -1;
    numbers->name = "elevation model";
    numbers->count = rows * columns;
    numbers->values = malloc(numbers->count * sizeof(double));
    if (!numbers->values) {
        fputs("quern-tour: no memory for the elevation model\n", stderr);
        return -1;
    }
    for (size_t i = 0; i < numbers->count; ++i)
        numbers->values[i] = inputs->heights[i];
    inputs->light = north_west;
    return picture_make(&inputs->shade, rows, columns, 1);
}

static int read_photograph(const char *folder, inputs *inputs)
{
    char path[PATH_LENGTH];
    picture *photograph = &inputs->photograph;

    snprintf(path, sizeof path, "%s/astronaut.png", folder);
    if (picture_read(path, photograph) != 0)
        return -1;
    if (picture_make(&inputs->grey, photograph->rows, photograph->columns, 1) != 0)
        return -1;
    return picture_make(&inputs->blur, photograph->rows, photograph->columns, 1);
}

int inputs_read(const char *folder, inputs *inputs)
{
    if (read_elevations(folder, inputs) != 0 || read_photograph(folder, inputs) != 0 ||
        make_random(&inputs->random) != 0)
        return -1;
    accumulate_sequentially(&inputs->elevations);
    accumulate_sequentially(&inputs->random);
    MEDIAN_SECONDS(inputs->shade_seconds, sequential_hillshade(inputs->heights, inputs->light, &inputs->shade));
    MEDIAN_SECONDS(inputs->grey_seconds, sequential_grey(&inputs->photograph, &inputs->grey));
    MEDIAN_SECONDS(inputs->blur_seconds, sequential_blur(&inputs->grey, &inputs->blur));
    return 0;
}

void inputs_free(inputs *inputs)
{
    free(inputs->elevations.values);
    free(inputs->random.values);
    free(inputs->heights);
    picture_free(&inputs->photograph);
    picture_free(&inputs->shade);
    picture_free(&inputs->grey);
    picture_free(&inputs->blur);
}
