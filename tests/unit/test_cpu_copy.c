/* Copies and fills on the CPU: ranks, pitches of either sign, elements of any size; bytes that do not belong to the box
 * keep their value. */
#include "cpu_fixture.h"

static const quern_backend *const cpu = &quern_cpu_backend;

static struct fake_progress queues[2]; /* queued, blocking */

/* A box with pitches, in memory with room around it. */
struct box {
    char *memory, *first;
    size_t bytes;
    ptrdiff_t pitches[QUERN_MAX_RANK];
};

/* Numbers that look like chance, and are the same each time. */
static uint32_t next_number(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

/* Rows that are padding bytes apart; the signs of the outer pitches follow the bits of flipped. */
static void make_box(struct box *box, uint32_t rank, const size_t *extents, size_t element, size_t padding,
                     unsigned flipped)
{
    size_t pitch = element;
    ptrdiff_t back = 0;
    for (uint32_t d = rank; d-- > 0;) {
        box->pitches[d] = (ptrdiff_t)pitch;
        pitch = pitch * extents[d] + padding;
        if (d + 1 < rank && (flipped >> d) & 1) {
            back += box->pitches[d] * (ptrdiff_t)(extents[d] - 1);
            box->pitches[d] = -box->pitches[d];
        }
    }
    box->bytes = pitch + 2 * 131;
    box->memory = malloc(box->bytes);
    assert_non_null(box->memory);
    box->first = box->memory + 131 + back;
    for (size_t i = 0; i < box->bytes; ++i)
        box->memory[i] = (char)next_number();
}

static quern_backend_copy describe(const struct box *target, const struct box *source, uint32_t rank,
                                   const size_t *extents, size_t element)
{
    quern_backend_copy copy;
    memset(&copy, 0, sizeof copy);
    copy.target = target->first;
    copy.source = source->first;
    copy.rank = rank;
    copy.element_size = (uint32_t)element;
    for (uint32_t d = 0; d < rank; ++d) {
        copy.extents[d] = extents[d];
        copy.target_pitches[d] = target->pitches[d];
        copy.source_pitches[d] = source->pitches[d];
    }
    return copy;
}

/* What the target's memory has to hold: element by element. value, unless NULL, is a fill's. */
static char *expect(const struct box *target, const quern_backend_copy *copy, const char *value)
{
    char *wanted = malloc(target->bytes);
    assert_non_null(wanted);
    memcpy(wanted, target->memory, target->bytes);
    size_t index[QUERN_MAX_RANK] = {0};
    for (;;) {
        ptrdiff_t to = (char *)copy->target - target->memory, from = 0;
        for (uint32_t d = 0; d < copy->rank; ++d) {
            to += (ptrdiff_t)index[d] * copy->target_pitches[d];
            from += (ptrdiff_t)index[d] * copy->source_pitches[d];
        }
        memcpy(wanted + to, value ? value : (const char *)copy->source + from, copy->element_size);
        uint32_t d = copy->rank;
        while (d > 0 && ++index[d - 1] == copy->extents[d - 1])
            index[--d] = 0;
        if (d == 0)
            return wanted;
    }
}

static void check_copy(struct fake_progress *queue, uint32_t rank, const size_t *extents, size_t element,
                       unsigned flipped, size_t inner_gap)
{
    struct box target, source;
    make_box(&target, rank, extents, element, next_number() % 70, flipped);
    make_box(&source, rank, extents, element, next_number() % 70, flipped >> 3);
    quern_backend_copy copy = describe(&target, &source, rank, extents, element);
    if (inner_gap) { /* every second element of half as many */
        copy.extents[rank - 1] = (extents[rank - 1] + 1) / 2;
        copy.source_pitches[rank - 1] *= 2;
    }
    char *wanted = expect(&target, &copy, NULL);
    assert_int_equal(cpu->copy(queue->queue, ++queue->submitted, &copy), QUERN_SUCCESS);
    fixture_synchronize(queue);
    assert_memory_equal(target.memory, wanted, target.bytes);
    free(wanted);
    free(target.memory);
    free(source.memory);
}

static void check_fill(struct fake_progress *queue, uint32_t rank, const size_t *extents, size_t element,
                       unsigned flipped, int same)
{
    struct box target;
    char value[96], *kept;
    make_box(&target, rank, extents, element, next_number() % 70, flipped);
    for (size_t i = 0; i < element; ++i)
        value[i] = (char)(same ? 7 : next_number());
    quern_backend_copy fill = describe(&target, &target, rank, extents, element);
    char *wanted = expect(&target, &fill, value);
    kept = malloc(element); /* the value may go as soon as the fill has been submitted */
    assert_non_null(kept);
    memcpy(kept, value, element);
    fill.source = kept;
    assert_int_equal(cpu->fill(queue->queue, ++queue->submitted, &fill), QUERN_SUCCESS);
    memset(kept, 0x55, element);
    free(kept);
    fixture_synchronize(queue);
    assert_memory_equal(target.memory, wanted, target.bytes);
    free(wanted);
    free(target.memory);
}

static const size_t cases[][QUERN_MAX_RANK] = {{1},
                                               {63},
                                               {64},
                                               {65},
                                               {4111},
                                               {130003},
                                               {7, 3},
                                               {1, 513},
                                               {93, 123},
                                               {1021, 1},
                                               {5, 7, 3},
                                               {5, 7, 411},
                                               {9, 7, 123},
                                               {2, 3, 5, 7, 11, 13},
                                               {5, 7, 3, 11},
                                               {1, 1, 1, 1, 1, 1},
                                               {3, 1, 5, 1, 7},
                                               {101, 103}};
static const uint32_t ranks[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 6, 4, 6, 5, 2};
static const size_t elements[] = {1, 2, 3, 8, 12, 16, 96};

static void check_all(unsigned threads)
{
    fixture_start(threads, 1);
    fixture_queue(&queues[0], fixture_device(0), 0);
    fixture_queue(&queues[1], fixture_device(0), 1);
    for (size_t c = 0; c < sizeof ranks / sizeof ranks[0]; ++c)
        for (size_t e = 0; e < sizeof elements / sizeof elements[0]; ++e)
            for (int q = 0; q < 2; ++q) {
                if (cases[c][0] > 100000 && elements[e] > 3)
                    continue; /* as much as the others */
                unsigned flipped = c % 2 ? next_number() : 0;
                check_copy(&queues[q], ranks[c], cases[c], elements[e], flipped, 0);
                check_copy(&queues[q], ranks[c], cases[c], elements[e], flipped, 1);
                check_fill(&queues[q], ranks[c], cases[c], elements[e], flipped, (c + e + (size_t)q) % 2 == 0);
            }
    fixture_destroy(&queues[0]);
    fixture_destroy(&queues[1]);
    cpu->stop();
}

static void one_thread(void **state)
{
    (void)state;
    check_all(1);
}

static void several_threads(void **state)
{
    (void)state;
    check_all(3);
}

/* Large enough for chunks. */
static void large_ones_are_whole(void **state)
{
    (void)state;
    enum { BYTES = 9000001 };
    char *a = malloc(BYTES + 64), *b = malloc(BYTES + 64);
    assert_non_null(a);
    assert_non_null(b);
    fixture_start(2, 1);
    fixture_queue(&queues[0], fixture_device(0), 0);
    for (size_t i = 0; i < BYTES + 64; ++i) {
        a[i] = (char)((i * 2654435761u) >> 13);
        b[i] = 1;
    }
    quern_backend_copy copy;
    memset(&copy, 0, sizeof copy);
    copy.target = b + 3;
    copy.source = a + 5;
    copy.rank = 1;
    copy.element_size = 1;
    copy.extents[0] = BYTES;
    copy.target_pitches[0] = copy.source_pitches[0] = 1;
    assert_int_equal(cpu->copy(queues[0].queue, ++queues[0].submitted, &copy), QUERN_SUCCESS);
    fixture_synchronize(&queues[0]);
    assert_memory_equal(b + 3, a + 5, BYTES);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(b[i], 1);
    for (int i = BYTES + 3; i < BYTES + 64; ++i)
        assert_int_equal(b[i], 1);
    double value = 1.25;
    copy.source = &value;
    copy.target = b + 8;
    copy.element_size = 8;
    copy.extents[0] = BYTES / 8;
    copy.target_pitches[0] = copy.source_pitches[0] = 8;
    assert_int_equal(cpu->fill(queues[0].queue, ++queues[0].submitted, &copy), QUERN_SUCCESS);
    fixture_synchronize(&queues[0]);
    assert_memory_equal(b + 8, &value, 8);
    assert_memory_equal(b + 16, b + 8, BYTES / 8 * 8 - 8); /* each as the one before */
    fixture_destroy(&queues[0]);
    cpu->stop();
    free(a);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(large_ones_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
