/*
 * Quern: status codes and the calling thread's error sentence.
 *
 * Every function that can fail returns a quern_status; 0 is success. A function that fails changes
 * nothing and leaves one sentence that names the argument, what it was and what was wanted;
 * quern_last_error() gives it. The library prints nothing and never ends the process.
 */
#ifndef QUERN_STATUS_H
#define QUERN_STATUS_H

#include <quern/export.h>

/* X(NAME, value, "what it means") */
#define QUERN_STATUS_LIST(X)                                                                                           \
    X(SUCCESS, 0, "success")                                                                                           \
    X(INVALID_ARGUMENT, 1, "an argument is not one that the function accepts")                                         \
    X(INVALID_SHAPE, 2, "ranks, extents or pitches do not fit")                                                        \
    X(INVALID_TYPE, 3, "an element or parameter type does not fit")                                                    \
    X(OVERFLOW, 4, "a product of sizes does not fit 63 bits")                                                          \
    X(OVERLAP, 5, "memory that is written overlaps other memory of the command")                                       \
    X(READ_ONLY, 6, "something read-only was to be written")                                                           \
    X(WRONG_DEVICE, 7, "an object belongs to another device")                                                          \
    X(LIMIT_EXCEEDED, 8, "a limit of the device or of the compiled kernel is exceeded")                                \
    X(OUT_OF_MEMORY, 9, "memory is exhausted")                                                                         \
    X(NOT_FOUND, 10, "nothing of that name")                                                                           \
    X(NOT_PRESENT, 11, "the device or backend is not present on this machine")                                         \
    X(NOT_SUPPORTED, 12, "the device or this version cannot do that")                                                  \
    X(NOT_READY, 13, "not finished yet")                                                                               \
    X(BUSY, 14, "something is still in use")                                                                           \
    X(RELEASED, 15, "the object has been released")                                                                    \
    X(COMPILE_FAILED, 16, "a kernel file did not compile")                                                             \
    X(FILE_ERROR, 17, "a file could not be read or written, or is malformed")                                          \
    X(HOST_FUNCTION_FAILED, 18, "a host function on a queue reported failure")                                         \
    X(SYSTEM_ERROR, 19, "a call to the operating system failed")                                                       \
    X(DEVICE_LOST, 20, "the device no longer works")                                                                   \
    X(INTERNAL, 21, "a fault in Quern itself; please report it")                                                       \
    X(CANCELLED, 22, "a task was cancelled before it began")                                                           \
    X(WOULD_DEADLOCK, 23, "the wait would never end")

typedef enum quern_status {
#define QUERN_STATUS_ENUM(name, value, text) QUERN_##name = value,
    QUERN_STATUS_LIST(QUERN_STATUS_ENUM)
#undef QUERN_STATUS_ENUM
        QUERN_STATUS_FORCE_INT = 0x7fffffff
} quern_status;

QUERN_BEGIN_DECLARATIONS

/* The status's own name, "QUERN_OVERLAP"; "unknown status" for any other number. Never NULL. */
QUERN_API const char *quern_status_name(quern_status status);

/* One line on what the status means. Never NULL. */
QUERN_API const char *quern_status_text(quern_status status);

/*
 * The sentence of the calling thread's latest failed call, "" before the first. The text belongs to
 * the thread and stays valid until its next failing call. A successful call leaves it as it is.
 */
QUERN_API const char *quern_last_error(void);

QUERN_END_DECLARATIONS

#endif
