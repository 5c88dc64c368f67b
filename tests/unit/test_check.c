/*
 * The checker of kernel files, run over tests/diagnostics: in each of those files the line of a fault ends with
 * `// ERROR: message`, and exactly the messages that are written there must come. Files named *_good.k.c are right, and
 * the kernels of tests/kernels, examples and bench/kernels are too.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/signature.h"

#ifndef QUERN_SOURCE_DIR
#define QUERN_SOURCE_DIR "."
#endif

enum { MOST_MESSAGES = 128, LONGEST = 512 };

typedef struct message {
    int line;
    char text[LONGEST];
} message;

typedef struct messages {
    message list[MOST_MESSAGES];
    size_t count;
} messages;

static void add_message(messages *to, int line, const char *text, size_t length)
{
    assert_true(to->count < MOST_MESSAGES);
    assert_true(length < LONGEST);
    message *added = &to->list[to->count++];
    added->line = line;
    memcpy(added->text, text, length);
    added->text[length] = '\0';
}

static char *read_stream(FILE *file, size_t *size)
{
    size_t capacity = 1 << 16, got;
    char *text = malloc(capacity + 1);
    assert_non_null(text);
    *size = 0;
    while ((got = fread(text + *size, 1, capacity - *size, file)) > 0) {
        *size += got;
        if (*size == capacity) {
            text = realloc(text, (capacity *= 2) + 1);
            assert_non_null(text);
        }
    }
    text[*size] = '\0';
    return text;
}

/* What the lines of the file say that is wrong with them. */
static void read_expected(const char *path, messages *expected)
{
    static const char mark[] = "// ERROR: ";
    char line[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    expected->count = 0;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\n")] = '\0';
        for (char *at = strstr(line, mark); at;) {
            char *text = at + strlen(mark), *next = strstr(text, mark);
            size_t length = next ? (size_t)(next - text) : strlen(text);
            while (length > 0 && text[length - 1] == ' ')
                length--;
            add_message(expected, number, text, length);
            at = next;
        }
    }
    fclose(file);
}

/* The text after the preprocessor of the signature pass, as the compiler driver has it. */
static char *preprocess(const char *path, size_t *size)
{
    const char *compiler = getenv("QUERN_CC");
    char command[2048];
    snprintf(command, sizeof command,
             "%s -std=gnu17 -Ulinux -Uunix -Ui386 -E -x c -DQUERN_DIALECT_SIGNATURE -I'%s/include' '%s'",
             compiler && *compiler ? compiler : "cc", QUERN_SOURCE_DIR, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char *text = read_stream(pipe, size);
    assert_int_equal(pclose(pipe), 0);
    return text;
}

/* Reads, checks and frees; the messages stay in diagnostics. 0 when the text could not be split into tokens. */
static int check_text(const char *file, const char *text, size_t size, quern_diagnostics *diagnostics)
{
    quern_token_list tokens;
    quern_signature signature;
    quern_diagnostics_init(diagnostics);
    if (quern_tokens_read(file, text, size, &tokens) != QUERN_SUCCESS)
        return 0;
    assert_int_equal(quern_signature_read(tokens, &signature, diagnostics), QUERN_SUCCESS);
    assert_int_equal(quern_signature_check(&signature, diagnostics), QUERN_SUCCESS);
    quern_signature_free(&signature);
    return 1;
}

/* "path:line: error: text" */
static void split_messages(const char *path, const quern_diagnostics *diagnostics, messages *found)
{
    found->count = 0;
    for (const char *line = diagnostics->text; line && *line; line = strchr(line, '\n') + 1) {
        size_t length = strlen(path);
        char *end;
        if (strncmp(line, path, length) != 0 || line[length] != ':')
            fail_msg("a message is not at a line of '%s': %s", path, line);
        int number = (int)strtol(line + length + 1, &end, 10);
        assert_int_equal(strncmp(end, ": error: ", 9), 0);
        add_message(found, number, end + 9, strcspn(end + 9, "\n"));
    }
}

static void find_messages(const char *path, messages *found)
{
    size_t size;
    char *text = preprocess(path, &size);
    quern_diagnostics diagnostics;
    assert_true(check_text(path, text, size, &diagnostics));
    split_messages(path, &diagnostics, found);
    assert_int_equal(diagnostics.errors, found->count);
    quern_diagnostics_free(&diagnostics);
    free(text);
}

static int has(const messages *among, const message *wanted)
{
    int count = 0;
    for (size_t i = 0; i < among->count; i++)
        count += among->list[i].line == wanted->line && strcmp(among->list[i].text, wanted->text) == 0;
    return count;
}

/* The number of messages that only one side has. */
static int count_differences(const char *path, const messages *expected, const messages *found, int is_loud)
{
    int differences = 0;
    for (size_t i = 0; i < expected->count; i++)
        if (!has(found, &expected->list[i])) {
            differences++;
            if (is_loud)
                print_error("%s:%d: missing: %s\n", path, expected->list[i].line, expected->list[i].text);
        }
    for (size_t i = 0; i < found->count; i++)
        if (!has(expected, &found->list[i])) {
            differences++;
            if (is_loud)
                print_error("%s:%d: unexpected: %s\n", path, found->list[i].line, found->list[i].text);
        }
    return differences;
}

static void find_files(const char *pattern, glob_t *files)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", QUERN_SOURCE_DIR, pattern);
    assert_int_equal(glob(path, 0, NULL, files), 0);
    assert_true(files->gl_pathc > 0);
}

static void every_fault_gets_its_message_and_nothing_else_does(void **state)
{
    (void)state;
    glob_t files;
    int differences = 0, messages_seen = 0, right_files = 0;
    static messages expected, found;
    find_files("tests/diagnostics/*.k.c", &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        read_expected(files.gl_pathv[i], &expected);
        find_messages(files.gl_pathv[i], &found);
        int is_good = strstr(files.gl_pathv[i], "_good.k.c") != NULL;
        assert_int_equal(is_good, expected.count == 0);
        right_files += is_good;
        messages_seen += (int)found.count;
        differences += count_differences(files.gl_pathv[i], &expected, &found, 1);
    }
    assert_int_equal(differences, 0);
    assert_true(messages_seen > 150);
    assert_int_equal(right_files * 2, files.gl_pathc); /* each subject has its right twin */
    globfree(&files);
}

static void a_missing_or_surplus_message_is_noticed(void **state)
{
    (void)state;
    static messages expected, found;
    const char *path = QUERN_SOURCE_DIR "/tests/diagnostics/jumps.k.c";
    read_expected(path, &expected);
    find_messages(path, &found);
    assert_int_equal(count_differences(path, &expected, &found, 1), 0);
    expected.list[3].line++; /* one is at another line: missing there, surplus here */
    assert_int_equal(count_differences(path, &expected, &found, 0), 2);
    expected.list[3].line--;
    expected.list[5].text[0]++; /* another text */
    assert_int_equal(count_differences(path, &expected, &found, 0), 2);
    expected.list[5].text[0]--;
    found.count--;
    assert_int_equal(count_differences(path, &expected, &found, 0), 1);
    found.count++;
    expected.count--;
    assert_int_equal(count_differences(path, &expected, &found, 0), 1);
}

static void working_kernels_get_no_message(void **state)
{
    (void)state;
    static const char *const patterns[] = {"tests/kernels/*.k.c", "examples/*.k.c", "bench/kernels/*.k.c"};
    static const messages none;
    static messages found;
    int differences = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++) {
        glob_t files;
        find_files(patterns[k], &files);
        for (size_t i = 0; i < files.gl_pathc; i++) {
            find_messages(files.gl_pathv[i], &found);
            differences += count_differences(files.gl_pathv[i], &none, &found, 1);
        }
        globfree(&files);
    }
    assert_int_equal(differences, 0);
}

static void tokens_of_a_foreign_header_are_reported_where_they_end(void **state)
{
    (void)state;
    static const char text[] = "# 1 \"no_such_file.k.c\"\n"
                               "# 1 \"/usr/include/foreign.h\" 1 3 4\n"
                               "extern int foreign(int); typedef long foreign_t;\n"
                               "# 2 \"no_such_file.k.c\" 2\n"
                               "\n"
                               "KERNEL(k, out(int, y)) { EACH (i) y[i] = 0; }\n";
    quern_diagnostics diagnostics;
    assert_true(check_text("no_such_file.k.c", text, strlen(text), &diagnostics));
    assert_int_equal(diagnostics.errors, 1);
    assert_non_null(strstr(diagnostics.text, "no_such_file.k.c:3: error: <foreign.h> is included"));
    quern_diagnostics_free(&diagnostics);
}

static void a_body_that_is_included_twice_is_reported_once(void **state)
{
    (void)state;
    static const char text[] = "# 1 \"body.h\"\n"
                               "KERNEL(a, out(int, y)) { int n = 0; EACH (i) n = y[i]; }\n"
                               "# 1 \"body.h\"\n"
                               "KERNEL(b, out(int, y)) { int n = 0; EACH (i) n = y[i]; }\n";
    quern_diagnostics diagnostics;
    assert_true(check_text("body.h", text, strlen(text), &diagnostics));
    assert_int_equal(diagnostics.errors, 1);
    quern_diagnostics_free(&diagnostics);
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    quern_signature signature = {0};
    quern_diagnostics diagnostics;
    quern_diagnostics_init(&diagnostics);
    assert_int_equal(quern_signature_check(NULL, &diagnostics), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_signature_check(&signature, NULL), QUERN_INVALID_ARGUMENT);
    assert_int_equal(quern_signature_check(&signature, &diagnostics), QUERN_SUCCESS);
    quern_diagnostics_free(&diagnostics);
}

/* Reads what is no C: whatever comes of it, it comes to an end. */
static void check_any(const char *text, size_t size)
{
    quern_diagnostics diagnostics;
    /* A copy of just that size, so that a sanitizer sees a read beyond it. */
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    check_text("any.k.c", copy, size, &diagnostics);
    quern_diagnostics_free(&diagnostics);
    free(copy);
}

static void texts_that_are_cut_short_or_damaged_come_to_an_end(void **state)
{
    (void)state;
    glob_t files;
    uint32_t seed = 12345;
    find_files("tests/diagnostics/*.k.c", &files);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        assert_non_null(file);
        size_t size;
        char *text = read_stream(file, &size);
        fclose(file);
        for (size_t cut = 0; cut < size; cut += 211)
            check_any(text, cut);
        for (int round = 0; round < 20; round++) {
            for (int k = 0; k < 5 && size > 0; k++) {
                seed = seed * 1664525u + 1013904223u;
                text[(seed >> 8) % size] = "(){}[];,:?*&=<>a0\"' \n"[(seed >> 3) % 21];
            }
            check_any(text, size);
        }
        free(text);
    }
    globfree(&files);
}

static void deep_nesting_comes_to_an_end(void **state)
{
    (void)state;
    static const struct {
        const char *open, *close;
    } pieces[] = {{"(", ")"},
                  {"{", "}"},
                  {"a[", "]"},
                  {"if (1) ", ""},
                  {"ITEMS (i) ", ""},
                  {"!", ""},
                  {"a = ", ""},
                  {"ldexp(", ", 1)"},
                  {"1 ? 1 : ", ""},
                  {"1 ? ", " : 1"},
                  {"struct { ", "}"},
                  {"sizeof ", ""},
                  {"(int) ", ""},
                  {"MINE(a, ", ")"},
                  {"do ", "while (1);"},
                  {"(*", ")"},
                  {"int b = {", "};"},
                  {"case 1: ", ""},
                  {"a: ", ""},
                  {"LOCAL(", ", b, 3)"},
                  {"for (;;) ", ""},
                  {"(int[", "])1"},
                  {"GLOBAL_POINTER(", ")"},
                  {"enum {", "}"},
                  {"1 + ", ""},
                  {"f(", ")"},
                  {"for (", ";;);"},
                  {"switch (1) {", "}"},
                  {"(int){", "}"},
                  {"int (*", ")(int)"},
                  {"MAKE(int, ", ")"},
                  {"if (1) ; else ", ""}};
    enum { TIMES = 3000 };
    static char text[200 + TIMES * 32];
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t length = (size_t)sprintf(text, "GROUP_KERNEL(k, 64, out(int, x)) { int a; ");
        for (int k = 0; k < TIMES; k++)
            length += (size_t)sprintf(text + length, "%s", pieces[i].open);
        check_any(text, length);
        length += (size_t)sprintf(text + length, "1");
        for (int k = 0; k < TIMES; k++)
            length += (size_t)sprintf(text + length, "%s", pieces[i].close);
        length += (size_t)sprintf(text + length, "; }");
        check_any(text, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_gets_its_message_and_nothing_else_does),
        cmocka_unit_test(a_missing_or_surplus_message_is_noticed),
        cmocka_unit_test(working_kernels_get_no_message),
        cmocka_unit_test(tokens_of_a_foreign_header_are_reported_where_they_end),
        cmocka_unit_test(a_body_that_is_included_twice_is_reported_once),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(texts_that_are_cut_short_or_damaged_come_to_an_end),
        cmocka_unit_test(deep_nesting_comes_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
