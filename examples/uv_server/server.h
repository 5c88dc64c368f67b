/*
 * A libuv loop that answers requests with kernels and blocks in none of them.
 *
 * All of it runs on the loop's thread, but for the functions that say otherwise. Functions that give an int give 0, or
 * -1 after a line on stderr.
 */
#ifndef UV_SERVER_SERVER_H
#define UV_SERVER_SERVER_H

#include <stdatomic.h>

#include <uv.h>

#include <quern/quern.h>

/* ---- protocol.c: what clients say ---- */

enum { LINE_BYTES = 128 }; /* of a request, its end included */

/* A picture of the Mandelbrot set. */
typedef struct request {
    size_t rows, columns;
    int32_t limit; /* of iterations */
} request;

/* Reads a line without its end. 0, or -1 with a message (of less than 128 bytes) that says what is wrong. */
int request_parse(const char *line, size_t length, request *request, char *message);

/* Where the points of the picture lie. */
#define PICTURE_LEFT (-2.2)
#define PICTURE_TOP 1.2
double request_step(const request *request);

/* Any thread. FNV-1a over count numbers. */
uint64_t checksum_of(const int32_t *numbers, size_t count);

typedef struct server server;

/* ---- job.c: a request on the device ---- */

typedef struct job job;

/* When a job has ended, by status; the job is gone when this returns. */
typedef void job_done(void *owner, quern_status status, uint64_t checksum);

/* Queues the request's commands, and has done called when they have finished. Does not wait for them. */
quern_status job_start(server *server, quern_queue *queue, const request *request, job_done *done, void *owner,
                       job **started);

/* A job that has not begun does not begin any more, and is done with CANCELLED. One that has goes on: there is no way
 * to stop a kernel. */
void job_cancel(job *job);

/* The owner goes: the job is cancelled, and done is not called any more. It ends by itself. */
void job_abandon(job *job);

/* ---- server.c: the loop's side ---- */

typedef struct connection connection;

struct server {
    uv_loop_t loop;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } listener;
    uv_timer_t timer;
    uv_async_t stop;
    uv_signal_t interrupt;
    int is_ending;
    quern_device *device;
    quern_event *gate;       /* what no request's commands begin before; NULL: nothing */
    connection *connections; /* those that are open */
    size_t connection_count;
    _Atomic size_t clients;                 /* connections whose client may still send requests; read by any thread */
    size_t jobs;                            /* on the device now, abandoned ones among them */
    size_t answered, refused;               /* requests */
    uint64_t ticks, last_tick, longest_gap; /* nanoseconds */
    _Atomic uint64_t busy_ticks;            /* while jobs were on the device; read by any thread */
};

#define TICK_MILLISECONDS 5

/* Opens the device (NULL: the default one), has the kernel built and begins to listen: on a Unix socket of this path,
 * or with path NULL at a port of 127.0.0.1 (0: any). *port is the one that it has become. */
int server_start(server *server, const char *device, const char *path, int *port);

/* Answers until server_stop; then frees everything. */
void server_run(server *server);

/* Any thread. Requests that have begun are finished and answered. */
void server_stop(server *server);

void server_print_ticks(const server *server);

/* ---- connection.c ---- */

enum {
    MOST_CLIENTS = 64,
    MOST_CONNECTIONS = 4 * MOST_CLIENTS, /* with those of clients that have ended their side, or gone */
    MOST_JOBS = 4 * MOST_CLIENTS         /* with those of connections that are closed */
};

void connection_accept(server *server);

/* The server ends: closes every connection that waits for no job; the others when their job has been answered. */
void connection_end_all(server *server);

/* ---- self_test.c ---- */

/* Runs the server with clients of all kinds, good and bad. 0 when all answers were right. */
int self_test(const char *device);

#endif
