/* Events as file descriptors: readable when the event completes, whatever became of it, and whoever closes first. */
#include "queue_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FOR_EVER = -1 };

static const char *const devices[] = {"cpu:0", "lazy:0", "eager:0", "all:0", "helps:0", "waits:0", "calls:0", "full:0"};
enum { DEVICES = sizeof devices / sizeof *devices };

static int is_readable(int fd, int milliseconds)
{
    struct pollfd polled = {fd, POLLIN, 0};
    int found;
    do {
        found = poll(&polled, 1, milliseconds);
    } while (found < 0 && errno == EINTR);
    assert_true(found >= 0);
    return found == 1 && polled.revents == POLLIN;
}

static int count_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    assert_non_null(directory);
    while (readdir(directory))
        ++count;
    closedir(directory);
    return count;
}

/* A queue that stands before a gate, and an event behind that. */
typedef struct gated {
    quern_queue *queue;
    gate gate;
    quern_event *event;
} gated;

static void begin(gated *self, const char *device, quern_status status)
{
    gate_init(&self->gate, status);
    self->queue = make_queue(open_device(device), 0, "gated");
    ok(quern_queue_call(self->queue, gate_pass, &self->gate));
    ok(quern_event_record(self->queue, &self->event));
}

static void end(gated *self)
{
    ok(quern_queue_release(self->queue));
    gate_destroy(&self->gate);
}

static void test_becomes_readable(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        int fd = -1, complete = -1, before = count_descriptors();
        begin(&self, devices[i], QUERN_SUCCESS);
        ok(quern_event_fd(self.event, &fd));
        assert_true(fd >= 0);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
        assert_false(is_readable(fd, 0));
        gate_open(&self.gate);
        assert_true(is_readable(fd, FOR_EVER)); /* nobody waits for the queue, or asks */
        assert_int_equal(quern_event_query(self.event), QUERN_SUCCESS);
        ok(quern_event_fd(self.event, &complete));
        assert_true(is_readable(complete, 0));
        assert_int_equal(close(fd), 0);
        assert_int_equal(close(complete), 0);
        ok(quern_event_release(self.event));
        ok(quern_queue_synchronize(self.queue));
        end(&self);
        while (count_descriptors() != before) /* the library's own goes after the event was told */
            usleep(100);
    }
}

static void test_failed(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        int fd = -1;
        begin(&self, devices[i], QUERN_DEVICE_LOST);
        ok(quern_event_fd(self.event, &fd));
        gate_open(&self.gate);
        assert_true(is_readable(fd, FOR_EVER));
        assert_int_equal(quern_event_query(self.event), QUERN_DEVICE_LOST);
        assert_int_equal(quern_queue_synchronize(self.queue), QUERN_DEVICE_LOST);
        assert_int_equal(close(fd), 0);
        ok(quern_event_release(self.event));
        end(&self);
    }
}

/* The number of a descriptor that was closed is soon another one's. */
static void test_closed_early(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        gated self;
        int fd = -1, ends[2];
        begin(&self, devices[i], QUERN_SUCCESS);
        ok(quern_event_fd(self.event, &fd));
        assert_int_equal(close(fd), 0);
        assert_int_equal(pipe(ends), 0);
        assert_true(ends[0] == fd || ends[1] == fd);
        gate_open(&self.gate);
        ok(quern_event_wait(self.event));
        ok(quern_queue_synchronize(self.queue));
        assert_false(is_readable(ends[0], 0));
        assert_int_equal(close(ends[0]), 0);
        assert_int_equal(close(ends[1]), 0);
        ok(quern_event_release(self.event));
        end(&self);
    }
}

/* Several of one event, in an epoll; event and queue are released first. */
static void test_in_epoll(void **state)
{
    enum { SEVERAL = 3 };
    static gated all[DEVICES]; /* stay: ThreadSanitizer does not know that an epoll orders anything */
    (void)state;
    for (size_t i = 0; i < DEVICES; ++i) {
        int fds[SEVERAL], poll_fd = epoll_create1(EPOLL_CLOEXEC), told = 0;
        assert_true(poll_fd >= 0);
        begin(&all[i], devices[i], QUERN_SUCCESS);
        for (int k = 0; k < SEVERAL; ++k) {
            struct epoll_event wanted = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = (uint32_t)k};
            ok(quern_event_fd(all[i].event, &fds[k]));
            assert_int_equal(epoll_ctl(poll_fd, EPOLL_CTL_ADD, fds[k], &wanted), 0);
        }
        ok(quern_event_release(all[i].event));
        ok(quern_queue_release(all[i].queue));
        gate_open(&all[i].gate);
        while (told != (1 << SEVERAL) - 1) {
            struct epoll_event events[SEVERAL];
            int count = epoll_wait(poll_fd, events, SEVERAL, FOR_EVER);
            for (int k = 0; k < count; ++k)
                told |= 1 << events[k].data.u32;
        }
        for (int k = 0; k < SEVERAL; ++k)
            assert_int_equal(close(fds[k]), 0);
        assert_int_equal(close(poll_fd), 0);
    }
}

/* Each that waits takes two: there is none, or one, left. */
static void test_no_descriptors(void **state)
{
    (void)state;
    gated self;
    struct rlimit limit, few;
    int fd = -7, lowest = -1;
    begin(&self, "cpu:0", QUERN_SUCCESS);
    int before = count_descriptors();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (rlim_t left = 0; left < 2; ++left) {
        lowest = dup(0);
        assert_true(lowest >= 0);
        assert_int_equal(close(lowest), 0);
        few = limit;
        few.rlim_cur = (rlim_t)lowest + left;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        quern_status status = quern_event_fd(self.event, &fd);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        refused(status, QUERN_SYSTEM_ERROR, "file descriptor|open files");
        assert_int_equal(fd, -7);
        assert_int_equal(count_descriptors(), before);
    }
    ok(quern_event_fd(self.event, &fd)); /* and works again */
    gate_open(&self.gate);
    assert_true(is_readable(fd, FOR_EVER));
    assert_int_equal(close(fd), 0);
    ok(quern_event_release(self.event));
    end(&self);
}

static void test_misuse(void **state)
{
    (void)state;
    gated self;
    int fd;
    begin(&self, "cpu:0", QUERN_SUCCESS);
    gate_open(&self.gate);
    ok(quern_queue_synchronize(self.queue));
    refused(quern_event_fd(NULL, &fd), QUERN_INVALID_ARGUMENT, "event|NULL");
    refused(quern_event_fd(self.event, NULL), QUERN_INVALID_ARGUMENT, "fd|NULL|place");
    refused(quern_event_fd((quern_event *)(void *)self.queue, &fd), QUERN_INVALID_ARGUMENT, "event");
    ok(quern_event_release(self.event));
    end(&self);
    ok(quern_shutdown());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_becomes_readable), cmocka_unit_test(test_failed),
        cmocka_unit_test(test_closed_early),     cmocka_unit_test(test_in_epoll),
        cmocka_unit_test(test_no_descriptors),   cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, add_variants, NULL);
}
