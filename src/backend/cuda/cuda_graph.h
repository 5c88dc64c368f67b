/*
 * Graphs: CUDA's own.
 *
 * A recorder is a stream that is captured, in the shape of a queue, so that the command functions put their work into
 * it as into any other. It is a stream of its own: the queue's may be used by others meanwhile, and waited for, which a
 * captured stream does not allow. The mode is the relaxed one, as a launch may load a module first. What comes out is
 * instantiated once and launched on the queue's stream.
 */
#ifndef QUERN_BACKEND_CUDA_GRAPH_H
#define QUERN_BACKEND_CUDA_GRAPH_H

#include <quern/backend.h>

/* ---- functions of the backend's table ---- */

quern_status quern_cuda_graph_begin(void *queue, void **recorder);
quern_status quern_cuda_graph_end(void *recorder, void **graph);
quern_status quern_cuda_graph_launch(void *queue, uint64_t number, void *graph);
void quern_cuda_graph_release(void *device, void *graph);

#endif
