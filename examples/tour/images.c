/*
 * Pictures: the lit elevation model, the photograph in grey, and that blurred.
 *
 * Buffers of 2-d data have rows with a pitch: each begins where the device likes it best. A copy from or to the host
 * takes care of that, and so does a kernel that takes its arrays as in_nd and out_nd.
 */
#include "hillshade.k.h"
#include "image.k.h"
#include "tour.h"

#include <stdio.h>
#include <string.h>

/* A kernel that makes a picture of an array. */
typedef struct stage {
    const char *what;    /* in the table */
    const char *file;    /* of the picture, without its suffix */
    quern_type type;     /* of an element of the input */
    quern_extents shape; /* of the input */
    const void *input;   /* its elements, without gaps */
    const picture *expected;
    double sequential_seconds;
    const light *light; /* of the hillshade */
    quern_buffer *from, *to;
} stage;

typedef quern_status stage_launch(quern_queue *queue, quern_range range, const stage *stage);

static quern_status upload(const place *place, stage *stage)
{
    quern_extents pixels = QUERN_EXTENTS(stage->expected->rows, stage->expected->columns);
    quern_layout layout;
    quern_const_span span;

    quern_status status = quern_layout_packed(stage->type, stage->shape, &layout);
    if (!status)
        status = quern_buffer_create(place->device, stage->type, stage->shape, &stage->from);
    if (!status)
        status = quern_buffer_create(place->device, QUERN_TYPE(uint8_t), pixels, &stage->to);
    if (!status)
        status = quern_const_span_make(stage->input, &layout, &span);
    if (!status)
        status = quern_copy_from_host(place->queue, QUERN_VIEW(stage->from), span);
    return status;
}

static quern_status download(const place *place, const stage *stage, const picture *picture)
{
    quern_layout layout;
    quern_span span;
    quern_status status =
        quern_layout_packed(QUERN_TYPE(uint8_t), QUERN_EXTENTS(picture->rows, picture->columns), &layout);
    if (!status)
        status = quern_span_make(picture->bytes, &layout, &span);
    if (!status)
        status = quern_copy_to_host(place->queue, span, QUERN_CONST_VIEW(stage->to));
    if (!status)
        status = quern_queue_synchronize(place->queue);
    return status;
}

static quern_status measure(const place *place, const stage *stage, stage_launch *launch, double *seconds)
{
    quern_range range = QUERN_RANGE(stage->expected->rows, stage->expected->columns);
    double times[REPETITIONS];
    for (int i = -1; i < REPETITIONS; ++i) { /* the first run of a kernel is not typical */
        double begin = now();
        quern_status status = launch(place->queue, range, stage);
        if (!status)
            status = quern_queue_synchronize(place->queue);
        if (status)
            return status;
        if (i >= 0)
            times[i] = now() - begin;
    }
    *seconds = median_seconds(times, REPETITIONS);
    return QUERN_SUCCESS;
}

/* Writes the picture where there is an output folder; text becomes its name, or how large it is. */
static int write_picture(const place *place, const stage *stage, const picture *result, char *text, size_t size)
{
    if (!place->output) {
        snprintf(text, size, "%zu x %zu pixels", result->rows, result->columns);
        return 0;
    }
    snprintf(text, size, "%s/%s%s", place->output, stage->file, picture_suffix);
    return picture_write(text, result);
}

/* Adds the line of a finished stage. */
static int report(const place *place, const stage *stage, const picture *result, double seconds)
{
    size_t pixels = result->rows * result->columns, elements = 0;
    line line = {.device = place->name, .seconds = seconds, .sequential_seconds = stage->sequential_seconds};
    int outcome = write_picture(place, stage, result, line.result, sizeof line.result);

    (void)quern_extents_count(stage->shape, &elements);
    snprintf(line.kernel, sizeof line.kernel, "%s", stage->what);
    line.bytes = (double)(pixels + elements * stage->type.size);
    line.right = memcmp(result->bytes, stage->expected->bytes, pixels) == 0;
    line.data = result->bytes;
    line.size = pixels;
    return table_line(&line) | outcome;
}

static int run_stage(const place *place, stage *stage, stage_launch *launch)
{
    picture result;
    double seconds;
    int outcome;

    if (picture_make(&result, stage->expected->rows, stage->expected->columns, 1) != 0)
        return -1;
    quern_status status = upload(place, stage);
    if (!status)
        status = measure(place, stage, launch, &seconds);
    if (!status)
        status = download(place, stage, &result);
    outcome = status ? complain(stage->what) : report(place, stage, &result, seconds);
    (void)quern_buffer_release(stage->from);
    (void)quern_buffer_release(stage->to);
    picture_free(&result);
    return outcome;
}

static quern_status launch_hillshade(quern_queue *queue, quern_range range, const stage *stage)
{
    direction sun = {.east = stage->light->east, .north = stage->light->north, .up = stage->light->up};
    return hillshade(queue, range, QUERN_CONST_VIEW(stage->from), stage->light->cell, sun, QUERN_VIEW(stage->to));
}

static quern_status launch_grey(quern_queue *queue, quern_range range, const stage *stage)
{
    return grey_interleaved(queue, range, QUERN_CONST_VIEW(stage->from), QUERN_VIEW(stage->to));
}

static quern_status launch_blur(quern_queue *queue, quern_range range, const stage *stage)
{
    return blur(queue, range, QUERN_CONST_VIEW(stage->from), QUERN_VIEW(stage->to));
}

static quern_status launch_blur_tiled(quern_queue *queue, quern_range range, const stage *stage)
{
    return blur_tiled(queue, range, QUERN_CONST_VIEW(stage->from), QUERN_VIEW(stage->to));
}

int job_hillshade(const place *place, const inputs *inputs)
{
    stage stage = {
        .what = "hillshade",
        .file = "hillshade",
        .type = QUERN_TYPE(int16_t),
        .shape = QUERN_EXTENTS(inputs->shade.rows, inputs->shade.columns),
        .input = inputs->heights,
        .expected = &inputs->shade,
        .sequential_seconds = inputs->shade_seconds,
        .light = &inputs->light,
    };
    return run_stage(place, &stage, launch_hillshade);
}

int job_grey(const place *place, const inputs *inputs)
{
    stage stage = {
        .what = "grey",
        .file = "grey",
        .type = QUERN_TYPE(uint8_t),
        .shape = QUERN_EXTENTS(inputs->grey.rows, 3 * inputs->grey.columns),
        .input = inputs->photograph.bytes,
        .expected = &inputs->grey,
        .sequential_seconds = inputs->grey_seconds,
    };
    return run_stage(place, &stage, launch_grey);
}

/* The input is the sequential loop's grey, so that a wrong grey does not look like a wrong blur. */
static stage blur_stage(const inputs *inputs)
{
    stage stage = {
        .what = "blur, 5 x 5",
        .file = "blur",
        .type = QUERN_TYPE(uint8_t),
        .shape = QUERN_EXTENTS(inputs->grey.rows, inputs->grey.columns),
        .input = inputs->grey.bytes,
        .expected = &inputs->blur,
        .sequential_seconds = inputs->blur_seconds,
    };
    return stage;
}

int job_blur(const place *place, const inputs *inputs)
{
    stage stage = blur_stage(inputs);
    return run_stage(place, &stage, launch_blur);
}

int job_blur_tiled(const place *place, const inputs *inputs)
{
    stage stage = blur_stage(inputs);
    stage.what = "blur, tiles";
    stage.file = "blur_tiled";
    return run_stage(place, &stage, launch_blur_tiled);
}
