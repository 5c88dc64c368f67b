/*
 * Order between queues: who has to wait for whom before a command may use a buffer.
 *
 * Each queue keeps a table: for other queues (their progress) the highest command number that it is
 * ordered after. Each buffer keeps its last uses (storage/use.h). A new command waits for the
 * conflicting uses that are neither finished nor covered by its queue's table. One lock guards all
 * tables and uses, held for a few compares and never while something runs or waits: registering all uses of a command
 * in one step keeps two commands from waiting for each other.
 */
#ifndef QUERN_RUNTIME_ORDER_H
#define QUERN_RUNTIME_ORDER_H

#include "progress.h"
#include "storage/buffer.h"

typedef struct quern_order_entry {
    quern_progress *progress;
    uint64_t number;
} quern_order_entry;

typedef struct quern_order_table {
    quern_order_entry *entries;
    size_t count, capacity;
} quern_order_table;

/* What a command does with a buffer. */
typedef struct quern_buffer_use {
    quern_buffer *buffer;
    int write;
    quern_box box;
} quern_buffer_use;

/* The waits that a command needs, at most one a queue. entries may move; freed by the owner of the list. */
typedef struct quern_wait_list {
    quern_order_entry *entries;
    size_t count, capacity;
    uint64_t skipped; /* conflicts that needed no wait, as the queue is ordered after them */
    uint64_t done;    /* others that needed none, as they have finished; counted up, and set to 0 by the owner */
    size_t room;      /* the owner's: how many waits may be found */
} quern_wait_list;

/*
 * Registers the uses of a command of the queue self and finds what it must wait for. The command's number is
 * first_number + the number of waits found: each wait is a command of its own. waits is emptied first, but for `done`.
 * OUT_OF_MEMORY, and nothing is registered. With more waits than there is room nothing is registered either: NOT_READY,
 * without a sentence.
 */
quern_status quern_order_register(quern_progress *self, quern_order_table *table, uint64_t first_number,
                                  const quern_buffer_use *uses, size_t count, quern_wait_list *waits);

/* A use of a whole buffer by a queue, for who keeps it. */
typedef struct quern_whole_use {
    quern_buffer *buffer;
    uintptr_t mark; /* quern_use_mark */
} quern_whole_use;

/*
 * The most common case of that, as in a loop of launches: all buffers were last used by this very queue, wholly and in
 * the same way. Then nothing is to be waited for, and the uses only get the new number. 1 when that was so.
 */
int quern_order_renew(uint64_t number, const quern_whole_use *uses, size_t count);

/* table = what both tables know, and (progress, number); finished entries are dropped. OUT_OF_MEMORY, and nothing
 * changes. */
quern_status quern_order_merge(quern_order_table *table, const quern_order_table *other, quern_progress *progress,
                               uint64_t number);

/* A copy of the unfinished entries, and the queue's own position; for an event. */
quern_status quern_order_snapshot(const quern_order_table *table, quern_order_table *snapshot);

void quern_order_table_free(quern_order_table *table);

/* The use at index of those that the buffer's list holds, finished or not: 1 and which; 0 when there are no more. */
int quern_order_use_at(quern_buffer *buffer, uint32_t index, quern_progress **progress, uint64_t *number);

/* A use of the buffer that has not finished: 1 and which; 0 when there is none. */
int quern_order_pending_use(quern_buffer *buffer, quern_progress **progress, uint64_t *number);

/* 1 when the unfinished uses of the buffer are all of one queue: *progress is its (NULL when there are none), *number
 * the last of them. */
int quern_order_last_use(quern_buffer *buffer, quern_progress **progress, uint64_t *number);

/* A first use of a buffer that nobody has yet: a write of all by that command. */
void quern_order_set_first_use(quern_buffer *buffer, quern_progress *progress, uint64_t number);

#endif
