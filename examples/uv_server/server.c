/* The loop: a listener, a timer that ticks whatever the kernels do, and the end. */
#include "server.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "mandelbrot.k.h"

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "uv_server: %s: %s\n", what, why);
    return -1;
}

/* ---- the timer ---- */

static void on_tick(uv_timer_t *timer)
{
    server *server = timer->data;
    uint64_t now = uv_hrtime();
    if (server->ticks > 0 && now - server->last_tick > server->longest_gap)
        server->longest_gap = now - server->last_tick;
    server->last_tick = now;
    ++server->ticks;
    if (server->jobs > 0)
        ++server->busy_ticks;
}

void server_print_ticks(const server *server)
{
    printf("timer: %llu ticks, wanted every %d ms, %llu of them while kernels were queued or running; longest gap "
           "%.1f ms\n",
           (unsigned long long)server->ticks, TICK_MILLISECONDS,
           (unsigned long long)atomic_load(&((struct server *)server)->busy_ticks), (double)server->longest_gap / 1e6);
}

/* ---- the end ---- */

/* The loop runs on until the last job and the last connection are gone. Closing the interrupt's handle gives the signal
 * back what it does by itself: the next one ends the program at once. */
static void end(server *server)
{
    uv_handle_t *handles[] = {&server->listener.handle, (uv_handle_t *)&server->timer, (uv_handle_t *)&server->stop,
                              (uv_handle_t *)&server->interrupt};
    server->is_ending = 1;
    connection_end_all(server);
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; ++i)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], NULL);
}

static void on_stop(uv_async_t *stop)
{
    end(stop->data);
}

static void on_interrupt(uv_signal_t *interrupt, int number)
{
    server *server = interrupt->data;
    (void)number;
    end(server);
    if (server->jobs == 0)
        return;
    printf("ending: %zu request%s on the device, waiting for what runs; another interrupt does not wait\n",
           server->jobs, server->jobs == 1 ? "" : "s");
    fflush(stdout);
}

void server_stop(server *server)
{
    uv_async_send(&server->stop);
}

/* ---- the begin ---- */

static void on_connection(uv_stream_t *listener, int error)
{
    if (error == 0)
        connection_accept(listener->data);
}

static int open_device(server *server, const char *name)
{
    quern_status status = name ? quern_device_open(name, &server->device) : quern_device_default(&server->device);
    /* A device's compiler takes its time: not while clients wait. */
    if (!status)
        status = quern_kernel_prepare(&mandelbrot_kernel, server->device);
    return status ? complain(name ? name : "the device", quern_last_error()) : 0;
}

static int bind_port(server *server, int *port)
{
    struct sockaddr_in address;
    int size = sizeof address, error = uv_ip4_addr("127.0.0.1", *port, &address);
    if (!error)
        error = uv_tcp_bind(&server->listener.tcp, (const struct sockaddr *)&address, 0);
    if (!error)
        error = uv_listen(&server->listener.stream, 64, on_connection);
    if (!error)
        error = uv_tcp_getsockname(&server->listener.tcp, (struct sockaddr *)&address, &size);
    *port = ntohs(address.sin_port);
    return error ? complain("the port cannot be used", uv_strerror(error)) : 0;
}

static int bind_path(server *server, const char *path)
{
    int error = uv_pipe_bind(&server->listener.pipe, path);
    if (!error)
        error = uv_listen(&server->listener.stream, 64, on_connection);
    return error ? complain(path, uv_strerror(error)) : 0;
}

/* All handles exist from here, so that end can close them. */
static void init_handles(server *server, int is_tcp)
{
    if (is_tcp)
        uv_tcp_init(&server->loop, &server->listener.tcp);
    else
        uv_pipe_init(&server->loop, &server->listener.pipe, 0);
    uv_timer_init(&server->loop, &server->timer);
    uv_signal_init(&server->loop, &server->interrupt);
    uv_async_init(&server->loop, &server->stop, on_stop);
    server->listener.handle.data = server->timer.data = server->interrupt.data = server->stop.data = server;
}

int server_start(server *server, const char *device, const char *path, int *port)
{
    int outcome;
    *server = (struct server){0};
    if (open_device(server, device) != 0)
        return -1;
    uv_loop_init(&server->loop);
    init_handles(server, path == NULL);
    outcome = path ? bind_path(server, path) : bind_port(server, port);
    if (outcome == 0) {
        uv_timer_start(&server->timer, on_tick, TICK_MILLISECONDS, TICK_MILLISECONDS);
        uv_signal_start(&server->interrupt, on_interrupt, SIGINT);
        return 0;
    }
    end(server);
    server_run(server);
    return -1;
}

void server_run(server *server)
{
    uv_run(&server->loop, UV_RUN_DEFAULT);
    uv_loop_close(&server->loop);
    (void)quern_event_release(server->gate);
    (void)quern_device_release(server->device);
}
