/* The cache of backends' binaries, whatever has been done to it, and whoever else uses it. */
#include "compiler_test.h"

#include "base/error.h"
#include "compiler/cache.h"
#include "compiler/cache_binary.h"

#include <signal.h>
#include <sys/resource.h>

#define KEY "device Mill 3\noptions -cl-std=CL1.2\ntext\n"

static int begin(void **state)
{
    (void)state;
    (void)chmod("cache", 0700);
    quern_directory_remove("cache");
    unlink("cache");
    return 0;
}

/* What belongs to a key: bytes of every value, of a length that is no multiple of anything. */
static void make_data(unsigned char *data, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; ++i)
        data[i] = (unsigned char)(i * 131 + i / 251 + seed * 77);
}

static quern_status store(const char *key, size_t size, unsigned seed)
{
    unsigned char *data = malloc(size + 1);
    make_data(data, size, seed);
    quern_status status = quern_cache_binary_store(key, strlen(key), data, size);
    free(data);
    return status;
}

/* 1 when the key has exactly this data, 0 when it has none; anything else is a fault. */
static int holds(const char *key, size_t size, unsigned seed)
{
    void *data = NULL;
    size_t found = 0;
    quern_status status = quern_cache_binary_load(key, strlen(key), &data, &found);
    if (status == QUERN_NOT_FOUND) {
        assert_true(*quern_last_error());
        return 0;
    }
    assert_success(status);
    unsigned char *wanted = malloc(size + 1);
    make_data(wanted, size, seed);
    assert_int_equal(found, size);
    assert_memory_equal(data, wanted, size);
    free(wanted);
    free(data);
    return 1;
}

/* The only entry's path; to be freed. */
static char *entry(void)
{
    char *found = NULL;
    DIR *stream = opendir("cache");
    assert_non_null(stream);
    for (struct dirent *name; (name = readdir(stream)) != NULL;)
        if (strstr(name->d_name, ".bin")) {
            assert_null(found);
            found = quern_path("cache/%s", name->d_name);
        }
    closedir(stream);
    assert_non_null(found);
    return found;
}

static void what_is_stored_is_found(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 1009, 300007};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char key[64];
        snprintf(key, sizeof key, KEY "%u", i);
        assert_false(holds(key, sizes[i], i));
        assert_success(store(key, sizes[i], i));
        assert_true(holds(key, sizes[i], i));
        assert_success(store(key, sizes[i] + 5, i + 1)); /* replaced */
        assert_true(holds(key, sizes[i] + 5, i + 1));
    }
    assert_int_equal(count_names("cache", "", ".bin"), 4);
    assert_int_equal(count_names("cache", "", ""), 4); /* nothing else is left there */
}

/* Keys are bytes, compared whole: a prefix, a longer one and one that differs behind a NUL are other keys. */
static void keys_are_compared_whole(void **state)
{
    (void)state;
    static const char first[] = "key\0one", second[] = "key\0two";
    void *data;
    size_t size;
    assert_success(quern_cache_binary_store(first, sizeof first, "1", 1));
    assert_fails(QUERN_NOT_FOUND, quern_cache_binary_load(second, sizeof second, &data, &size));
    assert_fails(QUERN_NOT_FOUND, quern_cache_binary_load(first, 3, &data, &size));
    assert_success(quern_cache_binary_load(first, sizeof first, &data, &size));
    assert_int_equal(size, 1);
    free(data);
}

static void cut(const char *path, off_t size)
{
    assert_int_equal(truncate(path, size), 0);
}

static void change_byte(const char *path, long place)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, place < 0 ? SEEK_END : SEEK_SET), 0);
    int byte = fgetc(file);
    assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

static void append(const char *path)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fputc('x', file);
    fclose(file);
}

enum { SIZE = 1009, HEAD = 48, SPOILT = 19 };

/* 0 when there is no such fault here. */
static int spoil(const char *path, int fault)
{
    const long end = HEAD + (long)strlen(KEY) + SIZE;
    switch (fault) {
    case 0:
        cut(path, 0);
        return 1;
    case 1:
        cut(path, HEAD - 1);
        return 1;
    case 2:
        cut(path, HEAD + 5);
        return 1;
    case 3:
        cut(path, end - SIZE);
        return 1;
    case 4:
        cut(path, end - 1);
        return 1;
    case 5:
        append(path);
        return 1;
    case 6: /* the mark of the format */
        change_byte(path, 13);
        return 1;
    case 7: /* the key's length */
        change_byte(path, 16);
        return 1;
    case 8: /* the data's length */
        change_byte(path, 24);
        return 1;
    case 9: /* the checksum */
        change_byte(path, 40);
        return 1;
    case 10: /* the key */
        change_byte(path, HEAD + 3);
        return 1;
    case 11: /* the data, at both ends */
        change_byte(path, end - SIZE);
        return 1;
    case 12:
        change_byte(path, -1);
        return 1;
    case 13: /* others may write it */
        assert_int_equal(chmod(path, 0666), 0);
        return 1;
    case 14: /* nobody may read it; root may, and then it is no fault */
        assert_int_equal(chmod(path, 0), 0);
        return geteuid() != 0;
    case 15: /* another key's, whole */
        assert_int_equal(rename("other.bin", path), 0);
        return 1;
    case 16: /* things that are no files */
        assert_int_equal(unlink(path), 0);
        assert_success(quern_directory_make(path, 0700));
        write_text("inside", "");
        assert_int_equal(run("mv inside %s/", path), 0);
        return 1;
    case 17:
        assert_int_equal(unlink(path), 0);
        assert_int_equal(symlink("/nowhere", path), 0);
        return 1;
    default: /* opening a pipe for reading would wait for a writer */
        assert_int_equal(unlink(path), 0);
        assert_int_equal(mkfifo(path, 0600), 0);
        return 1;
    }
}

static void spoilt_entries_are_not_found_and_replaced(void **state)
{
    (void)state;
    assert_success(store("other", SIZE, 9));
    char *path = entry();
    assert_int_equal(rename(path, "other.bin"), 0);
    free(path);
    for (int fault = 0; fault < SPOILT; ++fault) {
        assert_success(store(KEY, SIZE, 1));
        path = entry();
        int spoilt = spoil(path, fault);
        if (holds(KEY, SIZE, 1) == spoilt)
            fail_msg("fault %d: the entry is %s", fault, spoilt ? "taken for sound" : "not found");
        assert_success(store(KEY, SIZE, 2));
        assert_true(holds(KEY, SIZE, 2));
        struct stat info;
        assert_int_equal(lstat(path, &info), 0);
        assert_true(S_ISREG(info.st_mode) && (info.st_mode & 0777) == 0600);
        free(path);
    }
    assert_int_equal(count_names("cache", "", ""), 1);
}

static void a_cache_that_cannot_be_is_a_status(void **state)
{
    (void)state;
    write_text("cache", "a file where the cache should be");
    assert_fails(QUERN_FILE_ERROR, store(KEY, SIZE, 1));
    assert_contains(quern_last_error(), "QUERN_CACHE_DIR");
    assert_false(holds(KEY, SIZE, 1));
    assert_int_equal(unlink("cache"), 0);

    /* One that others may write is neither read nor written: what lies there may be anybody's. */
    assert_success(store(KEY, SIZE, 1));
    assert_int_equal(chmod("cache", 0777), 0);
    assert_fails(QUERN_FILE_ERROR, store(KEY, SIZE, 2));
    assert_false(holds(KEY, SIZE, 1));
    assert_int_equal(chmod("cache", 0700), 0);
    assert_true(holds(KEY, SIZE, 1));

    if (geteuid() != 0) { /* root may write everywhere */
        assert_int_equal(chmod("cache", 0500), 0);
        assert_fails(QUERN_FILE_ERROR, store(KEY, SIZE, 2));
    } else {
        printf("a cache without permission to write: not tried, root has it always\n");
    }
}

/* No room on the disk, as far as a test can have that: files may not grow beyond a limit. */
static void a_full_disk_names_the_cache(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    quern_status status = store(KEY, 50021, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_fails(QUERN_FILE_ERROR, status);
    char *path = realpath("cache", NULL);
    assert_contains(quern_last_error(), path);
    assert_contains(quern_last_error(), "File too large");
    assert_contains(quern_last_error(), "QUERN_CACHE_DIR");

    /* What a compiler's assembler says that has no room. */
    assert_fails(
        QUERN_COMPILE_FAILED,
        quern_cache_explain(quern_fail(QUERN_COMPILE_FAILED,
                                       "Fatal error: can't write 47 bytes to section .text of %s/build-x/unit.o: "
                                       "'No space left on device'\n",
                                       path),
                            path));
    assert_contains(quern_last_error(), "unit.o");
    assert_contains(quern_last_error(), "\nthe compiler wrote into the cache directory");
    assert_contains(quern_last_error(), "QUERN_CACHE_DIR");

    /* What has nothing to do with it stays as it is. */
    assert_fails(QUERN_FILE_ERROR, quern_cache_explain(quern_fail(QUERN_FILE_ERROR, "cannot read 'a.k.c'"), path));
    assert_string_equal(quern_last_error(), "cannot read 'a.k.c'");
    free(path);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    void *data;
    size_t size;
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_load(NULL, 3, &data, &size));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_load(KEY, 0, &data, &size));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_load(KEY, 3, NULL, &size));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_load(KEY, 3, &data, NULL));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_store(KEY, 0, "x", 1));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_cache_binary_store(KEY, 3, NULL, 1));
}

/* ---- several processes ---- */

enum { PROCESSES = 8, ROUNDS = 25, KEYS = 3, LONG = 50021 };

/* Everybody stores and loads the same few entries and one of its own. Keys have one content each. */
static int fill_and_look(int process)
{
    char own[32];
    snprintf(own, sizeof own, "own %d", process);
    for (int round = 0; round < ROUNDS; ++round) {
        char shared[32];
        unsigned seed = (unsigned)((round + process) % KEYS);
        snprintf(shared, sizeof shared, "shared %u", seed);
        (void)holds(shared, LONG, seed);
        if (store(shared, LONG, seed) || !holds(shared, LONG, seed))
            return 1;
        if (round == 0 && (holds(own, 7, (unsigned)process) || store(own, 7, (unsigned)process)))
            return 1;
        if (!holds(own, 7, (unsigned)process))
            return 1;
    }
    return 0;
}

static void eight_processes_fill_it_at_once(void **state)
{
    (void)state;
    pid_t processes[PROCESSES];
    fflush(stdout);
    for (int i = 0; i < PROCESSES; ++i)
        if ((processes[i] = fork()) == 0)
            _exit(fill_and_look(i));
    for (int i = 0; i < PROCESSES; ++i) {
        int status;
        assert_int_equal(waitpid(processes[i], &status, 0), processes[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(count_names("cache", "", ".bin"), PROCESSES + KEYS);
    assert_int_equal(count_names("cache", "", ""), PROCESSES + KEYS);
}

/* A process is killed at some point of a store, again and again: no reader ever sees half an entry, and the next store
 * sweeps away what is left. */
static void a_killed_process_leaves_no_trouble(void **state)
{
    (void)state;
    int found = 0;
    for (int round = 0; round < 40; ++round) {
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        fflush(stdout);
        pid_t process = fork();
        if (process == 0) {
            (void)!write(ready[1], "", 1);
            for (;;)
                (void)store(KEY, LONG, 3);
        }
        assert_int_equal(read(ready[0], &byte, 1), 1);
        usleep((useconds_t)(round * 137));
        assert_int_equal(kill(process, SIGKILL), 0);
        assert_int_equal(waitpid(process, NULL, 0), process);
        close(ready[0]);
        close(ready[1]);
        found += holds(KEY, LONG, 3);
    }
    assert_success(store(KEY, LONG, 3));
    assert_true(holds(KEY, LONG, 3));
    assert_int_equal(count_names("cache", "", ""), 1);
    printf("%d of 40 killed processes had stored the entry\n", found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_stored_is_found, begin),
        cmocka_unit_test_setup(keys_are_compared_whole, begin),
        cmocka_unit_test_setup(spoilt_entries_are_not_found_and_replaced, begin),
        cmocka_unit_test_setup(a_cache_that_cannot_be_is_a_status, begin),
        cmocka_unit_test_setup(a_full_disk_names_the_cache, begin),
        cmocka_unit_test_setup(misuse_is_refused, begin),
        cmocka_unit_test_setup(eight_processes_fill_it_at_once, begin),
        cmocka_unit_test_setup(a_killed_process_leaves_no_trouble, begin),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
