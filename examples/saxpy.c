/*
 * y = y + a x on the best device of this machine: a whole program. The kernel is in saxpy.k.c, its launch function in
 * the header that `quern compile saxpy.k.c` writes.
 */
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>

#include "saxpy.k.h"

#define N 1000003

static float host[N];

/* Every call gives a status, 0 for success, and leaves a sentence when it fails. */
static void check(quern_status status)
{
    if (status) {
        fprintf(stderr, "saxpy: %s\n", quern_last_error());
        exit(1);
    }
}

int main(void)
{
    quern_device *device;
    quern_queue *queue;
    quern_buffer *x, *y;
    quern_layout layout;
    quern_span span;
    float one = 1.0f;
    size_t wrong = 0;

    for (size_t i = 0; i < N; ++i)
        host[i] = (float)(i % 1000);
    check(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    check(quern_span_make(host, &layout, &span));

    /* The calling thread's own; on this queue a call returns when it is done. */
    check(quern_device_current(&device));
    check(quern_queue_current(&queue));
    check(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
    check(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &y));

    check(quern_copy_from_host(queue, QUERN_VIEW(x), QUERN_CONST_SPAN(span)));
    check(quern_fill(queue, QUERN_VIEW(y), QUERN_TYPE(float), &one));
    check(saxpy(queue, QUERN_RANGE(N), QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f));
    check(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(y)));

    for (size_t i = 0; i < N; ++i)
        wrong += host[i] != 1.0f + 2.0f * (float)(i % 1000);
    printf("saxpy: %d elements, %zu wrong\n", N, wrong);

    quern_buffer_release(y);
    quern_buffer_release(x);
    return wrong ? 1 : 0;
}
