/* Kernel files loaded at run time, and the cache they go through, whatever has been done to it. */
#include "compiler_test.h"

#include "base/cpu_level.h"

#include <quern/dialect/cpu_abi.h>
#include <sys/stat.h>

static const char text[] = "#include <quern/kernel.h>\n\nSTRUCT(affine, field(float, scale), field(float, shift, 3))\n"
                           "KERNEL(scale, in(float, x), out(float, y), value(affine, a))\n"
                           "{\n    EACH (i)\n        y[i] = FACTOR * x[i] * a.scale + a.shift[2];\n}\n"
                           "GROUP_KERNEL(groups, (3, 5), inout_nd(int16_t, 2, x), local(double, t))\n"
                           "{\n    LOCAL(double, s, GROUP_ITEMS + 1);\n    PRIVATE(int32_t, p);\n"
                           "    ITEMS2 (j, i) { MINE(p, j, i) = 1; s[i] = t[i] = 0; AT(x, j, i) = (int16_t)(MINE(p, j, i) + (int)s[i]); }\n}\n";

static const char *const factor_2[] = {"-DFACTOR=2.0f", NULL}, *const factor_3[] = {"-DFACTOR=3.0f", NULL};
static const quern_compile_options twice = {.arguments = factor_2}, thrice = {.arguments = factor_3};

static quern_kernel *find_kernel(const quern_module *module, const char *name)
{
    quern_kernel *const *kernels;
    size_t count;
    quern_module_kernels(module, &kernels, &count);
    for (size_t i = 0; i < count; ++i)
        if (strcmp(kernels[i]->name, name) == 0)
            return kernels[i];
    return NULL;
}

/* Runs scale over 101 elements: y = factor * x * 7 + 5. */
static void assert_scales(const quern_module *module, float factor)
{
    enum { N = 101 };
    static float x[N], y[N];
    struct {
        float scale, shift[3];
    } affine = {7, {0, 0, 5}};
    const struct quern_cpu_argument arguments[] = {{.address = x}, {.address = y}, {.address = &affine}};
    struct quern_cpu_piece piece = {.rank = 1, .dim = {{0, N, N, 0, 0, 0}}};
    for (int i = 0; i < N; ++i) {
        x[i] = (float)i;
        y[i] = -1;
    }
    quern_kernel *kernel = find_kernel(module, "scale");
    assert_non_null(kernel);
    ((quern_cpu_function *)kernel->images[0].function)(&piece, arguments);
    for (int i = 0; i < N; ++i)
        assert_true(y[i] == factor * (float)i * 7 + 5);
}

/* A fresh cache and the kernel file. */
static int begin(void **state)
{
    (void)state;
    quern_directory_remove("cache");
    write_text("scale.k.c", text);
    return 0;
}

static void load_and_run(float factor)
{
    quern_module *module = NULL;
    assert_success(quern_module_load("scale.k.c", factor == 2 ? &twice : &thrice, &module));
    assert_scales(module, factor);
    quern_module_unload(module);
}

/* The single entry's file with this ending; to be freed. */
static char *entry(const char *ending)
{
    char *found = NULL;
    DIR *stream = opendir("cache");
    assert_non_null(stream);
    for (struct dirent *name; (name = readdir(stream)) != NULL;)
        if (strlen(name->d_name) > strlen(ending) &&
            strcmp(name->d_name + strlen(name->d_name) - strlen(ending), ending) == 0) {
            assert_null(found);
            found = quern_path("cache/%s", name->d_name);
        }
    closedir(stream);
    assert_non_null(found);
    return found;
}

static ino_t identity(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

/* ---- loading --------------------------------------------------------------------------------------------------------------- */

static void kernels_are_described(void **state)
{
    (void)state;
    const char *level;
    quern_module *module;
    assert_success(quern_cpu_level(&level));
    assert_success(quern_module_load("scale.k.c", &twice, &module));
    const quern_kernel *scale = find_kernel(module, "scale"), *groups = find_kernel(module, "groups");
    assert_int_equal(scale->version, QUERN_KERNEL_VERSION);
    assert_string_equal(scale->file, "scale.k.c");
    assert_int_equal(scale->line, 4);
    assert_int_equal(scale->rank, 1);
    assert_int_equal(scale->is_group, 0);
    assert_null(scale->state);
    assert_int_equal(scale->parameter_count, 3);
    assert_int_equal(scale->parameters[0].form, QUERN_PARAMETER_IN);
    assert_int_equal(scale->parameters[0].type.kind, QUERN_KIND_FLOAT32);
    const quern_parameter *value = &scale->parameters[2];
    assert_string_equal(value->name, "a");
    assert_string_equal(value->type_name, "affine");
    assert_int_equal(value->type.kind, QUERN_KIND_STRUCT);
    assert_int_equal(value->type.size, 16);
    assert_string_equal(value->fields[1].name, "shift");
    assert_int_equal(value->fields[1].offset, 4);
    assert_int_equal(value->fields[1].count, 3);
    assert_null(value->fields[2].name);
    assert_int_equal(scale->image_count, 1);
    assert_string_equal(scale->images[0].backend, "cpu");
    assert_string_equal(scale->images[0].target, level);
    assert_int_equal(groups->is_group, 1);
    assert_int_equal(groups->group_rank, 2);
    assert_int_equal(groups->group[0], 3);
    assert_int_equal(groups->group[1], 5);
    assert_int_equal(groups->local_bytes, 16 * sizeof(double));
    assert_int_equal(groups->private_bytes, 4);
    assert_int_equal(groups->parameters[0].rank, 2);
    assert_int_equal(groups->parameters[0].type.kind, QUERN_KIND_INT16);
    assert_int_equal(groups->parameters[1].form, QUERN_PARAMETER_LOCAL);
    quern_module_unload(module);
    quern_module_unload(NULL);
}

static void the_second_load_comes_from_the_cache(void **state)
{
    (void)state;
    load_and_run(2);
    char *object = entry(".so");
    ino_t first = identity(object);
    load_and_run(2);
    assert_true(identity(object) == first);
    load_and_run(3); /* another option, another entry */
    assert_int_equal(count_names("cache", "", ".so"), 2);
    assert_int_equal(count_names("cache", "build-", ""), 0);
    assert_int_equal(count_names("cache", "", ".lock"), 0);
    struct stat info;
    assert_int_equal(stat("cache", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    free(object);
}

static void each_load_stands_for_itself(void **state)
{
    (void)state;
    quern_module *first, *second;
    assert_success(quern_module_load("scale.k.c", &twice, &first));
    assert_success(quern_module_load("scale.k.c", &twice, &second));
    assert_ptr_not_equal(find_kernel(first, "scale"), find_kernel(second, "scale"));
    find_kernel(first, "scale")->state = first;
    assert_null(find_kernel(second, "scale")->state);
    quern_module_unload(first);
    assert_scales(second, 2);
    quern_module_unload(second);
}

static void an_included_header_is_part_of_the_key(void **state)
{
    (void)state;
    write_text("factor.h", "#define FACTOR 2.0f\n");
    char *whole = quern_path("#include \"factor.h\"\n%s", text);
    write_text("scale.k.c", whole);
    for (float factor = 2; factor < 4; ++factor) {
        quern_module *module;
        write_text("factor.h", factor == 2 ? "#define FACTOR 2.0f\n" : "#define FACTOR 3.0f\n");
        assert_success(quern_module_load("scale.k.c", NULL, &module));
        assert_scales(module, factor);
        quern_module_unload(module);
    }
    free(whole);
}

static void bad_arguments_and_files(void **state)
{
    (void)state;
    quern_module *module = (quern_module *)1;
    static const char *const unknown[] = {"avx9000", NULL};
    assert_fails(QUERN_INVALID_ARGUMENT, quern_module_load(NULL, NULL, &module));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_module_load("scale.k.c", NULL, NULL));
    assert_fails(QUERN_INVALID_ARGUMENT, quern_module_load("scale.k.c", &(quern_compile_options){.levels = unknown}, &module));
    assert_fails(QUERN_FILE_ERROR, quern_module_load("nowhere.k.c", NULL, &module));
    assert_contains(quern_last_error(), "nowhere.k.c");
    assert_fails(QUERN_FILE_ERROR, quern_module_load(".", NULL, &module));
    assert_fails(QUERN_COMPILE_FAILED, quern_module_load("scale.k.c", NULL, &module)); /* FACTOR is not defined */
    assert_contains(quern_last_error(), "scale.k.c:7:16: error: ");
    assert_contains(quern_last_error(), "FACTOR");
    assert_ptr_equal(module, (quern_module *)1);
    assert_int_equal(count_names("cache", "build-", ""), 0);
    assert_int_equal(count_names("cache", "", ".so"), 0);
}

/* The shared object is complete: what it calls and nobody has is an error of the compilation, with a name. */
static void a_function_that_nobody_has_is_an_error(void **state)
{
    (void)state;
    quern_module *module;
    write_text("open.k.c", "#include <quern/kernel.h>\nfloat nobodys(float);\nKERNEL(f, out(float, x)) { EACH (i) x[i] = nobodys(1); }\n");
    assert_fails(QUERN_COMPILE_FAILED, quern_module_load("open.k.c", NULL, &module));
    assert_contains(quern_last_error(), "nobodys");
}

/* A text that differs every time is loaded all the same. */
static void a_text_that_never_stays_the_same(void **state)
{
    (void)state;
    quern_module *module;
    write_text("time.k.c", "#include <quern/kernel.h>\nKERNEL(f, out(int, x)) { EACH (i) x[i] = __COUNTER__ + (int)sizeof(__TIMESTAMP__ __TIME__); }\n");
    assert_success(quern_module_load("time.k.c", NULL, &module));
    assert_non_null(find_kernel(module, "f"));
    quern_module_unload(module);
}

/* ---- faults ------------------------------------------------------------------------------------------------------------------ */

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
        case 0: cut(object, 0); break;
        case 1: cut(object, 1000); break;
        case 2: cut(key, 0); break;
        case 3: cut(key, 100); break;
        case 4: change_byte(object, 4096); break;
        case 5: change_byte(key, 0); break;
        case 6: change_byte(key, 60); break;
        case 7: change_byte(key, 5000); break;
        case 8: write_over(object); break;
        case 9: write_over(key); break;
        case 10: assert_int_equal(unlink(object), 0); break;
        case 11: assert_int_equal(unlink(key), 0); break;
        case 12: /* another key's, whole */
            copy_over("other.so", object);
            copy_over("other.key", key);
            break;
        case 13: copy_over("other.so", object); break;
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
    assert_int_equal(run("cd cache/include-* && echo '#error spoilt' > quern/kernel.h && rm quern/dialect/cpu_abi.h"), 0);
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

static void what_killed_compilations_left_is_swept_away(void **state)
{
    (void)state;
    assert_success(quern_directory_make("cache/build-old/deep", 0700));
    assert_success(quern_directory_make("cache/build-new", 0700));
    assert_int_equal(chmod("cache", 0700), 0);
    assert_int_equal(run("touch -d '2 days ago' cache/build-old"), 0);
    load_and_run(2);
    assert_false(exists("cache/build-old"));
    assert_true(exists("cache/build-new"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(kernels_are_described, begin),
        cmocka_unit_test_setup(the_second_load_comes_from_the_cache, begin),
        cmocka_unit_test_setup(each_load_stands_for_itself, begin),
        cmocka_unit_test_setup(an_included_header_is_part_of_the_key, begin),
        cmocka_unit_test_setup(bad_arguments_and_files, begin),
        cmocka_unit_test_setup(a_function_that_nobody_has_is_an_error, begin),
        cmocka_unit_test_setup(a_text_that_never_stays_the_same, begin),
        cmocka_unit_test_setup(spoilt_entries_are_rebuilt, begin),
        cmocka_unit_test_setup(spoilt_headers_are_mended, begin),
        cmocka_unit_test_setup(a_cache_that_cannot_be_used_is_named, begin),
        cmocka_unit_test_setup(the_environment_says_where_the_cache_is, begin),
        cmocka_unit_test_setup(eight_processes_at_once, begin),
        cmocka_unit_test_setup(what_killed_compilations_left_is_swept_away, begin),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
