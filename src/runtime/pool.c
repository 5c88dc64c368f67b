/* Memory that is kept for buffers of a queue's order; see pool.h. */
#include "pool.h"

#include <stdlib.h>

#include "ask.h"
#include "completion.h"
#include "held.h"
#include "memory.h"

enum {
    SMALLEST_BITS = 8, /* blocks are at least 256 bytes */
    SIZES = (64 - SMALLEST_BITS) * 4 + 1,
    LEAST_ALIGNMENT = 64,
    MOST_BLOCKS = 1024,
    SHARE_OF_MEMORY = 8,         /* at most an eighth is kept */
    KEPT_OF_UNKNOWN = 256 << 20, /* bytes, of a device that does not say how much it has */
};

struct quern_pool {
    struct quern_pool *next; /* in the list of all */
    quern_device *device;
    uint64_t limit; /* bytes */

    pthread_mutex_t lock; /* guards the rest */
    quern_block *sizes[SIZES];
    quern_block *newest, *oldest;
    quern_pool_statistics statistics;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static quern_pool *all_pools;

/* The device's pool, made when it is first needed; NULL when memory is exhausted. */
static quern_pool *demand_pool(quern_device *device)
{
    quern_pool *pool = atomic_load_explicit(&device->pool, memory_order_acquire);
    if (pool)
        return pool;
    pthread_mutex_lock(&list_lock);
    pool = atomic_load(&device->pool);
    if (!pool && (pool = calloc(1, sizeof *pool))) {
        pool->device = device;
        pool->limit = device->info.memory_bytes ? device->info.memory_bytes / SHARE_OF_MEMORY : KEPT_OF_UNKNOWN;
        pthread_mutex_init(&pool->lock, NULL);
        pool->next = all_pools;
        all_pools = pool;
        atomic_store_explicit(&device->pool, pool, memory_order_release);
    }
    pthread_mutex_unlock(&list_lock);
    return pool;
}

/* ---- sizes ---- */

/* The number of the size that bytes belong to, and that size: a multiple of a quarter of the power of two below. */
static size_t size_of(size_t bytes, size_t *rounded)
{
    if (bytes <= (size_t)1 << SMALLEST_BITS) {
        *rounded = (size_t)1 << SMALLEST_BITS;
        return 0;
    }
    unsigned bits = 63u - (unsigned)__builtin_clzll((unsigned long long)bytes - 1); /* 2^bits < bytes <= 2^(bits + 1) */
    size_t step = (size_t)1 << (bits - 2);
    size_t steps = (bytes + step - 1) / step; /* 5 to 8 */
    *rounded = steps * step;
    return (bits - SMALLEST_BITS) * 4 + (steps - 4);
}

/* ---- the lists; the lock is held ---- */

static void add(quern_pool *pool, quern_block *block)
{
    size_t rounded;
    quern_block **first = &pool->sizes[size_of(block->bytes, &rounded)];
    block->next = *first;
    block->link = first;
    if (*first)
        (*first)->link = &block->next;
    *first = block;
    block->next_newer = NULL;
    block->next_older = pool->newest;
    *(pool->newest ? &pool->newest->next_newer : &pool->oldest) = block;
    pool->newest = block;
    pool->statistics.kept_bytes += block->bytes;
    ++pool->statistics.kept_blocks;
}

static void remove_block(quern_pool *pool, quern_block *block)
{
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    *(block->next_newer ? &block->next_newer->next_older : &pool->newest) = block->next_older;
    *(block->next_older ? &block->next_older->next_newer : &pool->oldest) = block->next_newer;
    pool->statistics.kept_bytes -= block->bytes;
    --pool->statistics.kept_blocks;
}

static int has_finished(quern_block *block)
{
    if (block->progress && quern_progress_finished(block->progress) >= block->number)
        block->progress = NULL;
    return !block->progress;
}

/* Takes out what has finished, oldest first, until no more than so much is kept; linked by next. */
static quern_block *take_finished(quern_pool *pool, uint64_t bytes, uint64_t blocks)
{
    quern_block *taken = NULL;
    for (quern_block *newer, *block = pool->oldest; block; block = newer) {
        newer = block->next_newer;
        if (pool->statistics.kept_bytes <= bytes && pool->statistics.kept_blocks <= blocks)
            break;
        if (!has_finished(block))
            continue;
        remove_block(pool, block);
        ++pool->statistics.returned_blocks;
        block->next = taken;
        taken = block;
    }
    return taken;
}

/* ---- asking ---- */

/* Queues that have not finished with some block; of many, a few will do. */
typedef struct asking {
    size_t count;
    struct {
        quern_progress *progress;
        uint64_t number;
    } of[8];
} asking;

static void note_unfinished(asking *asking, const quern_block *block)
{
    size_t i = 0;
    while (i < asking->count && asking->of[i].progress != block->progress)
        ++i;
    if (i == sizeof asking->of / sizeof *asking->of)
        return;
    if (i == asking->count) {
        asking->of[asking->count].progress = block->progress;
        asking->of[asking->count++].number = block->number;
    } else if (asking->of[i].number < block->number) {
        asking->of[i].number = block->number;
    }
}

/* The lock is open: a backend may tell at once. What cannot be asked for now, the next one asks for. */
static void ask_for(const asking *asking)
{
    for (size_t i = 0; i < asking->count; ++i)
        (void)quern_progress_ask(asking->of[i].progress, asking->of[i].number);
}

/* ---- giving back to the device ---- */

static void free_block(quern_device *device, quern_block *block)
{
    quern_ask_free(device, block->memory, block->bytes, block->kind);
    free(block);
}

static int free_blocks(quern_device *device, quern_block *blocks)
{
    int any = blocks != NULL;
    while (blocks) {
        quern_block *next = blocks->next;
        free_block(device, blocks);
        blocks = next;
    }
    return any;
}

int quern_pool_trim(quern_device *device)
{
    quern_pool *pool = atomic_load_explicit(&device->pool, memory_order_acquire);
    if (!pool)
        return 0;
    asking asking = {.count = 0};
    pthread_mutex_lock(&pool->lock);
    quern_block *taken = take_finished(pool, 0, 0);
    for (quern_block *block = pool->newest; block; block = block->next_older)
        note_unfinished(&asking, block);
    pthread_mutex_unlock(&pool->lock);
    ask_for(&asking); /* so that a later trim finds them, though their backend be lazy in telling */
    return free_blocks(device, taken);
}

int quern_pool_put(quern_device *device, quern_block *block, int anyway)
{
    quern_pool *pool = demand_pool(device); /* it is there: the block came from it */
    pthread_mutex_lock(&pool->lock);
    int is_free = has_finished(block);
    add(pool, block);
    quern_block *taken = take_finished(pool, pool->limit, MOST_BLOCKS);
    int is_over = pool->statistics.kept_bytes > pool->limit || pool->statistics.kept_blocks > MOST_BLOCKS;
    int refused = is_over && !is_free && !anyway; /* all that is kept is in use, and so is this */
    if (refused)
        remove_block(pool, block);
    pthread_mutex_unlock(&pool->lock);
    (void)free_blocks(device, taken);
    return !refused;
}

/* ---- taking ---- */

/* A kept block that the queue may have. The backends of those that it may not have yet are asked to tell when they have
 * finished: they may be lazy in that. */
static quern_block *take_kept(quern_pool *pool, const quern_queue *queue, size_t bytes, size_t alignment)
{
    size_t rounded;
    asking asking = {.count = 0};
    pthread_mutex_lock(&pool->lock);
    ++pool->statistics.requests;
    quern_block *block = pool->sizes[size_of(bytes, &rounded)];
    for (; block; block = block->next) {
        if (block->bytes < bytes || block->alignment < alignment)
            continue;
        if (has_finished(block) || block->progress == queue->progress)
            break;
        note_unfinished(&asking, block);
    }
    if (block) {
        remove_block(pool, block);
        ++pool->statistics.reused;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!block)
        ask_for(&asking);
    return block;
}

/* 1 when the queue's backend can be given an allocation now. The queue is then locked. */
static int may_command(quern_queue *queue)
{
    if (!queue->backend->queue_allocate || quern_queue_lock(queue) != QUERN_SUCCESS)
        return 0;
    if (!quern_queue_is_holding(queue))
        return 1;
    quern_lock_release(&queue->lock);
    return 0;
}

/* In the queue's order, as the number of a command; the queue is locked, and unlocked afterwards. */
static quern_status allocate_in_order(quern_queue *queue, quern_block *block)
{
    uint64_t number;
    quern_status status = quern_queue_begin_locked(queue, NULL, 0, &number);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_ask_queue_allocate(queue, number, block->bytes, block->alignment, &block->memory);
    if (status == QUERN_SUCCESS)
        status = quern_memory_check(queue->device, "queue_allocate", block->bytes, block->alignment, QUERN_MEMORY_QUEUE,
                                    block->memory);
    if (status != QUERN_SUCCESS) {
        /* It is the caller's failure and not the queue's: the number is that of a command which does nothing. */
        if (quern_queue_finish_number(queue, number) != QUERN_SUCCESS)
            quern_progress_set_finished(queue->progress, number);
    } else if (queue->blocking) {
        status = quern_queue_wait_own(queue, number);
    }
    quern_lock_release(&queue->lock);
    block->kind = QUERN_MEMORY_QUEUE;
    block->progress = queue->progress;
    block->number = number;
    return status;
}

static quern_status allocate(quern_queue *queue, quern_block *block)
{
    if (may_command(queue))
        return allocate_in_order(queue, block);
    const quern_device *device = queue->device;
    block->kind = QUERN_MEMORY_DEVICE;
    block->progress = NULL;
    quern_status status = quern_ask_allocate(device, block->bytes, block->alignment, block->kind, &block->memory);
    if (status == QUERN_SUCCESS)
        status =
            quern_memory_check(queue->device, "allocate", block->bytes, block->alignment, block->kind, block->memory);
    return status;
}

static quern_status make_block(quern_queue *queue, size_t bytes, size_t alignment, quern_block **result)
{
    const quern_device_info *info = &queue->device->info;
    quern_block *block = malloc(sizeof *block);
    if (!block)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the record of a block of %zu bytes", bytes);
    (void)size_of(bytes, &block->bytes);
    if (info->largest_allocation && block->bytes > info->largest_allocation)
        block->bytes = bytes;
    block->alignment = alignment;
    quern_status status = allocate(queue, block);
    if (status == QUERN_OUT_OF_MEMORY && quern_pool_trim(queue->device))
        status = allocate(queue, block);
    if (status != QUERN_SUCCESS) {
        free(block);
        return status;
    }
    *result = block;
    return QUERN_SUCCESS;
}

quern_status quern_pool_take(quern_queue *queue, size_t bytes, size_t alignment, quern_block **block)
{
    quern_pool *pool = demand_pool(queue->device);
    if (!pool)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the pool of %s", queue->device->info.name);
    /* What one type wants serves for the others too. */
    if (alignment < LEAST_ALIGNMENT)
        alignment = LEAST_ALIGNMENT;
    *block = take_kept(pool, queue, bytes, alignment);
    return *block ? QUERN_SUCCESS : make_block(queue, bytes, alignment, block);
}

/* ---- the public functions ---- */

quern_status quern_device_trim(quern_device *device)
{
    quern_status status = quern_device_check(device, "device");
    if (status == QUERN_SUCCESS)
        (void)quern_pool_trim(device);
    return status;
}

quern_status quern_device_get_pool_statistics(quern_device *device, quern_pool_statistics *statistics)
{
    quern_status status = quern_device_check(device, "device");
    if (status != QUERN_SUCCESS)
        return status;
    if (!statistics)
        return quern_fail(QUERN_INVALID_ARGUMENT, "statistics is NULL, wanted a place for the result");
    *statistics = (quern_pool_statistics){0};
    quern_pool *pool = atomic_load_explicit(&device->pool, memory_order_acquire);
    if (pool) {
        pthread_mutex_lock(&pool->lock);
        *statistics = pool->statistics;
        pthread_mutex_unlock(&pool->lock);
    }
    return QUERN_SUCCESS;
}

/* ---- the end ---- */

void quern_pools_free(void)
{
    pthread_mutex_lock(&list_lock);
    quern_pool *pool = all_pools;
    all_pools = NULL;
    pthread_mutex_unlock(&list_lock);
    while (pool) {
        quern_pool *next = pool->next;
        (void)free_blocks(pool->device, take_finished(pool, 0, 0));
        atomic_store(&pool->device->pool, NULL);
        pthread_mutex_destroy(&pool->lock);
        free(pool);
        pool = next;
    }
}
