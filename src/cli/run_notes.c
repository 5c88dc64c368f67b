/* Arrays that are smaller than the range: a kernel may mean it so, but more often it is why it fails. */
#include "run.h"

#include "cli.h"
#include "text.h"

#include "base/error.h"

#include <quern/launch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_note(quern_cli_plan *plan, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a note that is not there yet. RIGHT, or WRONG after a message. */
static int add_note(quern_cli_plan *plan, const char *format, ...)
{
    char *note = NULL, **notes;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&note, format, arguments);
    va_end(arguments);
    for (size_t i = 0; length >= 0 && i < plan->note_count; ++i)
        if (strcmp(plan->notes[i], note) == 0) {
            free(note);
            return QUERN_CLI_RIGHT;
        }
    notes = length < 0 ? NULL : realloc(plan->notes, (plan->note_count + 1) * sizeof *notes);
    if (!notes) {
        if (length >= 0)
            free(note);
        quern_cli_error("no memory for a note on the arguments of kernel %s", plan->kernel->name);
        return QUERN_CLI_WRONG;
    }
    notes[plan->note_count++] = note;
    plan->notes = notes;
    return QUERN_CLI_RIGHT;
}

/* ", offset by 1,-1" when the range has offsets */
static const char *offset_text(const quern_range *range, char text[QUERN_CLI_EXTENTS_TEXT])
{
    int used = 0, any = 0;
    for (uint32_t d = 0; d < range->extents.rank; ++d) {
        any |= range->offsets[d] != 0;
        used += snprintf(text + used, (size_t)(QUERN_CLI_EXTENTS_TEXT - used), "%s%td", d > 0 ? "," : ", offset by ",
                         range->offsets[d]);
    }
    return any ? text : "";
}

/* 1 when indices from offset on, items of them, leave 0 … length - 1. */
static int leaves(ptrdiff_t offset, size_t items, size_t length)
{
    ptrdiff_t end;
    return offset < 0 || quern_add_overflows(offset, items, &end) || (size_t)end > length;
}

static int note_contiguous(quern_cli_plan *plan, const char *name, const quern_cli_array *array)
{
    const quern_range *range = &plan->range;
    char offset[QUERN_CLI_EXTENTS_TEXT];
    size_t items = 1, count = quern_cli_array_count(array);
    quern_extents_count(range->extents, &items);
    ptrdiff_t first = range->extents.rank == 1 ? range->offsets[0] : 0;
    if (!leaves(first, items, count))
        return QUERN_CLI_RIGHT;
    return add_note(plan, "'%s' has %zu element%s and the range %zu item%s%s", name, count, count == 1 ? "" : "s",
                    items, items == 1 ? "" : "s", first ? offset_text(range, offset) : "");
}

static int note_pitched(quern_cli_plan *plan, const char *name, const quern_cli_array *array)
{
    const quern_range *range = &plan->range;
    char extents[QUERN_CLI_EXTENTS_TEXT], items[QUERN_CLI_EXTENTS_TEXT], offset[QUERN_CLI_EXTENTS_TEXT];
    int outside = 0;
    if (array->extents.rank != range->extents.rank)
        return QUERN_CLI_RIGHT;
    for (uint32_t d = 0; d < range->extents.rank; ++d)
        outside |= leaves(range->offsets[d], range->extents.n[d], array->extents.n[d]);
    if (!outside)
        return QUERN_CLI_RIGHT;
    return add_note(plan, "'%s' is %s and the range %s%s", name, quern_cli_extents_text(array->extents, 'x', extents),
                    quern_cli_extents_text(range->extents, 'x', items), offset_text(range, offset));
}

int quern_cli_plan_note_arrays(quern_cli_plan *plan)
{
    const quern_kernel *kernel = plan->kernel;
    size_t items = 1;
    int status = QUERN_CLI_RIGHT;
    quern_extents_count(plan->range.extents, &items);
    /* A group kernel often writes an element a group. */
    if (kernel->is_group || items == 0)
        return QUERN_CLI_RIGHT;
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i) {
        const quern_parameter *parameter = &kernel->parameters[i];
        if (quern_cli_parameter_is_array(parameter))
            status = parameter->rank > 0 ? note_pitched(plan, parameter->name, &plan->bindings[i].array)
                                         : note_contiguous(plan, parameter->name, &plan->bindings[i].array);
    }
    return status;
}

/* The items of the group that a launch on the device would use; 0 when that is not known, and the launch will say why.
 */
static size_t group_items(const quern_cli_plan *plan, const quern_cli_device_run *run)
{
    quern_range chosen;
    size_t items = 1;
    if (quern_launch_configuration(run->device, run->kernel, &plan->range, &chosen))
        return 0;
    for (uint32_t d = 0; d < chosen.group_rank; ++d)
        if (quern_multiply_overflows(items, chosen.group[d], &items))
            return 0;
    return items;
}

/* 1 when nobody has said how many items a group has: neither the kernel's author nor the user. */
static int group_is_chosen(const quern_cli_plan *plan)
{
    int any = 0;
    for (uint32_t d = 0; d < plan->kernel->group_rank; ++d)
        any |= plan->kernel->group[d] == 0;
    return any && plan->range.group_rank == 0;
}

int quern_cli_plan_check_locals(quern_cli_plan *plan, const quern_cli_device_run *run)
{
    const quern_kernel *kernel = plan->kernel;
    int status = QUERN_CLI_RIGHT;
    if (run->status || !kernel->is_group)
        return QUERN_CLI_RIGHT;
    size_t items = group_items(plan, run);
    for (uint32_t i = 0; !status && i < kernel->parameter_count; ++i) {
        const char *name = kernel->parameters[i].name;
        size_t length = plan->bindings[i].length;
        if (kernel->parameters[i].form != QUERN_PARAMETER_LOCAL || length >= items)
            continue;
        if (group_is_chosen(plan))
            return quern_cli_misuse(
                "run",
                "%s: a local array of %zu element%s, and the group chosen for %s has %zu items; give "
                "--group, or a greater length",
                name, length, length == 1 ? "" : "s", run->name, items);
        status =
            add_note(plan, "'%s' has %zu element%s and a group %zu items", name, length, length == 1 ? "" : "s", items);
    }
    return status;
}
