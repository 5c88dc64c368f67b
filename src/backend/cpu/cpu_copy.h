/* Copies and fills of pitched boxes, as kernels of the backend's own. */
#ifndef QUERN_BACKEND_CPU_COPY_H
#define QUERN_BACKEND_CPU_COPY_H

#include "cpu_job.h"

#include <quern/backend.h>

/*
 * A copy that can be run. Where the innermost dimension lies without gaps on both sides, it counts blocks of bytes,
 * whose borders are the target's cache lines; else elements.
 */
struct quern_cpu_copy {
    char *target;
    const char *source; /* of a fill: the value */
    size_t element_size;
    size_t row_bytes; /* of a row without gaps, else 0 */
    size_t shift;     /* bytes from a line's begin to the first row's */
    int rank;
    ptrdiff_t target_pitches[QUERN_MAX_RANK], source_pitches[QUERN_MAX_RANK]; /* slowest first */
    struct quern_cpu_dimension dim[QUERN_MAX_RANK];
    struct quern_cpu_argument argument;
    struct quern_cpu_launch launch;
};

/* Fills in what there is to run. The copy may be moved in memory up to quern_cpu_copy_aim. */
void quern_cpu_copy_plan(struct quern_cpu_copy *plan, const quern_backend_copy *copy);
/* The source is the value of one element, which is read when the fill runs. */
void quern_cpu_fill_plan(struct quern_cpu_copy *plan, const quern_backend_copy *fill);

/* The copy stays where it is from now on. */
void quern_cpu_copy_aim(struct quern_cpu_copy *plan);

#endif
