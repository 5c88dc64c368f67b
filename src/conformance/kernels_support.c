/* What the tests of the kernels' side share. */
#include "kernels_support.h"

#include <string.h>

uint64_t quern_conformance_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static quern_verdict fill_and_upload(quern_trial *trial, const void *values, quern_guarded *array)
{
    if (values)
        quern_guarded_set(array, values);
    else
        for (size_t i = 0; i < array->count; ++i)
            memset(quern_guarded_element(array, i), 0, array->view.span.layout.type.size);
    return quern_guarded_upload(trial, trial->queue, array);
}

quern_verdict quern_conformance_array(quern_trial *trial, const char *name, quern_type type, size_t n,
                                      const void *values, quern_guarded *array)
{
    quern_guarded_shape shape = quern_guarded_packed(type, QUERN_EXTENTS(n));
    /* Room for what padding items would do, so that they are told of and do not damage the process. */
    shape.lead = 67;
    shape.trail = 1021;
    QUERN_CHECK(quern_guarded_make(trial, trial->device, name, shape, array));
    return fill_and_upload(trial, values, array);
}

quern_verdict quern_conformance_array_nd(quern_trial *trial, const char *name, quern_type type, quern_extents extents,
                                         const void *values, quern_guarded *array)
{
    QUERN_CHECK(quern_guarded_make(trial, trial->device, name, quern_guarded_pitched(type, extents), array));
    return fill_and_upload(trial, values, array);
}

int quern_conformance_group_fits(const quern_trial *trial, uint32_t rank, const size_t *group)
{
    uint64_t items = 1;
    for (uint32_t d = 0; d < rank; ++d) {
        const uint64_t largest = trial->info.largest_group[3 - rank + d];
        if (group[d] == 0 || (largest && group[d] > largest) || group[d] > trial->info.largest_group_items / items)
            return 0;
        items *= group[d];
    }
    return 1;
}

quern_verdict quern_conformance_need_largest_group(quern_trial *trial)
{
    if (trial->info.largest_group_items)
        return QUERN_PASSED;
    return quern_trial_unsupported(trial, "groups: the device does not say how many items one may have "
                                          "(largest_group_items is 0)");
}

quern_verdict quern_conformance_need_group(quern_trial *trial, uint32_t rank, const size_t *group)
{
    size_t size[3] = {1, 1, 1};
    QUERN_CHECK(quern_conformance_need_largest_group(trial));
    if (quern_conformance_group_fits(trial, rank, group))
        return QUERN_PASSED;
    for (uint32_t d = 0; d < rank; ++d)
        size[3 - rank + d] = group[d];
    return quern_trial_unsupported(trial, "groups of %zu x %zu x %zu items: the device's largest has %llu", size[0],
                                   size[1], size[2], (unsigned long long)trial->info.largest_group_items);
}
