/*
 * A client's connection: bytes become lines, lines become jobs, one at a time. What comes while one runs is kept as far
 * as there is room for it; then nothing more is read, so a client that sends without end fills its own socket and
 * nothing else.
 *
 * What is wrong with a line is answered and changes nothing for the lines behind it, or for other clients.
 *
 * Reading on while a job runs shows when a client goes. One whose connection was reset is forgotten at once. One that
 * ended its side (a FIN, in TCP) may have been killed, or may still read the answers: until the first of them is sent
 * nobody can tell. It gets them, and its place is another client's already.
 */
#include "server.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANSWER_BYTES = 512 };

struct connection {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } socket;
    server *server;
    connection *previous, *next;
    quern_queue *queue; /* the client's own, so that no other client's failure sticks to it */
    job *job;           /* that runs, or NULL */
    uv_write_t write;
    char answer[ANSWER_BYTES];
    int is_writing, is_reading, is_closing;
    int is_client; /* counted as one: it may still send requests */
    int has_ended; /* nothing more will come */
    char line[LINE_BYTES];
    size_t length; /* of the line so far; LINE_BYTES: it is too long, its rest is passed over */
    char chunk[4096];
    size_t at, filled; /* what has been read and is still to be looked at */
};

static void advance(connection *connection);

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
    connection *connection = handle->data;
    (void)quern_queue_release(connection->queue);
    free(connection);
}

/* Nothing more will come from this client. */
static void give_place_back(connection *connection)
{
    connection->has_ended = 1;
    if (connection->is_client)
        --connection->server->clients;
    connection->is_client = 0;
}

static void connection_close(connection *connection)
{
    server *server = connection->server;
    if (connection->is_closing)
        return;
    connection->is_closing = 1;
    give_place_back(connection);
    if (connection->job)
        job_abandon(connection->job);
    connection->job = NULL;
    *(connection->previous ? &connection->previous->next : &server->connections) = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    --server->connection_count;
    uv_close(&connection->socket.handle, on_closed);
}

void connection_end_all(server *server)
{
    for (connection *connection = server->connections, *next; connection; connection = next) {
        next = connection->next;
        if (connection->job)
            job_cancel(connection->job);
        else
            connection_close(connection);
    }
}

/* Whether a client that has ended its side has closed the other one, too: the last answer has shown it, or a Unix
 * socket says so by itself. */
static int has_hung_up(connection *connection)
{
    struct pollfd look = {.fd = -1};
    return connection->has_ended && uv_fileno(&connection->socket.handle, &look.fd) == 0 && poll(&look, 1, 0) == 1 &&
           (look.revents & (POLLHUP | POLLERR)) != 0;
}

/* ---- answers ---- */

static void on_written(uv_write_t *write, int error)
{
    connection *connection = write->data;
    connection->is_writing = 0;
    if (error) /* nobody listens any more */
        connection_close(connection);
    else
        advance(connection);
}

/* Sends what answer holds, which ends in a newline. */
static void send_answer(connection *connection)
{
    uv_buf_t bytes = uv_buf_init(connection->answer, (unsigned)strlen(connection->answer));
    connection->write.data = connection;
    connection->is_writing = 1;
    if (uv_write(&connection->write, &connection->socket.stream, &bytes, 1, on_written) != 0 ||
        (connection->server->is_ending && uv_stream_get_write_queue_size(&connection->socket.stream) > 0))
        connection_close(connection); /* the end waits for no client that does not read */
}

/* A sentence may have lines, an answer is one. */
static void send_error(connection *connection, const char *sentence)
{
    ++connection->server->refused;
    snprintf(connection->answer, ANSWER_BYTES - 1, "error %s", sentence);
    for (char *c = connection->answer; *c; ++c)
        if (*c == '\n')
            *c = ' ';
    strcat(connection->answer, "\n");
    send_answer(connection);
}

/* The example's own failures have left no sentence. */
static const char *reason(quern_status status)
{
    return status == QUERN_OUT_OF_MEMORY || status == QUERN_SYSTEM_ERROR ? quern_status_text(status)
                                                                         : quern_last_error();
}

static void on_job_done(void *owner, quern_status status, uint64_t checksum)
{
    connection *connection = owner;
    connection->job = NULL;
    if (status) {
        send_error(connection, status == QUERN_CANCELLED ? "the server is ending" : reason(status));
        return;
    }
    ++connection->server->answered;
    snprintf(connection->answer, ANSWER_BYTES, "ok %016" PRIx64 "\n", checksum);
    send_answer(connection);
}

/* ---- lines ---- */

static void take_line(connection *connection, size_t length)
{
    request request;
    char message[128];
    quern_status status;
    if (length == LINE_BYTES) {
        snprintf(message, sizeof message, "the line is longer than %d bytes", LINE_BYTES - 1);
        send_error(connection, message);
        return;
    }
    if (request_parse(connection->line, length, &request, message) != 0) {
        send_error(connection, message);
        return;
    }
    if (connection->server->jobs >= MOST_JOBS) {
        send_error(connection, "there are too many requests on the device");
        return;
    }
    status = job_start(connection->server, connection->queue, &request, on_job_done, connection, &connection->job);
    if (status)
        send_error(connection, reason(status));
}

/* 1 when the chunk held a line's end, up to which it is used up. */
static int find_line(connection *connection)
{
    while (connection->at < connection->filled) {
        char byte = connection->chunk[connection->at++];
        if (byte == '\n')
            return 1;
        if (connection->length < LINE_BYTES)
            connection->line[connection->length++] = byte;
    }
    return 0;
}

/* ---- reading ---- */

static void on_allocate(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer)
{
    connection *connection = handle->data;
    (void)wanted;
    *buffer =
        uv_buf_init(connection->chunk + connection->filled, (unsigned)(sizeof connection->chunk - connection->filled));
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
    connection *connection = stream->data;
    (void)buffer;
    if (count == 0)
        return;
    if (count > 0)
        connection->filled += (size_t)count;
    else
        give_place_back(connection);
    if ((count < 0 && count != UV_EOF) || has_hung_up(connection))
        connection_close(connection);
    else
        advance(connection);
}

/* Reads on if there is room and something may come. */
static void read_on(connection *connection)
{
    memmove(connection->chunk, connection->chunk + connection->at, connection->filled - connection->at);
    connection->filled -= connection->at;
    connection->at = 0;
    int wanted = !connection->has_ended && connection->filled < sizeof connection->chunk;
    if (wanted && !connection->is_reading && uv_read_start(&connection->socket.stream, on_allocate, on_read) != 0) {
        connection_close(connection);
        return;
    }
    if (!wanted)
        uv_read_stop(&connection->socket.stream);
    connection->is_reading = wanted;
}

/* Begins the next request, or ends what has nothing more to do. */
static void begin_next(connection *connection)
{
    if (connection->server->is_ending || has_hung_up(connection)) {
        connection_close(connection);
    } else if (find_line(connection)) {
        size_t length = connection->length;
        connection->length = 0;
        take_line(connection, length);
    } else if (connection->has_ended && connection->length > 0) {
        connection->length = 0; /* half a line, and then no more; who only shut down his side still reads the answer */
        send_error(connection, "the last line has no end");
    } else if (connection->has_ended) {
        connection_close(connection);
    }
}

/* Does what comes next. */
static void advance(connection *connection)
{
    if (!connection->is_closing && !connection->is_writing && !connection->job)
        begin_next(connection);
    if (!connection->is_closing)
        read_on(connection);
}

/* ---- the begin ---- */

static quern_status make_queue(connection *connection)
{
    quern_queue_options options = {.name = "client"};
    quern_status status = quern_queue_create(connection->server->device, &options, &connection->queue);
    if (!status && connection->server->gate)
        status = quern_queue_wait(connection->queue, connection->server->gate);
    return status;
}

static connection *connection_make(server *server)
{
    connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->server = server;
    connection->next = server->connections;
    if (connection->next)
        connection->next->previous = connection;
    server->connections = connection;
    ++server->connection_count;
    if (server->listener.handle.type == UV_TCP)
        uv_tcp_init(&server->loop, &connection->socket.tcp);
    else
        uv_pipe_init(&server->loop, &connection->socket.pipe, 0);
    connection->socket.handle.data = connection;
    return connection;
}

void connection_accept(server *server)
{
    connection *connection = connection_make(server);
    if (!connection)
        return; /* without 5 KiB to be had; libuv lets the client wait */
    if (uv_accept(&server->listener.stream, &connection->socket.stream) != 0) {
        connection_close(connection);
        return;
    }
    int is_full = server->clients >= MOST_CLIENTS || server->connection_count > MOST_CONNECTIONS;
    quern_status status = is_full ? QUERN_LIMIT_EXCEEDED : make_queue(connection);
    if (!status) {
        connection->is_client = 1;
        ++server->clients;
        advance(connection);
        return;
    }
    connection->has_ended = 1; /* closed when the answer has gone */
    send_error(connection, is_full ? "there are too many clients" : reason(status));
}
