/* What the tests of loading at run time share: a kernel file, and running its kernel. */
#ifndef COMPILER_MODULE_TEST_H
#define COMPILER_MODULE_TEST_H

#include "compiler_test.h"

#include <quern/dialect/cpu_abi.h>

static const char text[] = "#include <quern/kernel.h>\n\nSTRUCT(affine, field(float, scale), field(float, shift, 3))\n"
                           "KERNEL(scale, in(float, x), out(float, y), value(affine, a))\n"
                           "{\n    EACH (i)\n        y[i] = FACTOR * x[i] * a.scale + a.shift[2];\n}\n"
                           "GROUP_KERNEL(groups, (3, 5), inout_nd(int16_t, 2, x), local(double, t))\n"
                           "{\n    LOCAL(double, s, GROUP_ITEMS + 1);\n    PRIVATE(int32_t, p);\n"
                           "    ITEMS2 (j, i) { MINE(p, j, i) = 1; s[i] = t[i] = 0; AT(x, j, i) = (int16_t)(MINE(p, j, "
                           "i) + (int)s[i]); }\n}\n";

static const char *const factor_2[] = {"-DFACTOR=2.0f", NULL}, *const factor_3[] = {"-DFACTOR=3.0f", NULL};
static const quern_compile_options twice = {.arguments = factor_2}, thrice = {.arguments = factor_3};

static inline quern_kernel *find_kernel(const quern_module *module, const char *name)
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
static inline void assert_scales(const quern_module *module, float factor)
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
static inline int begin(void **state)
{
    (void)state;
    quern_directory_remove("cache");
    write_text("scale.k.c", text);
    return 0;
}

static inline void load_and_run(float factor)
{
    quern_module *module = NULL;
    assert_success(quern_module_load("scale.k.c", factor == 2 ? &twice : &thrice, &module));
    assert_scales(module, factor);
    quern_module_unload(module);
}

/* The single entry's file with this ending; to be freed. */
static inline char *entry(const char *ending)
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

static inline ino_t identity(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

#endif
