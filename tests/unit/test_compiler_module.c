/* Kernel files loaded at run time: what they are described as, that each load stands for itself, what is refused. */
#include "compiler_module_test.h"

#include "base/cpu_level.h"

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
    assert_int_equal(scale->image_count, 3);
    assert_string_equal(scale->images[0].backend, "cpu");
    assert_string_equal(scale->images[0].target, level);
    assert_string_equal(scale->images[1].backend, "opencl");
    assert_string_equal(scale->images[1].target, "opencl-c-1.2 strict");
    assert_non_null(strstr(scale->images[1].data, "void quern_k_scale("));
    assert_ptr_equal(groups->images[1].data, scale->images[1].data);
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
    quern_module *fused; /* an option that the preprocessor does not see */
    assert_success(quern_module_load("scale.k.c",
                                     &(quern_compile_options){.arguments = factor_2, .fp = QUERN_FP_CONTRACT}, &fused));
    quern_module_unload(fused);
    assert_int_equal(count_names("cache", "", ".so"), 3);
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
    assert_fails(QUERN_INVALID_ARGUMENT,
                 quern_module_load("scale.k.c", &(quern_compile_options){.levels = unknown}, &module));
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
    write_text(
        "open.k.c",
        "#include <quern/kernel.h>\nfloat nobodys(float);\nKERNEL(f, out(float, x)) { EACH (i) x[i] = nobodys(1); }\n");
    assert_fails(QUERN_COMPILE_FAILED, quern_module_load("open.k.c", NULL, &module));
    assert_contains(quern_last_error(), "nobodys");
}

/* A text that differs every time is loaded all the same. */
static void a_text_that_never_stays_the_same(void **state)
{
    (void)state;
    quern_module *module;
    write_text("time.k.c", "#include <quern/kernel.h>\nKERNEL(f, out(int, x)) { EACH (i) x[i] = __COUNTER__ + "
                           "(int)sizeof(__TIMESTAMP__ __TIME__); }\n");
    assert_success(quern_module_load("time.k.c", NULL, &module));
    assert_non_null(find_kernel(module, "f"));
    quern_module_unload(module);
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
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
