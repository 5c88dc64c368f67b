/* Events as file descriptors, for programs that wait in poll, epoll or libuv. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <quern/event.h>

#include "base/error.h"
#include "completion.h"
#include "event.h"

/* One descriptor that somebody waits on; the event itself may be released meanwhile. */
typedef struct watch {
    quern_waiter waiter;
    int descriptor; /* a second one of the same eventfd: the caller may close his at any time */
} watch;

static void make_readable(int descriptor)
{
    const uint64_t one = 1;
    ssize_t written;
    do {
        written = write(descriptor, &one, sizeof one); /* of a counter that is 0, so there is room */
    } while (written < 0 && errno == EINTR);
}

/* The number has finished, and the event is complete by now (quern_event_settle). */
static void tell(quern_waiter *waiter)
{
    watch *self = waiter->data;
    make_readable(self->descriptor);
    close(self->descriptor);
    free(self);
}

static quern_status fail_for_errno(const char *what)
{
    return quern_fail(QUERN_SYSTEM_ERROR, "%s for an event cannot be had: %s", what, strerror(errno));
}

static quern_status make_watch(int descriptor, watch **result)
{
    watch *made = malloc(sizeof *made);
    if (!made)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the file descriptor of an event");
    made->waiter.notify = tell;
    made->waiter.data = made;
    made->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (made->descriptor < 0) {
        quern_status status = fail_for_errno("a second file descriptor");
        free(made);
        return status;
    }
    *result = made;
    return QUERN_SUCCESS;
}

/* The descriptor becomes readable when the event's number has finished. */
static quern_status watch_event(quern_event *event, int descriptor)
{
    watch *made = NULL;
    quern_status status = make_watch(descriptor, &made);
    if (status != QUERN_SUCCESS)
        return status;
    if (quern_progress_when_finished(event->progress, event->number, &made->waiter)) {
        tell(&made->waiter);
        return QUERN_SUCCESS;
    }
    /* From here on the watch may be gone at any moment: its waiter is only compared. */
    status = quern_progress_ask(event->progress, event->number);
    if (status != QUERN_SUCCESS && quern_progress_forget(event->progress, &made->waiter)) {
        close(made->descriptor);
        free(made);
    }
    return status;
}

quern_status quern_event_fd(quern_event *event, int *fd)
{
    quern_status status = quern_event_check(event, "event");
    if (status != QUERN_SUCCESS)
        return status;
    if (!fd)
        return quern_fail(QUERN_INVALID_ARGUMENT, "fd is NULL, wanted a place for the result");
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return fail_for_errno("a file descriptor");
    if (quern_progress_finished(event->progress) >= event->number)
        make_readable(descriptor);
    else
        status = watch_event(event, descriptor);
    if (status != QUERN_SUCCESS) {
        close(descriptor);
        return status;
    }
    *fd = descriptor;
    return QUERN_SUCCESS;
}
