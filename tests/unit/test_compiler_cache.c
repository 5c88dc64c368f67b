/* The cache of compiled kernel files, whatever has been done to it, and whoever else uses it. */
#include "compiler_module_test.h"

#include "compiler/private_directory.h"

#include <signal.h>

static void copy_over(const char *from, const char *to)
{
    quern_text bytes = {0};
    assert_success(quern_file_read(from, &bytes));
    assert_int_equal(unlink(to), 0);
    assert_success(quern_file_write(to, bytes.data, bytes.length, 0));
    assert_int_equal(chmod(to, 0600), 0);
    quern_text_free(&bytes);
}

static void cut(const char *path, off_t size)
{
    assert_int_equal(truncate(path, size), 0);
}

static void change_byte(const char *path, long place)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

static void write_over(const char *path)
{
    static const char garbage[] = "this is no shared object, nor a key";
    assert_int_equal(unlink(path), 0);
    assert_success(quern_file_write(path, garbage, sizeof garbage, 0));
}

/* Whatever is done to an entry: the next load gives the right kernel, from a new entry. */
static void spoilt_entries_are_rebuilt(void **state)
{
    (void)state;
    load_and_run(3);
    char *other_object = entry(".so"), *other_key = entry(".key");
    rename(other_object, "other.so");
    rename(other_key, "other.key");
    for (int fault = 0; fault < 16; ++fault) {
        load_and_run(2);
        char *object = entry(".so"), *key = entry(".key");
        switch (fault) {
        case 0:
            cut(object, 0);
            break;
        case 1:
            cut(object, 1000);
            break;
        case 2:
            cut(key, 0);
            break;
        case 3:
            cut(key, 100);
            break;
        case 4:
            change_byte(object, 4096);
            break;
        case 5:
            change_byte(key, 0);
            break;
        case 6:
            change_byte(key, 60);
            break;
        case 7:
            change_byte(key, 5000);
            break;
        case 8:
            write_over(object);
            break;
        case 9:
            write_over(key);
            break;
        case 10:
            assert_int_equal(unlink(object), 0);
            break;
        case 11:
            assert_int_equal(unlink(key), 0);
            break;
        case 12: /* another key's, whole */
            copy_over("other.so", object);
            copy_over("other.key", key);
            break;
        case 13:
            copy_over("other.so", object);
            break;
        case 14: /* others may write it */
            assert_int_equal(chmod(object, 0666), 0);
            break;
        default: /* a folder in its place */
            assert_int_equal(unlink(object), 0);
            assert_success(quern_directory_make(object, 0700));
            assert_int_equal(unlink(key), 0);
            assert_int_equal(symlink("/nowhere", key), 0);
        }
        load_and_run(2);
        struct stat info;
        assert_int_equal(lstat(object, &info), 0);
        assert_true(S_ISREG(info.st_mode) && info.st_size > 1000 && (info.st_mode & 0777) == 0600);
        assert_int_equal(lstat(key, &info), 0);
        assert_true(S_ISREG(info.st_mode) && info.st_size > 6000);
        ino_t rebuilt = identity(object);
        load_and_run(2); /* the new entry is sound */
        assert_true(identity(object) == rebuilt);
        free(object);
        free(key);
    }
    free(other_object);
    free(other_key);
}

static void spoilt_headers_are_mended(void **state)
{
    (void)state;
    load_and_run(2);
    assert_int_equal(count_names("cache", "include-", ""), 1);
    assert_int_equal(run("cd cache/include-* && echo '#error spoilt' > quern/kernel.h && rm quern/dialect/cpu_abi.h"),
                     0);
    load_and_run(3);
    assert_int_equal(run("rm -rf cache/include-*/quern"), 0);
    quern_directory_remove("cache/x");
    write_text("scale.k.c", text);
    load_and_run(2);
    assert_int_equal(run("test -s cache/include-*/quern/dialect/cpu_abi.h"), 0);
    assert_int_equal(count_names("cache", "", "spoilt"), 0);
}

static void a_cache_that_cannot_be_used_is_named(void **state)
{
    (void)state;
    quern_module *module;
    char *before = strdup(getenv("QUERN_CACHE_DIR"));
    write_text("file", "");
    setenv("QUERN_CACHE_DIR", "file/below", 1);
    assert_fails(QUERN_FILE_ERROR, quern_module_load("scale.k.c", &twice, &module));
    assert_contains(quern_last_error(), "file/below");
    assert_contains(quern_last_error(), "set QUERN_CACHE_DIR to another directory");
    quern_directory_make("open", 0777);
    assert_int_equal(chmod("open", 0777), 0);
    setenv("QUERN_CACHE_DIR", "open", 1);
    assert_fails(QUERN_FILE_ERROR, quern_module_load("scale.k.c", &twice, &module));
    assert_contains(quern_last_error(), "can be written by everybody");
    assert_int_equal(chmod("open", 0770), 0);
    assert_fails(QUERN_FILE_ERROR, quern_module_load("scale.k.c", &twice, &module));
    assert_contains(quern_last_error(), "can be written by its group");
    if (geteuid() != 0) {
        assert_int_equal(chmod("open", 0555), 0);
        assert_fails(QUERN_FILE_ERROR, quern_module_load("scale.k.c", &twice, &module));
    }
    setenv("QUERN_CACHE_DIR", before, 1);
    free(before);
}

static char *kept_environment[3];
static const char *const variables[] = {"QUERN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};

static void the_environment_says_where_the_cache_is(void **state)
{
    (void)state;
    quern_module *module;
    for (int i = 0; i < 3; ++i)
        kept_environment[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
    char *home = quern_path("%s/home", test_folder), *shared = quern_path("%s/xdg", test_folder);
    unsetenv("QUERN_CACHE_DIR");
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", "relative", 1); /* which the specification has ignored */
    load_and_run(2);
    assert_int_equal(count_names("home/.cache/quern", "", ".so"), 1);
    setenv("XDG_CACHE_HOME", shared, 1);
    load_and_run(2);
    assert_int_equal(count_names("xdg/quern", "", ".so"), 1);
    setenv("QUERN_CACHE_DIR", "own/one", 1);
    load_and_run(2);
    assert_int_equal(count_names("own/one", "", ".so"), 1);
    assert_false(exists("relative"));
    for (int i = 0; i < 3; ++i)
        unsetenv(variables[i]);
    assert_fails(QUERN_FILE_ERROR, quern_module_load("scale.k.c", &twice, &module));
    assert_contains(quern_last_error(), "none of QUERN_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
    for (int i = 0; i < 3; ++i) {
        if (kept_environment[i])
            setenv(variables[i], kept_environment[i], 1);
        free(kept_environment[i]);
    }
    free(home);
    free(shared);
}

static void eight_processes_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 8 };
    pid_t pids[PROCESSES];
    int all_right = 1;
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < PROCESSES; ++i)
            if ((pids[i] = fork()) == 0) {
                quern_module *module;
                int right = quern_module_load("scale.k.c", i % 2 ? &twice : &thrice, &module) == QUERN_SUCCESS;
                if (right)
                    assert_scales(module, i % 2 ? 2 : 3);
                else
                    fprintf(stderr, "%s\n", quern_last_error());
                _exit(!right);
            }
        for (int i = 0; i < PROCESSES; ++i) {
            int status = 0;
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            all_right &= status == 0;
        }
    }
    assert_true(all_right);
    assert_int_equal(count_names("cache", "", ".so"), 2);
    assert_int_equal(count_names("cache", "", ".key"), 2);
    assert_int_equal(count_names("cache", "build-", ""), 0);
}

/* A header is changed while the compiler runs: the object is of neither text, so it is made again and not kept. */
static void a_change_during_the_compilation_is_noticed(void **state)
{
    (void)state;
    char *whole = quern_path("#include \"factor.h\"\n%s", text);
    write_text("scale.k.c", whole);
    write_text("factor.h", "#define FACTOR 2.0f\n");
    write_text("changing-cc", "#!/bin/sh\ncc \"$@\" || exit\ncase \" $* \" in *\" -c \"*)\n"
                              "    test -e changed || echo '#define FACTOR 3.0f' > factor.h; touch changed;;\nesac\n");
    assert_int_equal(chmod("changing-cc", 0755), 0);
    quern_module *module;
    assert_success(quern_module_load("scale.k.c", &(quern_compile_options){.compiler = "./changing-cc"}, &module));
    assert_scales(module, 3);
    quern_module_unload(module);
    assert_int_equal(count_names("cache", "", ".so"), 1);
    free(whole);
}

/* Whom nobody holds any more goes, whatever its age; what somebody holds stays, and so does what is not Quern's. */
static void what_killed_compilations_left_is_swept_away(void **state)
{
    (void)state;
    quern_private_directory held = {0};
    assert_success(quern_directory_make("cache/build-a1B2c3/deep", 0700));
    assert_success(quern_directory_make("cache/build-something", 0700));
    write_text("cache/build-f1l3Ab", "no directory");
    write_text("cache/0123456789abcdef0123456789abcdef.lock", "");
    assert_success(quern_private_directory_make("cache", "build-", &held));
    load_and_run(2);
    assert_false(exists("cache/build-a1B2c3"));
    assert_false(exists("cache/0123456789abcdef0123456789abcdef.lock"));
    assert_true(exists("cache/build-something"));
    assert_true(exists("cache/build-f1l3Ab"));
    assert_true(exists(held.path));
    quern_private_directory_remove(&held);
    assert_int_equal(count_names("cache", "build-", ""), 2);
    assert_int_equal(count_names("cache", "", ".lock"), 0);
}

/* The directory of a process that is killed is let go of. */
static void a_killed_process_holds_nothing(void **state)
{
    (void)state;
    int pipe_ends[2];
    char made;
    assert_success(quern_directory_make("cache", 0700));
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        quern_private_directory own = {0};
        made = quern_private_directory_make("cache", "build-", &own) == QUERN_SUCCESS;
        if (write(pipe_ends[1], &made, 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(pipe_ends[0], &made, 1), 1);
    assert_true(made);
    quern_private_directories_sweep("cache", "build-");
    assert_int_equal(count_names("cache", "build-", ""), 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    quern_private_directories_sweep("cache", "build-");
    assert_int_equal(count_names("cache", "build-", ""), 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(spoilt_entries_are_rebuilt, begin),
        cmocka_unit_test_setup(spoilt_headers_are_mended, begin),
        cmocka_unit_test_setup(a_cache_that_cannot_be_used_is_named, begin),
        cmocka_unit_test_setup(the_environment_says_where_the_cache_is, begin),
        cmocka_unit_test_setup(eight_processes_at_once, begin),
        cmocka_unit_test_setup(a_change_during_the_compilation_is_noticed, begin),
        cmocka_unit_test_setup(what_killed_compilations_left_is_swept_away, begin),
        cmocka_unit_test_setup(a_killed_process_holds_nothing, begin),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
