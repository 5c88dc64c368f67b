/*
 * The devices that a driver lists, each with its number there. One that cannot be used keeps its number and has a
 * reason, so that the names of the others do not depend on it.
 */
#ifndef QUERN_BACKEND_DEVICE_LIST_H
#define QUERN_BACKEND_DEVICE_LIST_H

#include <quern/device.h>

enum { QUERN_DEVICE_WHO = 192 };

/* Why a device cannot be used. */
struct quern_device_reason {
    quern_status status; /* SUCCESS: nothing is wrong */
    char text[512];
};

struct quern_device_list {
    const char *backend; /* "cuda", as in the devices' names */
    const char *api;     /* "CUDA", for sentences */
    size_t count;
    void **devices; /* by number; NULL for one that cannot be used, which has a reason */
    struct quern_device_reason *reasons;
};

/* Sets the reason and returns status; format as printf. */
quern_status quern_device_leave_out(struct quern_device_reason *reason, quern_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes "device 1, NAME," or "device 1" while it has no name, for the begin of a sentence; gives who. */
const char *quern_device_who(char who[QUERN_DEVICE_WHO], size_t number, const char *name);

/* The reason is set when the driver gives a limit as 0 that no device can have: its answers are of no worth. */
quern_status quern_device_check_info(const quern_device_info *info, size_t number, struct quern_device_reason *reason);

/* Places for more devices, behind those that there are, which the caller fills. OUT_OF_MEMORY. */
quern_status quern_device_list_grow(struct quern_device_list *list, size_t more);

/* SUCCESS when a device of a list of some can be used; else why the first cannot, or OUT_OF_MEMORY if that is why any
 * cannot. */
quern_status quern_device_list_check(const struct quern_device_list *list);

/* What the backend's device_open is to do. */
quern_status quern_device_list_open(const struct quern_device_list *list, size_t index, void **device);

/* Empties the list; the devices are the caller's. */
void quern_device_list_free(struct quern_device_list *list);

#endif
