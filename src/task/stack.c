/*
 * The pool of stacks.
 *
 * Idle stacks stand in three rows: the first few keep all their memory, as they are likely to be used soon; many more
 * keep what a task always touches, which costs the next user nothing; the rest keep nothing. Stacks are taken from the
 * rows in this order.
 */
#include "stack.h"

#include "sanitizer.h"
#include "stack_slab.h"

#include "base/spin.h"

#include <sys/mman.h>
#include <unistd.h>

enum { WARM_ROW, COOL_ROW, COLD_ROW, ROWS };
static const struct {
    size_t most; /* stacks */
    size_t kept; /* bytes of each */
} row_limits[ROWS] = {{256, QUERN_STACK_BYTES}, {4096, 8 * 1024}, {SIZE_MAX, 0}};

static struct {
    quern_stack *first;
    size_t count;
} rows[ROWS];
static quern_spin lock; /* over rows */

/* NULL when the pool is empty. */
static quern_stack *take_idle(void)
{
    quern_stack *stack = NULL;
    quern_spin_lock(&lock);
    for (int row = 0; row < ROWS && !stack; ++row) {
        stack = rows[row].first;
        if (stack) {
            rows[row].first = stack->next;
            --rows[row].count;
        }
    }
    quern_spin_unlock(&lock);
    return stack;
}

quern_status quern_stack_take(quern_stack **stack)
{
    *stack = take_idle();
    return *stack ? QUERN_SUCCESS : quern_stack_new(stack);
}

/* 0 when the row is full. */
static int put_idle(int row, quern_stack *stack)
{
    quern_spin_lock(&lock);
    int has_room = rows[row].count < row_limits[row].most;
    if (has_room) {
        stack->next = rows[row].first;
        rows[row].first = stack;
        ++rows[row].count;
    }
    quern_spin_unlock(&lock);
    return has_room;
}

/* The first row from there on that has room; it may be full a moment later. */
static int row_with_room(int row)
{
    quern_spin_lock(&lock);
    while (rows[row].count >= row_limits[row].most)
        ++row;
    quern_spin_unlock(&lock);
    return row;
}

void quern_stack_give_back(quern_stack *stack)
{
    int row = WARM_ROW;
    stack->name = NULL;
#ifdef QUERN_ASAN
    __asan_unpoison_memory_region(stack->lowest, stack->size); /* a task that left did not return from its frames */
#endif
    while (!put_idle(row, stack)) {
        row = row_with_room(row + 1);
        quern_stack_trim(stack, row_limits[row].kept);
    }
}

/* The canary is zeros, which is what a stack's memory is before it is touched: reading it does not make memory of it.
 * What runs over the end leaves return addresses, which are not zero. */
__attribute__((no_sanitize("address"))) int quern_stack_is_sound(const quern_stack *stack)
{
    uint64_t found = 0;
    if (stack->is_guarded)
        return 1;
    const uint64_t *canary = (const uint64_t *)(const void *)(stack->lowest - QUERN_STACK_CANARY);
    for (size_t i = 0; i < QUERN_STACK_CANARY / sizeof *canary; ++i)
        found |= canary[i];
    return !found;
}

/* Memory that nobody has touched is not there. The page of the canary is, for having been looked at: it is read. */
__attribute__((no_sanitize("address"))) int quern_stack_is_kept_to(const quern_stack *stack)
{
    unsigned char present[QUERN_STACK_GAP / 4096 + 1];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = QUERN_STACK_GAP / page;
    if (stack->is_guarded || pages < 2)
        return quern_stack_is_sound(stack);
    const uint64_t *uppermost = (const uint64_t *)(const void *)(stack->lowest - page);
    uint64_t found = 0;
    for (size_t i = 0; i < page / sizeof *uppermost; ++i)
        found |= uppermost[i];
    if (found || mincore(stack->lowest - pages * page, (pages - 1) * page, present))
        return !found; /* a system that does not tell has told nothing against it */
    for (size_t i = 0; i < pages - 1; ++i)
        found |= present[i] & 1;
    return !found;
}

void quern_stacks_free(void)
{
    quern_spin_lock(&lock);
    for (int row = 0; row < ROWS; ++row) {
        rows[row].first = NULL;
        rows[row].count = 0;
    }
    quern_spin_unlock(&lock);
    quern_slabs_free();
}
