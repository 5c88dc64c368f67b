/* Whether devices agree: each later one against the first. */
#include "run.h"

#include "progress.h"

/* The index of an element from its row-major number. */
static void unravel(quern_extents extents, size_t element, size_t *index)
{
    for (uint32_t d = extents.rank; d-- > 0;) {
        index[d] = element % extents.n[d];
        element /= extents.n[d];
    }
}

quern_cli_disagreement quern_cli_runs_compare(const quern_cli_device_run *runs, size_t count,
                                              const quern_cli_plan *plan, uint64_t ulps)
{
    quern_cli_disagreement found = {0};
    const quern_cli_device_run *first = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (runs[i].status)
            continue;
        if (!first) {
            first = &runs[i];
            continue;
        }
        for (uint32_t p = 0; p < plan->kernel->parameter_count; ++p) {
            quern_cli_progress("comparing %s with %s", runs[i].name, first->name);
            if (!first->results[p].data ||
                quern_cli_array_equal(&first->results[p], &runs[i].results[p], plan->kernel->parameters[p].fields, ulps,
                                      &found.place))
                continue;
            found.first = first;
            found.second = &runs[i];
            found.parameter = p;
            found.rank = first->results[p].extents.rank;
            unravel(first->results[p].extents, found.place.element, found.index);
            return found;
        }
    }
    return found;
}
