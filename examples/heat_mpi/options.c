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

/* What an option wants; numbers other than these are refused with a sentence that says so. */
typedef struct numeric {
    const char *name, *kind;
    double least, most;
} numeric;
enum { ROWS, COLUMNS, STEPS, REPEAT, DELAY, NUMERICS };
static const numeric numerics[NUMERICS] = {
    /* The product of the dimensions fits 64 bits by far. */
    [ROWS] = {"--rows", "a whole number", 3, 1000000},   [COLUMNS] = {"--columns", "a whole number", 3, 1000000},
    [STEPS] = {"--steps", "a whole number", 1, 1000000}, [REPEAT] = {"--repeat", "a whole number", 1, 1000},
    [DELAY] = {"--delay", "a number", 0, 60000},
};

static int find_numeric(const char *name)
{
    int which = 0;
    while (which < NUMERICS && strcmp(numerics[which].name, name) != 0)
        ++which;
    return which;
}

static int refuse(int complain, const numeric *wanted, const char *value)
{
    if (complain)
        fprintf(stderr, "heat_mpi: %s is '%s', wanted %s from %.0f to %.0f\n", wanted->name, value, wanted->kind,
                wanted->least, wanted->most);
    return 2;
}

static int parse_numeric(int which, const char *value, int complain, options *options)
{
    const numeric *wanted = &numerics[which];
    char *end;
    double number = which == DELAY ? strtod(value, &end) : (double)strtol(value, &end, 10);
    if (end == value || *end != '\0' || !(number >= wanted->least && number <= wanted->most)) /* NaN is neither */
        return refuse(complain, wanted, value);
    if (which == ROWS)
        options->rows = (size_t)number;
    else if (which == COLUMNS)
        options->columns = (size_t)number;
    else if (which == STEPS)
        options->steps = (long)number;
    else if (which == REPEAT)
        options->repeat = (long)number;
    else
        options->delay = number / 1000;
    return 0;
}

/* An option that has a value. */
static int parse_value(const char *name, const char *value, int complain, options *options)
{
    int which = find_numeric(name);
    if (which == NUMERICS && strcmp(name, "--device") != 0)
        return misuse(complain, "there is no option", name);
    if (!value)
        return misuse(complain, "no value for", name);
    if (which < NUMERICS)
        return parse_numeric(which, value, complain, options);
    options->device = value;
    return 0;
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
            int outcome = parse_value(argv[i], i + 1 < argc ? argv[i + 1] : NULL, complain, options);
            if (outcome != 0)
                return outcome;
            ++i;
        }
    }
    return 0;
}
