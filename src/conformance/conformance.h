/*
 * The conformance suite: tests that every backend must pass, run by `quern conformance`.
 *
 * A test gets a device and says what it found. It uses public functions only, reaches device memory by copies only, and
 * puts sentinels around every array (see guarded). It never prints.
 */
#ifndef QUERN_CONFORMANCE_CONFORMANCE_H
#define QUERN_CONFORMANCE_CONFORMANCE_H

#include <quern/quern.h>

typedef enum quern_verdict {
    QUERN_PASSED = 0,
    QUERN_FAILED,
    QUERN_UNSUPPORTED, /* detail names the capability that is missing */
    QUERN_SKIPPED      /* by --skip; a test itself never says so */
} quern_verdict;

typedef struct quern_trial {
    quern_device *device;
    quern_device_info info;
    quern_queue *queue;          /* of the device, non-blocking, new for each test */
    quern_device *const *others; /* the other devices of the process that work, of any backend */
    size_t other_count;
    char detail[1024]; /* of a failure: what was, what was wanted, where; of UNSUPPORTED: what is missing */
} quern_trial;

typedef struct quern_conformance_test {
    const char *name;  /* "copy.host_to_device_3d": subject, dot, what */
    const char *about; /* one line for --list */
    quern_verdict (*run)(quern_trial *trial);
    int is_control; /* 1: plants a fault that the checks must find; run by --self-check, where FAILED is right */
} quern_conformance_test;

/* The subjects, each an array in a file of its own, ended by a NULL name. */
extern const quern_conformance_test quern_storage_tests[], quern_copy_tests[], quern_fill_tests[], quern_order_tests[],
    quern_event_tests[], quern_queue_tests[], quern_error_tests[], quern_lifetime_tests[], quern_pool_tests[],
    quern_native_tests[], quern_task_tests[], quern_graph_tests[]; /* the host's side */
extern const quern_conformance_test quern_index_tests[], quern_layout_tests[], quern_barrier_tests[],
    quern_memory_tests[], quern_atomic_tests[], quern_math_tests[], quern_argument_tests[],
    quern_launch_tests[]; /* the kernels' side */

/* Fills in detail and gives the verdict. file may be NULL: the detail then names no place. */
quern_verdict quern_trial_fail(quern_trial *trial, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
quern_verdict quern_trial_unsupported(quern_trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return from the test when something is wrong. */
#define QUERN_WANT(trial, condition, ...)                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return quern_trial_fail((trial), __FILE__, __LINE__, __VA_ARGS__);                                         \
    } while (0)
/* A call that must succeed. */
#define QUERN_TRY(trial, call)                                                                                         \
    do {                                                                                                               \
        quern_status quern_tried = (call);                                                                             \
        if (quern_tried != QUERN_SUCCESS)                                                                              \
            return quern_trial_fail((trial), __FILE__, __LINE__, "%s: %s: %s", #call, quern_status_name(quern_tried),  \
                                    quern_last_error());                                                               \
    } while (0)

#endif
