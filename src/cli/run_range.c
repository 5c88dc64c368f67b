/* The ndrange and the group size of a run: from the options, or from the arrays. */
#include "run.h"

#include "cli.h"
#include "text.h"

#include "base/error.h"

enum { MOST_GROUP_RANK = 3 };

/* The extents of the first array that the kernel writes; NULL when it writes none. */
static const quern_extents *written_extents(const quern_cli_plan *plan, const char **name)
{
    for (uint32_t i = 0; i < plan->kernel->parameter_count; ++i)
        if (quern_cli_parameter_is_written(&plan->kernel->parameters[i])) {
            *name = plan->kernel->parameters[i].name;
            return &plan->bindings[i].array.extents;
        }
    return NULL;
}

static int range_by_default(quern_cli_plan *plan)
{
    const quern_kernel *kernel = plan->kernel;
    const char *name = NULL;
    size_t count = 1;
    if (kernel->rank == 0) {
        plan->range = quern_range_make(quern_extents_scalar());
        return QUERN_CLI_RIGHT;
    }
    const quern_extents *extents = written_extents(plan, &name);
    if (!extents)
        return quern_cli_misuse("run", "kernel %s writes no array that its range could be taken from; give --range",
                                kernel->name);
    if (kernel->rank == 1) {
        quern_extents_count(*extents, &count);
        plan->range = quern_range_make(QUERN_EXTENTS(count));
    } else if (kernel->rank < 0 || extents->rank == (uint32_t)kernel->rank) {
        plan->range = quern_range_make(*extents);
    } else {
        char text[QUERN_CLI_EXTENTS_TEXT];
        return quern_cli_misuse("run",
                                "kernel %s has rank %d, and %s, the first array that it writes, is %s; give --range",
                                kernel->name, (int)kernel->rank, name, quern_cli_extents_text(*extents, 'x', text));
    }
    return QUERN_CLI_RIGHT;
}

static int range_from_option(const char *text, quern_cli_plan *plan)
{
    quern_extents extents;
    const quern_kernel *kernel = plan->kernel;
    if (quern_cli_parse_extents("--range", text, ',', QUERN_MAX_RANK, &extents))
        return quern_cli_misuse("run", "%s", quern_last_error());
    if (kernel->rank >= 0 && extents.rank != (uint32_t)kernel->rank)
        return quern_cli_misuse("run", "--range: %s has rank %u, and kernel %s has rank %d", text,
                                (unsigned)extents.rank, kernel->name, (int)kernel->rank);
    plan->range = quern_range_make(extents);
    return QUERN_CLI_RIGHT;
}

static int add_offset(const char *text, quern_cli_plan *plan)
{
    ptrdiff_t offsets[QUERN_MAX_RANK];
    if (plan->range.extents.rank == 0)
        return quern_cli_misuse("run", "--offset: kernel %s has one item, which has no index", plan->kernel->name);
    if (quern_cli_parse_offsets("--offset", text, plan->range.extents.rank, offsets))
        return quern_cli_misuse("run", "%s", quern_last_error());
    plan->range = quern_range_with_offsets(plan->range, offsets);
    return QUERN_CLI_RIGHT;
}

/* A size that the kernel fixes may be repeated, not changed. */
static int check_fixed_group(const char *text, const quern_kernel *kernel, quern_extents group)
{
    for (uint32_t d = 0; d < group.rank; ++d)
        if (kernel->group[d] != 0 && kernel->group[d] != group.n[d])
            return quern_cli_misuse("run", "--group: %s is another group size than kernel %s is written for", text,
                                    kernel->name);
    return QUERN_CLI_RIGHT;
}

static int add_group(const char *text, quern_cli_plan *plan)
{
    quern_extents group;
    const quern_kernel *kernel = plan->kernel;
    if (!kernel->is_group)
        return quern_cli_misuse("run", "--group: kernel %s is no GROUP_KERNEL", kernel->name);
    if (quern_cli_parse_extents("--group", text, ',', MOST_GROUP_RANK, &group))
        return quern_cli_misuse("run", "%s", quern_last_error());
    if (group.rank != kernel->group_rank)
        return quern_cli_misuse("run", "--group: %s has rank %u, and the groups of kernel %s have rank %u", text,
                                (unsigned)group.rank, kernel->name, (unsigned)kernel->group_rank);
    for (uint32_t d = 0; d < group.rank; ++d)
        if (group.n[d] == 0)
            return quern_cli_misuse("run", "--group: a group of %s holds no items", text);
    plan->range = quern_range_with_group(plan->range, group);
    return check_fixed_group(text, kernel, group);
}

int quern_cli_plan_range(const quern_cli_run_options *options, quern_cli_plan *plan)
{
    int status = options->range ? range_from_option(options->range, plan) : range_by_default(plan);
    if (!status && options->offset)
        status = add_offset(options->offset, plan);
    return status || !options->group ? status : add_group(options->group, plan);
}
