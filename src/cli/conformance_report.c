/* The results of `quern conformance`: as a table for people, as JSON, as TAP. */
#include "conformance.h"
#include "json.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *verdict_name(quern_verdict verdict)
{
    static const char *const names[QUERN_CLI_VERDICTS] = {"passed", "failed", "unsupported", "skipped"};
    return names[verdict];
}

static const char *present_device(const quern_cli_conformance_report *report)
{
    return report->tally_count > 0 ? report->tallies[report->tally_count - 1].device : "";
}

/* ---- one result ---- */

/* For people: only what has not passed. */
static char *line_text(const char *device, const char *test, quern_verdict verdict, const char *detail)
{
    char *text = NULL;
    if (verdict == QUERN_PASSED)
        return strdup("");
    if (asprintf(&text, "%-11s  %s  %s%s%s\n", verdict_name(verdict), device, test, detail[0] ? "  " : "", detail) < 0)
        return NULL;
    return text;
}

/* An element of the array, indented, with the comma that joins it to the one before. */
static char *json_element_text(const quern_cli_conformance_report *report, const char *test, quern_verdict verdict,
                               const char *detail, int last)
{
    char *dump = quern_cli_json_dump(
        json_pack("{s:o, s:o, s:s, s:o}", "device", quern_cli_json_text(present_device(report)), "test",
                  quern_cli_json_text(test), "result", verdict_name(verdict), "detail", quern_cli_json_text(detail)));
    char *text = NULL;
    size_t size = 0;
    FILE *stream = dump ? open_memstream(&text, &size) : NULL;
    if (stream) {
        fputs(report->printed > 0 ? ",\n" : "", stream);
        for (const char *line = dump; *line;) {
            size_t length = strcspn(line, "\n");
            /* The last line has no newline: a comma may follow. */
            fprintf(stream, "  %.*s%s", (int)length, line, line[length] && line[length + 1] ? "\n" : "");
            line += length + (line[length] != '\0');
        }
        fputs(last ? "\n]\n" : "", stream);
        fclose(stream);
    }
    free(dump);
    return text;
}

/* Text between double quotes of YAML. */
static void put_quoted(FILE *stream, const char *text)
{
    putc('"', stream);
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            fprintf(stream, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(stream, "\\x%02x", (unsigned)*text);
        else
            putc(*text, stream);
    putc('"', stream);
}

static void put_line(FILE *stream, const char *text)
{
    for (; *text; ++text)
        putc((unsigned char)*text < ' ' ? ' ' : *text, stream);
}

static char *tap_text(const quern_cli_conformance_report *report, const char *test, quern_verdict verdict,
                      const char *detail, int last)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%sok %zu - %s %s", verdict == QUERN_FAILED ? "not " : "", report->printed + 1,
            present_device(report), test);
    if (verdict == QUERN_UNSUPPORTED || verdict == QUERN_SKIPPED) {
        fprintf(stream, " # SKIP %s%s", verdict_name(verdict), detail[0] ? ": " : "");
        put_line(stream, detail);
    }
    putc('\n', stream);
    if (verdict == QUERN_FAILED) {
        fputs("  ---\n  message: ", stream);
        put_quoted(stream, detail);
        fputs("\n  ...\n", stream);
    }
    if (last)
        fprintf(stream, "Bail out! %s ended the run\n", test);
    fclose(stream);
    return text;
}

char *quern_cli_results_text(const quern_cli_conformance_report *report, const char *test, quern_verdict verdict,
                             const char *detail, int last)
{
    switch (report->format) {
    case QUERN_CLI_JSON:
        return json_element_text(report, test, verdict, detail, last);
    case QUERN_CLI_TAP:
        return tap_text(report, test, verdict, detail, last);
    default:
        return line_text(present_device(report), test, verdict, detail);
    }
}

/* ---- all of them ---- */

void quern_cli_results_begin(quern_cli_conformance_report *report, quern_cli_conformance_format format, size_t planned)
{
    memset(report, 0, sizeof *report);
    report->format = format;
    report->planned = planned;
    if (format == QUERN_CLI_JSON)
        puts("[");
    if (format == QUERN_CLI_TAP)
        printf("TAP version 13\n1..%zu\n", planned);
    (void)fflush(stdout); /* before a test can end the process */
}

int quern_cli_results_device(quern_cli_conformance_report *report, const char *device)
{
    if (report->tally_count == report->tally_room) {
        size_t room = report->tally_room ? 2 * report->tally_room : 8;
        quern_cli_conformance_tally *more = realloc(report->tallies, room * sizeof *more);
        if (!more) {
            quern_cli_error("no memory for the results of %s", device);
            return QUERN_CLI_WRONG;
        }
        report->tallies = more;
        report->tally_room = room;
    }
    quern_cli_conformance_tally *tally = &report->tallies[report->tally_count++];
    memset(tally, 0, sizeof *tally);
    snprintf(tally->device, sizeof tally->device, "%s", device);
    return QUERN_CLI_RIGHT;
}

int quern_cli_results_add(quern_cli_conformance_report *report, const char *test, const quern_outcome *outcome)
{
    quern_cli_conformance_tally *tally = &report->tallies[report->tally_count - 1];
    char *text = quern_cli_results_text(report, test, outcome->verdict, outcome->detail, 0);
    ++tally->counts[outcome->verdict];
    tally->seconds += outcome->seconds;
    if (!text) {
        quern_cli_error("%s: %s: no memory for the result", tally->device, test);
        return QUERN_CLI_WRONG;
    }
    if (text[0])
        quern_cli_progress_end();
    fputs(text, stdout);
    fflush(stdout); /* the next test may end the process */
    free(text);
    ++report->printed;
    return QUERN_CLI_RIGHT;
}

static void print_table(const quern_cli_conformance_report *report)
{
    printf("%-12s %9s %9s %12s %9s %9s\n", "device", "passed", "failed", "unsupported", "skipped", "seconds");
    for (size_t i = 0; i < report->tally_count; ++i) {
        const quern_cli_conformance_tally *tally = &report->tallies[i];
        printf("%-12s %9zu %9zu %12zu %9zu %9.1f\n", tally->device, tally->counts[QUERN_PASSED],
               tally->counts[QUERN_FAILED], tally->counts[QUERN_UNSUPPORTED], tally->counts[QUERN_SKIPPED],
               tally->seconds);
    }
}

int quern_cli_results_end(quern_cli_conformance_report *report)
{
    size_t failed = 0;
    quern_cli_progress_end();
    for (size_t i = 0; i < report->tally_count; ++i)
        failed += report->tallies[i].counts[QUERN_FAILED];
    if (report->format == QUERN_CLI_TABLE)
        print_table(report);
    if (report->format == QUERN_CLI_JSON)
        fputs(report->printed > 0 ? "\n]\n" : "]\n", stdout);
    if (failed > 0)
        quern_cli_error("%zu of %zu tests failed", failed, report->printed);
    free(report->tallies);
    return failed > 0 ? QUERN_CLI_WRONG : QUERN_CLI_RIGHT;
}
