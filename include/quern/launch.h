/*
 * Quern: launching a kernel.
 *
 * The typed launch functions that `quern compile` writes call quern_launch; it can be called directly
 * for kernels that are known only at run time. Checked before any work: number, kinds and types of
 * the arguments, ranks, contiguity and pitches, that each view lies in its buffer, devices, overlap, the
 * range, the group size against the device's and the compiled kernel's limits. What cannot be checked is what
 * a kernel indexes: whether the range fits the views, or a local parameter its length, is the caller's to know.
 */
#ifndef QUERN_LAUNCH_H
#define QUERN_LAUNCH_H

#include <quern/levels.h>
#include <quern/program.h>
#include <quern/queue.h>
#include <quern/range.h>

typedef enum quern_argument_kind {
    QUERN_ARGUMENT_VIEW = 1,   /* data: a quern_view */
    QUERN_ARGUMENT_CONST_VIEW, /* data: a quern_const_view */
    QUERN_ARGUMENT_VALUE,      /* data: a value of the type */
    QUERN_ARGUMENT_LENGTH      /* length: elements of a local parameter */
} quern_argument_kind;

/* One argument; what it points to is read before the launch returns. */
typedef struct quern_argument {
    uint32_t kind; /* a quern_argument_kind */
    quern_type type;
    const void *data;
    size_t length;
} quern_argument;

QUERN_BEGIN_DECLARATIONS

static inline quern_argument quern_argument_view(const quern_view *view)
{
    quern_argument argument = {QUERN_ARGUMENT_VIEW, {0, 0, 0}, NULL, 0};
    argument.data = view;
    return argument;
}

static inline quern_argument quern_argument_const_view(const quern_const_view *view)
{
    quern_argument argument = {QUERN_ARGUMENT_CONST_VIEW, {0, 0, 0}, NULL, 0};
    argument.data = view;
    return argument;
}

/* A value of the type: quern_argument_value(QUERN_TYPE(float), &a). */
static inline quern_argument quern_argument_value(quern_type type, const void *value)
{
    quern_argument argument = {QUERN_ARGUMENT_VALUE, {0, 0, 0}, NULL, 0};
    argument.type = type;
    argument.data = value;
    return argument;
}

/* The number of elements of a local parameter. */
static inline quern_argument quern_argument_length(size_t elements)
{
    quern_argument argument = {QUERN_ARGUMENT_LENGTH, {0, 0, 0}, NULL, 0};
    argument.length = elements;
    return argument;
}

/*
 * Launches the kernel over the range: asynchronous on a non-blocking queue. arguments holds count entries in the order
 * of the kernel's parameters. An empty range does nothing and compiles nothing. Any number of threads may launch one
 * kernel. Errors name the parameter: INVALID_ARGUMENT, INVALID_SHAPE, INVALID_TYPE, OVERLAP, READ_ONLY, WRONG_DEVICE,
 * LIMIT_EXCEEDED, OVERFLOW, RELEASED, NOT_SUPPORTED (no translation for the queue's device), OUT_OF_MEMORY.
 */
QUERN_API quern_status quern_launch(quern_queue *queue, quern_kernel *kernel, const quern_range *range,
                                    const quern_argument *arguments, size_t count);

/* The group size that a launch of the range would use; group_rank and group of *chosen are filled in. INVALID_ARGUMENT
 * for a kernel that is no group kernel. */
QUERN_API quern_status quern_launch_configuration(quern_device *device, quern_kernel *kernel, const quern_range *range,
                                                  quern_range *chosen);

QUERN_END_DECLARATIONS

#endif
