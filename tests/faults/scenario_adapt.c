/* A scenario on quern_adapt: enough buffers and arrays that its lists grow; a failure leaves the target as it was. */
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

enum { NODES = 18 };

struct leaf {
    quern_const_view part;
};
struct node {
    quern_buffer *x;
    struct leaf *leaves;
    size_t count;
};
struct plant {
    struct node nodes[NODES];
    quern_buffer *same;
};
QUERN_ADAPT_FIELDS(leaf_fields, struct leaf, QUERN_ADAPT_VIEW(struct leaf, part));
QUERN_ADAPT_FIELDS(node_fields, struct node, QUERN_ADAPT_BUFFER(struct node, x),
                   QUERN_ADAPT_ARRAY(struct node, leaves, count, leaf_fields));
QUERN_ADAPT_FIELDS(plant_fields, struct plant, QUERN_ADAPT_STRUCT(struct plant, nodes, node_fields),
                   QUERN_ADAPT_BUFFER(struct plant, same));

/* The first two have to move; the others are there already, in memory that costs no further call. */
static quern_status make_plant(quern_device *device, quern_device *other, struct plant *plant,
                               struct leaf leaves[NODES])
{
    quern_status status = QUERN_SUCCESS;
    static float memory[NODES][3];
    const size_t second[1] = {1};
    quern_layout layout;
    TRY(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(3), &layout));
    for (int i = 0; i < NODES; ++i) {
        struct node *node = &plant->nodes[i];
        TRY(quern_buffer_wrap(i < 2 ? device : other, memory[i], &layout, NULL, NULL, &node->x));
        TRY(quern_const_view_sub(QUERN_CONST_VIEW(node->x), second, QUERN_EXTENTS(2), &leaves[i].part));
        node->leaves = &leaves[i];
        node->count = 1;
    }
    plant->same = plant->nodes[0].x;
out:
    return status;
}

quern_status scenario_adapt(void)
{
    quern_status status = QUERN_SUCCESS;
    quern_device *device = NULL, *other = NULL;
    struct leaf leaves[NODES];
    struct plant plant, there, before;
    memset(&plant, 0, sizeof plant);
    memset(&there, 0x5a, sizeof there);
    before = there;
    setenv("QUERN_CPU_DEVICES", "2", 1); /* read when the backend starts, which it does in every replay */
    TRY(quern_device_open("cpu:0", &device));
    TRY(quern_device_open("cpu:1", &other));
    TRY(make_plant(device, other, &plant, leaves));
    status = quern_adapt(other, NULL, &plant_fields, &plant, &there);
    if (status != QUERN_SUCCESS)
        REQUIRE(memcmp(&there, &before, sizeof there) == 0);
    TRY(status);
    REQUIRE(there.same == there.nodes[0].x && there.same != plant.same);
    REQUIRE(there.nodes[NODES - 1].leaves[0].part.buffer == there.nodes[NODES - 1].x);
    RELEASE(quern_adapt_release(&plant_fields, &there));
out:
    for (int i = 0; i < NODES; ++i)
        RELEASE(quern_buffer_release(plant.nodes[i].x));
    RELEASE(quern_device_release(other));
    RELEASE(quern_device_release(device));
    return status;
}
