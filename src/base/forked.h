/*
 * Whether this process was made by fork after the library was first used in its parent.
 *
 * Such a process has none of the library's threads, and drivers' state that is no good any more: whoever would wait
 * there would wait for ever. It may go on to exec, or use what needs no device.
 */
#ifndef QUERN_BASE_FORKED_H
#define QUERN_BASE_FORKED_H

#include <stdatomic.h>

#include <quern/status.h>

/* From now on a fork is noticed; at the first use of devices or tasks. OUT_OF_MEMORY. */
quern_status quern_forked_watch(void);

extern _Atomic int quern_forked __attribute__((visibility("hidden")));

static inline int quern_process_is_forked(void)
{
    return atomic_load_explicit(&quern_forked, memory_order_relaxed);
}

/* SUCCESS, or in a process made by fork NOT_SUPPORTED: what, such as "queue_create", cannot be done. */
quern_status quern_forked_refuse(const char *what);

static inline quern_status quern_forked_check(const char *what)
{
    return quern_process_is_forked() ? quern_forked_refuse(what) : QUERN_SUCCESS;
}

#endif
