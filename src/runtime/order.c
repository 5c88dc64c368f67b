/* Order between queues by the use of buffers. The lock is explained in order.h. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/spin.h"

static quern_spin order_lock;

/* Past this many uses of one buffer the uses of each queue are merged: less exact, but bounded. */
enum { MOST_USES = 64 };

/* ---- tables ---- */

static quern_order_entry *find(const quern_order_table *table, const quern_progress *progress)
{
    for (size_t i = 0; i < table->count; ++i)
        if (table->entries[i].progress == progress)
            return &table->entries[i];
    return NULL;
}

static void drop_finished(quern_order_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; ++i)
        if (quern_progress_finished(table->entries[i].progress) < table->entries[i].number)
            table->entries[kept++] = table->entries[i];
    table->count = kept;
}

static quern_status reserve(quern_order_table *table, size_t more)
{
    if (table->capacity - table->count >= more)
        return QUERN_SUCCESS;
    size_t capacity = (table->count + more) * 2;
    quern_order_entry *entries = realloc(table->entries, capacity * sizeof *entries);
    if (!entries)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue's order table of %zu entries", capacity);
    table->entries = entries;
    table->capacity = capacity;
    return QUERN_SUCCESS;
}

/* Room was reserved. */
static void raise_entry(quern_order_table *table, quern_progress *progress, uint64_t number)
{
    quern_order_entry *entry = find(table, progress);
    if (!entry) {
        entry = &table->entries[table->count++];
        entry->progress = progress;
        entry->number = number;
    } else if (entry->number < number) {
        entry->number = number;
    }
}

quern_status quern_order_merge(quern_order_table *table, const quern_order_table *other, quern_progress *progress,
                               uint64_t number)
{
    quern_spin_lock(&order_lock);
    drop_finished(table);
    quern_status status = reserve(table, (other ? other->count : 0) + 1);
    if (status == QUERN_SUCCESS) {
        for (size_t i = 0; other && i < other->count; ++i)
            raise_entry(table, other->entries[i].progress, other->entries[i].number);
        raise_entry(table, progress, number);
    }
    quern_spin_unlock(&order_lock);
    return status;
}

quern_status quern_order_snapshot(const quern_order_table *table, quern_order_table *snapshot)
{
    memset(snapshot, 0, sizeof *snapshot);
    quern_spin_lock(&order_lock);
    quern_status status = table->count ? reserve(snapshot, table->count) : QUERN_SUCCESS;
    if (status == QUERN_SUCCESS && table->count) {
        memcpy(snapshot->entries, table->entries, table->count * sizeof *table->entries);
        snapshot->count = table->count;
        drop_finished(snapshot);
    }
    quern_spin_unlock(&order_lock);
    return status;
}

void quern_order_table_free(quern_order_table *table)
{
    free(table->entries);
    memset(table, 0, sizeof *table);
}

/* ---- uses ---- */

static int is_finished(const quern_use *use)
{
    return quern_progress_finished(use->progress) >= use->number;
}

static void drop_finished_uses(quern_use_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i)
        if (!is_finished(&list->entries[i])) {
            if (kept != i)
                list->entries[kept] = list->entries[i];
            ++kept;
        }
    if (kept != list->count)
        list->only = 0;
    list->count = kept;
}

/* One use per queue and kind, of the whole buffer. */
static void merge_uses(quern_use_list *list)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        quern_use *use = &list->entries[i];
        uint32_t j = 0;
        while (j < kept && (list->entries[j].progress != use->progress || list->entries[j].write != use->write))
            ++j;
        if (j == kept) {
            list->entries[kept] = *use;
            list->entries[kept++].box.whole = 1;
        } else if (list->entries[j].number < use->number) {
            list->entries[j].number = use->number;
        }
    }
    list->count = kept;
}

static quern_status add_wait(quern_wait_list *waits, quern_progress *progress, uint64_t number)
{
    for (size_t i = 0; i < waits->count; ++i)
        if (waits->entries[i].progress == progress) {
            if (waits->entries[i].number < number)
                waits->entries[i].number = number;
            return QUERN_SUCCESS;
        }
    if (waits->count == waits->capacity) {
        size_t capacity = waits->capacity ? waits->capacity * 2 : 8;
        quern_order_entry *entries = realloc(waits->entries, capacity * sizeof *entries);
        if (!entries)
            return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a command's list of %zu waits", capacity);
        waits->entries = entries;
        waits->capacity = capacity;
    }
    waits->entries[waits->count].progress = progress;
    waits->entries[waits->count++].number = number;
    return QUERN_SUCCESS;
}

static int conflicts(const quern_progress *self, const quern_buffer_use *use, const quern_use *old)
{
    return old->progress != self && (use->write || old->write) && quern_boxes_intersect(&use->box, &old->box);
}

/* First pass over one use of the new command: finds its waits, drops what has finished, changes nothing else. */
static quern_status find_waits(quern_progress *self, const quern_order_table *table, const quern_buffer_use *use,
                               quern_wait_list *waits)
{
    quern_use_list *list = &use->buffer->uses;
    for (uint32_t i = 0; i < list->count;) {
        const quern_use *old = &list->entries[i];
        /* Also the queue's own: a write before a loop of reads would stay for ever, and the read never be the only one.
         */
        if (is_finished(old)) {
            waits->done += (uint64_t)conflicts(self, use, old);
            list->entries[i] = list->entries[--list->count]; /* their order does not matter */
            list->only = 0;
            continue;
        }
        if (conflicts(self, use, old)) {
            const quern_order_entry *entry = find(table, old->progress);
            if (entry && entry->number >= old->number) {
                ++waits->skipped;
            } else {
                quern_status status = add_wait(waits, old->progress, old->number);
                if (status != QUERN_SUCCESS)
                    return status;
            }
        }
        ++i;
    }
    if (list->count >= MOST_USES) {
        drop_finished_uses(list);
        merge_uses(list);
    }
    return QUERN_SUCCESS;
}

/* Second pass: the new use takes the place of those that it comes after everywhere. */
static void add_use(quern_progress *self, uint64_t number, const quern_buffer_use *use)
{
    quern_use_list *list = &use->buffer->uses;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        const quern_use *old = &list->entries[i];
        /* A later command that waits for the new use is then after the old one too: the new one waited for it, or runs
         * on the same queue. A read hides no write of the past from later readers of other queues. */
        int ordered = old->progress == self || use->write;
        int replaced = ordered && (use->write || !old->write) && quern_box_covers(&use->box, &old->box);
        if (replaced)
            continue;
        if (kept != i)
            list->entries[kept] = *old;
        ++kept;
    }
    list->count = kept;
    quern_use *added = &list->entries[list->count++];
    added->progress = self;
    added->number = number;
    added->write = use->write;
    quern_box_copy(&added->box, &use->box);
    list->only = list->count == 1 && added->box.whole ? quern_use_mark(self, use->write) : 0;
}

static int renew_uses(const quern_progress *self, uint64_t number, const quern_buffer_use *uses, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!uses[i].box.whole || uses[i].buffer->uses.only != quern_use_mark(self, uses[i].write))
            return 0;
    for (size_t i = 0; i < count; ++i)
        uses[i].buffer->uses.entries[0].number = number;
    return 1;
}

int quern_order_renew(uint64_t number, const quern_whole_use *uses, size_t count)
{
    const quern_whole_use *use = uses, *end = uses + count;
    quern_spin_lock(&order_lock);
    while (use != end && use->buffer->uses.only == use->mark)
        ++use;
    int renewed = use == end;
    if (renewed)
        for (use = uses; use != end; ++use)
            use->buffer->uses.entries[0].number = number;
    quern_spin_unlock(&order_lock);
    return renewed;
}

quern_status quern_order_register(quern_progress *self, quern_order_table *table, uint64_t first_number,
                                  const quern_buffer_use *uses, size_t count, quern_wait_list *waits)
{
    waits->count = 0;
    waits->skipped = 0;
    quern_status status = QUERN_SUCCESS;
    quern_spin_lock(&order_lock);
    if (renew_uses(self, first_number, uses, count)) {
        quern_spin_unlock(&order_lock);
        return QUERN_SUCCESS;
    }
    for (size_t i = 0; status == QUERN_SUCCESS && i < count; ++i)
        status = find_waits(self, table, &uses[i], waits);
    if (status == QUERN_SUCCESS && waits->count > waits->room)
        status = QUERN_NOT_READY;
    /* A buffer may be used by several arguments: make room for all of its new uses. */
    for (size_t i = 0; status == QUERN_SUCCESS && i < count; ++i)
        if (!quern_use_list_reserve(&uses[i].buffer->uses, count))
            status = quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the uses of a buffer");
    if (status == QUERN_SUCCESS && waits->count) {
        drop_finished(table);
        status = reserve(table, waits->count);
    }
    if (status == QUERN_SUCCESS) {
        for (size_t i = 0; i < waits->count; ++i)
            raise_entry(table, waits->entries[i].progress, waits->entries[i].number);
        for (size_t i = 0; i < count; ++i)
            add_use(self, first_number + waits->count, &uses[i]);
    }
    quern_spin_unlock(&order_lock);
    return status;
}

int quern_order_use_at(quern_buffer *buffer, uint32_t index, quern_progress **progress, uint64_t *number)
{
    quern_spin_lock(&order_lock);
    int is_there = index < buffer->uses.count;
    if (is_there) {
        *progress = buffer->uses.entries[index].progress;
        *number = buffer->uses.entries[index].number;
    }
    quern_spin_unlock(&order_lock);
    return is_there;
}

int quern_order_pending_use(quern_buffer *buffer, quern_progress **progress, uint64_t *number)
{
    quern_spin_lock(&order_lock);
    drop_finished_uses(&buffer->uses);
    int pending = buffer->uses.count != 0;
    if (pending) {
        *progress = buffer->uses.entries[0].progress;
        *number = buffer->uses.entries[0].number;
    }
    quern_spin_unlock(&order_lock);
    return pending;
}

int quern_order_last_use(quern_buffer *buffer, quern_progress **progress, uint64_t *number)
{
    const quern_use_list *list = &buffer->uses;
    quern_spin_lock(&order_lock);
    drop_finished_uses(&buffer->uses);
    *progress = list->count ? list->entries[0].progress : NULL;
    *number = 0;
    int is_one = 1;
    for (uint32_t i = 0; i < list->count; ++i) {
        is_one &= list->entries[i].progress == *progress;
        if (*number < list->entries[i].number)
            *number = list->entries[i].number;
    }
    quern_spin_unlock(&order_lock);
    return is_one;
}

void quern_order_set_first_use(quern_buffer *buffer, quern_progress *progress, uint64_t number)
{
    quern_use_list *list = &buffer->uses;
    list->entries[0].progress = progress;
    list->entries[0].number = number;
    list->entries[0].write = 1;
    list->entries[0].box.whole = 1;
    list->count = 1;
    list->only = quern_use_mark(progress, 1);
}
