/* Recording by capturing a stream, and launching what was recorded. */
#include "cuda_graph.h"

#include "base/error.h"

#include "cuda_queue.h"

#include <stdlib.h>

static int is_supported(void)
{
    return quern_cu.StreamBeginCapture && quern_cu.StreamEndCapture && quern_cu.GraphInstantiate &&
           quern_cu.GraphLaunch && quern_cu.GraphExecDestroy && quern_cu.GraphDestroy;
}

/* ---- recording ---- */

/* The context is the thread's. */
static quern_status begin_capture(struct quern_cuda_device *device, CUstream *stream)
{
    CUresult error = quern_cu.StreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, 0);
    if (!error) {
        error = quern_cu.StreamBeginCapture(*stream, CU_STREAM_CAPTURE_MODE_RELAXED);
        if (error)
            (void)quern_cu.StreamDestroy(*stream);
    }
    return error ? quern_cuda_device_fail(device, error, "beginning a graph of %s", device->info.name) : QUERN_SUCCESS;
}

quern_status quern_cuda_graph_begin(void *queue, void **result)
{
    struct quern_cuda_device *device = ((struct quern_cuda_queue *)queue)->device;
    if (!is_supported())
        return quern_fail(QUERN_NOT_SUPPORTED, "the CUDA driver has no graphs, wanted one of CUDA 11.4 or newer");
    struct quern_cuda_queue *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory to record a graph of %s", device->info.name);
    recorder->device = device;
    recorder->is_recorder = 1;
    quern_status status = quern_cuda_enter(device);
    if (status == QUERN_SUCCESS) {
        status = begin_capture(device, &recorder->stream);
        quern_cuda_leave();
    }
    if (status == QUERN_SUCCESS)
        *result = recorder;
    else
        free(recorder);
    return status;
}

/* The context is the thread's. Ends the capture in any case; *captured is NULL when it failed. */
static CUresult end_capture(CUstream stream, CUgraph *captured)
{
    *captured = NULL;
    CUresult error = quern_cu.StreamEndCapture(stream, captured);
    (void)quern_cu.StreamDestroy(stream);
    if (error && *captured) {
        (void)quern_cu.GraphDestroy(*captured);
        *captured = NULL;
    }
    return error;
}

/* The context is the thread's. graph NULL: what was captured is thrown away. */
static CUresult finish(CUstream stream, CUgraphExec *graph)
{
    CUgraph captured;
    CUresult error = end_capture(stream, &captured);
    if (!error && graph)
        error = quern_cu.GraphInstantiate(graph, captured, 0);
    if (captured)
        (void)quern_cu.GraphDestroy(captured);
    return error;
}

quern_status quern_cuda_graph_end(void *recorder_, void **graph)
{
    struct quern_cuda_queue *recorder = recorder_;
    struct quern_cuda_device *device = recorder->device;
    CUgraphExec made = NULL;
    CUresult error = CUDA_ERROR_INVALID_CONTEXT;
    if (quern_cuda_enter_to_release(device)) {
        error = finish(recorder->stream, graph ? &made : NULL);
        quern_cuda_leave();
    }
    free(recorder);
    if (!graph)
        return QUERN_SUCCESS;
    if (error)
        return quern_cuda_device_fail(device, error, "making a graph of %s", device->info.name);
    *graph = made;
    return QUERN_SUCCESS;
}

/* ---- launching ---- */

quern_status quern_cuda_graph_launch(void *queue_, uint64_t number, void *graph)
{
    struct quern_cuda_queue *queue = queue_;
    struct quern_cuda_command command;
    quern_status status = quern_cuda_command_begin(&command, queue, number, "a graph", NULL);
    if (command.runs)
        status = quern_cuda_command_given(&command, quern_cu.GraphLaunch(graph, queue->stream));
    return quern_cuda_command_end(&command, status);
}

void quern_cuda_graph_release(void *device, void *graph)
{
    if (!quern_cuda_enter_to_release(device))
        return;
    (void)quern_cu.GraphExecDestroy(graph);
    quern_cuda_leave();
}
