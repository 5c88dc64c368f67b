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
    char name[32];
    quern_device *device;
    quern_queue *queue;
    const char *output;
} place;

/* ---- the jobs ---- */

typedef int job(const place *place, const inputs *inputs);

job job_sum_elevations, job_max_elevations, job_sum_random, job_max_random; /* by pointer jumping */
job job_hillshade, job_grey, job_blur;
job job_blur_tiled; /* the same picture, by tiles in local memory */

/* ---- the table ---- */

typedef struct line {
    char kernel[64];
    const char *device;
    char result[256];
    double seconds, bytes, sequential_seconds;
    int right;
    const void *data; /* the result itself: has it the bits of the first device's? */
    size_t size;
} line;

void table_heading(void);
int table_line(const line *line); /* counts the lines that are not right, and those whose bits are others */
int table_wrong(void);
int table_compared(void); /* the lines that were compared with another device's */

/* ---- bits.c: what the first device has computed ---- */

typedef enum bits { BITS_FIRST, BITS_SAME, BITS_OTHER, BITS_NO_MEMORY } bits;

/* Compares the result of a kernel with the first one that was given under this name, which is kept. */
bits bits_compare(const char *kernel, const void *data, size_t size);
void bits_free(void);

/* ---- time ---- */

#define REPETITIONS 9

double now(void);                                  /* seconds */
double median_seconds(double *seconds, int count); /* puts them in order */

/* ---- messages ---- */

/* Says on stderr what failed, with the library's sentence. Gives -1. */
int complain(const char *what);

#endif
