/* A scenario on what the runtime does for a backend that can neither wait, call, record nor fill. */
#include <string.h>

#include "faults.k.h"
#include "scenario.h"

enum { N = 30011 }; /* floats: more than the row that a fill copies */

/* All commands that can be held, behind a host function and behind another queue. */
quern_status scenario_held(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL, *cpu = NULL;
    quern_queue *one = NULL, *two = NULL, *on_cpu = NULL;
    quern_buffer *x = NULL, *y = NULL, *z = NULL;
    quern_event *event = NULL, *end = NULL;
    const float start = 1, other = 3;
    static float host[N];
    static int calls;
    quern_layout layout;
    quern_span span;
    calls = 0;
    memset(host, 0, sizeof host);
    TRY(scenario_load_minimal());
    TRY(quern_device_open("minimal:0", &device));
    TRY(quern_device_open("cpu:0", &cpu));
    TRY(quern_queue_create(device, NULL, &one));
    TRY(quern_queue_create(device, NULL, &two));
    TRY(quern_queue_create(cpu, NULL, &on_cpu));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &y));
    TRY(quern_buffer_create(cpu, QUERN_TYPE(float), QUERN_EXTENTS(N), &z));
    TRY(quern_queue_call(one, scenario_count_call, &calls));
    TRY(quern_fill(one, QUERN_VIEW(x), QUERN_TYPE(float), &start));
    TRY(quern_fill(one, QUERN_VIEW(y), QUERN_TYPE(float), &other));
    TRY(quern_event_record(one, &event));
    TRY(quern_queue_wait(two, event));
    TRY(quern_queue_call(two, scenario_count_call, &calls));
    TRY(fault_saxpy(two, QUERN_RANGE(N), QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f)); /* 5 */
    TRY(quern_copy(one, QUERN_VIEW(x), QUERN_CONST_VIEW(y)));                        /* waits for two */
    TRY(quern_copy(on_cpu, QUERN_VIEW(z), QUERN_CONST_VIEW(x))); /* a queue of each device has a part in it */
    TRY(quern_event_record(on_cpu, &end));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_copy_to_host(two, span, QUERN_CONST_VIEW(x)));
    TRY(quern_event_wait(end));
    TRY(quern_queue_synchronize(two));
    REQUIRE(calls == 2);
    REQUIRE(host[0] == 5.0f && host[N - 1] == 5.0f);
    REQUIRE(((const float *)QUERN_SPAN(z).address)[N - 1] == 5.0f);
out:
    /* What was submitted still counts, and writes to host. */
    if (one)
        (void)quern_queue_synchronize(one);
    if (two)
        (void)quern_queue_synchronize(two);
    RELEASE(quern_event_release(event));
    RELEASE(quern_event_release(end));
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_buffer_release(z));
    RELEASE(quern_queue_release(one));
    RELEASE(quern_queue_release(two));
    RELEASE(quern_queue_release(on_cpu));
    RELEASE(quern_device_release(device));
    RELEASE(quern_device_release(cpu));
    return status;
}
