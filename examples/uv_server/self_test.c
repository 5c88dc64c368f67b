/*
 * The server with clients of its own, each a thread with a plain blocking socket: good ones, whose answers must be
 * those of a plain loop, and bad ones, which must be told so.
 *
 * That the loop lives while kernels are under way is shown without a clock: no kernel begins until the timer has
 * ticked a few times with requests queued. A loop that waited for a kernel would wait for ever (here: for a minute).
 * Nor does one begin until more clients than there are places for have come and gone: no kernel's end gives their
 * places back.
 */
#include "server.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CLIENTS = 9,
    REQUESTS = 4,
    BAD_CLIENTS = 5,
    GATE_TICKS = 10,
    GATE_SECONDS = 60,
    GONE_CLIENTS = MOST_CLIENTS + 16
};

typedef struct client {
    pthread_t thread;
    int number, port;
    int wrong; /* answers */
} client;

typedef struct conductor {
    server *server;
    int port;
    client good[CLIENTS], bad[BAD_CLIENTS];
    int wrong;               /* of what the conductor does himself */
    _Atomic uint64_t wanted; /* ticks, before the gate opens; 0: not yet known */
} conductor;

static void take_a_nap(void)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    nanosleep(&nap, NULL);
}

/* ---- what a plain loop computes ---- */

static int32_t escape_time(double c_real, double c_imaginary, int32_t limit)
{
    double real = 0, imaginary = 0;
    int32_t n = 0;
    for (; n < limit && real * real + imaginary * imaginary <= 4.0; ++n) {
        double next = real * real - imaginary * imaginary + c_real;
        imaginary = 2 * real * imaginary + c_imaginary;
        real = next;
    }
    return n;
}

static uint64_t expected_checksum(const request *request)
{
    double step = request_step(request);
    int32_t *cells = malloc(request->rows * request->columns * sizeof *cells);
    uint64_t checksum = 0;
    if (!cells)
        return 0;
    for (size_t y = 0; y < request->rows; ++y)
        for (size_t x = 0; x < request->columns; ++x)
            cells[y * request->columns + x] =
                escape_time(PICTURE_LEFT + (double)x * step, PICTURE_TOP - (double)y * step, request->limit);
    checksum = checksum_of(cells, request->rows * request->columns);
    free(cells);
    return checksum;
}

/* ---- a client's socket ---- */

/* A stream to read lines from, with the socket in *fd; or NULL. */
static FILE *connect_to(int port, int *fd)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    FILE *stream = NULL;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && connect(*fd, (const struct sockaddr *)&address, sizeof address) == 0)
        stream = fdopen(*fd, "r");
    if (!stream && *fd >= 0)
        close(*fd);
    return stream;
}

static int send_bytes(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return -1;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}

static int send_text(int fd, const char *text)
{
    return send_bytes(fd, text, strlen(text));
}

/* Whether the next answer begins with what is wanted; 0 or 1 wrong one, which is shown. */
static int expect(FILE *stream, const char *wanted)
{
    char answer[1024];
    if (!fgets(answer, sizeof answer, stream))
        strcpy(answer, "the end of the connection\n");
    if (strncmp(answer, wanted, strlen(wanted)) == 0)
        return 0;
    fprintf(stderr, "uv_server: instead of '%s' came: %s", wanted, answer);
    return 1;
}

static int expect_picture(FILE *stream, const request *request)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "ok %016" PRIx64 "\n", expected_checksum(request));
    return expect(stream, wanted);
}

static int send_request(int fd, const request *request)
{
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "mandelbrot %zu %zu %d\n", request->rows, request->columns, (int)request->limit);
    return send_text(fd, line);
}

/* ---- good clients ---- */

static void *run_good(void *argument)
{
    client *self = argument;
    int fd;
    FILE *stream = connect_to(self->port, &fd);
    self->wrong = stream ? 0 : REQUESTS;
    /* All lines at once: the answers come in their order. */
    request requests[REQUESTS];
    for (int i = 0; i < REQUESTS && stream; ++i) {
        requests[i] = (request){.rows = 61 + (size_t)(17 * self->number),
                                .columns = 1 + (size_t)(101 * i + self->number),
                                .limit = 50 + 100 * i};
        self->wrong += send_request(fd, &requests[i]) != 0;
    }
    for (int i = 0; i < REQUESTS && stream; ++i)
        self->wrong += expect_picture(stream, &requests[i]) != 0;
    if (stream)
        fclose(stream);
    return NULL;
}

/* ---- bad clients ---- */

static const request small = {.rows = 7, .columns = 11, .limit = 13};

/* A line without an end in sight, then a good one. */
static int send_long_line(FILE *stream, int fd)
{
    static char line[100003];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\n';
    int wrong = send_bytes(fd, line, sizeof line) != 0 || send_request(fd, &small) != 0;
    return wrong + expect(stream, "error the line is longer than 127 bytes\n") + expect_picture(stream, &small);
}

static int send_garbage(FILE *stream, int fd)
{
    static const struct {
        const char *line;
        size_t length;
        const char *answer;
    } lines[] = {
#define LINE(text, answer) {text, sizeof text - 1, answer}
        LINE("\n", "error the line is not"),
        LINE("\0\xff\x7f%s%n\r\n", "error the line is not"),
        LINE("mandelbrot\n", "error the line is not"),
        LINE("mandelbrot 10 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 10 10 10 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 10 -10 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 10 0 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 10 10x 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 99999999999999999999999 10 10\n", "error mandelbrot takes three numbers"),
        LINE("mandelbrot 1025 1024 10\n", "error 1025 x 1024 points are more than"),
#undef LINE
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        wrong += send_bytes(fd, lines[i].line, lines[i].length) != 0;
        wrong += expect(stream, lines[i].answer);
    }
    return wrong + (send_request(fd, &small) != 0) + expect_picture(stream, &small);
}

/* Half a line, and no more: the client still reads. */
static int send_half(FILE *stream, int fd)
{
    int wrong = send_request(fd, &small) != 0 || send_text(fd, "mandelbrot 10 ") != 0 || shutdown(fd, SHUT_WR) != 0;
    return wrong + expect_picture(stream, &small) + expect(stream, "error the last line has no end\n");
}

/* A request whose answer nobody waits for. */
static int send_and_go(FILE *stream, int fd)
{
    (void)stream;
    return send_request(fd, &small) != 0;
}

/* A connection on which nothing ever comes. */
static int send_nothing(FILE *stream, int fd)
{
    (void)stream;
    (void)fd;
    return 0;
}

static void *run_bad(void *argument)
{
    static int (*const kinds[BAD_CLIENTS])(FILE * stream, int fd) = {send_long_line, send_garbage, send_half,
                                                                     send_and_go, send_nothing};
    client *self = argument;
    int fd;
    FILE *stream = connect_to(self->port, &fd);
    self->wrong = stream ? kinds[self->number](stream, fd) : 1;
    if (stream)
        fclose(stream);
    return NULL;
}

/* ---- clients that go ---- */

/* Sends a request and is gone: killed, or with a reset. */
static int come_and_go(int port, int with_reset)
{
    const struct linger at_once = {.l_onoff = 1};
    int fd;
    FILE *stream = connect_to(port, &fd);
    int wrong = !stream || send_request(fd, &small) != 0;
    if (stream && with_reset)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (stream)
        fclose(stream);
    return wrong;
}

/* Whether another client finds a place; that those before it have been looked at is known then. */
static int find_place(int port)
{
    char answer[1024];
    for (int i = 0; i < 1000 * GATE_SECONDS; ++i) {
        int fd;
        FILE *stream = connect_to(port, &fd);
        int is_answered = stream && send_text(fd, "?\n") == 0 && fgets(answer, sizeof answer, stream) != NULL;
        if (stream)
            fclose(stream);
        if (is_answered && strncmp(answer, "error the line is not", 21) == 0)
            return 0;
        take_a_nap();
    }
    fputs("uv_server: the places of clients that have gone stay taken\n", stderr);
    return 1;
}

/* Before any kernel can begin. In the end all places are free. */
static int run_gone(const conductor *self)
{
    int wrong = 0;
    for (int i = 0; i < GONE_CLIENTS; ++i)
        wrong += come_and_go(self->port, i % 2);
    wrong += find_place(self->port);
    for (int i = 0; i < 1000 * GATE_SECONDS && atomic_load(&self->server->clients) > 0; ++i)
        take_a_nap();
    return wrong + (atomic_load(&self->server->clients) > 0);
}

/* ---- the test ---- */

/* On a thread of the runtime: ends when the loop has ticked with requests queued. */
static quern_status wait_for_ticks(void *argument)
{
    const conductor *self = argument;
    for (int i = 0; i < 3000 * GATE_SECONDS; ++i) {
        uint64_t wanted = atomic_load(&self->wanted);
        if (wanted > 0 && atomic_load(&self->server->busy_ticks) >= wanted)
            return QUERN_SUCCESS;
        take_a_nap();
    }
    fputs("uv_server: the timer did not tick while kernels were queued\n", stderr);
    return QUERN_HOST_FUNCTION_FAILED;
}

/* The event that every client's queue waits for. The function has a queue that the loop never submits to. */
static int make_gate(conductor *conductor)
{
    server *server = conductor->server;
    quern_queue *queue;
    quern_status status = quern_queue_create(server->device, NULL, &queue);
    if (!status)
        status = quern_queue_call(queue, wait_for_ticks, conductor);
    if (!status)
        status = quern_event_record(queue, &server->gate);
    if (status)
        fprintf(stderr, "uv_server: %s\n", quern_last_error());
    else
        (void)quern_queue_release(queue);
    return status ? -1 : 0;
}

static void begin(client *client, int number, int port, void *(*run)(void *argument))
{
    client->number = number;
    client->port = port;
    client->wrong = -1;
    if (pthread_create(&client->thread, NULL, run, client) != 0) {
        perror("uv_server: a client's thread");
        exit(1);
    }
}

/* A thread beside the loop: those that go, all others at once, then the end of the server. */
static void *conduct(void *argument)
{
    conductor *self = argument;
    self->wrong = run_gone(self);
    for (int i = 0; i < CLIENTS; ++i)
        begin(&self->good[i], i, self->port, run_good);
    for (int i = 0; i < BAD_CLIENTS; ++i)
        begin(&self->bad[i], i, self->port, run_bad);
    atomic_store(&self->wanted, atomic_load(&self->server->busy_ticks) + GATE_TICKS);
    for (int i = 0; i < CLIENTS; ++i)
        pthread_join(self->good[i].thread, NULL);
    for (int i = 0; i < BAD_CLIENTS; ++i)
        pthread_join(self->bad[i].thread, NULL);
    server_stop(self->server);
    return NULL;
}

int self_test(const char *device)
{
    static server server;
    static conductor conductor;
    pthread_t thread;
    quern_device_info info;
    int wrong;
    if (server_start(&server, device, NULL, &conductor.port) != 0)
        return 1;
    conductor.server = &server;
    if (make_gate(&conductor) != 0 || quern_device_get_info(server.device, &info) ||
        pthread_create(&thread, NULL, conduct, &conductor) != 0)
        return 1;
    server_run(&server);
    pthread_join(thread, NULL);

    wrong = conductor.wrong;
    for (int i = 0; i < CLIENTS; ++i)
        wrong += conductor.good[i].wrong;
    for (int i = 0; i < BAD_CLIENTS; ++i)
        wrong += conductor.bad[i].wrong;
    printf("self test on %s: %d clients at once sent %d requests each, %d others what no client should send, %d had "
           "gone before\n"
           "%zu requests answered, %zu refused, %d answers wrong\n",
           info.name, CLIENTS, REQUESTS, BAD_CLIENTS, GONE_CLIENTS, server.answered, server.refused, wrong);
    server_print_ticks(&server);
    return wrong != 0 || server.busy_ticks < GATE_TICKS;
}
