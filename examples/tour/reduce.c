/*
 * Sum and maximum by pointer jumping.
 *
 * Every group of items accumulates its slice of the input in a tree; the groups' results are accumulated
 * again, and so on, until one value is left. What "accumulate" means is the kernel's: the file with the body is
 * included once for the sum and once for the maximum.
 */
#include "pointer_jumping.k.h"
#include "tour.h"

#include <math.h>
#include <stdio.h>

/* The launch functions of both kernels have this form. */
typedef quern_status accumulate(quern_queue *queue, quern_range range, quern_const_view input, quern_view results);

typedef struct reduction {
    const char *what;
    accumulate *launch;
    size_t group; /* the kernel's group size */
    size_t count;
    quern_buffer *input, *results[2]; /* the groups' results of one round are the input of the next */
} reduction;

static quern_status prepare(const place *place, const double *values, reduction *work)
{
    quern_extents extents = QUERN_EXTENTS(work->count), groups = QUERN_EXTENTS(work->count / work->group + 1);
    quern_layout layout;
    quern_const_span span;
    quern_status status = quern_buffer_create(place->device, QUERN_TYPE(double), extents, &work->input);

    for (int i = 0; !status && i < 2; ++i)
        status = quern_buffer_create(place->device, QUERN_TYPE(double), groups, &work->results[i]);
    if (!status)
        status = quern_layout_packed(QUERN_TYPE(double), extents, &layout);
    if (!status)
        status = quern_const_span_make(values, &layout, &span);
    if (!status)
        status = quern_copy_from_host(place->queue, QUERN_VIEW(work->input), span);
    if (!status)
        status = quern_queue_synchronize(place->queue);
    return status;
}

/* Accumulates until one value is left, and gives it. */
static quern_status reduce(const place *place, const reduction *work, double *result)
{
    const size_t origin[1] = {0};
    quern_view input = QUERN_VIEW(work->input), output = input;
    size_t count = work->count;
    quern_layout layout;
    quern_span span;
    quern_status status = QUERN_SUCCESS;

    for (int round = 0; !status && (count > 1 || round == 0); ++round) {
        size_t groups = (count + work->group - 1) / work->group;
        status = quern_view_sub(QUERN_VIEW(work->results[round % 2]), origin, QUERN_EXTENTS(groups), &output);
        if (!status)
            status = work->launch(place->queue, QUERN_RANGE(count), QUERN_CONST_VIEW(input), output);
        input = output;
        count = groups;
    }
    if (!status)
        status = quern_layout_packed(QUERN_TYPE(double), QUERN_EXTENTS(1), &layout);
    if (!status)
        status = quern_span_make(result, &layout, &span);
    if (!status)
        status = quern_copy_to_host(place->queue, span, QUERN_CONST_VIEW(output));
    if (!status)
        status = quern_queue_synchronize(place->queue);
    return status;
}

static quern_status measure(const place *place, const double *values, reduction *work, double *result, double *seconds)
{
    double times[REPETITIONS];
    quern_status status = prepare(place, values, work);
    if (!status)
        status = reduce(place, work, result); /* the first run of a kernel is not typical */
    for (int i = 0; !status && i < REPETITIONS; ++i) {
        double begin = now();
        status = reduce(place, work, result);
        times[i] = now() - begin;
    }
    if (!status)
        *seconds = median_seconds(times, REPETITIONS);
    for (int i = 0; i < 2; ++i)
        (void)quern_buffer_release(work->results[i]);
    (void)quern_buffer_release(work->input);
    return status;
}

/* Fills in the line but for whether it is right. */
static int run(const place *place, const numbers *numbers, reduction *work, line *line, double *result)
{
    snprintf(line->kernel, sizeof line->kernel, "%s, %s", work->what, numbers->name);
    work->count = numbers->count;
    if (measure(place, numbers->values, work, result, &line->seconds))
        return complain(line->kernel);
    line->device = place->name;
    line->bytes = (double)numbers->count * sizeof(double);
    snprintf(line->result, sizeof line->result, "%.10g", *result);
    return 0;
}

static int sum(const place *place, const numbers *numbers)
{
    reduction work = {.what = "sum", .launch = pointer_jumping_sum, .group = pointer_jumping_sum_kernel.group[0]};
    double result;
    line line = {.sequential_seconds = numbers->sum_seconds, .data = &result, .size = sizeof result};

    if (run(place, numbers, &work, &line, &result) != 0)
        return -1;
    line.right = fabsl((long double)result - numbers->accurate_sum) <= numbers->error_bound;
    return table_line(&line);
}

static int max(const place *place, const numbers *numbers)
{
    reduction work = {.what = "max", .launch = pointer_jumping_max, .group = pointer_jumping_max_kernel.group[0]};
    double result;
    line line = {.sequential_seconds = numbers->max_seconds, .data = &result, .size = sizeof result};

    if (run(place, numbers, &work, &line, &result) != 0)
        return -1;
    line.right = result == numbers->max;
    return table_line(&line);
}

int job_sum_elevations(const place *place, const inputs *inputs)
{
    return sum(place, &inputs->elevations);
}

int job_max_elevations(const place *place, const inputs *inputs)
{
    return max(place, &inputs->elevations);
}

int job_sum_random(const place *place, const inputs *inputs)
{
    return sum(place, &inputs->random);
}

int job_max_random(const place *place, const inputs *inputs)
{
    return max(place, &inputs->random);
}
