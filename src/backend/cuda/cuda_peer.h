/* Copies between the memories of two devices. */
#ifndef QUERN_BACKEND_CUDA_PEER_H
#define QUERN_BACKEND_CUDA_PEER_H

#include "cuda_copy.h"

/* Finds out, at the start, which devices reach each other's memory. */
void quern_cuda_peers_find(const struct quern_device_list *list);

/* Functions of the backend's table. */
int quern_cuda_peer_reach(void *device, void *other);
quern_status quern_cuda_peer_copy(void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,
                                  void *source_device);

#endif
