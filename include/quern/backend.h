/*
 * Quern: the contract between the runtime and a backend, for who writes a backend.
 *
 * A backend is a table of functions. The runtime ("the front end") validates every call once, keeps
 * queues ordered against each other, counts references and holds errors; a backend only sees legal
 * sizes and does one thing per function. docs/writing-a-backend.md walks through a small one.
 *
 * Numbers. The front end numbers the commands of a queue 1, 2, 3, … and passes the number along. Commands of
 * one queue run in that order. When all commands up to number have finished, the backend says so
 * through host->finished (the completion signal); it may do so for several commands at once, and
 * need not do so for a command that nobody asked to be signalled (see signal).
 *
 * Failure. A command function that returns anything but SUCCESS has queued nothing; the front end reports it
 * and calls signal for its number. A command that fails later is reported by host->failed before its
 * number is finished. While host->is_failed(progress) the backend runs no command of that queue, but
 * still finishes its number.
 *
 * Threads. The front end serialises the command functions of one queue; everything else may be called
 * from any thread at any time. Host functions of the table below may be called from any thread, without locks
 * of the backend held.
 */
#ifndef QUERN_BACKEND_H
#define QUERN_BACKEND_H

#include <quern/buffer.h>
#include <quern/device.h>
#include <quern/program.h>
#include <quern/queue.h>

#define QUERN_BACKEND_VERSION 1u

/* The front end's record of how far a queue is. finished only grows, and is written by host->finished. */
typedef struct quern_progress quern_progress;

/* Something to be told when a number has finished. The memory is the caller's and must last until notify. */
typedef struct quern_waiter {
    struct quern_waiter *next;                   /* the front end's */
    uint64_t number;                             /* the front end's */
    void (*notify)(struct quern_waiter *waiter); /* called once, on the thread that finished the number */
    void *data;                                  /* the backend's */
} quern_waiter;

/* A box of elements moved between two pitched memories that do not overlap. No extent is 0. The front end has merged
 * the dimensions that are contiguous on both sides, so a packed copy has rank 1. */
typedef struct quern_backend_copy {
    void *target;
    const void *source;
    /* What allocate gave for the buffer that each side lies in; NULL for a side that is host memory. */
    void *target_memory;
    const void *source_memory;
    uint32_t rank; /* 1 to 6 */
    uint32_t element_size;
    size_t extents[QUERN_MAX_RANK]; /* elements, slowest first */
    /* bytes; the innermost is element_size on both sides */
    ptrdiff_t target_pitches[QUERN_MAX_RANK], source_pitches[QUERN_MAX_RANK];
    uint32_t target_is_host, source_is_host; /* 1: pageable memory that the device may not know */
} quern_backend_copy;

/* One argument of a launch. */
typedef struct quern_backend_argument {
    uint32_t form;         /* a quern_parameter_form */
    uint32_t size;         /* bytes of a value, of one element otherwise */
    void *address;         /* of a view's elements, of a value's bytes; both to be read before the function returns */
    void *memory;          /* of a view: what allocate gave for its buffer; else NULL */
    const size_t *extents; /* of the view, slowest first; likewise */
    const ptrdiff_t *pitches; /* likewise */
    uint32_t rank;            /* of the view */
    size_t length;            /* of a local parameter */
} quern_backend_argument;

/* A validated launch of a non-empty range. */
typedef struct quern_backend_launch {
    const quern_kernel *kernel;
    void *compiled; /* what kernel_build gave for this device */
    uint32_t rank;
    size_t extents[QUERN_MAX_RANK];
    ptrdiff_t offsets[QUERN_MAX_RANK];
    size_t group[3];  /* of a group kernel: filled in, slowest first, as many as the rank. Of a kernel without groups:
                         the  caller's hint, as many as the rank, checked against the limits; 0 when there is none */
    size_t groups[3]; /* of a group kernel: extents over group, rounded up */
    size_t items;     /* the product of the extents */
    size_t argument_count;
    const quern_backend_argument *arguments;
} quern_backend_launch;

/* How far a device's grid reaches. 0: without limit. Along x, y, z. */
typedef struct quern_grid_limits {
    size_t groups[3]; /* groups along each dimension */
} quern_grid_limits;

/*
 * How a launch is laid out, chosen from the padded upper bound before the group size is tuned.
 *
 * On the grid when the range has rank 1 to 3 and fits: item (z, y, x) of the range is item (z, y, x) of the grid, and
 * nothing is divided. Else linear: items are numbered row by row along one dimension, and an item finds its indices by
 * division. Groups always lie on the grid. index_bits is 32 when the padded extents, their sums with the offsets, the
 * number of items and the bytes from the begin of each argument's memory to the end of its last element all stay below
 * 2^31, else 64.
 */
typedef struct quern_launch_layout {
    uint32_t linear; /* 1 or 0 */
    uint32_t index_bits;
} quern_launch_layout;

/* What a backend may call. */
typedef struct quern_backend_host {
    uint32_t version;
    size_t size;

    /* Leaves the calling thread's sentence and returns status; format as printf. */
    quern_status (*fail)(quern_status status, const char *format, ...);

    /* All commands up to number have finished. */
    void (*finished)(quern_progress *progress, uint64_t number);

    /* The command number, named what ("kernel saxpy"), failed with status; sentence says why ("" is fine). Only the
     * first sticks. */
    void (*failed)(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                   const char *sentence);

    /* 1 while an error sticks: commands are to be skipped. */
    int (*is_failed)(quern_progress *progress);

    /* The highest finished number. */
    uint64_t (*finished_number)(quern_progress *progress);

    /* 1 when number is finished already, and waiter is not used; else 0, and waiter->notify comes later. */
    int (*when_finished)(quern_progress *progress, uint64_t number, quern_waiter *waiter);

    /* The backend's queue that the progress belongs to, if it is one of this backend (table) and not destroyed, else
     * NULL. It is not destroyed before queue_unpin. */
    void *(*queue_pin)(quern_progress *progress, const void *backend_table);
    void (*queue_unpin)(quern_progress *progress);

    /* The event command number has been reached (or skipped): its time by the device's clock, nanoseconds. */
    void (*event_reached)(quern_event *event, int64_t nanoseconds);

    /* SUCCESS, or the failure with which a complete event completed. */
    quern_status (*event_status)(quern_event *event);

    /* Gives up the reference that a wait or record command held on its event, once the command has run or been skipped.
     */
    void (*event_release)(quern_event *event);

    /* How the items of a launch lie on a device's grid, and how wide an index must be (see quern_launch_layout). */
    void (*layout)(const quern_backend_launch *launch, const quern_grid_limits *limits, quern_launch_layout *layout);

    /* The group size of a launch that names none: launch_configuration's default, for a backend that has its own and
     * falls back on this. */
    void (*group_size)(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t max_items,
                       size_t *group);

    /*
     * The cache of compiled binaries, private to the user (section "cache" of quern_program_load). The key is any
     * text that says all that the binary depends on. cache_load: SUCCESS and malloc'ed data when there is a sound entry
     * of exactly this key; NOT_FOUND otherwise, whatever the reason. cache_store: written aside and renamed; a failure
     * (FILE_ERROR) means that the next start compiles again. Any thread, any process.
     */
    quern_status (*cache_load)(const char *key, size_t key_size, void **data, size_t *size);
    quern_status (*cache_store)(const char *key, size_t key_size, const void *data, size_t size);
} quern_backend_host;

/* Limits of a compiled kernel. */
typedef struct quern_kernel_limits {
    size_t group_items;     /* the largest group */
    uint64_t local_bytes;   /* used by the kernel's own LOCAL arrays */
    uint64_t private_bytes; /* per item, as far as known */
} quern_kernel_limits;

/* device, queue, compiled: pointers of the backend's own. */
typedef struct quern_backend {
    uint32_t version; /* QUERN_BACKEND_VERSION */
    size_t size;      /* sizeof(quern_backend) of the header that the backend was built with */
    const char *name; /* lower case: the device names' first part */

    /* ---- required ---- */

    /* Called once before anything else. SUCCESS, or why the backend cannot work here, with a sentence. host stays
     * valid. */
    quern_status (*start)(const quern_backend_host *host);
    /* Everything is released; the counterpart of start. */
    void (*stop)(void);

    quern_status (*device_count)(size_t *count);
    quern_status (*device_open)(size_t index, void **device);
    quern_status (*device_info)(void *device, quern_device_info *info);

    /* Memory of bytes > 0 at the alignment (a power of two). */
    quern_status (*allocate)(void *device, size_t bytes, size_t alignment, quern_memory_kind kind, void **memory);
    /* No command uses the memory any more. */
    void (*free)(void *device, void *memory, size_t bytes, quern_memory_kind kind);

    quern_status (*queue_create)(void *device, const quern_queue_options *options, quern_progress *progress,
                                 void **queue);
    /* All commands have finished (their numbers; a thread of the backend may still be on its way out of the queue, and
     * is waited for). Never called from within host->finished. */
    void (*queue_destroy)(void *queue);

    quern_status (*kernel_build)(void *device, const quern_kernel *kernel, void **compiled,
                                 quern_kernel_limits *limits);
    void (*kernel_release)(void *device, void *compiled);

    quern_status (*copy)(void *queue, uint64_t number, const quern_backend_copy *copy);
    quern_status (*launch)(void *queue, uint64_t number, const quern_backend_launch *launch);

    /* Sees to it that number is finished when all commands before it are, without a further call. */
    quern_status (*signal)(void *queue, uint64_t number);

    /* ---- optional: NULL takes the default ---- */

    /* A value repeated over a box of elements: source is the value, element_size bytes, to be read before the function
     * returns; source_pitches are not set. Default: the front end copies a row of values, with source pitches of 0, and
     * waits. */
    quern_status (*fill)(void *queue, uint64_t number, const quern_backend_copy *fill);

    /* Calls function(argument) in order; its failure is reported with host->failed. Default: the front end waits for
     * the queue and calls it on the submitting thread. */
    quern_status (*call)(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument);

    /* Later commands of queue wait until other has finished other_number; if event is not NULL and failed, this command
     * fails too. The host goes on unless the queue blocks. Default: the front end waits on the host. */
    quern_status (*wait)(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                         quern_event *event);

    /* Calls host->event_reached when the commands before it have run. Default: signal, and the host's clock. */
    quern_status (*record)(void *queue, uint64_t number, quern_event *event);

    /* Returns when number is finished; the calling thread may work along. Default: sleeps until host->finished. */
    quern_status (*help)(void *queue, uint64_t number);

    /* A legal group size for the launch, whose group is not filled in: at most max_items items. Default: the largest
     * legal, x first. */
    quern_status (*launch_configuration)(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                         const size_t *extents, size_t max_items, size_t *group);
} quern_backend;

/* What a backend outside the library exports under the name quern_backend_entry: its table, valid for the life of the
 * process. The library calls it once; start gets the host's table. */
#define QUERN_BACKEND_ENTRY "quern_backend_entry"
typedef const quern_backend *quern_backend_entry_function(void);

#endif
