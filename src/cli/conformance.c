/* `quern conformance`: runs the tests that every backend must pass. */
#include "conformance.h"
#include "json.h"
#include "progress.h"

#include <quern/quern.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void)
{
    fputs(
        "usage: quern conformance [OPTION]…\n"
        "\n"
        "Runs the tests that every device must pass: storage, copies, order, events, errors, and kernels of every\n"
        "kind. Each is passed, failed, unsupported (with what the device lacks) or skipped.\n"
        "\n"
        "  --device NAME|all      the device to test, or all of them, which is the default\n" QUERN_CLI_PLUGIN_HELP
        "  --test NAME            only this test; NAME may be a subject (copy) or a pattern ('copy.*'); may be given\n"
        "                         several times\n"
        "  --skip NAME            not this one; NAME likewise\n"
        "  --timeout SECONDS      how long a test may take before the run ends with its name; else 120\n"
        "  --self-check           run the controls instead: each plants a fault, which must be found\n"
        "  --list                 list the tests; with --self-check the controls\n"
        "  --json                 an array of objects: device, test, result, detail (with --list: test, about)\n"
        "  --tap                  the Test Anything Protocol, version 13\n"
        "\n"
        "The tests run in a child process (in gdb: set follow-fork-mode child).\n"
        "\n"
        "Exit status: 0; 1 when a test failed, or a control's fault was not found; 2 when the command line is wrong\n"
        "or names a device that is not there.\n"
        "\n"
        "examples: quern conformance --device opencl:0 --skip math\n"
        "          quern conformance --plugin ./libmybackend.so --device mine:0\n",
        stdout);
}

/* ---- the list ---- */

static int list_tests(const quern_cli_conformance_options *options)
{
    const quern_conformance_test *test;
    json_t *array = options->json ? json_array() : NULL;
    for (size_t i = 0; (test = quern_conformance_at(i)); ++i) {
        if (!quern_cli_conformance_is_chosen(options, test) || quern_cli_conformance_is_skipped(options, test))
            continue;
        if (options->json)
            json_array_append_new(array, json_pack("{s:o, s:o}", "test", quern_cli_json_text(test->name), "about",
                                                   quern_cli_json_text(test->about)));
        else
            printf("%-36s  %s\n", test->name, test->about);
    }
    return options->json ? quern_cli_json_print(array) : QUERN_CLI_RIGHT;
}

/* ---- devices ---- */

typedef struct device_list {
    quern_device **devices; /* all that work, those to be tested first */
    size_t count, tested;
} device_list;

static void release_devices(device_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        (void)quern_device_release(list->devices[i]);
    free(list->devices);
    *list = (device_list){NULL, 0, 0};
}

static void swap_devices(device_list *list, size_t i, size_t j)
{
    quern_device *device = list->devices[i];
    list->devices[i] = list->devices[j];
    list->devices[j] = device;
}

/* Opens every device of the process: RIGHT, or WRONG after a message. */
static int open_devices(device_list *list)
{
    size_t count = 0;
    const char *name = "";
    if (quern_device_count(&count)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    list->devices = calloc(count + 1, sizeof *list->devices);
    if (!list->devices) {
        quern_cli_error("no memory for a list of %zu devices", count);
        return QUERN_CLI_WRONG;
    }
    for (size_t i = 0; i < count; ++i) {
        if (quern_device_name(i, &name) || quern_device_open(name, &list->devices[list->count])) {
            quern_cli_library_error(name, quern_last_error());
            return QUERN_CLI_WRONG;
        }
        ++list->count;
    }
    list->tested = list->count;
    return QUERN_CLI_RIGHT;
}

static int is_all(const char *device)
{
    return !device || strcmp(device, "all") == 0;
}

/* Puts the device that was asked for first. */
static int choose_device(const char *name, device_list *list)
{
    quern_device *device = NULL;
    if (is_all(name))
        return QUERN_CLI_RIGHT;
    if (quern_device_open(name, &device))
        return quern_cli_misuse("conformance", "%s", quern_last_error());
    (void)quern_device_release(device);
    for (size_t i = 0; i < list->count; ++i)
        if (list->devices[i] == device)
            swap_devices(list, 0, i);
    list->tested = 1;
    return QUERN_CLI_RIGHT;
}

/* ---- running ---- */

static char *guard_error(const char *device, const char *test, const char *what)
{
    char *text = NULL;
    if (asprintf(&text, "quern: %s: %s %s; the tests behind it were not run\n", device, test, what) < 0)
        return NULL;
    return text;
}

static int is_whole(const quern_cli_guard_texts *texts)
{
    return texts->crash_error && texts->crash_output && texts->hang_error && texts->hang_output && texts->exit_error &&
           texts->exit_output && texts->end_error && texts->end_output;
}

static void prepare_text(const quern_cli_conformance_report *report, const char *device, const char *test,
                         const char *what, char **error, char **output)
{
    *error = guard_error(device, test, what);
    *output = quern_cli_results_text(report, test, QUERN_FAILED, what, 1);
}

int quern_cli_conformance_guard_test(const quern_cli_conformance_report *report, const char *device, const char *test,
                                     uint64_t timeout)
{
    char what[128];
    quern_cli_guard_texts *texts = calloc(1, sizeof *texts);
    if (texts) {
        prepare_text(report, device, test, "crashed with " QUERN_CLI_GUARD_SIGNAL, &texts->crash_error,
                     &texts->crash_output);
        snprintf(what, sizeof what, "hangs: it has not ended after %llu seconds", (unsigned long long)timeout);
        prepare_text(report, device, test, what, &texts->hang_error, &texts->hang_output);
        prepare_text(report, device, test, "ended the process by exit()", &texts->exit_error, &texts->exit_output);
        prepare_text(report, device, test, "was ended by " QUERN_CLI_GUARD_SIGNAL, &texts->end_error,
                     &texts->end_output);
    }
    if (texts && is_whole(texts))
        return quern_cli_guard_begin(texts, timeout);
    quern_cli_error("%s: %s: no memory for its name", device, test);
    quern_cli_guard_texts_free(texts);
    return QUERN_CLI_WRONG;
}

/* Of a control, what it found is right, and finding nothing is wrong. */
static void judge_control(quern_outcome *outcome)
{
    static const char prefix[] = "found: ";
    if (outcome->verdict == QUERN_PASSED) {
        outcome->verdict = QUERN_FAILED;
        snprintf(outcome->detail, sizeof outcome->detail, "the planted fault was not found");
    } else if (outcome->verdict == QUERN_FAILED) {
        outcome->verdict = QUERN_PASSED;
        memmove(outcome->detail + sizeof prefix - 1, outcome->detail, sizeof outcome->detail - sizeof prefix);
        memcpy(outcome->detail, prefix, sizeof prefix - 1);
        outcome->detail[sizeof outcome->detail - 1] = '\0';
    }
}

static int run_one(const quern_cli_conformance_options *options, const device_list *list,
                   const quern_conformance_test *test, const char *device, quern_cli_conformance_report *report)
{
    quern_outcome outcome = {QUERN_SKIPPED, 0, ""};
    if (quern_cli_conformance_is_skipped(options, test))
        return quern_cli_results_add(report, test->name, &outcome);
    quern_cli_progress("%s: %s, %zu of %zu", device, test->name, report->printed + 1, report->planned);
    int status = quern_cli_conformance_guard_test(report, device, test->name, options->timeout);
    if (status)
        return status;
    quern_trial_run(test, list->devices[0], list->devices + 1, list->count - 1, &outcome);
    quern_cli_guard_end();
    if (test->is_control)
        judge_control(&outcome);
    return quern_cli_results_add(report, test->name, &outcome);
}

static int run_device(const quern_cli_conformance_options *options, const device_list *list,
                      quern_cli_conformance_report *report)
{
    const quern_conformance_test *test;
    quern_device_info info;
    if (quern_device_get_info(list->devices[0], &info)) {
        quern_cli_library_error(NULL, quern_last_error());
        return QUERN_CLI_WRONG;
    }
    int status = quern_cli_results_device(report, info.name);
    for (size_t i = 0; !status && (test = quern_conformance_at(i)); ++i)
        if (quern_cli_conformance_is_chosen(options, test))
            status = run_one(options, list, test, info.name, report);
    return status;
}

static size_t chosen_count(const quern_cli_conformance_options *options)
{
    const quern_conformance_test *test;
    size_t count = 0;
    for (size_t i = 0; (test = quern_conformance_at(i)); ++i)
        count += (size_t)quern_cli_conformance_is_chosen(options, test);
    return count;
}

static int run_all(const quern_cli_conformance_options *options, device_list *list)
{
    quern_cli_conformance_report report;
    int status = QUERN_CLI_RIGHT;
    quern_cli_results_begin(&report,
                            options->json  ? QUERN_CLI_JSON
                            : options->tap ? QUERN_CLI_TAP
                                           : QUERN_CLI_TABLE,
                            list->tested * chosen_count(options));
    for (size_t i = 0; !status && i < list->tested; ++i) {
        swap_devices(list, 0, i); /* the one under test is the first, the others follow */
        status = run_device(options, list, &report);
        swap_devices(list, 0, i);
    }
    release_devices(list);
    if (!status)
        status = quern_cli_conformance_stop(&report, options->timeout);
    quern_cli_guard_stop();
    int ended = quern_cli_results_end(&report);
    return status ? status : ended;
}

/* A backend that does not work is not tested; whoever asked for all should know. WRONG when it is one that was loaded
 * for the purpose, of which there are those from first on. */
static int note_backends(const quern_cli_conformance_options *options, size_t first)
{
    FILE *out = options->json || options->tap ? stderr : stdout;
    int status = QUERN_CLI_RIGHT;
    size_t count = 0;
    (void)quern_backend_count(&count);
    for (size_t i = 0; i < count; ++i) {
        const char *name = "", *reason = "";
        quern_status state = QUERN_SUCCESS;
        if (quern_backend_status(i, &name, &state, &reason) != QUERN_SUCCESS || !state)
            continue;
        if (i >= first) {
            quern_cli_error("%s is not tested, it does not work: %s", name, reason);
            status = QUERN_CLI_WRONG;
        } else {
            fprintf(out, "%s is not tested, it does not work: %s\n", name, reason);
        }
    }
    for (size_t i = 0; !quern_device_unusable_count(&count) && i < count; ++i) {
        const char *name = "", *reason = "";
        if (!quern_device_unusable(i, &name, NULL, &reason))
            fprintf(out, "%s is not tested, it does not work: %s\n", name, reason);
    }
    return status;
}

/* A device or a plug-in that is named has to be there, though the list is the same for all. */
static int check_and_list(const quern_cli_conformance_options *options)
{
    quern_device *device = NULL;
    int status = QUERN_CLI_RIGHT;
    if (options->device || options->plugins.count > 0)
        status = quern_cli_conformance_start(options);
    if (!status && !is_all(options->device)) {
        if (quern_device_open(options->device, &device))
            status = quern_cli_misuse("conformance", "%s", quern_last_error());
        (void)quern_device_release(device);
    }
    quern_cli_guard_stop();
    return status ? status : list_tests(options);
}

static int run(const quern_cli_conformance_options *options)
{
    device_list list = {NULL, 0, 0};
    int status = options->json ? quern_cli_json_check() : QUERN_CLI_RIGHT;
    if (!status && options->list)
        return check_and_list(options);
    size_t built_in = 0;
    (void)quern_backend_count(&built_in);
    if (!status)
        status = quern_cli_conformance_start(options);
    if (!status)
        status = open_devices(&list);
    if (!status)
        status = choose_device(options->device, &list);
    if (!status && list.count == 0) {
        quern_cli_error("no device works here");
        status = QUERN_CLI_WRONG;
    }
    if (!status) {
        int missing = is_all(options->device) ? note_backends(options, built_in) : QUERN_CLI_RIGHT;
        status = run_all(options, &list);
        if (!status)
            status = missing;
    }
    release_devices(&list);
    quern_cli_guard_stop();
    return status;
}

int quern_cli_conformance(int argc, char **argv)
{
    quern_cli_conformance_options options;
    int status = quern_cli_conformance_options_read(argc, argv, &options);
    if (!status && options.help)
        print_help();
    else if (!status && quern_cli_child_begin(&status)) {
        status = run(&options);
        (void)fflush(stdout);
        quern_cli_child_ends(status);
    }
    quern_cli_conformance_options_free(&options);
    return status;
}
