/*
 * Which compilation of the loops is used. The build defines QUERN_BENCH_X86_LEVELS when loops.c was compiled for the
 * x86-64 levels, and QUERN_HAVE_OPENMP when it was compiled with OpenMP too.
 */
#include "baselines.h"

#include <string.h>

typedef struct level {
    const char *name;
    const quern_baseline *plain, *openmp;
} level;

#ifdef QUERN_BENCH_X86_LEVELS
#define LEVELS(X)                                                                                                      \
    X(v4, "x86-64-v4")                                                                                                 \
    X(v3, "x86-64-v3")                                                                                                 \
    X(v2, "x86-64-v2")                                                                                                 \
    X(generic, "generic")
#else
#define LEVELS(X) X(generic, "generic")
#endif

#ifdef QUERN_HAVE_OPENMP
#define LEVEL_DECLARE(suffix, name)                                                                                    \
    extern const quern_baseline quern_baseline_plain_##suffix, quern_baseline_openmp_##suffix;
#define LEVEL_ENTRY(suffix, name) {name, &quern_baseline_plain_##suffix, &quern_baseline_openmp_##suffix},
#else
#define LEVEL_DECLARE(suffix, name) extern const quern_baseline quern_baseline_plain_##suffix;
#define LEVEL_ENTRY(suffix, name) {name, &quern_baseline_plain_##suffix, NULL},
#endif

LEVELS(LEVEL_DECLARE)

/* The last one runs everywhere. */
static const level levels[] = {LEVELS(LEVEL_ENTRY)};

static const level *find(const char *instruction_set)
{
    size_t count = sizeof levels / sizeof levels[0];
    for (size_t i = 0; i < count; ++i)
        if (strcmp(levels[i].name, instruction_set) == 0)
            return &levels[i];
    return &levels[count - 1];
}

const quern_baseline *quern_baseline_plain(const char *instruction_set)
{
    return find(instruction_set)->plain;
}

const quern_baseline *quern_baseline_openmp(const char *instruction_set)
{
    return find(instruction_set)->openmp;
}
