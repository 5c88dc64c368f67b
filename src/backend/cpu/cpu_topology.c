/*
 * The CPUs of the affinity mask, shared out over the devices.
 *
 * NUMA nodes come from hwloc, where the build has it; else the machine counts as one node.
 */
#include "cpu_topology.h"

#include "base/error.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#ifdef QUERN_HAVE_HWLOC
#include <hwloc.h>
#endif

/* *number is an environment variable's, or 0 when it is not set. */
static quern_status read_number(const char *name, unsigned lowest, unsigned highest, unsigned *number)
{
    const char *text = getenv(name);
    *number = 0;
    if (!text || !text[0])
        return QUERN_SUCCESS;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < (long)lowest || value > (long)highest)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is \"%.40s\"; wanted is a number from %u to %u", name, text,
                          lowest, highest);
    *number = (unsigned)value;
    return QUERN_SUCCESS;
}

/* The numbers of the CPUs that this process may use. */
static quern_status read_mask(struct quern_cpu_topology *topology)
{
    for (size_t limit = 1024; limit <= (size_t)1 << 20; limit *= 4) {
        cpu_set_t *mask = CPU_ALLOC(limit);
        size_t bytes = CPU_ALLOC_SIZE(limit);
        if (!mask)
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a mask of %zu CPUs", limit);
        if (sched_getaffinity(0, bytes, mask) != 0) {
            int error = errno;
            CPU_FREE(mask);
            if (error == EINVAL) /* the machine has more CPUs */
                continue;
            return quern_fail(QUERN_SYSTEM_ERROR, "the CPUs of this process cannot be read: %s", strerror(error));
        }
        unsigned count = (unsigned)CPU_COUNT_S(bytes, mask);
        topology->cpus = malloc(count * sizeof *topology->cpus);
        if (topology->cpus)
            for (size_t cpu = 0; cpu < limit; ++cpu)
                if (CPU_ISSET_S(cpu, bytes, mask))
                    topology->cpus[topology->cpu_count++] = (int)cpu;
        CPU_FREE(mask);
        if (!topology->cpus)
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the numbers of %u CPUs", count);
        return QUERN_SUCCESS;
    }
    return quern_fail(QUERN_SYSTEM_ERROR, "the CPUs of this process cannot be read: there are too many");
}

#ifdef QUERN_HAVE_HWLOC

/* Appends the node's CPUs among the old ones to the sorted ones; gives how many. */
static unsigned take_node(hwloc_const_cpuset_t node, const int *old, unsigned count, int *sorted, char *taken)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i)
        if (!taken[i] && hwloc_bitmap_isset(node, (unsigned)old[i])) {
            taken[i] = 1;
            sorted[found++] = old[i];
        }
    return found;
}

/* Sorts the CPUs by NUMA node; node_sizes gets the number of CPUs of each node that has any. */
static unsigned sort_by_node(struct quern_cpu_topology *topology, hwloc_topology_t machine, unsigned *node_sizes)
{
    unsigned count = topology->cpu_count, nodes = 0, done = 0;
    int *sorted = malloc(count * sizeof *sorted);
    char *taken = calloc(count, 1);
    if (sorted && taken) {
        hwloc_obj_t node = NULL;
        while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != NULL) {
            unsigned found = node->cpuset ? take_node(node->cpuset, topology->cpus, count, sorted + done, taken) : 0;
            if (found)
                node_sizes[nodes++] = found;
            done += found;
        }
    }
    if (done == count)
        memcpy(topology->cpus, sorted, count * sizeof *sorted);
    else
        nodes = 0; /* memory is short, or a CPU lies in no node: no nodes then */
    free(sorted);
    free(taken);
    return nodes;
}

static unsigned find_nodes(struct quern_cpu_topology *topology, unsigned *node_sizes)
{
    hwloc_topology_t machine;
    unsigned nodes = 0;
    if (hwloc_topology_init(&machine) != 0)
        return 0;
    /* Only the nodes matter; leaving out caches and devices makes the load several times faster. */
    hwloc_topology_set_all_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(machine) == 0)
        nodes = sort_by_node(topology, machine, node_sizes);
    hwloc_topology_destroy(machine);
    return nodes;
}

#else

static unsigned find_nodes(struct quern_cpu_topology *topology, unsigned *node_sizes)
{
    (void)topology;
    (void)node_sizes;
    return 0;
}

#endif

/* Part number index of count things shared out evenly over parts: where it begins. */
static unsigned part_begin(unsigned count, unsigned parts, unsigned index)
{
    return (unsigned)((unsigned long long)count * index / parts);
}

/* A device's CPUs: its node's, else an even part of all (at least one, so several devices may have the same). */
static void share_cpus(struct quern_cpu_topology *topology, const unsigned *node_sizes, unsigned nodes)
{
    unsigned first = 0;
    for (unsigned d = 0; d < topology->device_count; ++d) {
        struct quern_cpu_share *share = &topology->devices[d];
        if (nodes == topology->device_count) {
            share->cpu_first = first;
            share->cpu_count = node_sizes[d];
            first += node_sizes[d];
        } else {
            unsigned end = part_begin(topology->cpu_count, topology->device_count, d + 1);
            share->cpu_first = part_begin(topology->cpu_count, topology->device_count, d);
            share->cpu_count = end > share->cpu_first ? end - share->cpu_first : 1;
        }
    }
}

/* Threads as the environment says, evenly; without it one for each of the device's CPUs. */
static void share_threads(struct quern_cpu_topology *topology, unsigned threads)
{
    unsigned devices = topology->device_count;
    for (unsigned d = 0; d < devices; ++d) {
        struct quern_cpu_share *share = &topology->devices[d];
        share->threads = share->cpu_count;
        if (threads) /* the first devices get what does not divide */
            share->threads = threads / devices + (d < threads % devices);
        if (share->threads == 0)
            share->threads = 1;
    }
}

static quern_status read_topology(struct quern_cpu_topology *topology, unsigned *node_sizes)
{
    unsigned devices, threads, pin;
    quern_status status = read_number("QUERN_CPU_DEVICES", 1, QUERN_CPU_MAX_THREADS, &devices);
    if (!status)
        status = read_number("QUERN_CPU_THREADS", 1, QUERN_CPU_MAX_THREADS, &threads);
    if (!status)
        status = read_number("QUERN_CPU_PIN", 0, 1, &pin);
    if (status)
        return status;
    unsigned nodes = find_nodes(topology, node_sizes);
    topology->device_count = devices ? devices : nodes ? nodes : 1;
    topology->devices = calloc(topology->device_count, sizeof *topology->devices);
    if (!topology->devices)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %u CPU devices", topology->device_count);
    share_cpus(topology, node_sizes, nodes);
    share_threads(topology, threads);
    topology->binding = pin                                            ? QUERN_CPU_BIND_CPU
                        : nodes > 1 && nodes == topology->device_count ? QUERN_CPU_BIND_DEVICE
                                                                       : QUERN_CPU_BIND_NONE;
    return QUERN_SUCCESS;
}

quern_status quern_cpu_topology_read(struct quern_cpu_topology *topology)
{
    memset(topology, 0, sizeof *topology);
    quern_status status = read_mask(topology);
    if (status)
        return status;
    unsigned *node_sizes = calloc(topology->cpu_count, sizeof *node_sizes);
    status = node_sizes ? read_topology(topology, node_sizes)
                        : quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the sizes of NUMA nodes");
    free(node_sizes);
    if (status)
        quern_cpu_topology_free(topology);
    return status;
}

void quern_cpu_topology_free(struct quern_cpu_topology *topology)
{
    free(topology->cpus);
    free(topology->devices);
    memset(topology, 0, sizeof *topology);
}

void quern_cpu_topology_bind(const struct quern_cpu_topology *topology, unsigned device, unsigned thread_index,
                             pthread_t thread)
{
    const struct quern_cpu_share *share = &topology->devices[device];
    if (topology->binding == QUERN_CPU_BIND_NONE)
        return;
    size_t limit = 0;
    for (unsigned i = 0; i < topology->cpu_count; ++i)
        if ((size_t)topology->cpus[i] >= limit)
            limit = (size_t)topology->cpus[i] + 1;
    cpu_set_t *mask = CPU_ALLOC(limit);
    size_t bytes = CPU_ALLOC_SIZE(limit);
    if (!mask)
        return;
    CPU_ZERO_S(bytes, mask);
    for (unsigned i = 0; i < share->cpu_count; ++i)
        if (topology->binding == QUERN_CPU_BIND_DEVICE || i == thread_index % share->cpu_count)
            CPU_SET_S((size_t)topology->cpus[share->cpu_first + i], bytes, mask);
    pthread_setaffinity_np(thread, bytes, mask);
    CPU_FREE(mask);
}
