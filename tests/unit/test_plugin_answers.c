/* What a loaded backend answers: statuses of its own making, failures without a sentence, values that cannot be. */
#include "runtime_test.h"

#include <dlfcn.h>

#define PLUGIN(name) QUERN_PLUGINS "/" name ".so"

enum { N = 16 };

/* What the backend "odd" is told (tests/plugin/odd_backend.c). */
static struct {
    const char **function, **sentence, **memory;
    int *status, *late;
    uint64_t *largest_group_items;
    uint32_t *preferred_alignment;
    size_t *group, *kernel_items;
} odd;

static int load_odd(void **state)
{
    (void)state;
    ok(quern_backend_load(PLUGIN("odd")));
    void *module = dlopen(PLUGIN("odd"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(module);
    odd.function = dlsym(module, "odd_function");
    odd.sentence = dlsym(module, "odd_sentence");
    odd.memory = dlsym(module, "odd_memory");
    odd.status = dlsym(module, "odd_status");
    odd.late = dlsym(module, "odd_late");
    odd.largest_group_items = dlsym(module, "odd_largest_group_items");
    odd.preferred_alignment = dlsym(module, "odd_preferred_alignment");
    odd.group = dlsym(module, "odd_group");
    odd.kernel_items = dlsym(module, "odd_kernel_items");
    dlclose(module);
    return !odd.kernel_items;
}

static void be_odd(const char *function, int status, const char *sentence)
{
    *odd.function = function;
    *odd.status = status;
    *odd.sentence = sentence;
}

/* The answers to be mapped: what the function gives, with which sentence, and what the caller gets. %s: the function.
 */
static const struct {
    int status;
    const char *sentence;
    quern_status wanted;
    const char *words;
} answers[] = {
    {777, NULL, QUERN_INTERNAL, "backend \"odd\" gave status 777 from %s, which is none"},
    {-5, "it is Sunday", QUERN_INTERNAL, "backend \"odd\" gave status -5 from %s, which is none: it is Sunday"},
    {QUERN_NOT_READY, NULL, QUERN_INTERNAL, "from %s, which is no failure"},
    {QUERN_DEVICE_LOST, NULL, QUERN_DEVICE_LOST, "backend \"odd\" gave QUERN_DEVICE_LOST from %s without a sentence"},
    {QUERN_DEVICE_LOST, "the mill is gone", QUERN_DEVICE_LOST, "the mill is gone"},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static void leave_a_stale_sentence(void)
{
    (void)quern_device_name(SIZE_MAX, NULL);
    assert_non_null(strstr(quern_last_error(), "name is NULL"));
}

static void expect(quern_status status, size_t answer, const char *function)
{
    char words[256];
    snprintf(words, sizeof words, answers[answer].words, function);
    refused(status, answers[answer].wanted, words);
    assert_null(strstr(quern_last_error(), "name is NULL"));
}

static quern_status nothing(void *argument)
{
    (void)argument;
    return QUERN_SUCCESS;
}

/* ---- what a call reaches ---- */

typedef struct place {
    quern_queue *queue;
    quern_buffer *buffer, *other;
} place;

static quern_status copy(place *place)
{
    float host[N] = {0};
    quern_layout layout;
    quern_span span;
    ok(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout));
    ok(quern_span_make(host, &layout, &span));
    return quern_copy_from_host(place->queue, QUERN_VIEW(place->buffer), QUERN_CONST_SPAN(span));
}

static quern_status fill(place *place)
{
    const float one = 1;
    return quern_fill(place->queue, QUERN_VIEW(place->buffer), QUERN_TYPE(float), &one);
}

static quern_status launch(place *place)
{
    return launch_axpy(place->queue, N, QUERN_CONST_VIEW(place->other), QUERN_VIEW(place->buffer), 1);
}

static quern_status call(place *place)
{
    return quern_queue_call(place->queue, nothing, NULL);
}

static quern_status record(place *place)
{
    quern_event *event = NULL;
    quern_status status = quern_event_record(place->queue, &event);
    (void)quern_event_release(event);
    return status;
}

static quern_status allocate(place *place)
{
    quern_device *device;
    quern_buffer *made = NULL;
    ok(quern_queue_device(place->queue, &device));
    return quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &made);
}

static quern_status queue_create(place *place)
{
    quern_device *device;
    quern_queue *made = NULL;
    ok(quern_queue_device(place->queue, &device));
    return quern_queue_create(device, NULL, &made);
}

static quern_status configure(place *place)
{
    quern_device *device;
    quern_range range = QUERN_RANGE(N), chosen;
    ok(quern_queue_device(place->queue, &device));
    return quern_launch_configuration(device, &group_any_kernel, &range, &chosen);
}

static const struct {
    const char *function;
    quern_status (*reach)(place *place);
    int is_command;
} functions[] = {
    {"allocate", allocate, 0},
    {"queue_create", queue_create, 0},
    {"kernel_build", launch, 0},
    {"copy", copy, 1},
    {"fill", fill, 1},
    {"launch", launch, 1},
    {"call", call, 1},
    {"record", record, 1},
    {"launch_configuration", configure, 0},
};

static place make_place(int blocking)
{
    quern_device *device = open_device("odd:0");
    place place = {make_queue(device, blocking, ""), make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N)),
                   make_buffer(device, QUERN_TYPE(float), QUERN_EXTENTS(N))};
    return place;
}

static void leave_place(place *place)
{
    ok(quern_buffer_release(place->buffer));
    ok(quern_buffer_release(place->other));
    ok(quern_queue_release(place->queue));
    ok(quern_shutdown()); /* what was built is forgotten */
}

/* ---- the tests ---- */

static void answers_of_every_function_are_known_ones(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
        for (size_t a = 0; a < ANSWERS; ++a)
            for (int blocking = 0; blocking < 2; ++blocking) {
                place place = make_place(blocking);
                be_odd(functions[f].function, answers[a].status, answers[a].sentence);
                leave_a_stale_sentence();
                expect(functions[f].reach(&place), a, functions[f].function);
                be_odd(NULL, 0, NULL);
                leave_a_stale_sentence();
                if (functions[f].is_command) /* the failure sticks, too */
                    expect(quern_queue_synchronize(place.queue), a, functions[f].function);
                ok(quern_queue_synchronize(place.queue));
                leave_place(&place);
            }
}

/* A signal is asked for where somebody waits, and after a command that failed. */
static void answers_of_a_signal_are_known_ones(void **state)
{
    (void)state;
    for (size_t a = 0; a < ANSWERS; ++a) {
        place place = make_place(0);
        quern_event *event = NULL;
        ok(quern_event_record(place.queue, &event));
        ok(quern_queue_wait(place.queue, event));
        be_odd("signal", answers[a].status, answers[a].sentence);
        leave_a_stale_sentence();
        quern_device *other = open_device("cpu:0");
        quern_queue *queue = make_queue(other, 0, "");
        quern_event *foreign = NULL;
        gate gate;
        gate_init(&gate, QUERN_SUCCESS);
        ok(quern_queue_call(queue, gate_pass, &gate));
        ok(quern_event_record(queue, &foreign));
        (void)quern_queue_wait(place.queue, foreign); /* held back: it is given by a thread of the runtime */
        gate_open(&gate);
        ok(quern_queue_synchronize(queue));
        expect(quern_queue_synchronize(place.queue), a, "signal");
        gate_destroy(&gate);
        ok(quern_event_release(foreign));
        ok(quern_event_release(event));
        ok(quern_queue_release(queue));
        leave_place(&place); /* ends the runtime's thread, which may ask once more */
        be_odd(NULL, 0, NULL);
    }
}

static void answers_of_a_start_are_known_ones(void **state)
{
    (void)state;
    static const char *const starts[] = {"start", "device_count", "device_open", "device_info"};
    size_t number = 0;
    ok(quern_backend_count(&number));
    for (size_t f = 0; f < sizeof starts / sizeof *starts; ++f)
        for (size_t a = 0; a < ANSWERS; ++a) {
            quern_status found;
            const char *reason;
            char words[256];
            be_odd(starts[f], answers[a].status, answers[a].sentence);
            leave_a_stale_sentence();
            ok(quern_backend_status(number - 1, NULL, &found, &reason));
            assert_string_equal(quern_status_name(found), quern_status_name(answers[a].wanted));
            snprintf(words, sizeof words, answers[a].words, starts[f]);
            if (!strstr(reason, words))
                fail_msg("the reason is \"%s\" and lacks \"%s\"", reason, words);
            be_odd(NULL, 0, NULL);
            ok(quern_shutdown());
        }
}

/* A command that fails later is reported by host->failed, whose status may be odd as well. */
static void late_failures_are_known_ones(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *sentence;
        quern_status wanted;
        const char *words;
    } cases[] = {
        {777, "", QUERN_INTERNAL, "a copy failed: |backend \"odd\" gave status 777 to failed, which is none"},
        {QUERN_SUCCESS, "it rains", QUERN_INTERNAL, "gave status 0 to failed, which is no failure: it rains"},
        {QUERN_DEVICE_LOST, "it rains", QUERN_DEVICE_LOST, "a copy failed: it rains"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        place place = make_place(0);
        be_odd(NULL, cases[i].status, cases[i].sentence);
        *odd.late = 1;
        ok(copy(&place));
        refused(quern_queue_synchronize(place.queue), cases[i].wanted, cases[i].words);
        *odd.late = 0;
        be_odd(NULL, 0, NULL);
        leave_place(&place);
    }
}

static void memory_is_an_address_of_the_alignment(void **state)
{
    (void)state;
    place place = make_place(0);
    *odd.memory = "none";
    refused(allocate(&place), QUERN_INTERNAL, "backend \"odd\" gave NULL from allocate for 64 bytes");
    *odd.memory = "crooked";
    refused(allocate(&place), QUERN_INTERNAL, "backend \"odd\" gave the address |wanted a multiple of 64");
    *odd.memory = "right";
    leave_place(&place);
}

static void the_preferred_alignment_is_a_power_of_two(void **state)
{
    (void)state;
    quern_device *device = NULL;
    *odd.preferred_alignment = 24;
    refused(quern_device_open("odd:0", &device), QUERN_NOT_PRESENT, "\"odd\"|preferred alignment 24|power of two");
    ok(quern_shutdown());
    *odd.preferred_alignment = 0; /* unknown: the elements' own */
    place place = make_place(0);
    ok(fill(&place));
    leave_place(&place);
    *odd.preferred_alignment = 64;
}

static void a_description_is_one_line(void **state)
{
    (void)state;
    quern_device_info info;
    ok(quern_device_get_info(open_device("odd:0"), &info));
    assert_string_equal(info.description, "two lines");
    ok(quern_shutdown());
}

static quern_status launch_groups(place *place, size_t group)
{
    quern_range range = QUERN_RANGE(N);
    if (group) {
        range.group_rank = 1;
        range.group[0] = group;
    }
    quern_view view = QUERN_VIEW(place->buffer);
    view.span.layout.type = QUERN_TYPE(int32_t);
    quern_argument arguments[2] = {quern_argument_view(&view), quern_argument_length(4)};
    return quern_launch(place->queue, &group_any_kernel, &range, arguments, 2);
}

static void a_chosen_group_has_items(void **state)
{
    (void)state;
    place place = make_place(0);
    *odd.group = 0;
    refused(launch_groups(&place, 0), QUERN_INTERNAL,
            "\"odd\" chose the group size 0 along dimension 0|'group_any'|launch_configuration");
    *odd.group = 4;
    ok(launch_groups(&place, 0));
    *odd.group = 1;
    leave_place(&place);
}

/* A device's limit that is not known leaves the kernel's own; a kernel's leaves the device's; none is a fault. */
static void limits_that_are_not_known_are_no_limits(void **state)
{
    (void)state;
    *odd.largest_group_items = 0;
    *odd.kernel_items = 8;
    place place = make_place(0);
    ok(launch_groups(&place, 8));
    refused(launch_groups(&place, 9), QUERN_LIMIT_EXCEEDED, "wanted at most 8 in all");
    leave_place(&place);

    *odd.largest_group_items = 4;
    *odd.kernel_items = 0;
    place = make_place(0);
    ok(launch_groups(&place, 4));
    refused(launch_groups(&place, 5), QUERN_LIMIT_EXCEEDED, "wanted at most 4 in all");
    leave_place(&place);

    *odd.largest_group_items = 0;
    place = make_place(0);
    ok(launch(&place)); /* no groups, no limit needed */
    refused(launch_groups(&place, 1), QUERN_INTERNAL, "backend \"odd\"|'group_any'|group_items");
    refused(launch_groups(&place, 1), QUERN_INTERNAL, "group_items"); /* nothing half-built is used */
    leave_place(&place);
    *odd.largest_group_items = *odd.kernel_items = 1024;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_every_function_are_known_ones),
        cmocka_unit_test(answers_of_a_signal_are_known_ones),
        cmocka_unit_test(answers_of_a_start_are_known_ones),
        cmocka_unit_test(late_failures_are_known_ones),
        cmocka_unit_test(memory_is_an_address_of_the_alignment),
        cmocka_unit_test(the_preferred_alignment_is_a_power_of_two),
        cmocka_unit_test(a_description_is_one_line),
        cmocka_unit_test(a_chosen_group_has_items),
        cmocka_unit_test(limits_that_are_not_known_are_no_limits),
    };
    return cmocka_run_group_tests(tests, load_odd, NULL);
}
