/* Who holds an event: the program's references, and apart from them whoever still waits for it or comes to it. */
#include "queue_test.h"

#include <unistd.h>

#include "runtime/event.h"

static const char *const devices[] = {"cpu:0", "lazy:0", "eager:0", "all:0", "helps:0", "waits:0", "calls:0", "full:0"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* A queue that stands before a gate, and an event behind that. */
typedef struct gated {
    quern_queue *queue, *other;
    gate gate;
    quern_event *event;
} gated;

static void begin(gated *self, const char *device)
{
    gate_init(&self->gate, QUERN_SUCCESS);
    self->queue = make_queue(open_device(device), 0, "gated");
    self->other = make_queue(open_device(device), 0, "other");
    ok(quern_queue_call(self->queue, gate_pass, &self->gate));
    ok(quern_event_record(self->queue, &self->event));
}

/* No reference is left of the released event: nothing that is live is, once all has come to its end. */
static void end(gated *self)
{
    gate_open(&self->gate);
    ok(quern_queue_synchronize(self->queue));
    ok(quern_queue_synchronize(self->other));
    ok(quern_queue_release(self->queue));
    ok(quern_queue_release(self->other));
    gate_destroy(&self->gate);
    ok(quern_shutdown());
    assert_int_equal(quern_objects_live(), 0);
}

static void refused_by_all(gated *self)
{
    quern_event *event = self->event;
    double seconds;
    int fd;
    refused(quern_event_query(event), QUERN_RELEASED, "event has been released");
    refused(quern_event_wait(event), QUERN_RELEASED, "event has been released");
    refused(quern_event_fd(event, &fd), QUERN_RELEASED, "event has been released");
    refused(quern_event_retain(event), QUERN_RELEASED, "event has been released");
    refused(quern_event_release(event), QUERN_RELEASED, "event has been released");
    refused(quern_event_elapsed(event, event, &seconds), QUERN_RELEASED, "begin has been released");
    refused(quern_queue_wait(self->other, event), QUERN_RELEASED, "event has been released");
}

/* Behind the gate the record, and a wait, have the event still. */
static void test_released_while_it_is_to_come(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        begin(&self, devices[i]);
        ok(quern_queue_wait(self.other, self.event));
        ok(quern_event_retain(self.event));
        ok(quern_event_release(self.event));
        assert_int_equal(quern_event_query(self.event), QUERN_NOT_READY);
        ok(quern_event_release(self.event));
        refused_by_all(&self);
        end(&self);
    }
}

static void *wait_for_event(void *event)
{
    return (void *)(uintptr_t)quern_event_wait(event);
}

static void test_released_while_a_thread_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        pthread_t thread;
        void *status;
        begin(&self, devices[i]);
        unsigned users = atomic_load(&self.event->users);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_event, self.event), 0);
        while (atomic_load(&self.event->users) == users)
            usleep(100);
        ok(quern_event_release(self.event));
        refused_by_all(&self);
        gate_open(&self.gate);
        assert_int_equal(pthread_join(thread, &status), 0);
        assert_int_equal((uintptr_t)status, QUERN_SUCCESS);
        end(&self);
    }
}

/* A graph that waits for an event has it until it is released itself; a point of a graph is released like any event. */
static void test_released_while_a_graph_has_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        quern_graph *graph = NULL;
        quern_event *point = NULL;
        int ran = 0;
        begin(&self, devices[i]);
        ok(quern_graph_begin(&self.other, 1));
        ok(quern_queue_wait(self.other, self.event));
        ok(quern_queue_call(self.other, gate_pass, &self.gate));
        ok(quern_event_record(self.other, &point));
        ok(quern_event_release(point));
        ok(quern_graph_end(self.other, &graph));
        ok(quern_graph_launch(graph));
        ok(quern_event_release(self.event));
        refused_by_all(&self);
        ok(quern_queue_query(self.other, &ran));
        assert_int_equal(ran, 0);
        gate_open(&self.gate);
        ok(quern_queue_synchronize(self.other));
        ok(quern_graph_launch(graph)); /* of an event that is complete */
        ok(quern_queue_synchronize(self.other));
        ok(quern_graph_release(graph));
        end(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_released_while_it_is_to_come),
        cmocka_unit_test(test_released_while_a_thread_waits),
        cmocka_unit_test(test_released_while_a_graph_has_it),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
