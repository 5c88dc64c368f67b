/*
 * What the files of the fake driver share: the lock, the objects, the ways in and out of a driver function.
 *
 * One lock guards everything but the bytes that commands move. Commands are run without it by the threads of
 * schedule.c; whoever waits sleeps on one condition, which every change of state wakes.
 */
#ifndef FAKE_CUDA_INTERNAL_H
#define FAKE_CUDA_INTERNAL_H

#include "api.h"
#include "fake_cuda.h"

#include <pthread.h>
#include <stdint.h>

#define FAKE_EXPORT __attribute__((visibility("default")))

enum {
    FAKE_DEVICES = 8,
    FAKE_SHARED = 48 * 1024,
    FAKE_SHARED_OPTIN = 227 * 1024,
    FAKE_PARAMETER_BYTES = 32764,
    FAKE_ITEM_BYTES = 512 * 1024
};

/* Prototypes of all functions, from the one list. */
#define FAKE_PROTOTYPE(name, parameters) FAKE_EXPORT quern_fc_##name name;
FC_FUNCTIONS(FAKE_PROTOTYPE)
#undef FAKE_PROTOTYPE

/* ---- settings ---- */

struct fake_settings {
    int devices, version, architecture, no_peer, no_pools, no_managed, threads, workers, no_op;
    unsigned seed, delay;
    size_t memory;
};
extern struct fake_settings fake_settings;

void fake_settings_read(void);

/* ---- handles: numbers that are never used again, no addresses ---- */

enum fake_kind {
    FAKE_CONTEXT = 1,
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_MODULE,
    FAKE_FUNCTION,
    FAKE_POOL,
    FAKE_GRAPH,
    FAKE_EXEC
};

/* Made and given up with the lock held. make gives NULL when memory is exhausted; find NULL for what is no handle of
 * that kind, or one no longer. */
void *fake_handle_make(enum fake_kind kind, void *object);
void *fake_handle_find(enum fake_kind kind, const void *handle);
void fake_handle_drop(const void *handle);

/* ---- the ways in and out ---- */

enum { FAKE_NEEDS_NOTHING = 0, FAKE_NEEDS_INIT = 1, FAKE_NEEDS_CONTEXT = 3, FAKE_RELEASES = 4 };

extern pthread_mutex_t fake_lock;
extern pthread_cond_t fake_changed;

/* The begin of every driver function: counts it, and says why it is not made (a test's wish, no context, the
 * context's error …). On SUCCESS the lock is held. */
fc_result fake_enter(const char *name, unsigned needs);
/* The end, which gives the lock back, and the result, or what a test wants instead. */
fc_result fake_leave(fc_result result);

/* 1 on a thread that runs a host function, which may call nothing. */
extern _Thread_local int fake_in_host_function;

/* Tells and counts a violation. */
void fake_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
size_t fake_violations(void);
void fake_count_left(size_t objects);
void fake_count_freed_in_use(void);

/* ---- devices and contexts ---- */

struct fake_context {
    fc_context handle;
    struct fake_device *device;
    fc_result error;             /* sticks */
    fc_result breaks_with;       /* the error to be, from when nothing begins any more until nothing goes on */
    struct fake_stream *legacy;  /* the stream NULL */
    struct fake_stream *streams; /* all, that one too, and destroyed ones that are not done */
    struct fake_module *modules;
    struct fake_event *events;
    struct fake_graph_object *graphs;
    unsigned peers; /* a bit for each device whose memory this one may reach */
};

struct fake_device {
    int index;
    size_t used; /* bytes */
    int retained;
    unsigned flags;
    struct fake_context *context; /* while it is retained */
    fc_pool pool;
};
extern struct fake_device fake_device_table[FAKE_DEVICES];
extern int fake_is_initialised;

struct fake_context *fake_context_current(void);

/* The context's error, from now on; what it has queued is thrown away. Nothing begins in it any more, and what is under
 * way ends before any function gives the error: whoever sees it may free what commands of the context used. Host
 * functions are not the context's. May let go of the lock meanwhile. */
void fake_context_break(struct fake_context *context, fc_result error);

/* ---- memory ---- */

enum fake_memory_kind { FAKE_OF_DEVICE, FAKE_OF_STREAM, FAKE_OF_HOST, FAKE_MANAGED };

struct fake_memory {
    uintptr_t begin; /* as the caller sees it */
    size_t bytes;
    enum fake_memory_kind kind;
    struct fake_context *context;
    size_t uses;       /* of queued commands */
    int there;         /* FAKE_OF_STREAM: its stream has come to the allocation */
    int given_up;      /* … and to its end */
    int is_detached;   /* freed by the caller; a queued command still holds the record */
    char *block;       /* of host and managed memory, what free takes */
    size_t page_bytes; /* of device memory, with the guards */
};

/* The live memory that holds the address, or NULL. */
struct fake_memory *fake_memory_find(uintptr_t address);
/* 1 when any part of the range lies where device memory does, live or not. */
int fake_memory_is_device(uintptr_t address);
/* Where the host reaches it; only for live memory. */
void *fake_memory_host(uintptr_t address);
/* SUCCESS, or ILLEGAL_ADDRESS when bytes beside it were written: then the context is to end. */
fc_result fake_memory_release(struct fake_memory *memory);
/* One use less; the last of a detached one frees the record. */
void fake_memory_unuse(struct fake_memory *memory);
/* All of a context's, and how many there were. */
size_t fake_memory_drop(const struct fake_context *context);
/* 1 when commands of the context may use it now. */
int fake_memory_is_reachable(const struct fake_memory *memory, const struct fake_context *context);
void fake_memory_count(fake_cuda_counts *counts);
/* Waits for everything queued in the context, with the lock held. */
void fake_wait_for_all(const struct fake_context *context);

/* ---- commands ---- */

enum fake_what {
    FAKE_COPY,
    FAKE_FILL,
    FAKE_KERNEL,
    FAKE_CALL,
    FAKE_RECORD,
    FAKE_WAIT,
    FAKE_BEGIN_MEMORY,
    FAKE_END_MEMORY
};

/* A moment of a stream, that an event is recorded as. */
struct fake_point {
    int references, is_done;
    int64_t nanoseconds;
};

/* One side of a box that is copied or filled: rows of planes. */
struct fake_side {
    uintptr_t address; /* as the caller sees it */
    size_t pitch, plane;
    struct fake_memory *memory; /* NULL: the host's own */
};

struct fake_box {
    struct fake_side target, source;
    size_t width, height, depth;
    unsigned value, value_bytes; /* of a fill */
};

/* Commands before this one: the stream's as far as the number. */
struct fake_before {
    struct fake_stream *stream;
    uint64_t number;
};

struct fake_command {
    struct fake_command *next;
    enum fake_what what;
    struct fake_stream *stream;
    struct fake_before *before;
    size_t before_count;
    struct fake_box box;
    struct fake_point *point;
    struct fake_launch *launch;
    fc_host_function *function;
    void *data;
    struct fake_memory *memory; /* FAKE_BEGIN_MEMORY, FAKE_END_MEMORY */
};

struct fake_stream {
    struct fake_stream *next; /* of the context */
    struct fake_stream *next_busy;
    fc_stream handle;
    struct fake_context *context;
    unsigned flags;
    int priority;
    struct fake_command *first, *last;
    int is_busy;    /* in the list of those with commands */
    int is_running; /* its first command */
    int is_moving;  /* bytes: that command is a copy, fill or kernel, and at work */
    int is_destroyed;
    uint64_t submitted, completed;
    unsigned rank;              /* in the order of the moment */
    struct fake_graph *capture; /* that takes what is submitted, or NULL */
    int capture_mode, capture_is_invalid;
    pthread_t capture_thread;
};

fc_result fake_stream_new(struct fake_context *context, unsigned flags, int priority, struct fake_stream **stream);
/* The stream of a handle, NULL's and 1's too. */
fc_result fake_stream_of(fc_stream handle, struct fake_stream **stream);
/* Takes the command, an empty one of calloc with what and what belongs to it, whatever comes of it. */
fc_result fake_submit(struct fake_stream *stream, struct fake_command *command);
void fake_command_free(struct fake_command *command);
fc_result fake_schedule_start(void);
/* Throws away what is queued, but for what runs. Host functions are not called. */
void fake_schedule_drop(struct fake_context *context);
/* Waits until no bytes are moved; the context is one that breaks, where nothing begins. */
void fake_schedule_still(struct fake_context *context);
/* As drop, and nothing runs any more when it returns. */
void fake_schedule_settle(struct fake_context *context);
void fake_schedule_wait(struct fake_stream *stream, uint64_t number);
/* Has all look for something to do. */
void fake_schedule_wake(void);
size_t fake_commands_run(void);
/* 1 when the test wants this one to break its context, with *error. */
int fake_is_to_break(fc_result *error);

/* ---- capturing and graphs, with the lock held ---- */

/* As fake_submit, of a stream that is captured. */
fc_result fake_capture(struct fake_stream *stream, struct fake_command *command);
/* Ends the capture, if there is one, with nothing. */
void fake_capture_drop(struct fake_stream *stream);
/* STREAM_CAPTURE_UNSUPPORTED, and captures are spoiled: a function that some capture forbids; one that a stream does
 * not take while it is captured. */
fc_result fake_capture_check(const char *name);
fc_result fake_capture_touch(struct fake_stream *stream);
size_t fake_graphs_count(const struct fake_context *context);
/* Frees all of a context's; how many there were. */
size_t fake_graphs_drop(struct fake_context *context);

struct fake_point *fake_point_new(void);
void fake_point_unref(struct fake_point *point);
void fake_point_reach(struct fake_point *point);

/* What runs a command, without the lock: SUCCESS or the error that ends the context. */
fc_result fake_box_check(const struct fake_box *box, const struct fake_context *context); /* with the lock */
void fake_box_run(const struct fake_box *box, int is_fill);

/* ---- code ---- */

struct fake_event {
    struct fake_event *next;
    fc_event handle;
    struct fake_context *context;
    unsigned flags;
    struct fake_point *point; /* NULL: never recorded */
};

struct fake_module;

struct fake_function {
    struct fake_function *next;
    fc_function handle;
    struct fake_module *module;
    char name[256];
    struct fake_kernel *kernel;
    int largest_dynamic;
    int carveout;
};

struct fake_module {
    struct fake_module *next;
    fc_module handle;
    struct fake_context *context;
    struct fake_function *functions;
    struct fake_image *image;
};

void fake_module_free(struct fake_module *module);
void fake_event_free(struct fake_event *event);

/* ---- a launch ---- */

/* A launch of a function, with the parameters' bytes read. */
struct fake_launch {
    const struct fake_kernel *kernel;
    struct fake_context *context;
    unsigned grid[3], block[3], shared;
    unsigned seed;
    size_t memory_count;
    struct fake_memory **memories; /* of the pointers that there are, in order; NULL for none and for bad ones */
    char *bytes;                   /* the parameters, packed as the kernel takes them */
};

/* SUCCESS and *launch, with uses counted; the parameters are read here. */
fc_result fake_launch_new(const struct fake_function *function, struct fake_context *context, void **parameters,
                          void **extra, struct fake_launch **launch);
void fake_launch_free(struct fake_launch *launch);
/* The bytes of all parameters, and the pointer that parameter i is; 0 for none. */
size_t fake_launch_bytes(const struct fake_launch *launch);
uintptr_t fake_launch_pointer(const struct fake_launch *launch, size_t i);
fc_result fake_launch_check(const struct fake_launch *launch); /* with the lock, just before it is run */
fc_result fake_launch_run(const struct fake_launch *launch);   /* without */

/* A random number of the seed's sequence. */
unsigned fake_random(void);

#endif
