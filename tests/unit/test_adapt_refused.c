/* quern_adapt refuses: every bad argument, table and field has its status and a sentence that names it, the target
 * stays as it was, and nothing is kept. */
#include "adapt_test.h"

#include "base/object.h"

struct leaf {
    quern_buffer *x;
    quern_view part;
};
struct tree {
    struct leaf leaves[2];
    struct leaf *more;
    size_t count;
};
QUERN_ADAPT_FIELDS(leaf_fields, struct leaf, QUERN_ADAPT_BUFFER(struct leaf, x), QUERN_ADAPT_VIEW(struct leaf, part));
QUERN_ADAPT_FIELDS(tree_fields, struct tree, QUERN_ADAPT_STRUCT(struct tree, leaves, leaf_fields),
                   QUERN_ADAPT_ARRAY(struct tree, more, count, leaf_fields));

static quern_device *cpu, *other;
static quern_queue *queue; /* of other */
static quern_buffer *x;    /* {5, 7} floats of cpu */
static struct tree tree;

/* With a buffer in the first field, so that something would have to be undone. */
static void refused_tree_at(const quern_adapt_fields *fields, quern_status wanted, const char *words, int line)
{
    struct tree target, before;
    memset(&target, 0x5a, sizeof target);
    before = target;
    size_t live = quern_objects_live();
    refused_at(quern_adapt(other, queue, fields, &tree, &target), wanted, words, "quern_adapt", __FILE__, line);
    assert_memory_equal(&target, &before, sizeof target);
    assert_int_equal(quern_objects_live(), live);
}
#define refused_tree(wanted, words) refused_tree_at(&tree_fields, wanted, words, __LINE__)

static void test_arguments(void **state)
{
    (void)state;
    struct tree there;
    quern_queue *wrong = make_queue(cpu, 1, "wrong"), *gone = make_queue(other, 1, NULL);
    refused(quern_adapt(NULL, queue, &tree_fields, &tree, &there), QUERN_INVALID_ARGUMENT, "device|NULL");
    refused(quern_adapt(other, queue, NULL, &tree, &there), QUERN_INVALID_ARGUMENT, "fields|NULL");
    refused(quern_adapt(other, queue, &tree_fields, NULL, &there), QUERN_INVALID_ARGUMENT, "source|NULL");
    refused(quern_adapt(other, queue, &tree_fields, &tree, NULL), QUERN_INVALID_ARGUMENT, "target|NULL");
    refused(quern_adapt(other, wrong, &tree_fields, &tree, &there), QUERN_WRONG_DEVICE, "queue|cpu:0|cpu:1");
    refused(quern_adapt(other, queue, &tree_fields, &tree, &tree), QUERN_INVALID_ARGUMENT, "overlaps|struct tree");
    refused(quern_adapt(other, queue, &leaf_fields, &tree, (char *)&tree + 8), QUERN_INVALID_ARGUMENT, "overlaps");
    refused(quern_adapt_release(NULL, &there), QUERN_INVALID_ARGUMENT, "fields|NULL");
    refused(quern_adapt_release(&tree_fields, NULL), QUERN_INVALID_ARGUMENT, "target|NULL");
#ifdef QUERN_DEBUG
    ok(quern_queue_release(gone));
    refused(quern_adapt(other, gone, &tree_fields, &tree, &there), QUERN_RELEASED, "queue");
#else
    ok(quern_queue_release(gone));
#endif
    ok(quern_queue_release(wrong));
}

/* ---- what stands in the fields ---- */

static void test_views(void **state)
{
    (void)state;
    quern_view *part = &tree.leaves[1].part, good = QUERN_VIEW(x);
    *part = good;
    part->buffer = NULL;
    refused_tree(QUERN_INVALID_ARGUMENT, "source->leaves[1].part|no buffer");
    *part = good;
    part->device = other;
    refused_tree(QUERN_WRONG_DEVICE, "source->leaves[1].part|cpu:0");
    *part = good;
    part->span.layout.extents[0] = 6;
    refused_tree(QUERN_INVALID_SHAPE, "source->leaves[1].part|outside");
    *part = good;
    part->span.address = (char *)part->span.address - 4;
    refused_tree(QUERN_INVALID_SHAPE, "source->leaves[1].part|outside");
    *part = good;
    part->span.layout.rank = 7;
    refused_tree(QUERN_INVALID_SHAPE, "source->leaves[1].part|rank|7");
    *part = good;
    part->span.layout.type.size = 0;
    refused_tree(QUERN_INVALID_TYPE, "source->leaves[1].part|size is 0");
    part->buffer = NULL;
    part->span.address = NULL; /* no view at all */
    struct tree there;
    ok(quern_adapt(other, queue, &tree_fields, &tree, &there));
    ok(quern_adapt_release(&tree_fields, &there));
}

static void test_buffers(void **state)
{
    (void)state;
    struct leaf more[2] = {{NULL, {{NULL, 0, {{0, 0, 0}, 0, 0, {0}, {0}}}, NULL, NULL}}};
    quern_layout layout;
    quern_buffer *huge;
    float element;
    tree.more = more;
    tree.count = 2;
    /* Something else than a buffer. */
    more[1].x = (quern_buffer *)(void *)queue;
    refused_tree(QUERN_INVALID_ARGUMENT, "source->more[1].x|a queue|wanted a buffer");
    /* One that no other device can hold: found when the first has been made already. */
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS((size_t)1 << 50), &layout));
    ok(quern_buffer_wrap(cpu, &element, &layout, NULL, NULL, &huge));
    more[1].x = huge;
    struct tree there;
    size_t live = quern_objects_live();
    quern_status status = quern_adapt(other, queue, &tree_fields, &tree, &there);
    assert_true(status == QUERN_OUT_OF_MEMORY || status == QUERN_LIMIT_EXCEEDED);
    assert_int_equal(quern_objects_live(), live);
    ok(quern_buffer_release(huge));
    more[1].x = NULL;
    tree.count = SIZE_MAX / 2;
    refused_tree(QUERN_OVERFLOW, "source->more[0]|structs");
    tree.count = 0; /* and the pointer to nothing is not kept */
    ok(quern_adapt(other, queue, &tree_fields, &tree, &there));
    assert_null(there.more);
    ok(quern_adapt_release(&tree_fields, &there));
#ifdef QUERN_DEBUG
    tree.count = 2;
    more[0].x = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(3));
    more[1].part = QUERN_VIEW(more[0].x);
    ok(quern_buffer_release(more[0].x));
    refused_tree(QUERN_RELEASED, "source->more[0].x|released");
    more[0].x = NULL;
    refused_tree(QUERN_RELEASED, "source->more[1].part|released");
#endif
}

/* What is no buffer is passed over; the sentence is of the first, and all others are given up. */
static void test_release_of_no_buffer(void **state)
{
    (void)state;
    struct tree there;
    struct leaf more[2];
    memset(more, 0, sizeof more);
    more[1].part = QUERN_VIEW(x);
    tree.more = more;
    tree.count = 2;
    tree.leaves[1].x = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(3));
    size_t live = quern_objects_live();
    ok(quern_adapt(other, queue, &tree_fields, &tree, &there));
    quern_buffer *first = there.leaves[0].x, *second = there.more[1].part.buffer;
    assert_ptr_equal(first, second); /* with two references */
    there.leaves[0].x = (quern_buffer *)(void *)queue;
    there.more[1].part.buffer = (quern_buffer *)(void *)queue;
    refused(quern_adapt_release(&tree_fields, &there), QUERN_INVALID_ARGUMENT,
            "target->leaves[0].x is a queue, wanted a buffer");
    assert_null(there.leaves[0].x);
    assert_null(there.more);
    assert_int_equal(quern_objects_live(), live + 1);
    there.leaves[0].x = first;
    ok(quern_adapt_release(&leaf_fields, &there.leaves[0]));
    struct leaf view_only = {NULL, QUERN_VIEW(second)};
    quern_view good = view_only.part;
    view_only.part.buffer = (quern_buffer *)(void *)queue;
    refused(quern_adapt_release(&leaf_fields, &view_only), QUERN_INVALID_ARGUMENT, "target->part is a queue");
    view_only.part = good;
    ok(quern_adapt_release(&leaf_fields, &view_only));
    assert_int_equal(quern_objects_live(), live);
    ok(quern_buffer_release(tree.leaves[1].x));
    tree.leaves[1].x = NULL;
}

#ifdef QUERN_DEBUG
/* All others are given up all the same. */
static void test_release_goes_on(void **state)
{
    (void)state;
    struct tree there;
    tree.leaves[1].x = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(3));
    size_t live = quern_objects_live();
    ok(quern_adapt(other, queue, &tree_fields, &tree, &there));
    ok(quern_buffer_release(there.leaves[0].x));
    refused(quern_adapt_release(&tree_fields, &there), QUERN_RELEASED, "target->leaves[0].x|released");
    assert_int_equal(quern_objects_live(), live);
    ok(quern_buffer_release(tree.leaves[1].x));
}
#endif

/* ---- tables ---- */

/* The table of struct leaf with its first field changed. */
static quern_adapt_field changed[2];
static const quern_adapt_fields bad = {"struct leaf", sizeof(struct leaf), 2, changed};

static quern_adapt_field *change(void)
{
    memcpy(changed, leaf_fields.fields, sizeof changed);
    return changed;
}

static void test_fields(void **state)
{
    (void)state;
    change()->kind = 0;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|struct leaf|kind 0", __LINE__);
    change()->kind = 5;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|kind 5", __LINE__);
    change()->name = NULL;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "field 0|no name", __LINE__);
    change()->offset = sizeof(struct leaf) - 4;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|outside", __LINE__);
    change()->offset = SIZE_MAX - 3;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|outside", __LINE__);
    change()->size = 4;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|4 bytes|wanted 8", __LINE__);
    change()->count = 0;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|count 0", __LINE__);
    change()->count = SIZE_MAX / 8 + 2;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|outside", __LINE__);
    change()->count = 2;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|'part'|overlap", __LINE__);
    change()->kind = QUERN_ADAPT_IS_STRUCT;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|no table", __LINE__);
    change()->kind = QUERN_ADAPT_IS_STRUCT;
    changed->structs = &leaf_fields; /* another struct's */
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'x'|8 bytes|wanted", __LINE__);
    *change() = tree_fields.fields[1];
    changed->offset = 0;
    changed->count_offset = sizeof(struct leaf) - 4;
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "'more'|number|outside", __LINE__);
    refused(quern_adapt_release(&bad, &tree), QUERN_INVALID_ARGUMENT, "'more'"); /* checked there as well */
}

static void test_tables(void **state)
{
    (void)state;
    const quern_adapt_fields heads[] = {{NULL, sizeof(struct leaf), 2, changed},
                                        {"struct leaf", 0, 2, changed},
                                        {"struct leaf", sizeof(struct leaf), 2, NULL}};
    const char *const words[] = {"name", "struct leaf|size 0", "struct leaf|no fields"};
    change();
    for (int i = 0; i < 3; ++i)
        refused_tree_at(&heads[i], QUERN_INVALID_ARGUMENT, words[i], __LINE__);
    const quern_adapt_fields many = {"struct leaf", sizeof(struct leaf), 1025, changed};
    refused_tree_at(&many, QUERN_LIMIT_EXCEEDED, "1025|1024", __LINE__);
    /* Itself, as a list would be. */
    *change() = tree_fields.fields[1];
    changed->offset = 0;
    changed->structs = &bad;
    changed->size = sizeof(struct leaf);
    refused_tree_at(&bad, QUERN_INVALID_ARGUMENT, "struct leaf|holds itself", __LINE__);
}

struct link {
    void *next;
    size_t count;
};

/* 64 tables in one another serve, 65 do not. */
static void test_depth(void **state)
{
    (void)state;
    static struct link links[65];
    static quern_adapt_field fields[65];
    static quern_adapt_fields tables[65];
    for (int i = 0; i < 65; ++i) {
        tables[i] = (quern_adapt_fields){"struct link", sizeof(struct link), i > 0, &fields[i]};
        fields[i] = (quern_adapt_field){QUERN_ADAPT_IS_ARRAY,     "next", 0,
                                        sizeof(struct link),      1,      offsetof(struct link, count),
                                        i ? &tables[i - 1] : NULL};
        links[i] = (struct link){i ? &links[i - 1] : NULL, 1};
    }
    struct link there;
    ok(quern_adapt(other, queue, &tables[63], &links[63], &there));
    assert_non_null(there.next);
    assert_ptr_not_equal(there.next, &links[62]);
    ok(quern_adapt_release(&tables[63], &there));
    refused(quern_adapt(other, queue, &tables[64], &links[64], &there), QUERN_LIMIT_EXCEEDED, "64");
}

/* A failed queue gives its failure as it does for any copy. */
static void test_a_failed_queue(void **state)
{
    (void)state;
    quern_queue *failing = make_queue(other, 0, "failing");
    struct tree there;
    gate failed;
    gate_init(&failed, QUERN_NOT_FOUND);
    gate_open(&failed);
    ok(quern_queue_call(failing, gate_pass, &failed));
    ok(quern_adapt(other, failing, &tree_fields, &tree, &there)); /* queued, and not run */
    assert_int_equal(quern_queue_synchronize(failing), QUERN_NOT_FOUND);
    ok(quern_adapt_release(&tree_fields, &there));
    ok(quern_queue_release(failing));
    gate_destroy(&failed);
}

static int begin(void **state)
{
    (void)state;
    cpu = open_device("cpu:0");
    other = open_device("cpu:1");
    queue = make_queue(other, 1, NULL);
    x = make_buffer(cpu, QUERN_TYPE(float), QUERN_EXTENTS(5, 7));
    memset(&tree, 0, sizeof tree);
    tree.leaves[0].x = x;
    return 0;
}

static int end(void **state)
{
    (void)state;
    ok(quern_buffer_release(x));
    ok(quern_queue_release(queue));
    ok(quern_shutdown());
    return 0;
}

int main(void)
{
    setenv("QUERN_CPU_DEVICES", "2", 1);
    unsetenv("QUERN_DEVICE");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arguments, begin, end),
        cmocka_unit_test_setup_teardown(test_views, begin, end),
        cmocka_unit_test_setup_teardown(test_buffers, begin, end),
        cmocka_unit_test_setup_teardown(test_release_of_no_buffer, begin, end),
#ifdef QUERN_DEBUG
        cmocka_unit_test_setup_teardown(test_release_goes_on, begin, end),
#endif
        cmocka_unit_test_setup_teardown(test_fields, begin, end),
        cmocka_unit_test_setup_teardown(test_tables, begin, end),
        cmocka_unit_test_setup_teardown(test_depth, begin, end),
        cmocka_unit_test_setup_teardown(test_a_failed_queue, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
