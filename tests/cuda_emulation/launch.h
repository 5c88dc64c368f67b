/*
 * Running the CUDA text of a kernel file on the CPU: the host's C++ compiler makes a shared object of the text behind
 * cuda_emulation.h, and its kernels are called with the words of a launch (device_abi.h).
 */
#ifndef CUDA_EMULATION_LAUNCH_H
#define CUDA_EMULATION_LAUNCH_H

#include "../unit/compiler_test.h"

#include <dlfcn.h>

/* ---- the compiler ---- */

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) ||                 \
    HAS_FEATURE(thread_sanitizer)
static const int has_sanitizer = 1;
#else
static const int has_sanitizer = 0;
#endif

static const char *cxx;     /* the C++ compiler */
static const char *missing; /* why nothing can be run; NULL when it can */

static const char cxx_options[] = "-std=c++17 -O1 -w -fPIC -ffp-contract=off -fno-strict-aliasing -Wno-narrowing";

/* Finds the compiler, and compiles what runs the fibres. */
static inline void find_cxx(void)
{
    static const char *const names[] = {"c++", "g++", "clang++"};
    if (has_sanitizer) {
        missing = "a sanitizer takes the fibres' stacks for faults";
        return;
    }
    write_text("probe.cpp", "static_assert(__builtin_bit_cast(unsigned, 1.0f) == 0x3f800000u, \"\");\n");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (run("command -v %s >/dev/null && %s %s -c probe.cpp -o probe.o 2>/dev/null", names[i], names[i],
                cxx_options) == 0) {
            cxx = names[i];
            assert_int_equal(run("%s %s -c %s/tests/cuda_emulation/cuda_emulation.cpp -o fibres.o", cxx, cxx_options,
                                 QUERN_SOURCE_DIR),
                             0);
            return;
        }
    missing = "none of c++, g++ and clang++ is a C++17 compiler with __builtin_bit_cast";
}

#define SKIP_WITHOUT_CXX()                                                                                             \
    do {                                                                                                               \
        if (missing) {                                                                                                 \
            print_message("skipped: %s\n", missing);                                                                   \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* ---- programs ---- */

typedef struct layout {
    int bits, linear;
} layout;

#define EACH_LAYOUT(name)                                                                                              \
    for (int quern_bit = 0; quern_bit < 4; ++quern_bit)                                                                \
        for (layout name = {quern_bit & 1 ? 64 : 32, quern_bit >> 1}, *more = &name; more; more = NULL)

/* The text, with a way to call each of its kernels. */
static inline void write_program(const char *path)
{
    static const char mark[] = " quern_k_";
    char *text = NULL;
    quern_text whole = {0};
    if (quern_compile_text(path, "cuda", NULL, &text) != QUERN_SUCCESS)
        fail_msg("%s", quern_last_error());
    quern_text_add(&whole, "%s", text);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *name = strncmp(line, "extern \"C\" __global__", 21) == 0 ? strstr(line, mark) : NULL;
        if (name)
            quern_text_add(&whole, "CUDA_EMULATION_KERNEL(%.*s)\n", (int)strcspn(name + 1, "("), name + 1);
    }
    write_text("program.cpp", quern_text_string(&whole));
    quern_text_free(&whole);
    free(text);
}

static inline void *load_program(const char *path, layout how)
{
    static int count;
    char object[64];
    write_program(path);
    snprintf(object, sizeof object, "./program%d.so", ++count);
    if (run("%s %s -DQUERN_INDEX_BITS=%d -DQUERN_LINEAR=%d -include %s/tests/cuda_emulation/cuda_emulation.h "
            "-shared program.cpp fibres.o -lm -Wl,-z,defs -o %s",
            cxx, cxx_options, how.bits, how.linear, QUERN_SOURCE_DIR, object) != 0)
        fail_msg("the text of %s does not compile with %s", path, cxx);
    void *program = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!program)
        fail_msg("%s", dlerror());
    return program;
}

/* ---- launches ---- */

typedef struct launch {
    layout how;
    size_t count, arguments;
    int64_t wide[64];
    int32_t narrow[64];
    void *pointers[16];
} launch;

static inline void add_word(launch *l, int64_t value)
{
    assert_true(l->count < 64);
    l->wide[l->count] = value;
    l->narrow[l->count++] = (int32_t)value;
}

static inline launch begin_launch(layout how, size_t items, size_t rank)
{
    launch l = {.how = how, .arguments = 1};
    add_word(&l, (int64_t)items);
    add_word(&l, -7); /* the piece, which nobody looks at where items stride */
    add_word(&l, (int64_t)rank);
    return l;
}

static inline void add_dimension(launch *l, size_t extent, size_t offset, size_t groups)
{
    add_word(l, (int64_t)extent);
    add_word(l, (int64_t)offset);
    add_word(l, -7);
    add_word(l, (int64_t)groups);
}

/* An argument; what it leads to stays until the launch. */
static inline void pass(launch *l, void *value)
{
    assert_true(l->arguments < 16);
    l->pointers[l->arguments++] = value;
}

/* x first, as CUDA counts. */
static inline void run_kernel(launch *l, void *program, const char *name, const unsigned grid[3],
                              const unsigned block[3])
{
    char entry[128];
    const char *(*call)(void **, const unsigned *, const unsigned *);
    snprintf(entry, sizeof entry, "cuda_emulation_run_quern_k_%s", name);
    *(void **)&call = dlsym(program, entry);
    if (!call)
        fail_msg("there is no kernel %s", name);
    l->pointers[0] = l->how.bits == 32 ? (void *)l->narrow : (void *)l->wide;
    const char *wrong = call(l->pointers, grid, block);
    if (wrong)
        fail_msg("%s: %s", name, wrong);
}

#define DIMENSIONS(...) ((const unsigned[3]){__VA_ARGS__})

#endif
