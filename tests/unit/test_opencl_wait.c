/* Waits for an event of an OpenCL queue that fails, or whose device is gone: all that wait have the failure. On the
 * stand-in for the loader. */
#include "runtime_test.h"

#include "opencl_shim_test.h"

#include <poll.h>
#include <unistd.h>

enum { N = 100 };

static const float one = 1;

/* q[0] has the event, q[1] is of the same device, q[2] of the CPU. */
static void wait_for_what_fails(struct quern_opencl_shim *shim, int is_frozen, quern_status wanted, const char *words)
{
    quern_device *device = open_device("opencl:0");
    quern_queue *q[] = {make_queue(device, 0, "first"), make_queue(device, 0, "second"),
                        make_queue(open_device("cpu:0"), 0, "cpu")};
    quern_buffer *x = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_event *event = NULL;
    struct pollfd descriptor = {.events = POLLIN};
    ok(quern_fill(q[0], QUERN_VIEW(x), QUERN_TYPE(float), &one));
    ok(quern_queue_synchronize(q[0]));
    shim->is_frozen = is_frozen;
    if (!is_frozen)
        opencl_shim_break(shim, 1, CL_OUT_OF_RESOURCES);
    ok(quern_fill(q[0], QUERN_VIEW(x), QUERN_TYPE(float), &one));
    ok(quern_event_record(q[0], &event));
    ok(quern_queue_wait(q[1], event));
    ok(quern_queue_wait(q[2], event));
    ok(quern_event_fd(event, &descriptor.fd));
    refused(quern_event_wait(event), wanted, "the event's queue failed before it");
    refused(quern_event_query(event), wanted, words);
    assert_int_equal(poll(&descriptor, 1, -1), 1);
    refused(quern_queue_synchronize(q[0]), wanted, words);
    for (int i = 1; i < 3; ++i)
        refused(quern_queue_synchronize(q[i]), wanted, "a wait for an event|failed before it");
    shim->is_frozen = 0;
    close(descriptor.fd);
    ok(quern_event_release(event));
    ok(quern_buffer_release(x));
    for (int i = 0; i < 3; ++i)
        ok(quern_queue_release(q[i]));
    ok(quern_shutdown());
    opencl_shim_nothing_left(shim);
}

static void all_that_wait_have_the_failure(void **state)
{
    struct quern_opencl_shim *shim = opencl_shim_load();
    (void)state;
    if (!shim)
        skip();
    wait_for_what_fails(shim, 0, QUERN_OUT_OF_MEMORY, "CL_OUT_OF_RESOURCES (-5)");
    wait_for_what_fails(shim, 1, QUERN_DEVICE_LOST, "CL_DEVICE_NOT_AVAILABLE (-2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_wait_have_the_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
