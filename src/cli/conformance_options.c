/* The command line of `quern conformance`. */
#include "conformance.h"
#include "text.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"

enum { MOST_SECONDS = 86400, MOST_NAMES = 512 };

enum {
    OPTION_DEVICE = 256,
    OPTION_PLUGIN,
    OPTION_TEST,
    OPTION_SKIP,
    OPTION_TIMEOUT,
    OPTION_LIST,
    OPTION_JSON,
    OPTION_TAP,
    OPTION_SELF_CHECK
};

static const struct option long_options[] = {
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"plugin", required_argument, NULL, OPTION_PLUGIN},
    {"test", required_argument, NULL, OPTION_TEST},
    {"skip", required_argument, NULL, OPTION_SKIP},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"list", no_argument, NULL, OPTION_LIST},
    {"json", no_argument, NULL, OPTION_JSON},
    {"tap", no_argument, NULL, OPTION_TAP},
    {"self-check", no_argument, NULL, OPTION_SELF_CHECK},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- names of tests ---- */

int quern_cli_conformance_is_chosen(const quern_cli_conformance_options *options, const quern_conformance_test *test)
{
    if (!test->is_control != !options->self_check)
        return 0;
    for (size_t i = 0; i < options->test_count; ++i)
        if (quern_conformance_matches(test->name, options->tests[i]))
            return 1;
    return options->test_count == 0;
}

int quern_cli_conformance_is_skipped(const quern_cli_conformance_options *options, const quern_conformance_test *test)
{
    for (size_t i = 0; i < options->skip_count; ++i)
        if (quern_conformance_matches(test->name, options->skips[i]))
            return 1;
    return 0;
}

/* 1 when a test matches; of the kind that is run, or of either. */
static int matches_any(const quern_cli_conformance_options *options, const char *pattern, int either)
{
    const quern_conformance_test *test;
    for (size_t i = 0; (test = quern_conformance_at(i)); ++i)
        if ((either || !test->is_control == !options->self_check) && quern_conformance_matches(test->name, pattern))
            return 1;
    return 0;
}

static int any_is_left(const quern_cli_conformance_options *options)
{
    const quern_conformance_test *test;
    for (size_t i = 0; (test = quern_conformance_at(i)); ++i)
        if (quern_cli_conformance_is_chosen(options, test) && !quern_cli_conformance_is_skipped(options, test))
            return 1;
    return 0;
}

/* The subjects when a subject may have been meant, else the tests. */
static int refuse_pattern(const char *option, const char *pattern)
{
    static char subjects[MOST_NAMES][32];
    const char *names[MOST_NAMES];
    const quern_conformance_test *test;
    char hint[256];
    size_t count = 0;
    int whole = strchr(pattern, '.') != NULL;
    for (size_t i = 0; count < MOST_NAMES && (test = quern_conformance_at(i)); ++i) {
        int length = (int)strcspn(test->name, ".");
        snprintf(subjects[count], sizeof subjects[count], "%.*s", length, test->name);
        if (whole)
            names[count++] = test->name;
        else if (count == 0 || strcmp(subjects[count], subjects[count - 1]) != 0) {
            names[count] = subjects[count];
            ++count;
        }
    }
    quern_near_names(pattern, names, count, hint, sizeof hint);
    return quern_cli_misuse("conformance", "%s: there is no test '%s'%s", option, pattern, hint);
}

static int check_patterns(const quern_cli_conformance_options *options)
{
    for (size_t i = 0; i < options->test_count; ++i)
        if (!matches_any(options, options->tests[i], 1))
            return refuse_pattern("--test", options->tests[i]);
        else if (!matches_any(options, options->tests[i], 0))
            return quern_cli_misuse("conformance",
                                    options->self_check ? "--test: '%s' is no control, and --self-check runs only these"
                                                        : "--test: '%s' is a control, which --self-check runs",
                                    options->tests[i]);
    for (size_t i = 0; i < options->skip_count; ++i)
        if (!matches_any(options, options->skips[i], 1))
            return refuse_pattern("--skip", options->skips[i]);
    if (!any_is_left(options))
        return quern_cli_misuse("conformance", "no test is left: --skip takes all that there %s",
                                options->test_count > 0 ? "are by --test" : "are");
    return QUERN_CLI_RIGHT;
}

/* ---- the options ---- */

static int refuse(int given, char **argv)
{
    const char *text = argv[optind - 1];
    const char *names[sizeof long_options / sizeof long_options[0]];
    char hint[256];
    size_t count = 0;
    if (given == ':')
        return quern_cli_misuse("conformance", "the option %s wants a value", text);
    if (optopt >= OPTION_DEVICE || optopt == 'h')
        return quern_cli_misuse("conformance", "the option %s takes no value", text);
    if (strncmp(text, "--", 2) != 0)
        return quern_cli_misuse("conformance", "there is no option -%c", optopt);
    for (; long_options[count].name; ++count)
        names[count] = long_options[count].name;
    quern_near_names(text + 2, names, count, hint, sizeof hint);
    return quern_cli_misuse("conformance", "there is no option %s%s", text, hint);
}

static int read_option(int option, char *argument, quern_cli_conformance_options *options)
{
    switch (option) {
    case OPTION_DEVICE:
        if (options->device)
            return quern_cli_misuse("conformance", "the option --device is given twice");
        options->device = argument;
        break;
    case OPTION_PLUGIN:
        return quern_cli_plugin_add(&options->plugins, "conformance", argument);
    case OPTION_TEST:
        options->tests[options->test_count++] = argument;
        break;
    case OPTION_SKIP:
        options->skips[options->skip_count++] = argument;
        break;
    case OPTION_TIMEOUT:
        if (quern_cli_parse_count("--timeout", argument, 1, MOST_SECONDS, &options->timeout))
            return quern_cli_misuse("conformance", "%s", quern_last_error());
        break;
    case OPTION_LIST:
        options->list = 1;
        break;
    case OPTION_JSON:
        options->json = 1;
        break;
    case OPTION_TAP:
        options->tap = 1;
        break;
    case OPTION_SELF_CHECK:
        options->self_check = 1;
        break;
    default:
        options->help = 1;
        break;
    }
    return QUERN_CLI_RIGHT;
}

static int read_all(int argc, char **argv, quern_cli_conformance_options *options)
{
    int option, status = QUERN_CLI_RIGHT;
    optind = 0;
    opterr = 0;
    while (!status && !options->help && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == '?' || option == ':')
            return refuse(option, argv);
        status = read_option(option, optarg, options);
    }
    if (status || options->help)
        return status;
    if (optind < argc)
        return quern_cli_misuse("conformance", "'%s' is no option; a test is named with --test %s", argv[optind],
                                argv[optind]);
    if (options->json && options->tap)
        return quern_cli_misuse("conformance", "--json and --tap are both given, wanted one of them");
    if (options->list && options->tap)
        return quern_cli_misuse("conformance", "--list has no TAP");
    return check_patterns(options);
}

int quern_cli_conformance_options_read(int argc, char **argv, quern_cli_conformance_options *options)
{
    memset(options, 0, sizeof *options);
    options->timeout = 120;
    options->tests = calloc((size_t)argc, sizeof *options->tests);
    options->skips = calloc((size_t)argc, sizeof *options->skips);
    if (!options->tests || !options->skips) {
        quern_cli_error("no memory for the command line");
        return QUERN_CLI_WRONG;
    }
    return read_all(argc, argv, options);
}

void quern_cli_conformance_options_free(quern_cli_conformance_options *options)
{
    free(options->tests);
    free(options->skips);
}
