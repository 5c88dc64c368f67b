/*
 * The tour, Quern's main job: kernels on real data, on every device, beside sequential loops.
 *
 * A job computes on a device what a loop of plain C computes on one thread, compares the two and adds a
 * line to the table. Functions that give an int give 0, or -1 after a line on stderr.
 */
#ifndef TOUR_TOUR_H
#define TOUR_TOUR_H

#include <quern/quern.h>

#include "picture.h"
#include "sequential.h"

/* What the jobs work on, and what the sequential loops made of it, in how many seconds. */
typedef struct numbers {
    const char *name;
    size_t count;
    double *values;
    double sum, sum_seconds, max, max_seconds;
    long double accurate_sum, error_bound; /* of a sum in any order */
} numbers;

typedef struct inputs {
    numbers elevations, random;
    int16_t *heights; /* of the elevation model, as many as shade has pixels */
    light light;
    picture photograph;
    picture shade, grey, blur; /* by the sequential loops */
    double shade_seconds, grey_seconds, blur_seconds;
} inputs;

/* Reads the files of the folder, and does the sequential work. */
int inputs_read(const char *folder, inputs *inputs);
void inputs_free(inputs *inputs);

/* A device and its queue. output is the folder that pictures are written to, NULL for none. */
typedef struct place {
    const char *name;
    quern_device *device;
    quern_queue *queue;
    const char *output;
} place;

/* ---- the jobs ---- */

int job_reduce(const place *place, const numbers *numbers); /* sum and maximum by pointer jumping */
int job_hillshade(const place *place, const inputs *inputs);
int job_grey(const place *place, const inputs *inputs);
int job_blur(const place *place, const inputs *inputs);
int job_blur_tiled(const place *place, const inputs *inputs); /* the same picture, by tiles in local memory */

/* ---- the table ---- */

typedef struct line {
    char kernel[64];
    const char *device;
    char result[256];
    double seconds, bytes, sequential_seconds;
    int right;
} line;

void table_heading(void);
void table_line(const line *line); /* counts the lines that are not right */
int table_wrong(void);

/* ---- time ---- */

#define REPETITIONS 9

double now(void);                                  /* seconds */
double median_seconds(double *seconds, int count); /* puts them in order */

/* Says on stderr what failed, with the library's sentence. Gives -1. */
int complain(const char *what);

#endif
