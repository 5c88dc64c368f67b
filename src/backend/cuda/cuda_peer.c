/* Peers: who reaches whom, and copies between them. */
#include "cuda_peer.h"

#include "base/error.h"

/* ---- who reaches whom ---- */

static void add(unsigned char *set, CUdevice id)
{
    if (id < QUERN_CUDA_MOST_DEVICES)
        set[id / 8] |= (unsigned char)(1u << id % 8);
}

static int has(const unsigned char *set, CUdevice id)
{
    return id < QUERN_CUDA_MOST_DEVICES && (set[id / 8] >> id % 8 & 1);
}

/* A driver that does not tell has no peers. */
void quern_cuda_peers_find(const struct quern_device_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        for (size_t k = 0; k < list->count; ++k) {
            struct quern_cuda_device *device = list->devices[i], *other = list->devices[k];
            int can = 0;
            if (i != k && device && other && !quern_cu.DeviceCanAccessPeer(&can, device->id, other->id) && can)
                add(device->peers, other->id);
        }
}

/* A device that is lost is nobody's peer: the front end's own way says so. */
int quern_cuda_peer_reach(void *device_, void *other_)
{
    const struct quern_cuda_device *device = device_, *other = other_;
    return has(device->peers, other->id) && !atomic_load(&device->lost) && !atomic_load(&other->lost);
}

/* ---- copies ---- */

/* So that copies go straight from one to the other. Where that is not granted the driver has ways of its own; the
 * context is the thread's. */
static void enable(struct quern_cuda_device *device, struct quern_cuda_device *other)
{
    pthread_mutex_lock(&device->lock);
    int is_new = !has(device->enabled_peers, other->id);
    add(device->enabled_peers, other->id);
    pthread_mutex_unlock(&device->lock);
    if (is_new)
        (void)quern_cu.CtxEnablePeerAccess(atomic_load(&other->context), 0);
}

quern_status quern_cuda_peer_copy(void *queue_, uint64_t number, const quern_backend_copy *copy, void *target_device,
                                  void *source_device)
{
    struct quern_cuda_queue *queue = queue_;
    struct quern_cuda_device *to = target_device, *from = source_device, *other = to == queue->device ? from : to;
    struct quern_cuda_command command;
    struct quern_device_box box;
    quern_status status = quern_cuda_command_begin(&command, queue, number, "a copy", NULL);
    if (command.runs && atomic_load(&other->lost)) {
        status = quern_fail(QUERN_DEVICE_LOST, "%s, with which %s was to copy, is lost", other->info.name,
                            queue->device->info.name);
    } else if (command.runs) {
        const struct quern_cuda_place target = {copy->target, 0, atomic_load(&to->context)};
        const struct quern_cuda_place source = {(char *)(uintptr_t)copy->source, 0, atomic_load(&from->context)};
        enable(queue->device, other);
        quern_device_box_of(&box, copy);
        status = quern_cuda_box_copy(&command, target, source, &box);
    }
    return quern_cuda_command_end(&command, status);
}
