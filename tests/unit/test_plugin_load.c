/* quern_backend_load: what is refused, with which sentence, and what becomes of backends that do not work. */
#include "runtime_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "compiler/driver_files.h"

#define PLUGIN(name) QUERN_PLUGINS "/" name ".so"

/* The number of backends is as before, and so are the devices. */
static size_t backends(void)
{
    size_t count = 0;
    ok(quern_backend_count(&count));
    return count;
}

static void what_is_no_backend_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        quern_status status;
        const char *words;
    } cases[] = {
        {PLUGIN("no_entry"), QUERN_NOT_SUPPORTED, "no_entry.so|does not export quern_backend_entry"},
        {PLUGIN("null_table"), QUERN_NOT_SUPPORTED, "null_table.so|NULL"},
        {PLUGIN("other_version"), QUERN_NOT_SUPPORTED, "other_version.so|version 2|wanted version 1"},
        {PLUGIN("short_table"), QUERN_NOT_SUPPORTED, "short_table.so|bytes, wanted at least"},
        {PLUGIN("lacks_functions"), QUERN_NOT_SUPPORTED,
         "lacks_functions.so|\"lacks_functions\"|kernel_release, launch"},
        {PLUGIN("null_name"), QUERN_INVALID_ARGUMENT, "null_name.so|NULL"},
        {PLUGIN("empty_name"), QUERN_INVALID_ARGUMENT, "empty_name.so|\"\"|letters"},
        {PLUGIN("upper_case_name"), QUERN_INVALID_ARGUMENT, "\"Mill\"|lower-case"},
        {PLUGIN("digit_name"), QUERN_INVALID_ARGUMENT, "\"2mills\"|a letter first"},
        {PLUGIN("colon_name"), QUERN_INVALID_ARGUMENT, "\"mill:0\""},
        {PLUGIN("all_name"), QUERN_INVALID_ARGUMENT, "all_name.so|\"all\", wanted another one"},
        {PLUGIN("lines_name"), QUERN_INVALID_ARGUMENT, "lines_name.so|\"mi\\x0all\\x1b[1m\""},
        {PLUGIN("long_name"), QUERN_INVALID_ARGUMENT, "\"mill_of_sixteen_\"|at most 15"},
        {PLUGIN("taken_name"), QUERN_INVALID_ARGUMENT, "taken_name.so|\"cpu\"|another backend"},
        {PLUGIN("is_not_there"), QUERN_FILE_ERROR, "is_not_there.so|No such file"},
        {QUERN_PLUGINS, QUERN_FILE_ERROR, "plugins|no file"},
        {NULL, QUERN_INVALID_ARGUMENT, "path is NULL"},
        {"", QUERN_INVALID_ARGUMENT, "path is \"\""},
    };
    size_t before = backends();
    for (int twice = 0; twice < 2; ++twice)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
            refused(quern_backend_load(cases[i].path), cases[i].status, cases[i].words);
    assert_int_equal(backends(), before);
}

/* Files that are no shared objects, or half of one. */
static void spoilt_files_are_refused(void **state)
{
    (void)state;
    char *folder = NULL;
    ok(quern_directory_make_private(quern_temporary_directory(), "quern plugin ", &folder));
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen("text.so", "w");
    for (int i = 0; i < 100; ++i)
        fputs("KERNEL(is, no(shared), object)\n", file);
    fclose(file);
    refused(quern_backend_load("text.so"), QUERN_FILE_ERROR, "cannot load a backend from 'text.so': |ELF");
    file = fopen("empty.so", "w");
    fclose(file);
    refused(quern_backend_load("./empty.so"), QUERN_FILE_ERROR, "empty.so");

    /* Cut after the head, within the table of parts, within a part. */
    static const size_t lengths[] = {64, 100, 4096};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
        char bytes[4096];
        FILE *whole = fopen(PLUGIN("minimal"), "r"), *half = fopen("half.so", "w");
        assert_non_null(whole);
        assert_int_equal(fread(bytes, 1, lengths[i], whole), lengths[i]);
        assert_int_equal(fwrite(bytes, 1, lengths[i], half), lengths[i]);
        fclose(whole);
        fclose(half);
        refused(quern_backend_load("half.so"), QUERN_FILE_ERROR, "half.so|cut short");
    }

    /* dlopen would wait until somebody writes into it. */
    assert_int_equal(mkfifo("pipe.so", 0600), 0);
    refused(quern_backend_load("pipe.so"), QUERN_FILE_ERROR, "pipe.so|no file");

    /* Nothing is searched: this one lies in the system's directories. */
    refused(quern_backend_load("libc.so.6"), QUERN_FILE_ERROR, "libc.so.6|No such file");
    assert_int_equal(chdir("/"), 0);
    quern_directory_remove(folder);
    free(folder);
}

/* One file is one backend, whatever its path. */
static void a_file_is_loaded_once(void **state)
{
    (void)state;
    size_t before = backends();
    ok(quern_backend_load(PLUGIN("serial")));
    assert_int_equal(backends(), before + 1);
    refused(quern_backend_load(PLUGIN("serial")), QUERN_INVALID_ARGUMENT, "serial.so|loaded already|\"serial\"");
    assert_int_equal(chdir(QUERN_PLUGINS), 0);
    refused(quern_backend_load("serial.so"), QUERN_INVALID_ARGUMENT, "'serial.so'|loaded already");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(backends(), before + 1);
}

static size_t find_backend(const char *wanted)
{
    for (size_t i = 0; i < backends(); ++i) {
        const char *name;
        ok(quern_backend_status(i, &name, NULL, NULL));
        if (strcmp(name, wanted) == 0)
            return i;
    }
    fail_msg("there is no backend %s", wanted);
    return 0;
}

static void expect_state(const char *backend, quern_status wanted, const char *sentence)
{
    quern_status found = QUERN_SUCCESS;
    const char *reason = NULL;
    ok(quern_backend_status(find_backend(backend), NULL, &found, &reason));
    assert_string_equal(quern_status_name(found), quern_status_name(wanted));
    assert_string_equal(reason, sentence);
}

/* Each has its reason, again and again, and nobody else suffers. */
static void backends_that_do_not_work_say_why(void **state)
{
    (void)state;
    size_t before = 0, count = 0;
    quern_device *device = NULL;
    char no_sentence[256];
    snprintf(no_sentence, sizeof no_sentence,
             "backend \"no_sentence\" gave QUERN_NOT_PRESENT from start without a sentence: %s",
             quern_status_text(QUERN_NOT_PRESENT));
    ok(quern_device_count(&before));
    ok(quern_backend_load(PLUGIN("start_fails")));
    ok(quern_backend_load(PLUGIN("no_sentence")));
    ok(quern_backend_load(PLUGIN("odd_status")));
    ok(quern_backend_load(PLUGIN("no_devices")));
    ok(quern_backend_load(PLUGIN("wild_devices")));
    ok(quern_backend_load(PLUGIN("lost_device")));
    (void)quern_device_name(SIZE_MAX, NULL); /* a sentence that has nothing to do with what follows */
    for (int life = 0; life < 2; ++life) {
        for (int twice = 0; twice < 2; ++twice) {
            expect_state("start_fails", QUERN_SYSTEM_ERROR, "the mill minimal:0 has no water");
            expect_state("no_sentence", QUERN_NOT_PRESENT, no_sentence);
            expect_state("odd_status", QUERN_INTERNAL,
                         "backend \"odd_status\" gave status 4711 from start, which is none: it is Sunday");
            expect_state("no_devices", QUERN_NOT_PRESENT, "the no_devices backend works but finds no device");
            expect_state("wild_devices", QUERN_INTERNAL,
                         "the wild_devices backend says it has 18446744073709551615 devices, wanted at most 1024");
            expect_state("lost_device", QUERN_SUCCESS, "");
        }
        refused(quern_device_open("start_fails:0", &device), QUERN_NOT_PRESENT, "start_fails:0|has no water");
        ok(quern_device_open("lost_device:0", &device)); /* of two, the other is told of */
        ok(quern_device_release(device));
        refused(quern_device_open("lost_device:1", &device), QUERN_NOT_PRESENT, "lost_device:1|device 1|unplugged");
        ok(quern_device_unusable_count(&count));
        assert_int_equal(count, 1);
        ok(quern_device_count(&count));
        assert_int_equal(count, before + 1);
        ok(quern_shutdown()); /* the backends are tried anew: no_devices finds out whether it had been stopped */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_backend_is_refused),
        cmocka_unit_test(spoilt_files_are_refused),
        cmocka_unit_test(a_file_is_loaded_once),
        cmocka_unit_test(backends_that_do_not_work_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
