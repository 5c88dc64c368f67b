/* Copies between two devices of one backend: by the backend where they reach each other, else through the host. */
#include "queue_test.h"

/* ---- backends with peers ---- */

static _Atomic long peer_copies, peer_questions;
static _Atomic int reach = 1, refuse;

static int peer_reach(void *device, void *other)
{
    MUST(device != other);
    atomic_fetch_add(&peer_questions, 1);
    return atomic_load(&reach);
}

static quern_status peer_copy(void *queue, uint64_t number, const quern_backend_copy *copy, void *target_device,
                              void *source_device)
{
    variant_command *command = new_command(queue, number, COPY);
    if (!command)
        return QUERN_OUT_OF_MEMORY;
    MUST(target_device != source_device);
    MUST(!copy->target_is_host && !copy->source_is_host);
    MUST(is_device_memory(copy->target_memory, copy->target) && is_device_memory(copy->source_memory, copy->source));
    if (atomic_load(&refuse)) {
        free(command);
        atomic_fetch_sub(&((variant_queue *)queue)->entered, 1);
        return (variant_host->fail)(QUERN_SYSTEM_ERROR, "the bridge between the devices is closed");
    }
    atomic_fetch_add(&peer_copies, 1);
    command->copy = *copy;
    return push_command(queue, command);
}

/* One that holds commands back while it waits, one that waits by itself, and half of an entry, which is none. */
VARIANT(peers, 0, 0, 2, .peer_reach = peer_reach, .peer_copy = peer_copy);
VARIANT(bridge, 0, 0, 2, .wait = variant_wait, .call = variant_call, .record = variant_record, .fill = variant_fill,
        .peer_reach = peer_reach, .peer_copy = peer_copy);
VARIANT(half, 0, 0, 2, .peer_reach = peer_reach);

static int add_backends(void **state)
{
    ok(quern_backends_add(&peers_backend, NULL, "the test"));
    ok(quern_backends_add(&bridge_backend, NULL, "the test"));
    ok(quern_backends_add(&half_backend, NULL, "the test"));
    return add_variants(state);
}

/* ---- arrays ---- */

/* Odd, so that nothing fits by chance. */
enum { ROWS = 5, COLUMNS = 7, ALL = (ROWS + 2) * (COLUMNS + 3) };

static quern_buffer *make_parent(quern_queue *queue, quern_device *device, int32_t begin, quern_view *inside)
{
    int32_t numbers[ALL];
    for (int i = 0; i < ALL; ++i)
        numbers[i] = begin + i;
    quern_extents extents = QUERN_EXTENTS(ROWS + 2, COLUMNS + 3);
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(int32_t), extents);
    ok(quern_copy_from_host(queue, QUERN_VIEW(buffer),
                            quern_span_as_const(span_of(numbers, QUERN_TYPE(int32_t), extents))));
    ok(quern_queue_synchronize(queue));
    ok(quern_view_sub(QUERN_VIEW(buffer), (size_t[]){1, 2}, QUERN_EXTENTS(ROWS, COLUMNS), inside));
    return buffer;
}

/* The inside is value, or what begins with other (when that is not 0); around it nothing has changed. */
static void expect_inside(quern_queue *queue, quern_buffer *buffer, int32_t begin, int32_t other, int32_t value)
{
    int32_t numbers[ALL];
    ok(quern_copy_to_host(queue, span_of(numbers, QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS + 2, COLUMNS + 3)),
                          QUERN_CONST_VIEW(buffer)));
    ok(quern_queue_synchronize(queue));
    for (int i = 0; i < ALL; ++i) {
        int y = i / (COLUMNS + 3), x = i % (COLUMNS + 3);
        int is_inside = y >= 1 && y <= ROWS && x >= 2 && x < COLUMNS + 2;
        assert_int_equal(numbers[i], !is_inside ? begin + i : other ? other + i : value);
    }
}

typedef struct pair {
    quern_device *own, *far;
    quern_queue *queue, *far_queue;
    quern_view a, b;
    quern_buffer *mine, *theirs;
} pair;

static pair make_pair(const char *backend, int blocking)
{
    char own[32], far[32];
    pair p;
    snprintf(own, sizeof own, "%s:0", backend);
    snprintf(far, sizeof far, "%s:1", backend);
    p.own = open_device(own);
    p.far = open_device(far);
    p.queue = make_queue(p.own, blocking, "given");
    p.far_queue = make_queue(p.far, 0, "far");
    p.mine = make_parent(p.queue, p.own, 1000, &p.a);
    p.theirs = make_parent(p.far_queue, p.far, 5000, &p.b);
    atomic_store(&peer_copies, 0);
    return p;
}

static void release_pair(pair *p)
{
    ok(quern_buffer_release(p->mine));
    ok(quern_buffer_release(p->theirs));
    ok(quern_queue_release(p->queue));
    ok(quern_queue_release(p->far_queue));
}

/* ---- tests ---- */

static const char *const backends[] = {"peers", "bridge"};

/* To both sides, on both kinds of queue; the source comes from another queue, and late. */
static void test_by_the_backend(void **state)
{
    (void)state;
    for (int v = 0; v < 8; ++v) {
        int to_own = v & 1, blocking = v >> 1 & 1;
        pair p = make_pair(backends[v >> 2], blocking);
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        quern_queue *filling = to_own ? p.far_queue : make_queue(p.own, 0, "filling");
        quern_view source = to_own ? p.b : p.a, target = to_own ? p.a : p.b;
        quern_buffer *changed = to_own ? p.mine : p.theirs;
        int32_t nine = 9, eight = 8;
        if (!blocking)
            ok(quern_queue_call(filling, gate_pass, &g));
        ok(quern_fill(filling, source, QUERN_TYPE(int32_t), &nine));
        ok(quern_copy(p.queue, target, quern_view_as_const(source)));
        /* The source may change once it has been read, and not before. */
        ok(quern_fill(filling, source, QUERN_TYPE(int32_t), &eight));
        gate_open(&g);
        expect_inside(to_own ? p.queue : p.far_queue, changed, to_own ? 1000 : 5000, 0, 9);
        expect_inside(to_own ? p.far_queue : p.queue, to_own ? p.theirs : p.mine, to_own ? 5000 : 1000, 0, 8);
        assert_int_equal(atomic_load(&peer_copies), 1);
        if (!to_own)
            ok(quern_queue_release(filling));
        release_pair(&p);
        gate_destroy(&g);
    }
}

static void test_elements(void **state)
{
    (void)state;
    for (int v = 0; v < 4; ++v) {
        pair p = make_pair(backends[v >> 1], 0);
        int to_own = v & 1;
        ok(quern_copy(p.queue, to_own ? p.a : p.b, quern_view_as_const(to_own ? p.b : p.a)));
        expect_inside(p.queue, p.mine, 1000, to_own ? 5000 : 1000, 0);
        expect_inside(p.far_queue, p.theirs, 5000, to_own ? 5000 : 1000, 0);
        assert_int_equal(atomic_load(&peer_copies), 1);
        release_pair(&p);
    }
}

/* Devices that do not reach each other, and a table with half of the functions. */
static void test_through_the_host(void **state)
{
    (void)state;
    static const char *const names[] = {"peers", "half"};
    for (int v = 0; v < 2; ++v) {
        pair p = make_pair(names[v], 0);
        long asked = atomic_load(&peer_questions);
        atomic_store(&reach, 0);
        ok(quern_copy(p.queue, p.a, quern_view_as_const(p.b)));
        expect_inside(p.queue, p.mine, 1000, 5000, 0);
        atomic_store(&reach, 1);
        assert_int_equal(atomic_load(&peer_copies), 0);
        assert_int_equal(atomic_load(&peer_questions) - asked, v == 0);
        release_pair(&p);
    }
}

/* Host memory by its kind, and devices of other backends, are no peers. */
static void test_no_peers(void **state)
{
    (void)state;
    pair p = make_pair("peers", 0);
    quern_layout layout;
    quern_buffer *pinned = NULL, *foreign;
    quern_device *other = open_device("lazy:0");
    quern_view c;
    quern_queue *queue = make_queue(other, 0, "foreign");
    ok(quern_layout_packed(QUERN_TYPE(int32_t), QUERN_EXTENTS(ROWS, COLUMNS), &layout));
    ok(quern_buffer_create_with_layout(p.own, &layout, QUERN_MEMORY_PINNED, &pinned));
    foreign = make_parent(queue, other, 7000, &c);
    ok(quern_copy(p.queue, QUERN_VIEW(pinned), quern_view_as_const(p.b)));
    ok(quern_copy(p.queue, p.a, QUERN_CONST_VIEW(pinned)));
    ok(quern_copy(p.queue, c, quern_view_as_const(p.a)));
    expect_inside(p.queue, p.mine, 1000, 5000, 0);
    expect_inside(queue, foreign, 7000, 5000, 0);
    assert_int_equal(atomic_load(&peer_copies), 0);
    ok(quern_buffer_release(pinned));
    ok(quern_buffer_release(foreign));
    ok(quern_queue_release(queue));
    release_pair(&p);
}

/* The backend's own failure, at once and while commands are held back; nothing else is tried. */
static void test_failures(void **state)
{
    (void)state;
    for (int v = 0; v < 4; ++v) {
        pair p = make_pair(backends[v >> 1], 0);
        int is_late = v & 1;
        gate g;
        gate_init(&g, QUERN_SUCCESS);
        atomic_store(&refuse, 1);
        if (is_late)
            ok(quern_queue_call(p.queue, gate_pass, &g));
        quern_status status = quern_copy(p.queue, p.a, quern_view_as_const(p.b));
        gate_open(&g);
        if (status != QUERN_SUCCESS) /* at once; otherwise it was held back */
            refused(status, QUERN_SYSTEM_ERROR, "bridge");
        else
            assert_true(is_late && v >> 1 == 0);
        refused(quern_queue_synchronize(p.queue), QUERN_SYSTEM_ERROR, "a copy between devices|given|the bridge");
        atomic_store(&refuse, 0);
        expect_inside(p.queue, p.mine, 1000, 1000, 0);
        ok(quern_copy(p.queue, p.a, quern_view_as_const(p.b)));
        expect_inside(p.queue, p.mine, 1000, 5000, 0);
        release_pair(&p);
        gate_destroy(&g);
    }
}

/* The backend with waits of its own is given peer copies though two queues wait for each other in turn. */
static void test_back_and_forth(void **state)
{
    (void)state;
    for (int v = 0; v < 2; ++v) {
        pair p = make_pair(backends[v], 0);
        for (int i = 0; i < 50; ++i) {
            int32_t value = i;
            ok(quern_fill(p.far_queue, p.b, QUERN_TYPE(int32_t), &value));
            ok(quern_copy(p.queue, p.a, quern_view_as_const(p.b)));
            ok(quern_copy(p.far_queue, p.b, quern_view_as_const(p.a)));
        }
        expect_inside(p.far_queue, p.theirs, 5000, 0, 49);
        expect_inside(p.queue, p.mine, 1000, 0, 49);
        assert_int_equal(atomic_load(&peer_copies), 100);
        release_pair(&p);
    }
}

int main(void)
{
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_the_backend), cmocka_unit_test(test_elements), cmocka_unit_test(test_through_the_host),
        cmocka_unit_test(test_no_peers),       cmocka_unit_test(test_failures), cmocka_unit_test(test_back_and_forth),
    };
    int failed = cmocka_run_group_tests(tests, add_backends, NULL);
    return quern_shutdown() == QUERN_SUCCESS ? failed : 1;
}
