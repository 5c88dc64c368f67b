/* The command line. */
#include "heat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: [mpirun -n RANKS] heat_mpi [OPTION]...\n"
                            "  --rows N, --columns N   cells of the plate, its edge included (4003 x 4001)\n"
                            "  --steps N               steps (20)\n"
                            "  --repeat N              each way this often, the fastest counts (5)\n"
                            "  --delay MS              makes each exchange of the halo take so many milliseconds (0)\n"
                            "  --no-overlap            only the way without overlap\n"
                            "  --device NAME           cpu:0, opencl:0, ... (the default one)\n"
                            "  --json                  one JSON object instead of lines\n";

static int misuse(int complain, const char *what, const char *argument)
{
    if (complain)
        fprintf(stderr, "heat_mpi: %s '%s'\n%s", what, argument, usage);
    return 2;
}

static int parse_number(const char *text, long least, long most, long *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    return end != text && *end == '\0' && *number >= least && *number <= most ? 0 : -1;
}

/* One option that has a value; 1 when there is none of this name, -1 when the value is wrong. */
static int parse_value(const char *name, const char *value, options *options)
{
    const long most_cells = 1000000; /* along a dimension; their product fits 64 bits by far */
    long number = 0;
    int wrong;
    if (strcmp(name, "--rows") == 0) {
        wrong = parse_number(value, 3, most_cells, &number);
        options->rows = (size_t)number;
    } else if (strcmp(name, "--columns") == 0) {
        wrong = parse_number(value, 3, most_cells, &number);
        options->columns = (size_t)number;
    } else if (strcmp(name, "--steps") == 0) {
        wrong = parse_number(value, 1, most_cells, &options->steps);
    } else if (strcmp(name, "--repeat") == 0) {
        wrong = parse_number(value, 1, 1000, &options->repeat);
    } else if (strcmp(name, "--delay") == 0) {
        char *end;
        double milliseconds = strtod(value, &end);
        wrong = end == value || *end != '\0' || !(milliseconds >= 0 && milliseconds <= 60000) ? -1 : 0;
        options->delay = milliseconds / 1000;
    } else if (strcmp(name, "--device") == 0) {
        options->device = value;
        wrong = 0;
    } else {
        return 1;
    }
    return wrong;
}

int options_parse(int argc, char **argv, int complain, options *options)
{
    *options = (struct options){.rows = 4003, .columns = 4001, .steps = 20, .repeat = 5};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0) {
            if (complain)
                fputs(usage, stdout);
            return 1;
        }
        if (strcmp(argv[i], "--no-overlap") == 0) {
            options->no_overlap = 1;
        } else if (strcmp(argv[i], "--json") == 0) {
            options->json = 1;
        } else {
            int outcome = parse_value(argv[i], i + 1 < argc ? argv[i + 1] : "", options);
            if (outcome > 0)
                return misuse(complain, "there is no option", argv[i]);
            if (i + 1 == argc)
                return misuse(complain, "no value for", argv[i]);
            if (outcome < 0)
                return misuse(complain, "a value that is no number, or out of range:", argv[i + 1]);
            ++i;
        }
    }
    return 0;
}
