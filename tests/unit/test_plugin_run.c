/* Loaded backends at work: started when they are needed, listed in their order, and as good as those of this build. */
#include "runtime_test.h"

#include <dlfcn.h>
#include <unistd.h>

#include "runtime/backends.h"
#include "runtime/host.h"
#include "runtime/queue.h"

#define PLUGIN(name) QUERN_PLUGINS "/" name ".so"

enum { N = 1009 };

/* y = 1 + 3 x on the device, through host memory both ways. */
static void compute(const char *name)
{
    float x[N], y[N];
    quern_device *device = open_device(name);
    quern_queue *queue = make_queue(device, 0, name);
    quern_buffer *a = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N)),
                 *b = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_layout layout;
    quern_span from, to;
    for (int i = 0; i < N; ++i)
        x[i] = (float)i, y[i] = -1;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    ok(quern_span_make(x, &layout, &from));
    ok(quern_span_make(y, &layout, &to));
    ok(quern_copy_from_host(queue, QUERN_VIEW(a), QUERN_CONST_SPAN(from)));
    fill_float(queue, QUERN_VIEW(b), 1);
    ok(launch_axpy(queue, N, QUERN_CONST_VIEW(a), QUERN_VIEW(b), 3));
    ok(quern_copy_to_host(queue, to, QUERN_CONST_VIEW(b)));
    ok(quern_queue_synchronize(queue));
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == 1 + 3 * (float)i);
    ok(quern_buffer_release(a));
    ok(quern_buffer_release(b));
    ok(quern_queue_release(queue));
}

static size_t device_number(const char *wanted)
{
    size_t count = 0;
    const char *name;
    ok(quern_device_count(&count));
    for (size_t i = 0; i < count; ++i) {
        ok(quern_device_name(i, &name));
        if (strcmp(name, wanted) == 0)
            return i;
    }
    fail_msg("there is no device %s", wanted);
    return 0;
}

/* Everybody loads the same file and wants its device and all others: it is one backend, started once. */
static void *load_and_use(void *argument)
{
    _Atomic int *loads = argument;
    const char *name;
    size_t count = 0;
    quern_status status = quern_backend_load(PLUGIN("many_devices"));
    if (status == QUERN_SUCCESS)
        ++*loads;
    else
        refused(status, QUERN_INVALID_ARGUMENT, "loaded already");
    compute("many_devices:7");
    compute("cpu:0");
    ok(quern_device_count(&count));
    ok(quern_device_name(count - 1, &name));
    assert_string_equal(name, "many_devices:20");
    compute("many_devices:20");
    return NULL;
}

static void several_threads_load_and_start_at_once(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    _Atomic int loads = 0;
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, load_and_use, &loads), 0);
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(loads, 1);
}

/* The backend "hungry" counts its starts, and has no memory for the first two. */
static void a_backend_starts_when_it_is_needed(void **state)
{
    (void)state;
    quern_device *device = NULL;
    ok(quern_backend_load(PLUGIN("hungry")));
    compute("cpu:0");
    ok(quern_device_default(&device));
    ok(quern_device_release(device));
    refused(quern_device_open("cpu:4711", &device), QUERN_NOT_PRESENT, "the cpu backend has cpu:0");
    refused(quern_device_open("hungry:0", &device), QUERN_OUT_OF_MEMORY, "hungry:0|at start 1");

    /* The device numbers are those of the last count. */
    const char *name = NULL, *reason = NULL;
    quern_status found = QUERN_SUCCESS;
    refused(quern_device_name(SIZE_MAX, &name), QUERN_INVALID_ARGUMENT, "index");
    size_t count = 0;
    ok(quern_backend_count(&count));
    ok(quern_backend_status(count - 1, &name, &found, &reason));
    assert_string_equal(name, "hungry");
    assert_int_equal(found, QUERN_OUT_OF_MEMORY);
    assert_string_equal(reason, "no memory for the mill, at start 2");
    compute("hungry:0"); /* the third start */
    ok(quern_backend_status(count - 1, &name, &found, NULL));
    assert_int_equal(found, QUERN_SUCCESS);
    assert_string_equal(reason, "no memory for the mill, at start 2"); /* still readable */
}

/* The order is that of the backends, not that of their starts. */
static void devices_are_listed_in_the_order_of_backends(void **state)
{
    (void)state;
    ok(quern_backend_load(PLUGIN("serial")));
    ok(quern_backend_load(PLUGIN("minimal")));
    compute("minimal:0");
    assert_int_equal(device_number("cpu:0"), 0);
    assert_int_equal(device_number("hungry:0"), device_number("many_devices:20") + 1);
    assert_int_equal(device_number("minimal:0"), device_number("serial:0") + 1);
    assert_int_equal(device_number("serial:0"), device_number("hungry:0") + 1);
    compute("serial:0");
}

/* A shorter table than the library's lacks the last functions, a longer one has more than it knows. */
static void tables_of_other_times_work(void **state)
{
    (void)state;
    ok(quern_backend_load(PLUGIN("old_table")));
    ok(quern_backend_load(PLUGIN("new_table")));
    ok(quern_backend_load(PLUGIN("longest_name")));
    compute("old_table:0");
    compute("new_table:0");
    compute("mill_of_fifteen:0");
    quern_device_info info;
    ok(quern_device_get_info(open_device("mill_of_fifteen:0"), &info));
    assert_string_equal(info.backend, "mill_of_fifteen");
    assert_string_equal(info.name, "mill_of_fifteen:0");
}

/* Far more devices than a kernel has slots at hand: each has the kernel built once, and released where it was built. */
static void many_devices_run_one_kernel(void **state)
{
    (void)state;
    for (int round = 0; round < 2; ++round)
        for (int i = 20; i >= 0; --i) {
            char name[32];
            snprintf(name, sizeof name, "many_devices:%d", i);
            compute(name);
        }
    compute("cpu:0");
}

/* A backend that knows its own table only is found by it. */
static void a_queue_is_pinned_by_the_backends_own_table(void **state)
{
    (void)state;
    void *module = dlopen(PLUGIN("minimal"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(module);
    void *symbol = dlsym(module, QUERN_BACKEND_ENTRY);
    quern_backend_entry_function *entry;
    memcpy(&entry, &symbol, sizeof entry);
    const quern_backend *own = entry(), *used = quern_backends_table(own);
    assert_non_null(used);
    assert_ptr_not_equal(used, own);
    assert_string_equal(used->name, "minimal");
    assert_null(used->wait);
    dlclose(module);

    quern_queue *queue = make_queue(open_device("minimal:0"), 0, "pinned");
    quern_progress *progress = ((struct quern_queue *)queue)->progress;
    assert_non_null(quern_host.queue_pin(progress, own));
    quern_host.queue_unpin(progress);
    assert_null(quern_host.queue_pin(progress, &queue));
    ok(quern_queue_release(queue));
}

/* What the minimal backend gives out, the host cannot reach: whoever tries is found by every test on that device. */
static void device_memory_is_out_of_reach(void **state)
{
    (void)state;
    quern_device *device = open_device("minimal:0");
    quern_buffer *buffer = make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    quern_view view;
    ok(quern_buffer_view(buffer, &view));
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], view.span.address, 1), -1);
    close(ends[0]);
    close(ends[1]);
    quern_buffer *pinned = NULL;
    ok(quern_buffer_release(buffer));
    quern_layout layout;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    refused(quern_buffer_create_with_layout(device, &layout, QUERN_MEMORY_HOST, &pinned), QUERN_NOT_SUPPORTED,
            "kind|device memory");
}

/* Everything stays loaded, is stopped, and starts anew. */
static void a_shutdown_stops_them_and_they_start_again(void **state)
{
    (void)state;
    for (int life = 0; life < 3; ++life) {
        ok(quern_shutdown());
        compute(life % 2 ? "minimal:0" : "many_devices:17");
        compute("serial:0");
        compute("many_devices:0");
    }
    refused(quern_backend_load(PLUGIN("minimal")), QUERN_INVALID_ARGUMENT, "loaded already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_threads_load_and_start_at_once),
        cmocka_unit_test(a_backend_starts_when_it_is_needed),
        cmocka_unit_test(devices_are_listed_in_the_order_of_backends),
        cmocka_unit_test(tables_of_other_times_work),
        cmocka_unit_test(many_devices_run_one_kernel),
        cmocka_unit_test(a_queue_is_pinned_by_the_backends_own_table),
        cmocka_unit_test(device_memory_is_out_of_reach),
        cmocka_unit_test(a_shutdown_stops_them_and_they_start_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
