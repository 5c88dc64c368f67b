/*
 * Quern: the contract between the runtime and a backend, for who writes a backend.
 *
 * A backend is a table of functions. The runtime ("the front end") validates every call once, keeps
 * queues ordered against each other, counts references and holds errors; a backend only sees legal
 * sizes and does one thing per function. docs/writing-a-backend.md walks through a small one, and
 * `quern conformance` says whether it is right.
 *
 * Growth. A table says the version of the contract and its own size. Within a version entries are only ever added,
 * at the end, each with a default; so a library takes the table of an older header (what it lacks is NULL or 0) and of
 * a newer one (what is more is not called). The host's table likewise: a backend that wants a function which the first
 * header of this version did not have looks at host->size first.
 *
 * Numbers. The front end numbers the commands of a queue and passes the number along; numbers only grow, and some have
 * no command (see signal). Commands of one queue run in that order, and work begins without a further call. When all
 * commands up to number have finished, the backend says so through host->finished (the completion signal); it may do so
 * for several commands at once, and need not do so for a command that nobody asked to be signalled (see signal and
 * finishes_all).
 *
 * Blocking queues. Of a queue with options->blocking a command function returns when the command has finished, and said
 * so.
 *
 * Failure. A function gives a status other than SUCCESS and leaves a sentence by host->fail, which names what was wrong
 * and what was wanted; the sentence belongs to the calling thread. A command function that returns anything but SUCCESS
 * has queued nothing; the front end reports it and calls signal for its number. A command that fails later is reported
 * by host->failed before its number is finished. While host->is_failed(progress) the backend runs no command of that
 * queue, but still finishes its number. The caller never gets a status that is none, nor an older sentence: a status of
 * a backend's own making (and NOT_READY, which is no failure, but of wait) becomes QUERN_INTERNAL, a failure without a
 * sentence gets one, and both then name the backend and the function.
 *
 * Threads. The command functions of one queue (copy, launch, signal, fill, call, wait, record, peer_copy,
 * queue_allocate, graph_launch) come one at a time, from any thread; everything else may be called from any thread at
 * any time, unless it is said here that it is not. Host functions of the table below may be called from any thread,
 * without locks of the backend held.
 */
#ifndef QUERN_BACKEND_H
#define QUERN_BACKEND_H

#include <quern/buffer.h>
#include <quern/device.h>
#include <quern/native.h>
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
    /* 1: host memory that the device may not know: a span's, another device's, or a buffer's of kind HOST or PINNED.
     * Not both, unless the device is host_accessible. */
    uint32_t target_is_host, source_is_host;
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
    /*
     * Memory of the front end's, kept_bytes of it aligned as by malloc, in which a backend may keep what it made of the
     * launch: all zeros at first, and as the backend left it whenever the same launch comes again on this queue, the
     * same in everything but what the addresses of values point to, and those addresses. It goes without notice, so it
     * owns nothing. NULL: this launch is not remembered.
     */
    void *kept;
    size_t kept_bytes;
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

/* What a backend may call, from start to stop. All of it from any thread, without locks of the backend held. */
typedef struct quern_backend_host {
    uint32_t version; /* QUERN_BACKEND_VERSION of the library */
    size_t size;      /* of the library's table: how many of the functions below there are */

    /* Leaves the calling thread's sentence and returns status; format as printf, of any length. */
    quern_status (*fail)(quern_status status, const char *format, ...);

    /* All commands up to number have finished. number only grows. Whoever waits is told on the calling thread, which
     * may run the front end's code and, in it, functions of this backend: so it is the last thing that is done for a
     * command. */
    void (*finished)(quern_progress *progress, uint64_t number);

    /* The command number, named what ("kernel saxpy"), failed with status; sentence says why ("" is fine). Only the
     * first sticks. */
    void (*failed)(quern_progress *progress, uint64_t number, quern_status status, const char *what,
                   const char *sentence);

    /* 1 while an error sticks: commands are to be skipped. */
    int (*is_failed)(quern_progress *progress);

    /* The highest finished number. Of a new queue that need not be 0: a progress is used again. */
    uint64_t (*finished_number)(quern_progress *progress);

    /* 1 when number is finished already, and waiter is not used; else 0, and waiter->notify comes later, from within
     * host->finished on whatever thread that is. For waits on queues of other backends. */
    int (*when_finished)(quern_progress *progress, uint64_t number, quern_waiter *waiter);

    /* The backend's queue that the progress belongs to, if it is one of this backend and not destroyed, else NULL.
     * backend_table is the backend's own table. The queue is not destroyed before queue_unpin. */
    void *(*queue_pin)(quern_progress *progress, const void *backend_table);
    void (*queue_unpin)(quern_progress *progress);

    /* The event command number has been reached (or skipped): its time by the device's clock, nanoseconds. */
    void (*event_reached)(quern_event *event, int64_t nanoseconds);

    /* SUCCESS, or the failure with which a complete event completed; SUCCESS of one that is not complete yet. */
    quern_status (*event_status)(quern_event *event);

    /* Gives up the reference that a wait or record command held on its event, once the command has run or been skipped.
     */
    void (*event_release)(quern_event *event);

    /* How the items of a launch lie on a device's grid, and how wide an index must be (see quern_launch_layout). limits
     * may be NULL: none. */
    void (*layout)(const quern_backend_launch *launch, const quern_grid_limits *limits, quern_launch_layout *layout);

    /* The group size of a launch that names none: launch_configuration's default, for a backend that has its own and
     * falls back on this. */
    void (*group_size)(const quern_device_info *info, uint32_t rank, const size_t *extents, size_t max_items,
                       size_t *group);

    /*
     * The cache of compiled binaries, private to the user (the directory of quern_program_load). The key is any bytes
     * that say all that the binary depends on: the text, the options, the device, the compiler's and the driver's
     * version. cache_load: SUCCESS and malloc'ed data when there is a sound entry of exactly this key; NOT_FOUND
     * otherwise, whatever the reason. cache_store: written aside and renamed; a failure (FILE_ERROR, OUT_OF_MEMORY)
     * means that the next start compiles again, and is no failure of the build. Any thread, any process.
     */
    quern_status (*cache_load)(const char *key, size_t key_size, void **data, size_t *size);
    quern_status (*cache_store)(const char *key, size_t key_size, const void *data, size_t size);
} quern_backend_host;

/* Limits of a compiled kernel on its device. */
typedef struct quern_kernel_limits {
    size_t group_items;     /* the most items of a group; 0: the device's largest_group_items, which then is not 0 */
    uint64_t local_bytes;   /* used by the kernel's own LOCAL arrays; with `local` parameters at most the device's */
    uint64_t private_bytes; /* per item, as far as known */
} quern_kernel_limits;

/* device, queue, compiled: pointers of the backend's own, NULL if it likes. Results are set on SUCCESS only. */
typedef struct quern_backend {
    uint32_t version; /* QUERN_BACKEND_VERSION */
    size_t size;      /* sizeof(quern_backend) of the header that the backend was built with */
    const char *name; /* the device names' first part: a lower-case letter, then such letters, digits, '_'; at most 15;
                         not "all" */

    /* ---- required ---- */

    /*
     * Begins. Called when somebody first wants a device of this backend or a list of all, not before; one thread at a
     * time, nothing else before it. SUCCESS, or why the backend cannot work on this machine, with a sentence: no error
     * of the program, `quern devices` shows it. NOT_PRESENT for want of a driver or a device; OUT_OF_MEMORY is tried
     * again the next time that somebody asks, others not. After a failure stop is not called. host stays valid for the
     * life of the process. The public functions of Quern are not to be called from it.
     */
    quern_status (*start)(const quern_backend_host *host);

    /* Ends: the counterpart of a start that succeeded. Queues, memory and compiled kernels are released before. Another
     * start may follow. */
    void (*stop)(void);

    /* The number of devices; it stays the same until stop. 0 counts as NOT_PRESENT. Called once after start. */
    quern_status (*device_count)(size_t *count);

    /* Device index, from 0 to count - 1; the front end names it "NAME:index". Called once for each after start, and
     * there is no closing: stop does that. A failure leaves this device out: it keeps its number, `quern devices` shows
     * the sentence (quern_device_unusable), and the others work. OUT_OF_MEMORY is a failure of the whole backend's
     * start, as is that of the first device when none can be opened. */
    quern_status (*device_open)(size_t index, void **device);

    /*
     * What the device is and can do. *info is all zeros before: what is not set is unknown, and unknown means
     * unsupported, so nothing is claimed that has not been asked. name and backend are filled in by the front end. Set
     * at least largest_group_items and largest_group (groups are checked against them; where they are 0 the kernels'
     * own limits are alone), local_memory_bytes (kernels with local memory are refused beyond it, at 0 all of them) and
     * preferred_alignment (a power of two; 0 where the elements' own will do; anything else fails the start).
     * host_accessible: the host may read and write what allocate gives, by the same addresses; it is then used directly
     * by other devices' copies.
     */
    quern_status (*device_info)(void *device, quern_device_info *info);

    /*
     * Memory of bytes > 0 at the alignment (a power of two), contents undefined; success with NULL or with an address
     * that is no multiple of the alignment is QUERN_INTERNAL. The kind is one of the first four. Device memory is
     * required; other kinds are NOT_SUPPORTED where there are none. What it gives is an address: the front end adds
     * offsets to it, for views, and passes the sums beside it (quern_backend_copy, quern_backend_argument). A backend
     * whose memory has no addresses makes them up, distinct ones that do not overlap, and takes the difference. Of the
     * kinds HOST, PINNED and UNIFIED it is an address that the host may use. OUT_OF_MEMORY.
     */
    quern_status (*allocate)(void *device, size_t bytes, size_t alignment, quern_memory_kind kind, void **memory);

    /* Frees it; no command uses the memory any more. Also from within host->finished. */
    void (*free)(void *device, void *memory, size_t bytes, quern_memory_kind kind);

    /* A queue, whose commands are reported to progress. The options are valid ones; a device without priorities ignores
     * them. The first number is larger than host->finished_number(progress). OUT_OF_MEMORY, SYSTEM_ERROR. */
    quern_status (*queue_create)(void *device, const quern_queue_options *options, quern_progress *progress,
                                 void **queue);

    /* All commands have finished (their numbers; a thread of the backend may still be on its way out of the queue, and
     * is waited for). Never called from within host->finished. */
    void (*queue_destroy)(void *queue);

    /*
     * The kernel for this device, from the images of its descriptor that are this backend's (quern_kernel_image), at
     * its first launch there; kept until its program is released or the library shut down. Builds for one device come
     * one at a time. limits is all zeros before. NOT_SUPPORTED when no image fits; COMPILE_FAILED with the compiler's
     * log, whole, as the sentence; LIMIT_EXCEEDED for a kernel that the device cannot hold.
     */
    quern_status (*kernel_build)(void *device, const quern_kernel *kernel, void **compiled,
                                 quern_kernel_limits *limits);

    /* Releases it; no command uses it any more. */
    void (*kernel_release)(void *device, void *compiled);

    /* Copies a box of elements. Any pitches that a view can have, also 0 on the source's side; the padding between rows
     * is not touched. Memory of the host stays valid until the number has finished. OUT_OF_MEMORY. */
    quern_status (*copy)(void *queue, uint64_t number, const quern_backend_copy *copy);

    /* Launches a kernel. The argument list, values, extents and pitches are read before the function returns; kernel
     * and compiled stay valid until the number has finished. LIMIT_EXCEEDED for what is known only here (the bytes of
     * all arguments, the extent of a grid): it names what there was and the limit. */
    quern_status (*launch)(void *queue, uint64_t number, const quern_backend_launch *launch);

    /*
     * Sees to it that number is finished when all commands before it are, without a further call. number is that of the
     * latest command that was given, or a later one without a command, which then finishes in its turn. A backend that
     * reports every command at once has still to do so for the latter.
     */
    quern_status (*signal)(void *queue, uint64_t number);

    /* ---- optional: NULL or 0 takes the default ---- */

    /*
     * A value repeated over a box of elements: source is the value, element_size bytes, to be read before the function
     * returns; source_pitches are not set. OUT_OF_MEMORY. Default: the front end copies a row of values, with source
     * pitches of 0 but for the innermost, and keeps it until the copy has finished: rows of at most 64 KiB, for which
     * it may take a dimension more and a second copy for what is left.
     */
    quern_status (*fill)(void *queue, uint64_t number, const quern_backend_copy *fill);

    /*
     * Calls function(argument) in order; its failure is reported with host->failed, and its sentence is the calling
     * thread's (quern_last_error). The function may take long and wait for other queues. OUT_OF_MEMORY.
     * Default: the call and all commands behind it are held back, each with its number, while the host goes on. A
     * thread of the runtime waits until the commands before it have finished (signal), calls the function, signals the
     * number, and gives the backend what was held back. On a blocking queue the submitting thread does that.
     */
    quern_status (*call)(void *queue, uint64_t number, quern_status (*function)(void *argument), void *argument);

    /*
     * Later commands of queue wait until other has finished other_number (host->when_finished tells), which may be of a
     * queue of any backend, and may not have been given to that yet. If event is not NULL and failed
     * (host->event_status), this command fails too; its reference is given up when the command has run, unless the
     * function fails. The host goes on unless the queue blocks. A queue that has failed still waits, as what comes
     * after its failure was taken relies on it. OUT_OF_MEMORY. NOT_READY, from a backend
     * that declines_waits: nothing was queued, and this wait takes the default way.
     * Default: the wait and all commands behind it are held back as behind a call, until the number has finished. If
     * the event failed, and when the commands before have finished, the front end reports that and signals the number.
     */
    quern_status (*wait)(void *queue, uint64_t number, quern_progress *other, uint64_t other_number,
                         quern_event *event);

    /* Calls host->event_reached when the commands before it have run or been skipped, before the number is finished,
     * then host->event_release; on a queue that has failed too. OUT_OF_MEMORY. Default: signal, and the host's clock.
     */
    quern_status (*record)(void *queue, uint64_t number, quern_event *event);

    /* Returns when number is finished, asked for by signal or not; the calling thread may work along on what the queue
     * is ordered after, on nothing else. The number may be that of a command which another thread is just giving. Not a
     * command function: any thread, several at once. OUT_OF_MEMORY, and the thread sleeps. Default: signal, and the
     * thread sleeps until host->finished. */
    quern_status (*help)(void *queue, uint64_t number);

    /* A legal group size for a launch of a group kernel that names none, as many entries as the rank, slowest first: at
     * most max_items items, none longer than the device's largest. The extents are all at least 1; group kernels have
     * rank 1 to 3. Any thread, several at once. Default: host->group_size. */
    quern_status (*launch_configuration)(void *device, const quern_kernel *kernel, void *compiled, uint32_t rank,
                                         const size_t *extents, size_t max_items, size_t *group);

    /* 1: every number is finished without being asked for, and signal is only for numbers without a command. Default:
     * the front end calls signal for the latest command given, whenever somebody has to know. */
    size_t finishes_all;

    /* 1 when queues of both devices, two of this backend, can copy between their memories by peer_copy. Asked at every
     * copy between the two, so it only looks up what was found out before. Any thread. Default: 0, and such copies go
     * through memory of the host and a second queue. Not called where the host reaches one of the two sides. */
    int (*peer_reach)(void *device, void *other);

    /*
     * A copy between device memory of the queue's device and of another one of this backend, for which peer_reach said
     * 1: one of target_device and source_device is the queue's own. Neither side is host memory: target_memory and
     * source_memory are set, each of its device. Any pitches, as of copy; the order against queues of both devices is
     * the front end's. OUT_OF_MEMORY. With peer_reach, both or neither.
     */
    quern_status (*peer_copy)(void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,
                              void *source_device);

    /*
     * Device memory as allocate gives it, for buffers that belong to the order of a queue, and given back by free with
     * the kind QUERN_MEMORY_QUEUE. A command function: commands of the queue behind number may use the memory, and
     * those of other queues that are ordered after number. The address is known at once, without waiting for the
     * queue. On a queue that has failed too. After a failure (OUT_OF_MEMORY), which is only the caller's, signal is
     * called for the number. The front end keeps what it got in a pool, so this is no call of every buffer, and free
     * comes late: when the pool is trimmed, and no command uses the memory any more. Not called while commands of the
     * queue are held back. Default: allocate, of device memory.
     */
    quern_status (*queue_allocate)(void *queue, uint64_t number, size_t bytes, size_t alignment, void **memory);

    /* The quern_native_kinds that this backend has, ended by 0: valid for the life of the process. Of each noun
     * (device, queue, memory, kernel) any or none. The functions below see no other kinds. Default: none. */
    const uint32_t *native_kinds;

    /*
     * The driver's handle. object: NULL for a kind of a device; a queue; of memory what allocate, queue_allocate or
     * memory_wrap gave, with address the first byte that is meant; what kernel_build or kernel_wrap gave. *offset is 0
     * before: of memory the bytes from where the handle's begins to address. NOT_SUPPORTED for what this very object
     * lacks (a buffer of host memory that the driver does not know). Any thread. A backend that gives handles of queues
     * has record, and what it records is reached after all native commands that were put into the queue before. Kinds
     * QUERN_NATIVE_ADDRESS are the front end's. Default: NOT_SUPPORTED.
     */
    quern_status (*native)(void *device, uint32_t kind, void *object, void *address, void **handle, size_t *offset);

    /* As queue_create, over a native queue of the caller's, which is left as it is by queue_destroy. A priority is not
     * asked for. WRONG_DEVICE, and NOT_SUPPORTED for one without order, where the driver tells. Default: NOT_SUPPORTED.
     */
    quern_status (*queue_wrap)(void *device, uint32_t kind, void *handle, const quern_queue_options *options,
                               quern_progress *progress, void **queue);

    /* Memory of the caller's, of at least bytes > 0, as allocate would give device memory: an address that nothing else
     * has. free comes with the kind QUERN_MEMORY_WRAPPED and leaves the caller's memory as it is. INVALID_SHAPE when
     * the driver says that it is smaller, WRONG_DEVICE when it is of another context. Default: NOT_SUPPORTED. */
    quern_status (*memory_wrap)(void *device, uint32_t kind, void *handle, size_t bytes, void **memory);

    /* As kernel_build, from a module of the caller's instead of the descriptor's images: the text of the kernel's file
     * for this backend, compiled with QUERN_INDEX_BITS 64 and QUERN_LINEAR 1 (dialect/device_abi.h), with which every
     * launch is done. kernel_release leaves the module as it is. NOT_FOUND when the module lacks the kernel. Default:
     * NOT_SUPPORTED. */
    quern_status (*kernel_wrap)(void *device, const quern_kernel *kernel, uint32_t kind, void *handle, void **compiled,
                                quern_kernel_limits *limits);

    /*
     * Begins to record commands that will be run with one call: *recorder is what launch, copy and fill then get as
     * their queue, with the number 0, on the calling thread, for commands that would do for the queue; of copies only
     * those inside device memory, of fills those of device memory. A recorder runs nothing and reports nothing; launch
     * reads its arguments as ever, and what they point to may be gone at the replay. graph_begin may come while others
     * use the queue. All four or none. NOT_SUPPORTED from here, from a command or from graph_end: these commands are
     * then given one by one; another failure is the caller's of quern_graph_end or quern_graph_launch. Default: all
     * commands of a graph are given one by one.
     */
    quern_status (*graph_begin)(void *queue, void **recorder);

    /* Ends it: the recorder is gone in any case, and *graph is what it has recorded, at least two commands. graph NULL:
     * to be thrown away, which never fails. */
    quern_status (*graph_end)(void *recorder, void **graph);

    /* A command function: runs what was recorded, in that order, as one command number of the queue that it was
     * recorded for. Earlier runs of the same graph may not have finished. */
    quern_status (*graph_launch)(void *queue, uint64_t number, void *graph);

    /* No command uses it any more. Also from within host->finished. */
    void (*graph_release)(void *device, void *graph);

    /* 1: wait takes only what its driver sees to by itself, and gives NOT_READY for the rest. So nobody is asked
     * (signal) to tell of the other queue's number before it. Default: wait takes all. */
    size_t declines_waits;
} quern_backend;

/* What a backend outside the library exports: its table, valid for the life of the process, or NULL when there is none.
 * The library calls it once, when the backend is loaded (quern_backend_load); start gets the host's table. */
#define QUERN_BACKEND_ENTRY "quern_backend_entry"
typedef const quern_backend *quern_backend_entry_function(void);

QUERN_BEGIN_DECLARATIONS
QUERN_API const quern_backend *quern_backend_entry(void); /* defined by the backend, not by the library */
QUERN_END_DECLARATIONS

#endif
