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

/* ---- job.c: a request on the device ---- */

typedef struct job job;

/* When a job has ended, by status; the job is gone when this returns. */
typedef void job_done(void *owner, quern_status status, uint64_t checksum);

/* Queues the request's commands, and has done called when they have finished. Does not wait for them. */
quern_status job_start(uv_loop_t *loop, quern_queue *queue, const request *request, job_done *done, void *owner,
                       job **started);

/* The owner goes: done is not called any more. The job ends by itself. */
void job_abandon(job *job);

/* ---- server.c: the loop's side ---- */

typedef struct connection connection;

typedef struct server {
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
    quern_device *device;
    quern_event *gate;       /* what no request's commands begin before; NULL: nothing */
    connection *connections; /* those that are open */
    size_t connection_count;
    size_t jobs;                            /* on the device now, of open connections */
    size_t answered, refused;               /* requests */
    uint64_t ticks, last_tick, longest_gap; /* nanoseconds */
    _Atomic uint64_t busy_ticks;            /* while jobs were on the device; read by any thread */
} server;

#define TICK_MILLISECONDS 5

/* Opens the device (NULL: the default one), has the kernel built and begins to listen: on a Unix socket of this path,
 * or with path NULL at a port of 127.0.0.1 (0: any). *port is the one that it has become. */
int server_start(server *server, const char *device, const char *path, int *port);

/* Answers until server_stop; then frees everything. */
void server_run(server *server);

/* Any thread. Running requests are finished. */
void server_stop(server *server);

void server_print_ticks(const server *server);

/* ---- connection.c ---- */

void connection_accept(server *server);
void connection_close_all(server *server);

/* ---- self_test.c ---- */

/* Runs the server with clients of all kinds, good and bad. 0 when all answers were right. */
int self_test(const char *device);

#endif
