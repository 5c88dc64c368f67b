/* The devices that a driver lists, and why some of them cannot be used. */
#include "device_list.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one device ---- */

quern_status quern_device_leave_out(struct quern_device_reason *reason, quern_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    reason->status = status;
    return status;
}

const char *quern_device_who(char who[QUERN_DEVICE_WHO], size_t number, const char *name)
{
    const int has_name = name && *name;
    snprintf(who, QUERN_DEVICE_WHO, "device %zu%s%.140s%s", number, has_name ? ", " : "", has_name ? name : "",
             has_name ? "," : "");
    return who;
}

quern_status quern_device_check_info(const quern_device_info *info, size_t number, struct quern_device_reason *reason)
{
    char who[QUERN_DEVICE_WHO];
    const struct {
        uint64_t limit;
        const char *name;
    } limits[] = {{info->compute_units, "number of compute units"},  {info->memory_bytes, "memory"},
                  {info->largest_allocation, "largest allocation"},  {info->largest_group_items, "largest group"},
                  {info->largest_group[2], "largest group along x"}, {info->largest_group[1], "largest group along y"},
                  {info->largest_group[0], "largest group along z"}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        if (!limits[i].limit)
            return quern_device_leave_out(reason, QUERN_NOT_SUPPORTED, "%s gives 0 as its %s, wanted at least 1",
                                          quern_device_who(who, number, info->description), limits[i].name);
    return QUERN_SUCCESS;
}

/* ---- the list ---- */

quern_status quern_device_list_grow(struct quern_device_list *list, size_t more)
{
    size_t count = list->count + more;
    void **devices = realloc(list->devices, count * sizeof *devices);
    if (devices)
        list->devices = devices;
    struct quern_device_reason *reasons = realloc(list->reasons, count * sizeof *reasons);
    if (reasons)
        list->reasons = reasons;
    if (!devices || !reasons)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a list of %zu %s devices", count, list->api);
    memset(devices + list->count, 0, more * sizeof *devices);
    memset(reasons + list->count, 0, more * sizeof *reasons);
    list->count = count;
    return QUERN_SUCCESS;
}

quern_status quern_device_list_check(const struct quern_device_list *list)
{
    const struct quern_device_reason *reason = &list->reasons[0];
    for (size_t i = 0; i < list->count; ++i) {
        if (list->devices[i])
            return QUERN_SUCCESS;
        if (list->reasons[i].status == QUERN_OUT_OF_MEMORY && reason->status != QUERN_OUT_OF_MEMORY)
            reason = &list->reasons[i]; /* so that the start is tried again */
    }
    return quern_fail(reason->status, "no %s device can be used: %s", list->api, reason->text);
}

quern_status quern_device_list_open(const struct quern_device_list *list, size_t index, void **device)
{
    if (index >= list->count)
        return quern_fail(QUERN_NOT_PRESENT, "device %s:%zu is not there; there are %zu", list->backend, index,
                          list->count);
    if (!list->devices[index])
        return quern_fail_text(list->reasons[index].status, list->reasons[index].text);
    *device = list->devices[index];
    return QUERN_SUCCESS;
}

void quern_device_list_free(struct quern_device_list *list)
{
    free(list->devices);
    free(list->reasons);
    list->devices = NULL;
    list->reasons = NULL;
    list->count = 0;
}
