/*
 * What a test makes: queues, buffers, events and host memory that are given back when the test ends, however it ends.
 *
 * A test that fails returns at once. Its queues may still hold commands that use its arrays, or wait for a gate; the
 * end of the trial opens every gate, waits for every queue, and then releases everything in reverse order. So a test
 * needs no clean-up of its own, and keeps nothing that a command might use on its stack.
 */
#ifndef QUERN_CONFORMANCE_TRIAL_H
#define QUERN_CONFORMANCE_TRIAL_H

#include "conformance.h"

/* How a test ended. */
typedef struct quern_outcome {
    quern_verdict verdict;
    double seconds;
    char detail[1024];
} quern_outcome;

/* Runs one test on the device. */
void quern_trial_run(const quern_conformance_test *test, quern_device *device, quern_device *const *others,
                     size_t other_count, quern_outcome *outcome);

/* As the public functions, and given back at the end. options may be NULL. */
quern_status quern_trial_queue(quern_trial *trial, quern_device *device, const quern_queue_options *options,
                               quern_queue **queue);
/* A queue that the test made in another way. */
void quern_trial_keep_queue(quern_trial *trial, quern_queue *queue);
quern_status quern_trial_buffer(quern_trial *trial, quern_device *device, quern_type type, quern_extents extents,
                                quern_buffer **buffer);
quern_status quern_trial_buffer_with_layout(quern_trial *trial, quern_device *device, const quern_layout *layout,
                                            quern_memory_kind kind, quern_buffer **buffer);
quern_status quern_trial_buffer_on_queue(quern_trial *trial, quern_queue *queue, const quern_layout *layout,
                                         quern_buffer **buffer);
quern_status quern_trial_record(quern_trial *trial, quern_queue *queue, quern_event **event);

/* Zeroed host memory that is there until the test has ended and its queues are empty; NULL when there is none. */
void *quern_trial_memory(quern_trial *trial, size_t bytes);

/* Calls end(object) when the test ends: early, before the queues are waited for, and late, after that. Each may be
 * NULL. What cannot be noted is a failure of the test. */
void quern_trial_keep(quern_trial *trial, void *object, void (*early)(void *object), void (*late)(void *object));

/* The test releases the object itself. */
void quern_trial_forget(quern_trial *trial, const void *object);

/* Gives back what was made after the mark: for a sweep that makes arrays by the thousand. */
size_t quern_trial_mark(const quern_trial *trial);
void quern_trial_release(quern_trial *trial, size_t mark);

/* Puts what was tried before a failure's detail, as in a sweep; gives the verdict back. */
quern_verdict quern_trial_within(quern_trial *trial, quern_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Return from the test when a check has failed: QUERN_CHECK(quern_guarded_check(trial, queue, &x)); */
#define QUERN_CHECK(call)                                                                                              \
    do {                                                                                                               \
        quern_verdict quern_checked = (call);                                                                          \
        if (quern_checked != QUERN_PASSED)                                                                             \
            return quern_checked;                                                                                      \
    } while (0)

/* The call must be refused with that status, and leave a sentence that holds word ("" for any). */
#define QUERN_REFUSED(trial, call, wanted, word)                                                                       \
    QUERN_CHECK(quern_trial_refused((trial), __FILE__, __LINE__, #call, (call), (wanted), (word)))
quern_verdict quern_trial_refused(quern_trial *trial, const char *file, int line, const char *call, quern_status status,
                                  quern_status wanted, const char *word);

#endif
