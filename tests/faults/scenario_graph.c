/* A scenario on graphs: of the CPU, and of a backend whose commands are held back. */
#include <string.h>

#include "faults.k.h"
#include "scenario.h"

enum { N = 1003 };

/* Commands of all kinds, on two queues that wait for each other; *launch is one that y += 2 x. x is 1, y 3 at the end.
 */
static quern_status record(quern_queue *one, quern_queue *two, quern_buffer *x, quern_buffer *y, int *calls,
                           size_t *launch)
{
    quern_status status = QUERN_SUCCESS;
    quern_event *event = NULL;
    const float start = 1;
    TRY(quern_fill(one, QUERN_VIEW(x), QUERN_TYPE(float), &start));
    TRY(quern_copy(two, QUERN_VIEW(y), QUERN_CONST_VIEW(x)));
    TRY(fault_saxpy(two, QUERN_RANGE(N), QUERN_CONST_VIEW(x), QUERN_VIEW(y), 2.0f));
    TRY(quern_graph_last_command(two, launch));
    TRY(quern_event_record(two, &event));
    TRY(quern_queue_wait(one, event));
    TRY(quern_queue_call(one, scenario_count_call, calls));
out:
    RELEASE(quern_event_release(event));
    return status;
}

static quern_status replay(quern_device *device)
{
    quern_status status = QUERN_SUCCESS;
    quern_queue *queues[2] = {NULL, NULL};
    quern_buffer *x = NULL, *y = NULL;
    quern_graph *graph = NULL;
    static float host[N];
    static int calls;
    size_t launch = 0, count = 0;
    const float five = 5;
    const quern_argument value = quern_argument_value(QUERN_TYPE(float), &five);
    int is_captured = 0;
    quern_layout layout;
    quern_span span;
    calls = 0;
    memset(host, 0, sizeof host);
    TRY(quern_queue_create(device, NULL, &queues[0]));
    TRY(quern_queue_create(device, NULL, &queues[1]));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x));
    TRY(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &y));
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    TRY(quern_span_make(host, &layout, &span));
    TRY(quern_graph_begin(queues, 2));
    is_captured = 1;
    TRY(record(queues[0], queues[1], x, y, &calls, &launch));
    TRY(quern_graph_end(queues[0], &graph));
    is_captured = 0;
    TRY(quern_graph_retain(graph));
    RELEASE(quern_graph_release(graph));
    TRY(quern_graph_count(graph, &count));
    REQUIRE(count == 6);
    TRY(quern_graph_launch(graph));
    TRY(quern_graph_set_argument(graph, launch, 2, &value));
    TRY(quern_graph_launch(graph));
    TRY(quern_copy_to_host(queues[0], span, QUERN_CONST_VIEW(y)));
    TRY(quern_queue_synchronize(queues[0]));
    REQUIRE(host[N - 1] == 6 && calls == 2);
out:
    if (is_captured)
        RELEASE(quern_graph_abandon(queues[0]));
    RELEASE(quern_graph_release(graph));
    for (int i = 0; i < 2; ++i)
        if (queues[i])
            (void)quern_queue_synchronize(queues[i]); /* what was submitted still counts, and writes to host */
    RELEASE(quern_buffer_release(x));
    RELEASE(quern_buffer_release(y));
    RELEASE(quern_queue_release(queues[0]));
    RELEASE(quern_queue_release(queues[1]));
    return status;
}

quern_status scenario_graphs(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL, *cpu = NULL;
    TRY(scenario_load_minimal());
    TRY(quern_device_open("minimal:0", &device));
    TRY(quern_device_open("cpu:0", &cpu));
    TRY(replay(cpu));
    TRY(replay(device));
out:
    RELEASE(quern_device_release(device));
    RELEASE(quern_device_release(cpu));
    return status;
}
