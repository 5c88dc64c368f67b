/*
 * quern-tour: kernels on real data on every device of this machine, each beside a sequential loop.
 *
 *     quern-tour [--device NAME] [--data FOLDER] [FOLDER]
 *
 * Without --device it uses the device that QUERN_DEVICE names, without that all of them. Pictures go to the last
 * argument. Exit status: 0 all results are right, 1 one is not or something failed, 2 the command line is wrong.
 */
#include "tour.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int run_jobs(const place *place, const inputs *inputs)
{
    int outcome = 0;
    outcome |= job_reduce(place, &inputs->elevations);
    outcome |= job_reduce(place, &inputs->random);
    outcome |= job_hillshade(place, inputs);
    outcome |= job_grey(place, inputs);
    outcome |= job_blur(place, inputs);
    outcome |= job_blur_tiled(place, inputs);
    return outcome;
}

/* output is NULL when the pictures have been written already. */
static int run_device(const char *name, const char *output, const inputs *inputs)
{
    place place = {.name = name, .output = output};
    int outcome = -1;

    quern_status status = quern_device_open(name, &place.device);
    if (!status)
        status = quern_queue_create(place.device, NULL, &place.queue);
    if (status)
        complain(name);
    else
        outcome = run_jobs(&place, inputs);
    (void)quern_queue_release(place.queue);
    (void)quern_device_release(place.device);
    return outcome;
}

static int run_all(const char *output, const inputs *inputs)
{
    size_t count = 0;
    int outcome = 0;

    if (quern_device_count(&count))
        return complain("devices");
    if (count == 0) {
        fputs("quern-tour: this machine has no device that Quern can use\n", stderr);
        return -1;
    }
    for (size_t i = 0; i < count; ++i) {
        const char *name;
        if (quern_device_name(i, &name))
            return complain("devices");
        outcome |= run_device(name, i == 0 ? output : NULL, inputs);
    }
    return outcome;
}

/* Whether the device and the output folder are there: asked first, for the inputs take a while. */
static int check_options(const options *options)
{
    quern_device *device = NULL;

    if (options->output && access(options->output, W_OK | X_OK) != 0) {
        fprintf(stderr, "quern-tour: %s: %s\n", options->output, strerror(errno));
        return -1;
    }
    if (options->device && quern_device_open(options->device, &device))
        return complain(options->device);
    (void)quern_device_release(device);
    return 0;
}

int main(int argc, char **argv)
{
    options options = {0};
    inputs inputs = {0};
    int outcome;

    if (parse(argc, argv, &options) != 0)
        return 2;
    outcome = check_options(&options);
    if (outcome == 0)
        outcome = inputs_read(options.data, &inputs);
    if (outcome == 0) {
        printf("The elevation model of the Jacksboro fault, 2^24 random doubles and a photograph, on each device.\n"
               "ratio: above 1 where it is faster than a sequential loop of plain C on one thread.\n");
        table_heading();
        outcome =
            options.device ? run_device(options.device, options.output, &inputs) : run_all(options.output, &inputs);
    }
    inputs_free(&inputs);
    if (outcome == 0 && table_wrong() == 0)
        printf("\nAll results are those of the sequential loops: sums within the rounding of any order, the rest to "
               "the bit.\n");
    return outcome == 0 && table_wrong() == 0 ? 0 : 1;
}
