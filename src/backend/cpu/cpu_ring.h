/*
 * A queue's ring of commands: records of different sizes, one producer and one consumer at a time.
 *
 * It starts small and doubles when it is full: the producer goes on in a new segment, and the last
 * record of the old one says where.
 */
#ifndef QUERN_BACKEND_CPU_RING_H
#define QUERN_BACKEND_CPU_RING_H

#include <quern/status.h>

#include <stdatomic.h>
#include <stdint.h>

enum { QUERN_CPU_RECORD_ALIGNMENT = 64 };

/* Kinds from QUERN_CPU_RECORD_FIRST on are the user's. */
enum { QUERN_CPU_RECORD_PAD, QUERN_CPU_RECORD_JUMP, QUERN_CPU_RECORD_FIRST };

/* What every record begins with. */
struct quern_cpu_record {
    size_t bytes; /* with this head, a multiple of the alignment; set by the ring */
    uint32_t kind;
    uint32_t reserved;
    uint64_t number;
};

struct quern_cpu_ring {
    /* the producer's */
    _Alignas(128) struct quern_cpu_segment *tail_segment;
    size_t tail;       /* bytes ever put into that segment */
    size_t known_head; /* of that segment, as last seen */
    uint64_t pushed;   /* records */
    size_t last_bytes; /* of the record that is being filled in */
    _Atomic uint64_t published;

    /* the consumer's */
    _Alignas(128) struct quern_cpu_segment *head_segment;
    size_t head;
    uint64_t consumed;
};

/* OUT_OF_MEMORY. */
quern_status quern_cpu_ring_make(struct quern_cpu_ring *ring);
void quern_cpu_ring_free(struct quern_cpu_ring *ring);

/* Room for a record of so many bytes, head included; *record is NULL when the ring is full and may not grow.
 * OUT_OF_MEMORY. */
quern_status quern_cpu_ring_room(struct quern_cpu_ring *ring, size_t bytes, struct quern_cpu_record **record);

/* The record that room gave last has been filled in. */
void quern_cpu_ring_push(struct quern_cpu_ring *ring);

/* The consumer's: the oldest record, NULL when there is none. */
struct quern_cpu_record *quern_cpu_ring_peek(struct quern_cpu_ring *ring);

/* The consumer's: the record that peek gave is not needed any more. */
void quern_cpu_ring_pop(struct quern_cpu_ring *ring, const struct quern_cpu_record *record);

#endif
