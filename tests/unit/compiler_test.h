/* What the tests of the compiler share: a folder of their own, files in it, commands, and the reader run on a text. */
#ifndef COMPILER_TEST_H
#define COMPILER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compiler.h"
#include "compiler/driver_files.h"
#include "compiler/signature.h"

#define assert_success(call) assert_string_equal(quern_status_name(call), "QUERN_SUCCESS")
#define assert_fails(status, call) assert_string_equal(quern_status_name(call), #status)

static char *test_folder; /* private to this process, and its working directory */

static inline int enter_folder(void **state)
{
    (void)state;
    if (quern_directory_make_private(quern_temporary_directory(), "quern test ", &test_folder) != QUERN_SUCCESS)
        return -1;
    char *cache = quern_path("%s/cache", test_folder);
    int failed = !cache || setenv("QUERN_CACHE_DIR", cache, 1) != 0 || chdir(test_folder) != 0;
    free(cache);
    return failed ? -1 : 0;
}

static inline int leave_folder(void **state)
{
    (void)state;
    int failed = chdir("/");
    quern_directory_remove(test_folder);
    free(test_folder);
    return failed;
}

static inline void write_text(const char *path, const char *text)
{
    unlink(path);
    assert_success(quern_file_write(path, text, strlen(text), 0));
}

/* The whole file; "" when there is none. To be freed. */
static inline char *read_text(const char *path)
{
    quern_text text = {0};
    quern_file_try_read(path, &text);
    return text.data ? text.data : strdup("");
}

static inline int exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* The number of names in a folder that begin with prefix and end with suffix. */
static inline int count_names(const char *folder, const char *prefix, const char *suffix)
{
    int count = 0;
    DIR *stream = opendir(folder);
    if (!stream)
        return 0;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        size_t length = strlen(entry->d_name), end = strlen(suffix);
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && length >= end &&
                 strcmp(entry->d_name + length - end, suffix) == 0;
    }
    closedir(stream);
    return count;
}

/* The exit status of a shell command. */
static inline int run(const char *format, ...)
{
    va_list arguments;
    char command[4096];
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    int state = system(command);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* Reads the signatures of a text as if the preprocessor had left it so. */
static inline quern_status read_signature(const char *text, quern_signature *signature, quern_diagnostics *diagnostics)
{
    quern_token_list tokens;
    quern_diagnostics_init(diagnostics);
    quern_status status = quern_tokens_read("file.k.c", text, strlen(text), &tokens);
    return status == QUERN_SUCCESS ? quern_signature_read(tokens, signature, diagnostics) : status;
}

#endif
