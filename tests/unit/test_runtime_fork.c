/* A process made by fork: what would wait or submit says so instead of hanging; exec works; a fork before the library's
 * first use is none. */
#include "runtime_test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N = 64, SECONDS = 30 /* of a child, which hangs then */ };

/* In a child, where cmocka has nothing to say. */
#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: in the child %s does not hold (%s)\n", __FILE__, __LINE__, #condition,             \
                    quern_last_error());                                                                               \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define MUST_REFUSE(call) MUST((call) == QUERN_NOT_SUPPORTED && strstr(quern_last_error(), "fork"))

static void expect_child(void (*function)(void *argument), void *argument)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        function(argument);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fprintf(stderr, "the child ended by signal %d\n", WTERMSIG(status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- the whole library ---- */

static void use_it(void *unused)
{
    quern_device *device = NULL;
    quern_queue *queue = NULL;
    quern_buffer *x = NULL;
    float one = 1;
    (void)unused;
    MUST(quern_device_open("cpu:0", &device) == QUERN_SUCCESS);
    MUST(quern_queue_create(device, NULL, &queue) == QUERN_SUCCESS);
    MUST(quern_buffer_create(device, QUERN_TYPE(float), QUERN_EXTENTS(N), &x) == QUERN_SUCCESS);
    MUST(quern_fill(queue, QUERN_VIEW(x), QUERN_TYPE(float), &one) == QUERN_SUCCESS);
    MUST(quern_queue_synchronize(queue) == QUERN_SUCCESS);
    MUST(((const float *)QUERN_SPAN(x).address)[N - 1] == 1);
    MUST(quern_buffer_release(x) == QUERN_SUCCESS && quern_queue_release(queue) == QUERN_SUCCESS);
    MUST(quern_device_release(device) == QUERN_SUCCESS && quern_shutdown() == QUERN_SUCCESS);
}

/* Before this process has used it. */
static void test_fork_before_the_first_use(void **state)
{
    (void)state;
    expect_child(use_it, NULL);
}

static void run_this_program(void *unused)
{
    (void)unused;
    execl("/proc/self/exe", "test_runtime_fork", "--use-it", (char *)NULL);
    _exit(2);
}

/* ---- what a child may not do ---- */

typedef struct parents {
    quern_device *device;
    quern_queue *queue, *idle, *locked; /* at a gate; without work; in use by another thread, in a call */
    quern_buffer *x, *y, *own;
    quern_event *event, *complete;
    gate gate, other_gate;
} parents;

static void refuse_waits(parents *own)
{
    int idle = 0, fd = -1;
    MUST_REFUSE(quern_queue_synchronize(own->queue));
    MUST_REFUSE(quern_queue_query(own->queue, &idle));
    MUST_REFUSE(quern_event_wait(own->event));
    MUST_REFUSE(quern_event_query(own->event));
    MUST_REFUSE(quern_event_fd(own->event, &fd));
}

static void refuse_commands(parents *own, quern_queue *queue)
{
    float numbers[N] = {0};
    quern_layout layout;
    quern_span span;
    quern_event *event = NULL;
    quern_buffer *made = NULL;
    MUST(quern_layout_packed(QUERN_TYPE(float), QUERN_EXTENTS(N), &layout) == QUERN_SUCCESS);
    MUST(quern_span_make(numbers, &layout, &span) == QUERN_SUCCESS);
    MUST_REFUSE(launch_axpy(queue, N, QUERN_CONST_VIEW(own->x), QUERN_VIEW(own->y), 1));
    MUST_REFUSE(launch_axpy(queue, N, QUERN_CONST_VIEW(own->x), QUERN_VIEW(own->y), 1));
    MUST_REFUSE(quern_fill(queue, QUERN_VIEW(own->x), QUERN_TYPE(float), numbers));
    MUST_REFUSE(quern_copy(queue, QUERN_VIEW(own->x), QUERN_CONST_VIEW(own->y)));
    MUST_REFUSE(quern_copy_to_host(queue, span, QUERN_CONST_VIEW(own->y)));
    MUST_REFUSE(quern_queue_call(queue, gate_pass, &own->gate));
    MUST_REFUSE(quern_event_record(queue, &event));
    MUST_REFUSE(quern_queue_wait(queue, own->event));
    MUST_REFUSE(quern_buffer_create_on_queue(queue, QUERN_TYPE(float), QUERN_EXTENTS(N), &made));
}

static void be_refused(void *argument)
{
    parents *own = argument;
    quern_queue *queue = NULL;
    refuse_waits(own);
    refuse_commands(own, own->queue);
    refuse_commands(own, own->idle);
    refuse_commands(own, own->locked); /* and nobody will ever unlock it */
    MUST_REFUSE(quern_queue_create(own->device, NULL, &queue));
    MUST_REFUSE(quern_queue_current(&queue));
    MUST_REFUSE(quern_shutdown());
    /* What needs nobody else works, and what is let go of is left alone. */
    MUST(quern_queue_synchronize(own->idle) == QUERN_SUCCESS);
    MUST(quern_event_wait(own->complete) == QUERN_SUCCESS);
    MUST(quern_buffer_release(own->own) == QUERN_SUCCESS);
    MUST(quern_event_release(own->event) == QUERN_SUCCESS);
    MUST(quern_queue_release(own->queue) == QUERN_SUCCESS);
    expect_child(run_this_program, NULL);
}

static void *use_locked(void *argument)
{
    parents *own = argument;
    ok(quern_queue_call(own->locked, gate_pass, &own->other_gate));
    return NULL;
}

static void test_child(void **state)
{
    (void)state;
    pthread_t user;
    parents own = {.device = open_device("cpu:0")};
    gate_init(&own.gate, QUERN_SUCCESS);
    gate_init(&own.other_gate, QUERN_SUCCESS);
    own.queue = make_queue(own.device, 0, "pending");
    own.idle = make_queue(own.device, 0, "idle");
    own.locked = make_queue(own.device, 1, "locked");
    own.x = make_buffer(own.device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    own.y = make_buffer(own.device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    own.own = make_buffer(own.device, QUERN_TYPE(float), QUERN_EXTENTS(N));
    fill_float(own.idle, QUERN_VIEW(own.x), 1);
    fill_float(own.idle, QUERN_VIEW(own.y), 1);
    ok(quern_event_record(own.idle, &own.complete));
    ok(launch_axpy(own.idle, N, QUERN_CONST_VIEW(own.x), QUERN_VIEW(own.y), 1)); /* it is built by now */
    ok(quern_queue_synchronize(own.idle));
    ok(quern_queue_call(own.queue, gate_pass, &own.gate));
    fill_float(own.queue, QUERN_VIEW(own.own), 1);
    ok(quern_event_record(own.queue, &own.event));
    assert_int_equal(pthread_create(&user, NULL, use_locked, &own), 0);
    gate_wait_entered(&own.other_gate);

    expect_child(be_refused, &own);

    /* The parent goes on. */
    gate_open(&own.gate);
    gate_open(&own.other_gate);
    assert_int_equal(pthread_join(user, NULL), 0);
    ok(quern_event_wait(own.event));
    ok(quern_queue_synchronize(own.queue));
    ok(quern_queue_synchronize(own.locked));
    ok(quern_event_release(own.event));
    ok(quern_event_release(own.complete));
    ok(quern_buffer_release(own.x));
    ok(quern_buffer_release(own.y));
    ok(quern_buffer_release(own.own));
    ok(quern_queue_release(own.queue));
    ok(quern_queue_release(own.idle));
    ok(quern_queue_release(own.locked));
    gate_destroy(&own.gate);
    gate_destroy(&own.other_gate);
}

static void test_exec(void **state)
{
    (void)state;
    expect_child(run_this_program, NULL);
    ok(quern_shutdown());
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork_before_the_first_use),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_exec),
    };
    if (count == 2 && strcmp(arguments[1], "--use-it") == 0) {
        alarm(SECONDS);
        use_it(NULL);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
