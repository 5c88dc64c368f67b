/*
 * uv_server: requests are answered by kernels, and the loop never waits for one.
 *
 *     uv_server [--port N | --socket PATH] [--device NAME]     until it is interrupted (SIGINT)
 *     uv_server --self-test [--device NAME]                    with clients of its own, good and bad ones
 *
 *     $ printf 'mandelbrot 480 640 200\n' | nc -N 127.0.0.1 7070
 *     ok 5f0c3ae9b2d1f644
 *
 * A client has a non-blocking queue. When a line comes in its commands are queued, and the event behind them becomes
 * a file descriptor (quern_event_fd), which uv_poll watches like any other: meanwhile the loop serves other clients and
 * a timer ticks. The kernel is in ../mandelbrot.k.c.
 *
 * An interrupt closes what is idle; requests that have begun are finished and answered, those that wait for the device
 * are told so. A second one ends the program at once.
 *
 * Exit status: 0 all is right, 1 something failed, 2 the command line is wrong.
 */
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

typedef struct options {
    const char *device, *path;
    int port, self_test;
} options;

static const char usage[] = "usage: uv_server [--port N | --socket PATH] [--device NAME] [--self-test]\n";

static int misuse(const char *what, const char *argument)
{
    fprintf(stderr, "uv_server: %s '%s'\n%s", what, argument, usage);
    return -1;
}

static int parse_port(const char *text, int *port)
{
    char *end;
    long number = strtol(text, &end, 10);
    *port = (int)number;
    if (end != text && !*end && number >= 0 && number <= 65535)
        return 0;
    fprintf(stderr, "uv_server: --port is '%s', wanted a whole number from 0 (any port) to 65535\n", text);
    return -1;
}

static int parse_path(const char *text, const char **path)
{
    const size_t most = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    *path = text;
    if (*text && strlen(text) <= most)
        return 0;
    fprintf(stderr, "uv_server: --socket is '%s', wanted a path of 1 to %zu bytes\n", text, most);
    return -1;
}

static int parse(int argc, char **argv, options *options)
{
    for (int i = 1; i < argc; ++i) {
        const char *name = argv[i];
        if (strcmp(name, "--self-test") == 0) {
            options->self_test = 1;
            continue;
        }
        if (strcmp(name, "--device") != 0 && strcmp(name, "--socket") != 0 && strcmp(name, "--port") != 0)
            return misuse("there is no option", name);
        if (++i == argc)
            return misuse("no value for", name);
        int outcome = 0;
        if (strcmp(name, "--device") == 0)
            options->device = argv[i];
        else if (strcmp(name, "--socket") == 0)
            outcome = parse_path(argv[i], &options->path);
        else
            outcome = parse_port(argv[i], &options->port);
        if (outcome != 0)
            return outcome;
    }
    return 0;
}

static int serve(const options *options)
{
    static server server;
    int port = options->port;
    if (server_start(&server, options->device, options->path, &port) != 0)
        return 1;
    if (options->path)
        printf("listening at %s\n", options->path);
    else
        printf("listening at 127.0.0.1:%d\n", port);
    fflush(stdout);
    server_run(&server);
    printf("%zu requests answered, %zu refused\n", server.answered, server.refused);
    server_print_ticks(&server);
    return 0;
}

int main(int argc, char **argv)
{
    options options = {.port = 7070};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0;
    if (parse(argc, argv, &options) != 0)
        return 2;
    signal(SIGPIPE, SIG_IGN); /* a client that has gone is an error of the write, not the server's end */
    return options.self_test ? self_test(options.device) : serve(&options);
}
