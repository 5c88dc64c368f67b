/*
 * quern-tour: kernels on real data on every device of this machine, each beside a sequential loop.
 *
 *     quern-tour [--device NAME] [--data FOLDER] [FOLDER]
 *
 * Without --device it uses the device that QUERN_DEVICE names, without that all of them, whose results must have the
 * same bits. Pictures go to the last argument. Exit status: 0 all results are right, 1 one is not or something failed,
 * 2 the command line is wrong.
 */
#include "tour.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PLACES 32

typedef struct places {
    place all[MAX_PLACES];
    size_t count;
} places;

typedef struct options {
    const char *device; /* NULL: all */
    const char *data, *output;
} options;

static int misuse(const char *what, const char *argument)
{
    fprintf(stderr, "quern-tour: %s '%s'\nusage: quern-tour [--device NAME|all] [--data FOLDER] [OUTPUT-FOLDER]\n",
            what, argument);
    return -1;
}

static int parse(int argc, char **argv, options *options)
{
    options->device = getenv("QUERN_DEVICE");
    options->data = "data";
    for (int i = 1; i < argc; ++i) {
        const char **value = strcmp(argv[i], "--device") == 0 ? &options->device
                             : strcmp(argv[i], "--data") == 0 ? &options->data
                                                              : NULL;
        if (value && i + 1 == argc)
            return misuse("no value for", argv[i]);
        if (value)
            *value = argv[++i];
        else if (argv[i][0] == '-')
            return misuse("unknown option", argv[i]);
        else if (options->output)
            return misuse("more than one output folder:", argv[i]);
        else
            options->output = argv[i];
    }
    if (options->device && (options->device[0] == '\0' || strcmp(options->device, "all") == 0))
        options->device = NULL;
    return 0;
}

/* ---- the devices ---- */

static int open_place(const char *name, place *place)
{
    snprintf(place->name, sizeof place->name, "%s", name);
    quern_status status = quern_device_open(name, &place->device);
    if (!status)
        status = quern_queue_create(place->device, NULL, &place->queue);
    return status ? complain(name) : 0;
}

static void close_places(places *places)
{
    for (size_t i = 0; i < places->count; ++i) {
        (void)quern_queue_release(places->all[i].queue);
        (void)quern_device_release(places->all[i].device);
    }
}

static int open_all(places *places)
{
    size_t count = 0;
    if (quern_device_count(&count))
        return complain("devices");
    if (count == 0) {
        fputs("quern-tour: this machine has no device that Quern can use\n", stderr);
        return -1;
    }
    for (size_t i = 0; i < count && i < MAX_PLACES; ++i) {
        const char *name;
        if (quern_device_name(i, &name))
            return complain("devices");
        if (open_place(name, &places->all[places->count++]) != 0)
            return -1;
    }
    return 0;
}

/* Backends without a device, and why. */
static int tell_absent(void)
{
    size_t count = 0;
    if (quern_backend_count(&count))
        return complain("backends");
    for (size_t i = 0; i < count; ++i) {
        const char *name, *reason;
        quern_status state;
        if (quern_backend_status(i, &name, &state, &reason))
            return complain("backends");
        if (state)
            printf("%s: %s: %s\n", name, state == QUERN_NOT_PRESENT ? "not present" : "does not work", reason);
    }
    return 0;
}

/* ---- the jobs ---- */

/* Each on all devices before the next, so that what belongs together stands together. */
static int run_jobs(const places *places, const inputs *inputs)
{
    static job *const jobs[] = {job_sum_elevations, job_max_elevations, job_sum_random, job_max_random,
                                job_hillshade,      job_grey,           job_blur,       job_blur_tiled};
    int outcome = 0;
    for (size_t k = 0; k < sizeof jobs / sizeof jobs[0]; ++k)
        for (size_t i = 0; i < places->count; ++i)
            outcome |= jobs[k](&places->all[i], inputs);
    return outcome;
}

/* Whether the output folder is there, and the devices: asked first, for the inputs take a while. */
static int check_and_open(const options *options, places *places)
{
    int outcome;
    if (options->output && access(options->output, W_OK | X_OK) != 0) {
        fprintf(stderr, "quern-tour: %s: %s\n", options->output, strerror(errno));
        return -1;
    }
    outcome = options->device ? open_place(options->device, &places->all[places->count++]) : open_all(places);
    places->all[0].output = options->output;
    return outcome;
}

static int run(const options *options, const places *places, const inputs *inputs)
{
    printf("The elevation model of the Jacksboro fault, 2^24 random doubles and a photograph, on each device.\n"
           "ratio: above 1 where it is faster than a sequential loop of plain C on one thread.\n"
           "%s",
           picture_note);
    table_heading();
    int outcome = run_jobs(places, inputs);
    putchar('\n');
    if (!options->device)
        outcome |= tell_absent();
    if (table_wrong() > 0)
        printf("Results that are wrong, or have other bits than those of %s: %d.\n", places->all[0].name,
               table_wrong());
    if (outcome != 0 || table_wrong() > 0)
        return -1;
    printf("All results are those of the sequential loops: sums within the rounding of any order, the rest to the "
           "bit.\n");
    if (table_compared() > 0)
        printf("All devices have computed the same bits as %s.\n", places->all[0].name);
    return 0;
}

int main(int argc, char **argv)
{
    options options = {0};
    inputs inputs = {0};
    places places = {0};
    int outcome;

    if (parse(argc, argv, &options) != 0)
        return 2;
    outcome = check_and_open(&options, &places);
    if (outcome == 0)
        outcome = inputs_read(options.data, &inputs);
    if (outcome == 0)
        outcome = run(&options, &places, &inputs);
    close_places(&places);
    inputs_free(&inputs);
    bits_free();
    return outcome == 0 ? 0 : 1;
}
