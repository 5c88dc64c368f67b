/*
 * What kernels compute in the text that `quern compile` writes for CUDA, run on the CPU (tests/cuda_emulation):
 * atomics, functions by the type of their arguments, and what C means where C++ would mean something else.
 */
#include "../cuda_emulation/launch.h"

#include <float.h>
#include <math.h>

/* One item over arrays that begin where their memory does. */
static void run_one(void *program, layout how, const char *kernel, void *const *arrays, size_t count, void *value)
{
    void *memory[4];
    launch l = begin_launch(how, 1, 1);
    add_dimension(&l, 1, 0, 1);
    for (size_t i = 0; i < count; ++i) {
        memory[i] = arrays[i];
        add_word(&l, 0);
        pass(&l, &memory[i]);
    }
    if (value)
        pass(&l, value);
    run_kernel(&l, program, kernel, DIMENSIONS(1, 1, 1), DIMENSIONS(1, 1, 1));
}

/* ---- atomics ---- */

static const char atomics[] =
    "#include <quern/kernel.h>\n"
    "#define ANY_TYPE(T) \\\n"
    "    old[0] = ATOMIC_ADD(&x[0], v[0]); old[1] = ATOMIC_SUB(&x[1], v[0]); old[2] = ATOMIC_MIN(&x[2], v[0]); \\\n"
    "    old[3] = ATOMIC_MAX(&x[3], v[0]); old[4] = ATOMIC_EXCHANGE(&x[4], v[0]); \\\n"
    "    old[5] = ATOMIC_COMPARE_EXCHANGE(&x[5], x[5], v[0]); old[6] = ATOMIC_COMPARE_EXCHANGE(&x[6], v[1], v[0]);\n"
    "#define INTEGER(T) KERNEL(of_##T, inout(T, x), in(T, v), out(T, old)) { EACH (i) { ANY_TYPE(T) \\\n"
    "    old[7] = ATOMIC_AND(&x[7], v[0]); old[8] = ATOMIC_OR(&x[8], v[0]); old[9] = ATOMIC_XOR(&x[9], v[0]); } }\n"
    "#define FLOATING(T) KERNEL(of_##T, inout(T, x), in(T, v), out(T, old)) { EACH (i) { ANY_TYPE(T) } }\n"
    "INTEGER(int32_t)\nINTEGER(uint32_t)\nINTEGER(int64_t)\nINTEGER(uint64_t)\nFLOATING(float)\nFLOATING(double)\n";

/* start: of all x; v: the operand; other: what x does not equal to the bit */
#define CHECK_ANY_TYPE(T, count, start, operand, other)                                                                \
    T x[count], old[count], v[2] = {operand, other}, before = start;                                                   \
    for (int k = 0; k < (count); ++k)                                                                                  \
        x[k] = before;                                                                                                 \
    run_one(program, how, "of_" #T, (void *[]){x, v, old}, 3, NULL);                                                   \
    const T wanted[] = {(T)(before + v[0]),                                                                            \
                        (T)(before - v[0]),                                                                            \
                        v[0] < before ? v[0] : before,                                                                 \
                        v[0] > before ? v[0] : before,                                                                 \
                        v[0],                                                                                          \
                        v[0],                                                                                          \
                        before};                                                                                       \
    assert_memory_equal(x, wanted, sizeof wanted);                                                                     \
    for (int k = 0; k < (count); ++k)                                                                                  \
    assert_memory_equal(&old[k], &before, sizeof before)
#define CHECK_INTEGER(T, start, operand)                                                                               \
    do {                                                                                                               \
        CHECK_ANY_TYPE(T, 10, start, operand, operand);                                                                \
        assert_true(x[7] == (T)(before & v[0]) && x[8] == (T)(before | v[0]) && x[9] == (T)(before ^ v[0]));           \
    } while (0)
#define CHECK_FLOATING(T, start, operand, other)                                                                       \
    do {                                                                                                               \
        CHECK_ANY_TYPE(T, 7, start, operand, other);                                                                   \
    } while (0)

static void atomics_in_every_variant(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    char fast[sizeof atomics + 64];
    snprintf(fast, sizeof fast, "#pragma quern fp(fast)\n%s", atomics);
    write_text("atomics.k.c", atomics);
    write_text("fast.k.c", fast);
    EACH_LAYOUT(how)
    {
        void *program = load_program(how.linear ? "fast.k.c" : "atomics.k.c", how);
        CHECK_INTEGER(int32_t, -70, 50);
        CHECK_INTEGER(int32_t, 50, -70);
        CHECK_INTEGER(uint32_t, 0xf0000001u, 0x30000000u);
        CHECK_INTEGER(uint32_t, 3u, 0xf0000001u);
        CHECK_INTEGER(int64_t, -7000000000000, 5000000000000);
        CHECK_INTEGER(int64_t, 5000000000000, -7000000000000);
        CHECK_INTEGER(uint64_t, 0xf000000000000001u, 0x3000000000000000u);
        CHECK_INTEGER(uint64_t, 3u, 0xf000000000000001u);
        CHECK_FLOATING(float, 1.5f, -0.1f, 1.75f);
        CHECK_FLOATING(float, 0.0f, 1e-44f, -0.0f); /* a subnormal; zeros of different bits */
        CHECK_FLOATING(double, 1.5, -0.1, 1.75);
        CHECK_FLOATING(double, 0.0, 1e-320, -0.0);
        dlclose(program);
    }
}

/* ---- functions ---- */

typedef struct function_1 {
    const char *name;
    float (*narrow)(float);
    double (*wide)(double);
} function_1;

typedef struct function_2 {
    const char *name;
    float (*narrow)(float, float);
    double (*wide)(double, double);
} function_2;

#define FUNCTION(name)                                                                                                 \
    {                                                                                                                  \
#name, name##f, name                                                                                           \
    }

static const function_1 functions_1[] = {
    FUNCTION(acos),   FUNCTION(acosh), FUNCTION(asin),  FUNCTION(asinh), FUNCTION(atan),  FUNCTION(atanh),
    FUNCTION(cbrt),   FUNCTION(ceil),  FUNCTION(cos),   FUNCTION(cosh),  FUNCTION(erf),   FUNCTION(erfc),
    FUNCTION(exp),    FUNCTION(exp2),  FUNCTION(expm1), FUNCTION(fabs),  FUNCTION(floor), FUNCTION(lgamma),
    FUNCTION(log),    FUNCTION(log10), FUNCTION(log1p), FUNCTION(log2),  FUNCTION(logb),  FUNCTION(rint),
    FUNCTION(round),  FUNCTION(sin),   FUNCTION(sinh),  FUNCTION(sqrt),  FUNCTION(tan),   FUNCTION(tanh),
    FUNCTION(tgamma), FUNCTION(trunc)};
static const function_2 functions_2[] = {FUNCTION(atan2), FUNCTION(copysign), FUNCTION(fdim),  FUNCTION(fmax),
                                         FUNCTION(fmin),  FUNCTION(fmod),     FUNCTION(hypot), FUNCTION(nextafter),
                                         FUNCTION(pow),   FUNCTION(remainder)};
enum {
    COUNT_1 = sizeof functions_1 / sizeof functions_1[0],
    COUNT_2 = sizeof functions_2 / sizeof functions_2[0],
    COUNT = COUNT_1 + COUNT_2
};

/* Kernels for both types, in which the parameter x and variables are called as functions are. */
static void write_functions(const char *path)
{
    quern_text text = {0};
    quern_text_add(&text, "#include <quern/kernel.h>\n#define KERNEL_OF(T) KERNEL(of_##T, in(T, x), in(T, exp), "
                          "out(T, y)) { EACH (i) { const T sin = x[0], pow = exp[0]; \\\n");
    for (size_t k = 0; k < COUNT_1; ++k)
        quern_text_add(&text, "    y[%zu] = %s(sin); \\\n", k, functions_1[k].name);
    for (size_t k = 0; k < COUNT_2; ++k)
        quern_text_add(&text, "    y[%zu] = %s(sin, pow); \\\n", COUNT_1 + k, functions_2[k].name);
    quern_text_add(&text, "} }\nKERNEL_OF(float)\nKERNEL_OF(double)\n");
    write_text(path, quern_text_string(&text));
    quern_text_free(&text);
}

static void check_functions(void *program, layout how, double x, double z)
{
    float narrow[2] = {(float)x, (float)z}, f[COUNT];
    double wide[2] = {x, z}, d[COUNT];
    run_one(program, how, "of_float", (void *[]){&narrow[0], &narrow[1], f}, 3, NULL);
    run_one(program, how, "of_double", (void *[]){&wide[0], &wide[1], d}, 3, NULL);
    for (size_t k = 0; k < COUNT; ++k) {
        const float wanted_f =
            k < COUNT_1 ? functions_1[k].narrow(narrow[0]) : functions_2[k - COUNT_1].narrow(narrow[0], narrow[1]);
        const double wanted_d =
            k < COUNT_1 ? functions_1[k].wide(wide[0]) : functions_2[k - COUNT_1].wide(wide[0], wide[1]);
        if (isnan(wanted_f) || isnan(wanted_d)) { /* whose sign is not C's business */
            assert_true(isnan(f[k]) && isnan(d[k]));
            continue;
        }
        assert_memory_equal(&f[k], &wanted_f, sizeof wanted_f);
        assert_memory_equal(&d[k], &wanted_d, sizeof wanted_d);
    }
}

static void functions_are_those_of_the_type(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_functions("functions.k.c");
    layout how = {32, 0};
    void *program = load_program("functions.k.c", how);
    check_functions(program, how, 0.7, 1.3);
    check_functions(program, how, -2.5, 0.4);
    check_functions(program, how, 3.2, -1.6);
    dlclose(program);
}

static const char others[] =
    "#include <quern/kernel.h>\n"
    "#define KERNEL_OF(T, tiny) KERNEL(of_##T, in(T, x), out(T, y), out(int32_t, n)) { EACH (i) { \\\n"
    "    y[0] = fma(x[0], x[0], x[1]); y[1] = ldexp(x[0], -3); y[2] = tgamma(tiny); y[3] = MIN(x[0], x[1]); \\\n"
    "    y[4] = MAX(x[0], x[1]); y[5] = ABS(-x[2]); y[6] = MIN(x[3], x[0]); y[7] = MAX(x[0], x[3]); \\\n"
    "    y[8] = MAX(x[0], 3); y[9] = sqrt(x[1]) / x[0]; \\\n"
    "    for (int k = 0; k < 5; ++k) \\\n"
    "        n[k] = isnan(x[k]) + 2 * isinf(x[k]) + 4 * isfinite(x[k]) + 8 * signbit(x[k]); \\\n"
    "    n[5] = (int32_t)(sizeof(sqrt(x[0])) + 10 * sizeof(MIN(x[0], 1)) + 100 * sizeof(isnan(x[0]))); } }\n"
    "KERNEL_OF(float, -50.5f)\nKERNEL_OF(double, -200.5)\n"
    "KERNEL(integers, out(int64_t, y), in(int64_t, wide), value(int32_t, n))\n{ EACH (i) {\n"
    "    y[0] = MIN(n, (int64_t)-3); y[1] = MAX(n, 7u); y[2] = ABS(n) + ABS((int8_t)n); y[3] = ABS(wide[0]);\n"
    "    y[4] = popcount((uint32_t)n) + 100 * popcount(wide[0]); y[5] = clz(n + 5) + 100 * clz(wide[0] >> 63 & 7);\n"
    "    y[6] = clz(0) + 100 * clz((uint64_t)0); y[7] = ffs(n + 5) + 100 * ffs((uint64_t)wide[0]) + 10000 * ffs(n - "
    "n);\n"
    "    y[8] = (int64_t)MAX((uint64_t)wide[0], (uint64_t)5); y[9] = (int64_t)sizeof(MIN((short)n, (short)2));\n"
    "    y[10] = 1LL << 40; y[11] = INT64_MIN; y[12] = UINT32_MAX; y[13] = (int64_t)UINT64_MAX; y[14] = INT8_MIN; } "
    "}\n";

#define CHECK_OTHERS(T, end, tiny)                                                                                     \
    do {                                                                                                               \
        T x[5] = {(T)1.1, (T)2.3, (T)0.0, (T)NAN, -(T)INFINITY}, y[10];                                                \
        int32_t n[6];                                                                                                  \
        run_one(program, how, "of_" #T, (void *[]){x, y, n}, 3, NULL);                                                 \
        const T gamma = tgamma##end((T)(tiny));                                                                        \
        const T wanted[] = {fma##end(x[0], x[0], x[1]), ldexp##end(x[0], -3), gamma, x[0], x[1], 0, x[0], x[3], 3,     \
                            sqrt##end(x[1]) / x[0]};                                                                   \
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; ++k)                                                  \
            assert_memory_equal(&y[k], &wanted[k], sizeof wanted[k]);                                                  \
        const int32_t wanted_n[] = {4, 4, 4, 1, 10, (int32_t)(11 * sizeof(T) + 400)};                                  \
        for (size_t k = 0; k < sizeof wanted_n / sizeof wanted_n[0]; ++k)                                              \
            assert_int_equal(n[k], wanted_n[k]);                                                                       \
    } while (0)

static void the_other_functions_are_right_too(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("others.k.c", others);
    layout how = {64, 0};
    void *program = load_program("others.k.c", how);
    CHECK_OTHERS(float, f, -50.5);
    CHECK_OTHERS(double, , -200.5);
    int64_t y[15], wide = -7000000000000;
    int32_t n = -9;
    const int64_t bits = __builtin_popcountll((unsigned long long)wide), low = __builtin_ffsll(wide);
    const int64_t wanted[] = {-9,
                              4294967287,
                              18,
                              7000000000000,
                              __builtin_popcount((unsigned)n) + 100 * bits,
                              0 + 100 * 61,
                              32 + 100 * 64,
                              3 + 100 * low,
                              wide,
                              4,
                              (int64_t)1 << 40,
                              INT64_MIN,
                              4294967295,
                              -1,
                              -128};
    run_one(program, how, "integers", (void *[]){y, &wide}, 2, &n);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; ++k)
        assert_int_equal(y[k], wanted[k]);
    dlclose(program);
}

/* ---- C, not C++ ---- */

static const char doubts[] =
    "#include <quern/kernel.h>\n"
    "enum mode { PLAIN, TWICE = 3 };\n"
    "typedef enum { LOW = -2, HIGH } level;\n"
    "enum { FLAG = 1 };\n"
    "STRUCT(pair, field(float, a), field(int32_t, b))\n"
    "struct tagged { enum mode kind; int32_t n; };\n"
    "typedef int32_t row[2];\n"
    "CONSTANT int8_t bytes[3] = {FLAG, TWICE, LOW};\n"
    "CONSTANT struct tagged tags[2] = {{PLAIN, 1}, {3, 4}};\n"
    "DEVICE inline int32_t pick(enum mode m) { return m - 1 > 0 ? 1 : 2; }\n"
    "DEVICE enum mode next(enum mode m, const int32_t *restrict p) { return m + *p; }\n"
    "DEVICE int32_t take(CONSTANT_POINTER(const int8_t) p, row r) { return p[1] + r[1]; }\n"
    "KERNEL(doubts, out(int32_t, y), out(float, f), value(int32_t, n))\n{\n    EACH (i) {\n"
    "        enum mode m = n;\n"
    "        level l = LOW;\n"
    "        struct tagged t = {n, 3};\n"
    "        float narrow[2] = {1.0 / 3, n};\n"
    "        const int32_t one = 1;\n"
    "        float exp = 0.5f, assert = 2.0f;\n"
    "        row r = {5, 6};\n"
    "        enum { INNER = 5, OUTER = 6 } state = n;\n"
    "        state = state + INNER;\n"
    "        m = m + 1;\n"
    "        ++l;\n"
    "        t.kind = t.kind + 1;\n"
    "        y[0] = m;\n"
    "        y[1] = l;\n"
    "        y[2] = take(bytes, r);\n"
    "        y[3] = pick(n - n);\n"
    "        y[4] = next(TWICE, &one);\n"
    "        y[5] = MIN(TWICE, n) + 10 * MAX(LOW, (int8_t)n) + 100 * ABS(l - HIGH - 1);\n"
    "        y[6] = (int32_t)(sizeof(MIN((short)n, (short)2)) + 10 * sizeof(enum mode) + 100 * sizeof m);\n"
    "        y[7] = (n < 3) + (n > 1) + popcount(n > 1) - -(n > 1);\n"
    "        y[9] = 0;\n"
    "        y[8] = ATOMIC_EXCHANGE(&y[9], MAKE(pair, 1.0 / 3, n).b);\n"
    "        y[10] = bytes[0] + 10 * bytes[1] + 100 * bytes[2] + tags[1].n + 1000 * tags[1].kind;\n"
    "        y[11] = t.kind + state;\n"
    "        y[12] = (1u - 2 > 0) + (uint8_t)-1 + MAKE(row, 3, 4)[n & 1];\n"
    "        f[0] = narrow[0];\n"
    "        f[1] = exp(exp) + assert;\n"
    "        f[2] = MAKE(pair, 1.0 / 3, n).a;\n"
    "        f[3] = INFINITY;\n"
    "        f[4] = n > 1 ? FLT_MAX : NAN;\n"
    "    }\n}\n";

static void c_means_what_it_means_in_c(void **state)
{
    (void)state;
    SKIP_WITHOUT_CXX();
    write_text("doubts.k.c", doubts);
    layout how = {32, 1};
    void *program = load_program("doubts.k.c", how);
    int32_t y[13], n = 2;
    float f[5];
    const int32_t wanted[] = {3,     -1,         9, 1, 4, 2 + 20 + 100, 4 + 40 + 400, 4, 0, 2, 1 + 30 - 200 + 4 + 3000,
                              3 + 7, 1 + 255 + 3};
    const float wanted_f[] = {(float)(1.0 / 3), expf(0.5f) + 2.0f, (float)(1.0 / 3), INFINITY, FLT_MAX};
    run_one(program, how, "doubts", (void *[]){y, f}, 2, &n);
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; ++k)
        assert_int_equal(y[k], wanted[k]);
    assert_memory_equal(f, wanted_f, sizeof wanted_f);
    dlclose(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_in_every_variant), cmocka_unit_test(functions_are_those_of_the_type),
        cmocka_unit_test(the_other_functions_are_right_too), cmocka_unit_test(c_means_what_it_means_in_c)};
    if (enter_folder(NULL) != 0)
        return 1;
    find_cxx();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    leave_folder(NULL);
    return failed;
}
