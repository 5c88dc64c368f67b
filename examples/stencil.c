/*
 * Heat that spreads over a plate, 100 steps of the kernel in stencil.k.c: rows with a pitch, a range with offsets, a
 * queue that works while the host goes on.
 */
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>

#include "stencil.k.h"

#define ROWS 613
#define COLUMNS 997
#define STEPS 100

static float plate[ROWS][COLUMNS];

static void check(quern_status status)
{
    if (status) {
        fprintf(stderr, "stencil: %s\n", quern_last_error());
        exit(1);
    }
}

int main(void)
{
    const ptrdiff_t inside[2] = {1, 1}; /* the edge keeps its temperature */
    quern_range range = quern_range_with_offsets(QUERN_RANGE(ROWS - 2, COLUMNS - 2), inside);
    quern_device *device;
    quern_queue *queue;
    quern_buffer *now, *next;
    quern_event *begin, *end;
    quern_layout layout;
    quern_span span;
    double heat = 0, seconds;

    plate[ROWS / 2][COLUMNS / 2] = 1e6f;
    check(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(ROWS, COLUMNS), &layout));
    check(quern_span_make(plate, &layout, &span));

    /* The rows of a buffer begin where the device likes it: copies and kernels know the pitch. */
    check(quern_device_default(&device));
    check(quern_queue_create(device, NULL, &queue));
    check(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(ROWS, COLUMNS), &now));
    check(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(ROWS, COLUMNS), &next));
    check(quern_copy_from_host(queue, QUERN_VIEW(now), QUERN_CONST_SPAN(span)));
    check(quern_copy_from_host(queue, QUERN_VIEW(next), QUERN_CONST_SPAN(span)));

    check(quern_event_record(queue, &begin));
    for (int step = 0; step < STEPS; ++step) {
        quern_buffer *before = now;
        check(stencil(queue, range, QUERN_CONST_VIEW(now), QUERN_VIEW(next), 0.125f));
        now = next;
        next = before;
    }
    check(quern_event_record(queue, &end));
    check(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(now)));
    check(quern_queue_synchronize(queue)); /* until here all of it was only queued */
    check(quern_event_elapsed(begin, end, &seconds));

    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            heat += (double)plate[y][x];
    printf("stencil: %d steps in %.1f ms; the plate holds %.0f of 1000000 units of heat\n", STEPS, 1e3 * seconds, heat);

    quern_event_release(begin);
    quern_event_release(end);
    quern_buffer_release(now);
    quern_buffer_release(next);
    quern_queue_release(queue);
    quern_device_release(device);
    return heat > 999000 && heat < 1001000 ? 0 : 1;
}
