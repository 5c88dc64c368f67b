/*
 * Conformance, subject "atomic": every operation on every type, in global and in local memory, with many items on few
 * targets. What an atomic gives back is what the target held before, so the old values of all items must fit together:
 * those of additions are every number once, an exchange loses nothing, each bit is cleared by one item.
 */
#include "kernels_support.h"

#include <stdlib.h>
#include <string.h>

#include "atomic.k.h"
#include "atomic_64.k.h"
#include "atomic_double.k.h"

/* In the kernels' order (kernels/atomic_kernels.h). */
enum { ADD, SUB, MINIMUM, MAXIMUM, EXCHANGE, WINNER, LOOP, AND, OR, XOR, OPERATIONS };
static const char *const operation_names[OPERATIONS] = {"ATOMIC_ADD",
                                                        "ATOMIC_SUB",
                                                        "ATOMIC_MIN",
                                                        "ATOMIC_MAX",
                                                        "ATOMIC_EXCHANGE",
                                                        "ATOMIC_COMPARE_EXCHANGE",
                                                        "a loop over ATOMIC_COMPARE_EXCHANGE",
                                                        "ATOMIC_AND",
                                                        "ATOMIC_OR",
                                                        "ATOMIC_XOR"};

enum { ITEMS = 40009, SLOTS = 3, GROUP = 61, GROUPS = (ITEMS + GROUP - 1) / GROUP, BITS = 31 };

typedef quern_status launch_global(quern_queue *queue, quern_range range, quern_view target, quern_const_view value,
                                   quern_view old, int32_t slots);
typedef quern_status launch_local(quern_queue *queue, quern_range range, quern_const_view start, quern_const_view value,
                                  quern_view old, quern_view target);

/* A type, whose numbers here are all such that a double holds them. */
typedef struct subject {
    const char *name;
    quern_type_kind kind;
    launch_global *global;
    launch_local *local;
    double base; /* where targets begin: above 2^32 where that fits */
    double unit; /* of the operands of minima and maxima */
    int is_signed, has_bits;
} subject;

static const subject subjects[] = {
    {"int32", QUERN_KIND_INT32, atomic_global_int32, atomic_local_int32, 100, 4000, 1, 1},
    {"uint32", QUERN_KIND_UINT32, atomic_global_uint32, atomic_local_uint32, 50000, 4000, 0, 1},
    {"float", QUERN_KIND_FLOAT32, atomic_global_float, atomic_local_float, 5, 0.125, 1, 0},
    {"int64", QUERN_KIND_INT64, atomic_global_int64, atomic_local_int64, 0x1p40, 0x1p40, 1, 1},
    {"uint64", QUERN_KIND_UINT64, atomic_global_uint64, atomic_local_uint64, 0x1p40, 0x1p44, 0, 1},
    {"double", QUERN_KIND_FLOAT64, atomic_global_double, atomic_local_double, 0x1p40, 0.125, 1, 0}};

/* ---- numbers of any type ---- */

#define CASE(kind_name, T, action)                                                                                     \
    case kind_name: {                                                                                                  \
        T v;                                                                                                           \
        action;                                                                                                        \
        break;                                                                                                         \
    }
#define EACH_KIND(action)                                                                                              \
    CASE(QUERN_KIND_INT32, int32_t, action)                                                                            \
    CASE(QUERN_KIND_UINT32, uint32_t, action)                                                                          \
    CASE(QUERN_KIND_INT64, int64_t, action)                                                                            \
    CASE(QUERN_KIND_UINT64, uint64_t, action)                                                                          \
    CASE(QUERN_KIND_FLOAT32, float, action)                                                                            \
    CASE(QUERN_KIND_FLOAT64, double, action)

static double number_at(const subject *subject, const unsigned char *element)
{
    double result = 0;
    switch (subject->kind) {
        EACH_KIND((memcpy(&v, element, sizeof v), result = (double)v))
    default:
        break;
    }
    return result;
}

static void set_number(const subject *subject, unsigned char *element, double number)
{
    switch (subject->kind) {
        EACH_KIND((v = (__typeof__(v))number, memcpy(element, &v, sizeof v)))
    default:
        break;
    }
}

/* ---- what is there before ---- */

/* What a slot's target for the operation begins with. */
static double start_of(const subject *subject, int operation)
{
    const double high = subject->base >= 0x1p32 ? subject->base : 0; /* to see that the upper half stays */
    switch (operation) {
    case WINNER:
        return 0;
    case MINIMUM:
    case MAXIMUM:
        return 500 * subject->unit;
    case AND:
        return high + 0x7fffffff;
    case OR:
    case XOR:
        return high;
    default:
        return subject->base;
    }
}

/* Item i's operand for the minimum and the maximum. */
static double operand_of(const subject *subject, size_t i)
{
    uint64_t state = i;
    const double number = (double)(quern_conformance_random(&state) % 1000000);
    return (subject->is_signed ? number - 500000 : number) * subject->unit;
}

/* ---- what one slot's items have seen ---- */

typedef struct slot {
    quern_trial *trial;
    const subject *subject;
    const char *memory; /* "global" */
    size_t number, first, stride, count;
    const quern_guarded *old;
    const unsigned char *old_bytes; /* of OPERATIONS numbers for each item */
    double final[OPERATIONS];
    double *scratch;
} slot;

static double old_at(const slot *slot, size_t k, int operation)
{
    const size_t item = slot->first + k * slot->stride;
    return number_at(slot->subject, slot->old_bytes + (item * OPERATIONS + (size_t)operation) *
                                                          quern_type_scalar(slot->subject->kind).size);
}

#define SLOT_FAIL(slot, operation, format, ...)                                                                        \
    quern_trial_fail((slot)->trial, __FILE__, __LINE__, "%s on %s in %s memory, target %zu: " format,                  \
                     operation_names[operation], (slot)->subject->name, (slot)->memory, (slot)->number, __VA_ARGS__)

static int compare(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The old values are low, low + step, …, each once, and the end is where it should be. */
static quern_verdict check_row(slot *slot, int operation, double low, double step, double end)
{
    for (size_t k = 0; k < slot->count; ++k)
        slot->scratch[k] = old_at(slot, k, operation);
    qsort(slot->scratch, slot->count, sizeof *slot->scratch, compare);
    for (size_t k = 0; k < slot->count; ++k)
        if (slot->scratch[k] != low + (double)k * step)
            return SLOT_FAIL(slot, operation, "of the old values number %zu by size is %.17g, wanted %.17g", k,
                             slot->scratch[k], low + (double)k * step);
    if (slot->final[operation] != end)
        return SLOT_FAIL(slot, operation, "it ended as %.17g, wanted %.17g", slot->final[operation], end);
    return QUERN_PASSED;
}

/* Each old value is the start or an operand, none is beyond the end, and the start was seen. */
static quern_verdict check_extreme(slot *slot, int operation)
{
    const double sign = operation == MINIMUM ? 1 : -1, start = start_of(slot->subject, operation);
    double end = start;
    size_t starts = 0;
    for (size_t k = 0; k < slot->count; ++k) {
        const double v = slot->scratch[k] = operand_of(slot->subject, slot->first + k * slot->stride);
        end = sign * v < sign * end ? v : end;
    }
    qsort(slot->scratch, slot->count, sizeof *slot->scratch, compare);
    for (size_t k = 0; k < slot->count; ++k) {
        const double v = old_at(slot, k, operation);
        starts += v == start;
        if (v != start && !bsearch(&v, slot->scratch, slot->count, sizeof v, compare))
            return SLOT_FAIL(slot, operation, "an item saw %.17g, which nobody wrote", v);
    }
    if (starts == 0)
        return SLOT_FAIL(slot, operation, "no item saw %.17g, with which it began", start);
    if (slot->final[operation] != end)
        return SLOT_FAIL(slot, operation, "it ended as %.17g, wanted %.17g", slot->final[operation], end);
    return QUERN_PASSED;
}

/* The start and what the items put in is what they saw and the end. */
static quern_verdict check_exchange(slot *slot)
{
    const double start = start_of(slot->subject, EXCHANGE);
    double *in = slot->scratch, *out = slot->scratch + slot->count + 1;
    for (size_t k = 0; k < slot->count; ++k) {
        in[k] = (double)(slot->first + k * slot->stride + 1);
        out[k] = old_at(slot, k, EXCHANGE);
    }
    in[slot->count] = start;
    out[slot->count] = slot->final[EXCHANGE];
    qsort(in, slot->count + 1, sizeof *in, compare);
    qsort(out, slot->count + 1, sizeof *out, compare);
    for (size_t k = 0; k <= slot->count; ++k)
        if (in[k] != out[k])
            return SLOT_FAIL(slot, EXCHANGE, "number %zu by size of what came out is %.17g, of what went in %.17g", k,
                             out[k], in[k]);
    return QUERN_PASSED;
}

/* One item found 0 and left its number, which all others found. */
static quern_verdict check_winner(slot *slot)
{
    size_t winners = 0;
    for (size_t k = 0; k < slot->count; ++k) {
        const double v = old_at(slot, k, WINNER);
        winners += v == 0;
        if (v == 0 && slot->final[WINNER] != (double)(slot->first + k * slot->stride + 1))
            return SLOT_FAIL(slot, WINNER, "item %zu found 0, but it ended as %.17g", slot->first + k * slot->stride,
                             slot->final[WINNER]);
        if (v != 0 && v != slot->final[WINNER])
            return SLOT_FAIL(slot, WINNER, "item %zu found %.17g, wanted 0 or %.17g", slot->first + k * slot->stride, v,
                             slot->final[WINNER]);
    }
    if (winners != 1)
        return SLOT_FAIL(slot, WINNER, "%zu items found 0, wanted 1", winners);
    return QUERN_PASSED;
}

/* Of the items that share a bit, one saw it set (AND) or clear (OR), every second one saw it set (XOR). */
static quern_verdict check_bits(slot *slot, int operation)
{
    size_t seen[BITS] = {0}, users[BITS] = {0};
    uint64_t end = (uint64_t)start_of(slot->subject, operation);
    for (size_t k = 0; k < slot->count; ++k) {
        const size_t bit = (slot->first + k * slot->stride) % BITS;
        const int is_set = ((uint64_t)old_at(slot, k, operation) >> bit & 1) != 0;
        seen[bit] += (operation == OR ? !is_set : is_set) ? 1u : 0u;
        users[bit] += 1;
    }
    for (size_t bit = 0; bit < BITS; ++bit) {
        const size_t wanted = operation == XOR ? users[bit] / 2 : users[bit] > 0;
        if (seen[bit] != wanted)
            return SLOT_FAIL(slot, operation, "%zu of the %zu items with bit %zu saw it %s, wanted %zu", seen[bit],
                             users[bit], bit, operation == OR ? "clear" : "set", wanted);
        if (operation == XOR ? users[bit] % 2 : users[bit] > 0)
            end ^= (uint64_t)1 << bit;
    }
    if (slot->final[operation] != (double)end)
        return SLOT_FAIL(slot, operation, "it ended as %.17g, wanted %.17g", slot->final[operation], (double)end);
    return QUERN_PASSED;
}

static quern_verdict check_slot(slot *slot)
{
    const double base = slot->subject->base, n = (double)slot->count;
    QUERN_CHECK(check_row(slot, ADD, base, 1, base + n));
    QUERN_CHECK(check_row(slot, SUB, base - n + 1, 1, base - n));
    QUERN_CHECK(check_extreme(slot, MINIMUM));
    QUERN_CHECK(check_extreme(slot, MAXIMUM));
    QUERN_CHECK(check_exchange(slot));
    QUERN_CHECK(check_winner(slot));
    QUERN_CHECK(check_row(slot, LOOP, base, 3, base + 3 * n));
    for (int operation = AND; slot->subject->has_bits && operation <= XOR; ++operation)
        QUERN_CHECK(check_bits(slot, operation));
    return QUERN_PASSED;
}

/* ---- a run ---- */

typedef struct arrays {
    quern_guarded target, start, value, old;
    unsigned char *old_bytes, *target_bytes;
    double *scratch;
} arrays;

static quern_verdict make_arrays(quern_trial *trial, const subject *subject, size_t slots, arrays *arrays)
{
    const quern_type type = quern_type_scalar(subject->kind);
    const size_t room = slots > ITEMS ? slots : ITEMS;
    unsigned char *bytes;
    QUERN_MEMORY(trial, bytes, room * OPERATIONS * type.size);
    QUERN_MEMORY(trial, arrays->old_bytes, ITEMS * OPERATIONS * type.size);
    QUERN_MEMORY(trial, arrays->target_bytes, slots * OPERATIONS * type.size);
    QUERN_MEMORY(trial, arrays->scratch, 2 * (ITEMS + 1) * sizeof *arrays->scratch);
    for (size_t i = 0; i < slots * OPERATIONS; ++i)
        set_number(subject, bytes + i * type.size, start_of(subject, (int)(i % OPERATIONS)));
    QUERN_CHECK(quern_conformance_array(trial, "target", type, slots * OPERATIONS, bytes, &arrays->target));
    QUERN_CHECK(quern_conformance_array(trial, "start", type, OPERATIONS, bytes, &arrays->start));
    for (size_t i = 0; i < ITEMS; ++i)
        set_number(subject, bytes + i * type.size, operand_of(subject, i));
    QUERN_CHECK(quern_conformance_array(trial, "value", type, ITEMS, bytes, &arrays->value));
    return quern_conformance_array(trial, "old", type, ITEMS * OPERATIONS, NULL, &arrays->old);
}

static quern_verdict check_arrays(quern_trial *trial, const subject *subject, arrays *arrays, int is_local)
{
    const size_t slots = is_local ? GROUPS : SLOTS, size = quern_type_scalar(subject->kind).size;
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &arrays->old, arrays->old_bytes));
    QUERN_CHECK(quern_guarded_read(trial, trial->queue, &arrays->target, arrays->target_bytes));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &arrays->start));
    QUERN_CHECK(quern_guarded_check(trial, trial->queue, &arrays->value));
    for (size_t s = 0; s < slots; ++s) {
        slot slot = {trial, subject,        is_local ? "local" : "global", s, 0, 0, 0, &arrays->old, arrays->old_bytes,
                     {0},   arrays->scratch};
        slot.first = is_local ? s * GROUP : s;
        slot.stride = is_local ? 1 : SLOTS;
        slot.count = (ITEMS - slot.first + slot.stride - 1) / slot.stride;
        if (is_local && slot.count > GROUP)
            slot.count = GROUP;
        for (size_t k = 0; k < OPERATIONS; ++k)
            slot.final[k] = number_at(subject, arrays->target_bytes + (s * OPERATIONS + k) * size);
        QUERN_CHECK(check_slot(&slot));
    }
    return QUERN_PASSED;
}

static quern_verdict check_global(quern_trial *trial, const subject *subject, launch_global *launch)
{
    arrays arrays;
    QUERN_CHECK(make_arrays(trial, subject, SLOTS, &arrays));
    QUERN_TRY(trial, launch(trial->queue, QUERN_RANGE(ITEMS), arrays.target.view,
                            quern_view_as_const(arrays.value.view), arrays.old.view, SLOTS));
    return check_arrays(trial, subject, &arrays, 0);
}

static quern_verdict check_local(quern_trial *trial, const subject *subject)
{
    arrays arrays;
    QUERN_NEED_GROUP(trial, GROUP);
    QUERN_CHECK(make_arrays(trial, subject, GROUPS, &arrays));
    QUERN_TRY(trial, subject->local(trial->queue, QUERN_RANGE(ITEMS), quern_view_as_const(arrays.start.view),
                                    quern_view_as_const(arrays.value.view), arrays.old.view, arrays.target.view));
    return check_arrays(trial, subject, &arrays, 1);
}

static quern_verdict check_type(quern_trial *trial, const subject *subject, int is_local)
{
    if (subject->kind == QUERN_KIND_FLOAT64)
        QUERN_NEED_FP64(trial);
    if (quern_type_scalar(subject->kind).size == 8)
        QUERN_NEED_ATOMICS64(trial);
    return is_local ? check_local(trial, subject) : check_global(trial, subject, subject->global);
}

#define TYPE_TESTS(name, number)                                                                                       \
    static quern_verdict name##_global(quern_trial *trial)                                                             \
    {                                                                                                                  \
        return check_type(trial, &subjects[number], 0);                                                                \
    }                                                                                                                  \
    static quern_verdict name##_local(quern_trial *trial)                                                              \
    {                                                                                                                  \
        return check_type(trial, &subjects[number], 1);                                                                \
    }
TYPE_TESTS(int32, 0)
TYPE_TESTS(uint32, 1)
TYPE_TESTS(float, 2)
TYPE_TESTS(int64, 3)
TYPE_TESTS(uint64, 4)
TYPE_TESTS(double, 5)

/* ---- bit by bit ---- */

static quern_verdict exact_float(quern_trial *trial)
{
    enum { N = 6 };
    /* target, expected, desired: +0 and -0 differ, a NaN is itself. */
    static const uint32_t bits[3][N] = {{0x00000000, 0x80000000, 0x7fc00001, 0x7fc00001, 0x3f800000, 0x00000001},
                                        {0x80000000, 0x80000000, 0x7fc00001, 0x7fc00002, 0x3f800000, 0x00000001},
                                        {0x40000000, 0x40000000, 0x40000000, 0x40000000, 0x80000000, 0x00000002}};
    uint32_t after[N];
    quern_guarded target, expected, desired, old;
    for (size_t i = 0; i < N; ++i)
        after[i] = bits[bits[0][i] == bits[1][i] ? 2 : 0][i];
    QUERN_CHECK(quern_conformance_array(trial, "target", QUERN_TYPE(float), N, bits[0], &target));
    QUERN_CHECK(quern_conformance_array(trial, "expected", QUERN_TYPE(float), N, bits[1], &expected));
    QUERN_CHECK(quern_conformance_array(trial, "desired", QUERN_TYPE(float), N, bits[2], &desired));
    QUERN_CHECK(quern_conformance_array(trial, "old", QUERN_TYPE(float), N, NULL, &old));
    QUERN_TRY(trial, atomic_exact_float(trial->queue, QUERN_RANGE(N), target.view, quern_view_as_const(expected.view),
                                        quern_view_as_const(desired.view), old.view));
    QUERN_CHECK(quern_guarded_want(trial, trial->queue, &target, after));
    return quern_guarded_want(trial, trial->queue, &old, bits[0]);
}

static quern_verdict control(quern_trial *trial)
{
    return check_global(trial, &subjects[0], atomic_control);
}

const quern_conformance_test quern_atomic_tests[] = {
    {"atomic.int32_global", "every operation on int32 in global memory", int32_global, 0},
    {"atomic.int32_local", "the same in local memory", int32_local, 0},
    {"atomic.uint32_global", "every operation on uint32 in global memory", uint32_global, 0},
    {"atomic.uint32_local", "the same in local memory", uint32_local, 0},
    {"atomic.float_global", "every operation on float in global memory", float_global, 0},
    {"atomic.float_local", "the same in local memory", float_local, 0},
    {"atomic.int64_global", "every operation on int64 in global memory", int64_global, 0},
    {"atomic.int64_local", "the same in local memory", int64_local, 0},
    {"atomic.uint64_global", "every operation on uint64 in global memory", uint64_global, 0},
    {"atomic.uint64_local", "the same in local memory", uint64_local, 0},
    {"atomic.double_global", "every operation on double in global memory", double_global, 0},
    {"atomic.double_local", "the same in local memory", double_local, 0},
    {"atomic.exact_float", "floats are compared and exchanged bit by bit", exact_float, 0},
    {"atomic.control", "an addition that is not what it should be is found", control, 1},
    {NULL, NULL, NULL, 0}};
