/*
 * Headers: a kernel file includes <quern/kernel.h> and the author's own dialect headers, nothing else.
 *
 * The tokens say that a foreign header was included, not where: the author's line is looked up in his file. A header of
 * C that gives macros only leaves no token, so the unconditional includes of his files are looked at too.
 */
#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LINE = 1024, MOST_FILES = 64 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* <quern/kernel.h> and what it includes itself. */
static int is_dialect_header(const char *path)
{
    const char *quern = strstr(path, "quern/dialect/");
    if (quern && !strchr(quern + strlen("quern/dialect/"), '/'))
        return 1;
    size_t length = strlen(path), tail = strlen("quern/kernel.h");
    return length >= tail && strcmp(path + length - tail, "quern/kernel.h") == 0;
}

/* Of Quern's interface for host code. */
static int is_host_header(const char *path)
{
    static const char *const names[] = {"backend.h", "buffer.h", "copy.h",   "device.h",  "event.h", "export.h",
                                        "launch.h",  "layout.h", "levels.h", "program.h", "quern.h", "queue.h",
                                        "range.h",   "source.h", "span.h",   "status.h",  "type.h",  "view.h"};
    const char *base = base_name(path);
    if (base - path < 6 || strncmp(base - 6, "quern/", 6) != 0)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(base, names[i]) == 0)
            return 1;
    return 0;
}

int quern_check_is_foreign(const quern_checker *checker, size_t token)
{
    const quern_token *at = &checker->tokens[token];
    return token < checker->count && at->file && !is_dialect_header(at->file) &&
           (at->from_system || is_host_header(at->file));
}

/* --- lines of the author's file --- */

/* Copies the header's name of `#include <name>` or "name"; 0 when the line is none. */
static int read_include(const char *line, char *name, size_t size)
{
    while (isspace((unsigned char)*line))
        line++;
    if (*line++ != '#')
        return 0;
    while (isspace((unsigned char)*line))
        line++;
    if (strncmp(line, "include", 7) != 0)
        return 0;
    line += 7;
    while (isspace((unsigned char)*line))
        line++;
    if (*line != '<' && *line != '"')
        return 0;
    size_t length = strcspn(line + 1, *line == '<' ? ">" : "\"");
    if (line[1 + length] == '\0' || length >= size)
        return 0;
    memcpy(name, line + 1, length);
    name[length] = '\0';
    return 1;
}

static int is_directive(const char *line, const char *word)
{
    while (isspace((unsigned char)*line))
        line++;
    if (*line++ != '#')
        return 0;
    while (isspace((unsigned char)*line))
        line++;
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && !(isalnum((unsigned char)line[length]) || line[length] == '_');
}

/* Blanks out comments, so that what they hold is no directive. */
static void strip_comments(char *line, int *in_comment)
{
    for (char *c = line; *c; c++) {
        if (*in_comment) {
            if (c[0] == '*' && c[1] == '/') {
                *in_comment = 0;
                c[1] = ' ';
            }
            *c = ' ';
        } else if (c[0] == '/' && c[1] == '*') {
            *in_comment = 1;
            c[0] = c[1] = ' ';
        } else if (c[0] == '/' && c[1] == '/') {
            *c = '\0';
            return;
        }
    }
}

static int is_c_header(const char *name)
{
    static const char *const headers[] = {
        "assert.h",  "complex.h", "ctype.h",  "errno.h",  "fenv.h",   "float.h",       "inttypes.h", "iso646.h",
        "limits.h",  "locale.h",  "math.h",   "setjmp.h", "signal.h", "stdalign.h",    "stdarg.h",   "stdatomic.h",
        "stdbool.h", "stddef.h",  "stdint.h", "stdio.h",  "stdlib.h", "stdnoreturn.h", "string.h",   "strings.h",
        "tgmath.h",  "threads.h", "time.h",   "uchar.h",  "unistd.h", "wchar.h",       "wctype.h",   "pthread.h"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strcmp(name, headers[i]) == 0)
            return 1;
    return is_host_header(name);
}

static void report(quern_checker *checker, const char *file, int line, const char *header)
{
    quern_token place = {.kind = QUERN_TOKEN_NAME, .text = "", .file = file, .line = line};
    quern_check_report_at(
        checker, &place,
        "<%s> is included, which not every device's compiler has; wanted <quern/kernel.h> and headers of your "
        "own, kernel.h brings limits and constants",
        header);
}

/* --- headers of C, by name --- */

/* Depth of conditionals without counting the file's include guard, within which everything is as if unconditional. */
typedef struct conditionals {
    int depth, guard, directives;
} conditionals;

static void follow_conditionals(conditionals *seen, const char *line)
{
    if (is_directive(line, "ifndef") && seen->directives == 0)
        seen->guard = 1;
    else if (is_directive(line, "if") || is_directive(line, "ifdef") || is_directive(line, "ifndef"))
        seen->depth++;
    else if (is_directive(line, "endif") && seen->depth > 0)
        seen->depth--;
    while (isspace((unsigned char)*line))
        line++;
    seen->directives += *line == '#';
}

static void check_named_headers(quern_checker *checker, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    char line[LONGEST_LINE], name[LONGEST_LINE];
    conditionals seen = {0, 0, 0};
    int number = 0, in_comment = 0, begins = 1;
    while (fgets(line, sizeof line, file)) {
        int is_begin = begins; /* a line that is longer than the array comes in pieces */
        begins = strchr(line, '\n') != NULL;
        number += is_begin;
        strip_comments(line, &in_comment);
        if (!is_begin)
            continue;
        follow_conditionals(&seen, line);
        if (seen.depth == 0 && read_include(line, name, sizeof name) && is_c_header(name))
            report(checker, path, number, name);
    }
    fclose(file);
}

static void check_author_files(quern_checker *checker)
{
    const char *files[MOST_FILES];
    size_t count = 0;
    for (size_t i = 0; i < checker->count; i++) {
        const char *file = checker->tokens[i].file;
        if (!file || quern_check_is_foreign(checker, i) || is_dialect_header(file))
            continue;
        size_t k = 0;
        while (k < count && files[k] != file && strcmp(files[k], file) != 0)
            k++;
        if (k == count && count < MOST_FILES) {
            files[count++] = file;
            check_named_headers(checker, file);
        }
    }
}

/* --- other foreign headers, by the tokens that they left --- */

/* A token of the run came from the header of that name. */
static int is_of_header(const quern_checker *checker, size_t begin, size_t end, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = begin; i < end; i++) {
        const char *file = checker->tokens[i].file;
        size_t size = strlen(file);
        if (size > length && file[size - length - 1] == '/' && strcmp(file + size - length, name) == 0)
            return 1;
        while (i + 1 < end && checker->tokens[i + 1].file == file)
            i++;
    }
    return 0;
}

/* Reports the includes between the lines that the run may come from, and gives their number. */
static int report_includes(quern_checker *checker, const char *path, int first, int last, size_t begin, size_t end)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char line[LONGEST_LINE], name[LONGEST_LINE];
    int number = 0, in_comment = 0, begins = 1, found = 0;
    while (fgets(line, sizeof line, file)) {
        int is_begin = begins;
        begins = strchr(line, '\n') != NULL;
        number += is_begin;
        strip_comments(line, &in_comment);
        if (!is_begin || number < first || (last != 0 && number > last) || !read_include(line, name, sizeof name))
            continue;
        int is_source = is_of_header(checker, begin, end, name);
        if (is_source)
            report(checker, path, number, name);
        found += is_source || is_c_header(name); /* the latter have been reported by name */
    }
    fclose(file);
    return found;
}

static void check_run(quern_checker *checker, size_t begin, size_t end)
{
    const quern_token *before = begin > 0 ? &checker->tokens[begin - 1] : NULL;
    const quern_token *after = end < checker->count ? &checker->tokens[end] : NULL;
    int same = before && after && strcmp(before->file, after->file) == 0;
    int found = 0;
    if (same)
        found = report_includes(checker, after->file, before->line, after->line, begin, end);
    else if (after)
        found = report_includes(checker, after->file, 1, after->line, begin, end);
    if (!found && !same && before)
        found = report_includes(checker, before->file, before->line, 0, begin, end);
    const quern_token *place = after ? after : before;
    /* What a macro of a foreign header left among the author's own: the header is reported where it is included. */
    if (place && strcmp(place->file, checker->tokens[begin].file) == 0 && checker->diagnostics->errors)
        return;
    if (!found && place)
        report(checker, place->file, place->line, base_name(checker->tokens[begin].file));
}

void quern_check_includes(quern_checker *checker)
{
    check_author_files(checker);
    for (size_t i = 0; i < checker->count; i++) {
        size_t end = i;
        while (end < checker->count && quern_check_is_foreign(checker, end))
            end++;
        if (end > i) {
            check_run(checker, i, end);
            i = end;
        }
    }
}
