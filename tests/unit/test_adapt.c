/*
 * quern_adapt: structs of buffers, nested ones and arrays, to another device and back; what is shared stays shared,
 * views stay views of the same elements, launches take the fields.
 */
#include "adapt_test.h"

#include "base/object.h"
#include "saxpy.k.h"

struct cell {
    float decay;
    quern_buffer *mass;
    quern_view border;
    const quern_buffer *shared;
    quern_const_view inside[2];
};

struct mesh {
    int32_t steps;
    struct cell cells[2];
    quern_buffer *levels[3];
    struct cell *more, *none;
    size_t more_count;
    char name[8];
};

QUERN_ADAPT_FIELDS(cell_fields, struct cell, QUERN_ADAPT_BUFFER(struct cell, mass),
                   QUERN_ADAPT_VIEW(struct cell, border), QUERN_ADAPT_BUFFER(struct cell, shared),
                   QUERN_ADAPT_VIEW(struct cell, inside));
QUERN_ADAPT_FIELDS(mesh_fields, struct mesh, QUERN_ADAPT_STRUCT(struct mesh, cells, cell_fields),
                   QUERN_ADAPT_BUFFER(struct mesh, levels),
                   QUERN_ADAPT_ARRAY(struct mesh, more, more_count, cell_fields),
                   QUERN_ADAPT_ARRAY(struct mesh, none, more_count, cell_fields));

static quern_device *cpu;
static quern_queue *queue; /* of cpu, blocking */

/* ---- a mesh of three buffers, which many fields refer to ---- */

enum { GRID = 100, LINE = 1000, SUM = 2000 };

/* Rows of 7 floats with 4 bytes of padding, as no device pads them. */
static quern_buffer *make_grid(void)
{
    quern_layout layout;
    quern_buffer *grid;
    ok(quern_layout_padded(QUERN_TYPE(float), QUERN_EXTENTS(5, 7), 4, 0, &layout));
    ok(quern_buffer_create_with_layout(cpu, &layout, QUERN_MEMORY_DEVICE, &grid));
    set_floats(queue, QUERN_VIEW(grid), GRID);
    return grid;
}

static void make_mesh(struct mesh *mesh, struct cell more[3])
{
    const size_t corner[2] = {1, 2}, third[1] = {3};
    quern_buffer *grid = make_grid(), *line = make_floats(queue, QUERN_EXTENTS(11), LINE);
    quern_buffer *sum = make_floats(queue, QUERN_EXTENTS(11), SUM);
    memset(mesh, 0, sizeof *mesh);
    memset(more, 0, 3 * sizeof *more);
    mesh->steps = 17;
    memcpy(mesh->name, "meadow", 7);
    struct cell *cell = &mesh->cells[0];
    cell->decay = 0.5f;
    cell->mass = grid;
    cell->shared = grid;
    ok(quern_view_sub(QUERN_VIEW(grid), corner, QUERN_EXTENTS(3, 4), &cell->border));
    ok(quern_const_view_sub(QUERN_CONST_VIEW(line), third, QUERN_EXTENTS(5), &cell->inside[0]));
    cell->inside[1] = QUERN_CONST_VIEW(grid);
    mesh->cells[1].decay = 2.0f;
    mesh->cells[1].mass = line;
    mesh->levels[0] = line;
    mesh->levels[2] = sum;
    mesh->more = more;
    mesh->more_count = 3;
    more[0].mass = line;
    more[1].inside[1] = QUERN_CONST_VIEW(sum);
    more[2].decay = 4.0f;
    more[2].border = QUERN_VIEW(line);
}

static void release_mesh(struct mesh *mesh)
{
    ok(quern_buffer_release(mesh->cells[0].mass));
    ok(quern_buffer_release(mesh->cells[1].mass));
    ok(quern_buffer_release(mesh->levels[2]));
}

/* Whatever refers to one buffer in the mesh does so in its copy, and that buffer is of the device. */
static void check_shape(const struct mesh *copy, const struct mesh *mesh, const struct cell *more, quern_device *device)
{
    quern_buffer *grid = copy->cells[0].mass, *line = copy->levels[0],
                 *sum = copy->levels[2], *const ours[3] = {grid, line, sum};
    const struct cell *cell = &copy->cells[0];
    for (int i = 0; i < 3; ++i) {
        quern_device *of;
        ok(quern_buffer_device(ours[i], &of));
        assert_ptr_equal(of, device);
    }
    assert_int_equal(copy->steps, 17);
    assert_string_equal(copy->name, "meadow");
    assert_true(cell->decay == 0.5f && copy->cells[1].decay == 2.0f);
    assert_true(grid != line && line != sum && grid != sum);
    assert_ptr_equal(cell->shared, grid);
    assert_ptr_equal(cell->border.buffer, grid);
    assert_ptr_equal(cell->inside[0].buffer, line);
    assert_ptr_equal(cell->inside[1].buffer, grid);
    assert_ptr_equal(cell->border.device, device);
    assert_ptr_equal(copy->cells[1].mass, line);
    assert_null(copy->cells[1].shared);
    assert_null(copy->cells[1].border.buffer);
    assert_null(copy->levels[1]);
    assert_null(copy->none);
    assert_int_equal(copy->more_count, 3);
    assert_ptr_not_equal(copy->more, more);
    assert_ptr_equal(copy->more[0].mass, line);
    assert_ptr_equal(copy->more[1].inside[1].buffer, sum);
    assert_true(copy->more[2].decay == 4.0f);
    assert_ptr_equal(copy->more[2].border.buffer, line);
    assert_null(copy->more[1].mass);
    assert_ptr_equal(mesh->more, more); /* the source is as it was */
}

static void check_elements(quern_queue *on, const struct mesh *copy)
{
    float part[NUMBERS_MAX];
    holds_floats(on, QUERN_CONST_VIEW(copy->cells[0].mass), GRID);
    holds_floats(on, QUERN_CONST_VIEW(copy->cells[0].shared), GRID);
    holds_floats(on, copy->cells[0].inside[0], LINE + 3);
    holds_floats(on, copy->cells[0].inside[1], GRID);
    holds_floats(on, quern_view_as_const(copy->more[2].border), LINE);
    holds_floats(on, copy->more[1].inside[1], SUM);
    assert_int_equal(get_floats(on, QUERN_CONST_VIEW(copy->cells[0].border), part), 12);
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x)
            assert_true(part[4 * y + x] == (float)(GRID + 7 * (y + 1) + x + 2));
}

/* The padding is the device's own, not the source's. */
static void check_padding(const struct mesh *copy, quern_device *device)
{
    quern_buffer *wanted = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(5, 7));
    quern_layout own, layout;
    ok(quern_buffer_layout(wanted, &own));
    ok(quern_buffer_layout(copy->cells[0].mass, &layout));
    assert_memory_equal(&layout, &own, sizeof own);
    assert_int_equal(copy->cells[0].border.span.layout.pitches[0], own.pitches[0]);
    ok(quern_buffer_release(wanted));
}

static void check_one_way_and_back(const char *name)
{
    struct mesh mesh, there, back;
    struct cell more[3];
    quern_device *device = open_device(name);
    quern_queue *far = make_queue(device, 0, name);
    make_mesh(&mesh, more);
    memset(&there, 0xaa, sizeof there);
    ok(quern_adapt(device, far, &mesh_fields, &mesh, &there));
    check_shape(&there, &mesh, more, device);
    check_padding(&there, device);
    release_mesh(&mesh); /* the copies keep what they still read */
    check_elements(far, &there);

    ok(saxpy(far, QUERN_RANGE(11), QUERN_CONST_VIEW(there.more[0].mass), QUERN_VIEW(there.levels[2]),
             there.cells[0].decay));
    ok(saxpy(far, QUERN_RANGE(5), there.cells[0].inside[0], QUERN_VIEW(there.levels[2]), there.more[2].decay));
    ok(quern_adapt(cpu, queue, &mesh_fields, &there, &back));
    check_shape(&back, &there, there.more, cpu);
    float sums[NUMBERS_MAX];
    get_floats(queue, QUERN_CONST_VIEW(back.levels[2]), sums);
    for (int i = 0; i < 11; ++i)
        assert_true(sums[i] ==
                    (float)(SUM + i) + 0.5f * (float)(LINE + i) + (i < 5 ? 4.0f * (float)(LINE + 3 + i) : 0));
    set_floats(queue, QUERN_VIEW(back.levels[2]), SUM);
    check_elements(queue, &back);
    ok(quern_adapt_release(&mesh_fields, &back));
    ok(quern_adapt_release(&mesh_fields, &there));
    assert_null(there.cells[0].mass);
    assert_null(there.cells[0].border.buffer);
    assert_null(there.more);
    ok(quern_adapt_release(&mesh_fields, &there)); /* nothing is left to give up */
    ok(quern_queue_release(far));
}

static void test_to_another_cpu_device_and_back(void **state)
{
    (void)state;
    check_one_way_and_back("cpu:1");
}

static int opencl_is_here(void)
{
    quern_device *device;
    if (quern_device_open("opencl:0", &device) == QUERN_SUCCESS) {
        ok(quern_device_release(device));
        return 1;
    }
    print_message("skipped: %s\n", quern_last_error());
    return 0;
}

static void test_to_opencl_and_back(void **state)
{
    (void)state;
    if (!opencl_is_here())
        skip();
    check_one_way_and_back("opencl:0");
}

/* A write through a moved view lands in the elements that the view stood for. */
static void test_a_moved_view_writes_its_own_elements(void **state)
{
    (void)state;
    struct mesh mesh, there;
    struct cell more[3];
    const float mark = -1;
    float all[NUMBERS_MAX];
    make_mesh(&mesh, more);
    quern_queue *far = make_queue(open_device("cpu:1"), 1, NULL);
    ok(quern_adapt(open_device("cpu:1"), far, &mesh_fields, &mesh, &there));
    ok(quern_fill(far, there.cells[0].border, QUERN_TYPE(float), &mark));
    get_floats(far, there.cells[0].inside[1], all);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x)
            assert_true(all[7 * y + x] == (y >= 1 && y < 4 && x >= 2 && x < 6 ? mark : (float)(GRID + 7 * y + x)));
    holds_floats(queue, QUERN_CONST_VIEW(mesh.cells[0].mass), GRID);
    ok(quern_adapt_release(&mesh_fields, &there));
    ok(quern_queue_release(far));
    release_mesh(&mesh);
}

/* ---- views of all kinds ---- */

struct views {
    quern_view deep, flat, row, thin, bits, nothing, scalar;
    quern_buffer *empty;
};
QUERN_ADAPT_FIELDS(views_fields, struct views, QUERN_ADAPT_VIEW(struct views, deep),
                   QUERN_ADAPT_VIEW(struct views, flat), QUERN_ADAPT_VIEW(struct views, row),
                   QUERN_ADAPT_VIEW(struct views, thin), QUERN_ADAPT_VIEW(struct views, bits),
                   QUERN_ADAPT_VIEW(struct views, nothing), QUERN_ADAPT_VIEW(struct views, scalar),
                   QUERN_ADAPT_BUFFER(struct views, empty));

/* Fields that are no boxes of their buffers: of another rank, every second row, of another type. */
static void make_views_by_hand(struct views *views, quern_buffer *packed)
{
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(35), &layout));
    views->flat = QUERN_VIEW(packed);
    ok(quern_span_make(views->flat.span.address, &layout, &views->flat.span));
    const size_t second[1] = {7};
    ok(quern_view_sub(views->flat, second, QUERN_EXTENTS(7), &views->row));
    views->thin = QUERN_VIEW(packed);
    views->thin.span.layout.extents[0] = 3;
    views->thin.span.layout.pitches[0] *= 2;
    views->bits = QUERN_VIEW(packed);
    views->bits.span.layout.type = QUERN_TYPE(uint32_t);
}

static void test_views_of_all_kinds(void **state)
{
    (void)state;
    struct views views, there;
    quern_layout layout;
    quern_buffer *volume, *packed;
    const size_t inside[3] = {1, 1, 2}, end[2] = {5, 3};
    quern_device *device = open_device("cpu:1");
    quern_queue *far = make_queue(device, 1, NULL);
    memset(&views, 0, sizeof views);
    ok(quern_layout_padded(QUERN_TYPE(float), QUERN_EXTENTS(3, 3, 5), 4, 1, &layout));
    ok(quern_buffer_create_with_layout(cpu, &layout, QUERN_MEMORY_DEVICE, &volume));
    set_floats(queue, QUERN_VIEW(volume), 0);
    ok(quern_view_sub(QUERN_VIEW(volume), inside, QUERN_EXTENTS(1, 2, 3), &views.deep));
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(5, 7), &layout));
    ok(quern_buffer_create_with_layout(cpu, &layout, QUERN_MEMORY_DEVICE, &packed));
    set_floats(queue, QUERN_VIEW(packed), 50);
    make_views_by_hand(&views, packed);
    ok(quern_view_sub(QUERN_VIEW(packed), end, QUERN_EXTENTS(0, 4), &views.nothing));
    quern_buffer *scalar = make_floats(queue, quern_extents_scalar(), 3);
    views.scalar = QUERN_VIEW(scalar);
    views.empty = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(0, 4));

    ok(quern_adapt(device, far, &views_fields, &views, &there));
    float part[NUMBERS_MAX];
    assert_int_equal(get_floats(far, QUERN_CONST_VIEW(there.deep), part), 6);
    for (int i = 0; i < 6; ++i)
        assert_true(part[i] == (float)(15 + 5 * (1 + i / 3) + 2 + i % 3));
    holds_floats(far, QUERN_CONST_VIEW(there.flat), 50);
    holds_floats(far, QUERN_CONST_VIEW(there.row), 57);
    get_floats(far, QUERN_CONST_VIEW(there.thin), part);
    for (int i = 0; i < 21; ++i)
        assert_true(part[i] == (float)(50 + 14 * (i / 7) + i % 7));
    assert_int_equal(there.bits.span.layout.type.kind, QUERN_KIND_UINT32);
    assert_ptr_equal(there.bits.span.address, there.flat.span.address);
    quern_span anew;
    ok(quern_span_make(there.flat.span.address, &there.flat.span.layout, &anew));
    assert_int_equal(there.flat.span.alignment, anew.alignment);
    assert_int_equal(there.nothing.span.layout.extents[1], 4);
    assert_ptr_equal(there.nothing.buffer, there.flat.buffer);
    holds_floats(far, QUERN_CONST_VIEW(there.scalar), 3);
    ok(quern_buffer_layout(there.empty, &layout));
    assert_true(layout.extents[0] == 0 && layout.extents[1] == 4);

    ok(quern_adapt_release(&views_fields, &there));
    quern_buffer *const made[4] = {volume, packed, scalar, views.empty};
    for (int i = 0; i < 4; ++i)
        ok(quern_buffer_release(made[i]));
    ok(quern_queue_release(far));
}

/* ---- what is there already ---- */

static void test_what_is_there_is_shared(void **state)
{
    (void)state;
    struct mesh mesh, same;
    struct cell more[3];
    make_mesh(&mesh, more);
    ok(quern_adapt(cpu, NULL, &mesh_fields, &mesh, &same));
    assert_ptr_equal(same.cells[0].mass, mesh.cells[0].mass);
    assert_memory_equal(&same.cells[0].border, &mesh.cells[0].border, sizeof same.cells[0].border);
    release_mesh(&mesh); /* the copy has references of its own */
    check_elements(queue, &same);
    ok(quern_adapt_release(&mesh_fields, &same));
}

struct one {
    quern_buffer *buffer;
};
QUERN_ADAPT_FIELDS(one_fields, struct one, QUERN_ADAPT_BUFFER(struct one, buffer));

/* Host memory of a device whose kernels do not reach it is of no use to a launch. */
static void test_host_memory_of_the_device_moves(void **state)
{
    (void)state;
    if (!opencl_is_here())
        skip();
    quern_device *device = open_device("opencl:0");
    quern_queue *far = make_queue(device, 0, NULL);
    quern_layout layout;
    struct one one, there;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(11), &layout));
    ok(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_HOST, &one.buffer));
    set_floats(far, QUERN_VIEW(one.buffer), 5);
    ok(quern_adapt(device, far, &one_fields, &one, &there));
    assert_ptr_not_equal(there.buffer, one.buffer);
    quern_buffer *y = make_floats(far, QUERN_EXTENTS(11), 0);
    ok(saxpy(far, QUERN_RANGE(11), QUERN_CONST_VIEW(there.buffer), QUERN_VIEW(y), 0.0f));
    holds_floats(far, QUERN_CONST_VIEW(there.buffer), 5);
    ok(quern_adapt_release(&one_fields, &there));
    ok(quern_buffer_release(one.buffer));
    ok(quern_buffer_release(y));
    ok(quern_queue_release(far));
}

/* ---- queues ---- */

/* A non-blocking queue that cannot go on does not hold up the host, and the copies are ordered behind its commands. */
static void test_adapt_does_not_wait(void **state)
{
    (void)state;
    struct mesh mesh, there;
    struct cell more[3];
    gate held;
    quern_device *device = open_device("cpu:1");
    quern_queue *far = make_queue(device, 0, NULL);
    int idle = 1;
    make_mesh(&mesh, more);
    gate_init(&held, QUERN_SUCCESS);
    ok(quern_queue_call(far, gate_pass, &held));
    ok(quern_adapt(device, far, &mesh_fields, &mesh, &there));
    ok(quern_queue_query(far, &idle));
    assert_int_equal(idle, 0);
    release_mesh(&mesh);
    gate_open(&held);
    check_elements(far, &there);
    ok(quern_adapt_release(&mesh_fields, &there));
    ok(quern_queue_release(far));
    gate_destroy(&held);
}

/* Without a queue it is the caller's own on that device, whatever its current device is. */
static quern_status adapt_on_own_queue(void *argument)
{
    struct mesh there;
    quern_device *device = open_device("cpu:1"), *before, *after;
    quern_queue *own;
    quern_queue_statistics statistics;
    ok(quern_device_current(&before));
    ok(quern_adapt(device, NULL, &mesh_fields, argument, &there));
    ok(quern_device_current(&after));
    assert_ptr_equal(before, after);
    ok(quern_device_set_current(device));
    ok(quern_queue_current(&own));
    ok(quern_queue_get_statistics(own, &statistics));
    assert_int_equal(statistics.commands, 3); /* a copy for each buffer, no more */
    check_elements(own, &there);
    ok(quern_device_set_current(before));
    ok(quern_adapt_release(&mesh_fields, &there));
    return QUERN_SUCCESS;
}

static void *on_a_thread(void *argument)
{
    adapt_on_own_queue(argument);
    return NULL;
}

/* All at once: nobody writes to what they share. */
static void test_own_queues(void **state)
{
    (void)state;
    struct mesh mesh;
    struct cell more[3];
    pthread_t thread;
    quern_task *tasks[3];
    make_mesh(&mesh, more);
    assert_int_equal(pthread_create(&thread, NULL, on_a_thread, &mesh), 0);
    for (int i = 0; i < 3; ++i)
        ok(quern_spawn(NULL, adapt_on_own_queue, &mesh, &tasks[i]));
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 3; ++i)
        ok(quern_join(tasks[i]));
    release_mesh(&mesh);
}

/* ---- many ---- */

struct crowd {
    struct pair {
        quern_buffer *left, *right;
    } * pairs;
    size_t count;
};
QUERN_ADAPT_FIELDS(pair_fields, struct pair, QUERN_ADAPT_BUFFER(struct pair, left),
                   QUERN_ADAPT_BUFFER(struct pair, right));
QUERN_ADAPT_FIELDS(crowd_fields, struct crowd, QUERN_ADAPT_ARRAY(struct crowd, pairs, count, pair_fields));

/* Each buffer stands in two pairs. */
static void test_a_crowd_keeps_what_it_shares(void **state)
{
    (void)state;
    enum { PAIRS = 3000 };
    static struct pair pairs[PAIRS];
    struct crowd crowd = {pairs, PAIRS}, there;
    for (int i = 0; i < PAIRS; ++i)
        pairs[i].left = pairs[(i * 7 + 1) % PAIRS].right = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(1));
    size_t before = quern_objects_live();
    ok(quern_adapt(open_device("cpu:1"), NULL, &crowd_fields, &crowd, &there));
    assert_true(quern_objects_live() <= before + PAIRS + 1); /* and the current queue */
    for (int i = 0; i < PAIRS; ++i)
        assert_ptr_equal(there.pairs[i].left, there.pairs[(i * 7 + 1) % PAIRS].right);
    ok(quern_adapt_release(&crowd_fields, &there));
    for (int i = 0; i < PAIRS; ++i)
        ok(quern_buffer_release(pairs[i].left));
}

static int begin(void **state)
{
    (void)state;
    cpu = open_device("cpu:0");
    queue = make_queue(cpu, 1, NULL);
    return 0;
}

/* BUSY if anything is still held. */
static int end(void **state)
{
    (void)state;
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    setenv("QUERN_CPU_DEVICES", "2", 1);
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_to_another_cpu_device_and_back, begin, end),
        cmocka_unit_test_setup_teardown(test_to_opencl_and_back, begin, end),
        cmocka_unit_test_setup_teardown(test_a_moved_view_writes_its_own_elements, begin, end),
        cmocka_unit_test_setup_teardown(test_views_of_all_kinds, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_there_is_shared, begin, end),
        cmocka_unit_test_setup_teardown(test_host_memory_of_the_device_moves, begin, end),
        cmocka_unit_test_setup_teardown(test_adapt_does_not_wait, begin, end),
        cmocka_unit_test_setup_teardown(test_own_queues, begin, end),
        cmocka_unit_test_setup_teardown(test_a_crowd_keeps_what_it_shares, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
