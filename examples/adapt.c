/*
 * A struct with buffers in it, in an array of structs and shared between them, goes to another device and comes back:
 * quern_adapt. The kernel is in adapt.k.c; the launches take the fields of the struct's copy.
 */
#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapt.k.h"

#define SWARMS 3
#define BALLS 1000
#define STEPS 10

/* The wind blows for all swarms alike, so it is one buffer. */
struct swarm {
    float step;
    quern_buffer *velocity, *position, *wind;
};

struct field {
    struct swarm swarms[SWARMS];
    quern_view near; /* the first balls of the first swarm */
};

/* Which members are buffers, or hold some. */
QUERN_ADAPT_FIELDS(swarm_fields, struct swarm, QUERN_ADAPT_BUFFER(struct swarm, velocity),
                   QUERN_ADAPT_BUFFER(struct swarm, position), QUERN_ADAPT_BUFFER(struct swarm, wind));
QUERN_ADAPT_FIELDS(field_fields, struct field, QUERN_ADAPT_STRUCT(struct field, swarms, swarm_fields),
                   QUERN_ADAPT_VIEW(struct field, near));

static void check(quern_status status)
{
    if (status) {
        fprintf(stderr, "adapt: %s\n", quern_last_error());
        exit(1);
    }
}

static quern_buffer *filled(quern_device *device, quern_queue *queue, float value)
{
    quern_buffer *buffer;
    check(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(BALLS), &buffer));
    check(quern_fill(queue, QUERN_VIEW(buffer), QUERN_TYPE(float), &value));
    return buffer;
}

static void make_field(quern_device *device, quern_queue *queue, struct field *field)
{
    const size_t first[1] = {0};
    quern_buffer *wind = filled(device, queue, 0.5f);
    for (int i = 0; i < SWARMS; ++i) {
        struct swarm *swarm = &field->swarms[i];
        swarm->step = 1.0f / (float)(1 << i);
        swarm->velocity = filled(device, queue, (float)i);
        swarm->position = filled(device, queue, 0);
        swarm->wind = wind;
    }
    check(quern_view_sub(QUERN_VIEW(field->swarms[0].position), first, QUERN_EXTENTS(3), &field->near));
}

static void release_field(struct field *field)
{
    check(quern_buffer_release(field->swarms[0].wind));
    for (int i = 0; i < SWARMS; ++i) {
        check(quern_buffer_release(field->swarms[i].velocity));
        check(quern_buffer_release(field->swarms[i].position));
    }
}

/* The device to go to: the last that this machine has. */
static quern_device *last_device(void)
{
    size_t count;
    const char *name;
    quern_device *device;
    check(quern_device_count(&count));
    check(quern_device_name(count - 1, &name));
    check(quern_device_open(name, &device));
    printf("adapt: from cpu:0 to %s and back\n", name);
    return device;
}

/* Every ball has gone as far as it should have. */
static int check_swarm(quern_queue *queue, const struct swarm *swarm, int number)
{
    static float position[BALLS];
    const float wanted = STEPS * swarm->step * ((float)number + 0.5f);
    quern_layout layout;
    quern_span span;
    int wrong = 0;
    check(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(BALLS), &layout));
    check(quern_span_make(position, &layout, &span));
    check(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(swarm->position)));
    for (int i = 0; i < BALLS; ++i)
        wrong += position[i] != wanted;
    printf("adapt: swarm %d is at %g, %d of %d balls are elsewhere\n", number, (double)position[0], wrong, BALLS);
    return wrong;
}

int main(void)
{
    struct field here, there, back;
    quern_device *cpu, *device;
    quern_queue *queue, *far;
    int wrong = 0;

    check(quern_device_open("cpu:0", &cpu));
    check(quern_device_set_current(cpu));
    check(quern_queue_current(&queue));
    make_field(cpu, queue, &here);

    /* Seven buffers move, each once; on this queue nobody waits for them. */
    device = last_device();
    check(quern_queue_create(device, NULL, &far));
    check(quern_adapt(device, far, &field_fields, &here, &there));
    printf("adapt: the swarms %s their wind\n", there.swarms[0].wind == there.swarms[2].wind ? "share" : "lost");
    for (int step = 0; step < STEPS; ++step)
        for (int i = 0; i < SWARMS; ++i) {
            struct swarm *swarm = &there.swarms[i];
            check(drift(far, QUERN_RANGE(BALLS), QUERN_CONST_VIEW(swarm->velocity), QUERN_CONST_VIEW(swarm->wind),
                        QUERN_VIEW(swarm->position), swarm->step));
        }

    check(quern_adapt(cpu, queue, &field_fields, &there, &back));
    for (int i = 0; i < SWARMS; ++i)
        wrong += check_swarm(queue, &back.swarms[i], i);
    wrong += back.near.buffer != back.swarms[0].position || there.swarms[0].wind != there.swarms[2].wind;

    check(quern_adapt_release(&field_fields, &back));
    check(quern_adapt_release(&field_fields, &there));
    release_field(&here);
    check(quern_queue_release(far));
    check(quern_device_release(device));
    check(quern_device_release(cpu));
    return wrong ? 1 : 0;
}
