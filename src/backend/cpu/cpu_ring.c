/* The ring of commands. */
#include "cpu_ring.h"

#include "base/error.h"
#include "cpu_processor.h"

#include <stdlib.h>

enum { FIRST_BYTES = 16 << 10, MOST_BYTES = 1 << 20, ALIGNMENT = QUERN_CPU_RECORD_ALIGNMENT };

enum { FETCHED_BYTES = 512 };

/* Room that is always kept for the record that leads into the next segment. */
enum { JUMP_BYTES = ALIGNMENT };

struct quern_cpu_segment {
    size_t size;                       /* bytes, a power of two */
    struct quern_cpu_segment *next;    /* where the producer has gone on */
    _Alignas(128) _Atomic size_t head; /* bytes consumed, by the consumer */
    _Alignas(128) char bytes[];
};

static struct quern_cpu_segment *make_segment(size_t size)
{
    size_t bytes;
    if (quern_add_overflows(size, sizeof(struct quern_cpu_segment), &bytes))
        return NULL;
    struct quern_cpu_segment *segment = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (segment) {
        segment->size = size;
        segment->next = NULL;
        atomic_init(&segment->head, 0);
    }
    return segment;
}

quern_status quern_cpu_ring_make(struct quern_cpu_ring *ring)
{
    struct quern_cpu_segment *segment = make_segment(FIRST_BYTES);
    if (!segment)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for a queue's commands");
    ring->tail_segment = ring->head_segment = segment;
    ring->tail = ring->known_head = ring->head = 0;
    ring->pushed = ring->consumed = 0;
    atomic_init(&ring->published, 0);
    return QUERN_SUCCESS;
}

void quern_cpu_ring_free(struct quern_cpu_ring *ring)
{
    while (ring->head_segment) {
        struct quern_cpu_segment *segment = ring->head_segment;
        ring->head_segment = segment->next;
        free(segment);
    }
    ring->tail_segment = NULL;
}

static struct quern_cpu_record *record_at(struct quern_cpu_segment *segment, size_t position)
{
    return (struct quern_cpu_record *)(void *)(segment->bytes + (position & (segment->size - 1)));
}

/* A record of the ring's own. */
static void put(struct quern_cpu_ring *ring, uint32_t kind, size_t bytes)
{
    struct quern_cpu_record *record = record_at(ring->tail_segment, ring->tail);
    record->bytes = bytes;
    record->kind = kind;
    ring->tail += bytes;
    ++ring->pushed; /* published with the record that follows */
}

/* 1 when bytes are free at the tail, with the room for a jump behind them; updates what is known of the head. */
static int is_free(struct quern_cpu_ring *ring, size_t bytes)
{
    size_t wanted = bytes + JUMP_BYTES, size = ring->tail_segment->size;
    if (wanted > size)
        return 0;
    if (size - (ring->tail - ring->known_head) >= wanted)
        return 1;
    ring->known_head = atomic_load_explicit(&ring->tail_segment->head, memory_order_acquire);
    return size - (ring->tail - ring->known_head) >= wanted;
}

/* Goes on in a segment of its own for at least bytes. */
static quern_status grow(struct quern_cpu_ring *ring, size_t bytes)
{
    size_t size = ring->tail_segment->size < MOST_BYTES ? 2 * ring->tail_segment->size : MOST_BYTES;
    if (bytes > SIZE_MAX / 16)
        return quern_fail(QUERN_OUT_OF_MEMORY, "a command of %zu bytes is too large for a queue", bytes);
    while (size / 4 < bytes)
        size *= 2;
    struct quern_cpu_segment *segment = make_segment(size);
    if (!segment)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for %zu bytes of a queue's commands", size);
    put(ring, QUERN_CPU_RECORD_JUMP, JUMP_BYTES);
    ring->tail_segment->next = segment;
    ring->tail_segment = segment;
    ring->tail = ring->known_head = 0;
    return QUERN_SUCCESS;
}

quern_status quern_cpu_ring_room(struct quern_cpu_ring *ring, size_t bytes, struct quern_cpu_record **record)
{
    *record = NULL;
    if (quern_add_overflows(bytes, (size_t)(ALIGNMENT - 1), &bytes))
        return quern_fail(QUERN_OUT_OF_MEMORY, "a command is too large for a queue");
    bytes &= ~(size_t)(ALIGNMENT - 1);
    for (;;) {
        size_t size = ring->tail_segment->size, to_end = size - (ring->tail & (size - 1));
        if (bytes <= to_end && is_free(ring, bytes))
            break;
        if (bytes > to_end && is_free(ring, to_end + bytes)) {
            put(ring, QUERN_CPU_RECORD_PAD, to_end);
            break;
        }
        if (size >= MOST_BYTES && size / 4 >= bytes)
            return QUERN_SUCCESS;
        quern_status status = grow(ring, bytes);
        if (status)
            return status;
    }
    *record = record_at(ring->tail_segment, ring->tail);
    (*record)->bytes = bytes;
    ring->last_bytes = bytes;
    return QUERN_SUCCESS;
}

void quern_cpu_ring_push(struct quern_cpu_ring *ring)
{
    ring->tail += ring->last_bytes;
    atomic_store(&ring->published, ++ring->pushed);
    /* The next record will probably be as large: its lines come over from the consumer's cache meanwhile. */
    const char *next = (const char *)record_at(ring->tail_segment, ring->tail);
    size_t to_end = ring->tail_segment->size - (ring->tail & (ring->tail_segment->size - 1));
    for (size_t at = 0; at < ring->last_bytes && at < to_end && at < FETCHED_BYTES; at += 64)
        quern_cpu_fetch_to_write(next + at);
}

struct quern_cpu_record *quern_cpu_ring_peek(struct quern_cpu_ring *ring)
{
    while (ring->consumed != atomic_load_explicit(&ring->published, memory_order_acquire)) {
        struct quern_cpu_segment *segment = ring->head_segment;
        struct quern_cpu_record *record = record_at(segment, ring->head);
        if (record->kind == QUERN_CPU_RECORD_PAD) {
            quern_cpu_ring_pop(ring, record);
        } else if (record->kind == QUERN_CPU_RECORD_JUMP) {
            ring->head_segment = segment->next;
            ring->head = 0;
            ++ring->consumed;
            free(segment);
        } else {
            return record;
        }
    }
    return NULL;
}

void quern_cpu_ring_pop(struct quern_cpu_ring *ring, const struct quern_cpu_record *record)
{
    ring->head += record->bytes;
    ++ring->consumed;
    atomic_store_explicit(&ring->head_segment->head, ring->head, memory_order_release);
}
