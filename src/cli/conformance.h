/* `quern conformance`: its options, its report, and what happens when a test ends the process. */
#ifndef QUERN_CLI_CONFORMANCE_H
#define QUERN_CLI_CONFORMANCE_H

#include "cli.h"

#include "conformance/registry.h"
#include "conformance/trial.h"

/* ---- options (conformance_options.c) ---- */

typedef struct quern_cli_conformance_options {
    const char *device; /* NULL: all */
    quern_cli_plugins plugins;
    const char **tests, **skips; /* patterns, of argv */
    size_t test_count, skip_count;
    uint64_t timeout; /* seconds a test may take */
    int list, json, tap, self_check, help;
} quern_cli_conformance_options;

/* RIGHT; MISUSE or WRONG after a message. To be freed either way. */
int quern_cli_conformance_options_read(int argc, char **argv, quern_cli_conformance_options *options);
void quern_cli_conformance_options_free(quern_cli_conformance_options *options);

/* 1 when the test is one that the command line asks for; skipped ones are. */
int quern_cli_conformance_is_chosen(const quern_cli_conformance_options *options, const quern_conformance_test *test);
int quern_cli_conformance_is_skipped(const quern_cli_conformance_options *options, const quern_conformance_test *test);

/* ---- report (conformance_report.c) ---- */

enum { QUERN_CLI_VERDICTS = QUERN_SKIPPED + 1 };

/* The results of one device. */
typedef struct quern_cli_conformance_tally {
    char device[32];
    size_t counts[QUERN_CLI_VERDICTS]; /* by verdict */
    double seconds;
} quern_cli_conformance_tally;

typedef enum quern_cli_conformance_format {
    QUERN_CLI_TABLE,
    QUERN_CLI_JSON,
    QUERN_CLI_TAP
} quern_cli_conformance_format;

typedef struct quern_cli_conformance_report {
    quern_cli_conformance_format format;
    size_t planned, printed; /* results */
    quern_cli_conformance_tally *tallies;
    size_t tally_count, tally_room;
} quern_cli_conformance_report;

/* Begins, with so many results to come. */
void quern_cli_results_begin(quern_cli_conformance_report *report, quern_cli_conformance_format format, size_t planned);

/* The results from here on are the device's. RIGHT, or WRONG after a message. */
int quern_cli_results_device(quern_cli_conformance_report *report, const char *device);

/* One result as it is printed, malloc'ed; NULL when memory is exhausted. last: the process ends behind it. */
char *quern_cli_results_text(const quern_cli_conformance_report *report, const char *test, quern_verdict verdict,
                             const char *detail, int last);

/* Counts and prints a result. RIGHT, or WRONG after a message. */
int quern_cli_results_add(quern_cli_conformance_report *report, const char *test, const quern_outcome *outcome);

/* Prints what comes last, and frees. RIGHT when nothing has failed, else WRONG. */
int quern_cli_results_end(quern_cli_conformance_report *report);

/* ---- a test that crashes, hangs or calls exit (conformance_guard.c) ---- */

/* What is written when that happens, whole lines: the sentence on stderr, the result on stdout; NULL writes nothing. Of
 * a crash the signal's name stands where the texts have QUERN_CLI_GUARD_SIGNAL; of another end (see below), which the
 * parent tells of, that signal or "_exit(0)". Each malloc'ed. */
typedef struct quern_cli_guard_texts {
    char *crash_error, *crash_output, *hang_error, *hang_output, *exit_error, *exit_output, *end_error, *end_output;
} quern_cli_guard_texts;

#define QUERN_CLI_GUARD_SIGNAL "SIGNAME"

void quern_cli_guard_texts_free(quern_cli_guard_texts *texts); /* NULL is fine */

/*
 * A test begins, or whatever the texts are about. From here on a crash, in whatever thread, a call of exit, and the
 * passing of so many seconds write their texts and end the process with QUERN_CLI_WRONG. An overflow of the stack is
 * seen on the calling thread and on those of conformance/thread.h. Takes the texts, malloc'ed, which stay until the
 * next begin: a thread that a wrong backend has left running may crash later. RIGHT, or WRONG after a message.
 */
int quern_cli_guard_begin(quern_cli_guard_texts *texts, uint64_t seconds);

/* It has ended: no hang any more, but a crash is still its own. */
void quern_cli_guard_end(void);

/* All have ended: crashes end the process by their signal again, and exit ends it with its status. */
void quern_cli_guard_stop(void);

/* ---- a test that ends the process without a word: _exit, quick_exit, SIGKILL (conformance_child.c) ---- */

/* Begins a child that runs the tests, while this process has no other threads. 1 in the child. 0 in the parent when the
 * child has ended, or did not begin: *status is the command's. When it ended before it said so, what was prepared has
 * been written. */
int quern_cli_child_begin(int *status);

/* In the child: what the parent writes if the child ends now; output may be NULL. RIGHT, or WRONG after a message. */
int quern_cli_child_prepare(const char *error, const char *output);
void quern_cli_child_forget(void); /* no test runs */

/* In the child: it has said all that it had to say, and ends with that status. */
void quern_cli_child_ends(int status);

/* ---- before the first test (conformance_start.c) ---- */

/* Loads the plug-ins and starts all backends, each under guard. RIGHT, or WRONG after a message. A backend that does
 * not work is no failure of this. */
int quern_cli_conformance_start(const quern_cli_conformance_options *options);

/* ---- the tests (conformance.c) ---- */

/* Sets the guard for a test; report names the device in results, device in messages. RIGHT, or WRONG after a message.
 */
int quern_cli_conformance_guard_test(const quern_cli_conformance_report *report, const char *device, const char *test,
                                     uint64_t timeout);

/* ---- behind the last test (conformance_stop.c) ---- */

/* Stops all backends, starts each device of the report once more, and stops again, under guard; nothing of the library
 * is held. Adds results only of what fails. RIGHT, or WRONG after a message. */
int quern_cli_conformance_stop(quern_cli_conformance_report *report, uint64_t timeout);

#endif
