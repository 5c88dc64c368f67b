/* The processor's instruction-set level, by CPUID, and the one that the environment asks for. */
#include "cpu_level.h"

#include "error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const names[] = {"generic", "", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

int quern_cpu_level_rank(const char *level)
{
    if (level && level[0])
        for (int rank = 0; rank < (int)(sizeof names / sizeof names[0]); ++rank)
            if (strcmp(level, names[rank]) == 0)
                return rank;
    return -1;
}

#if defined(__x86_64__)

/* Feature bits by the processor makers' manuals; the compilers' headers name them differently. */
#define BIT(n) (1u << (n))

enum leaf_1_ecx { SSE3 = 0, SSSE3 = 9, FMA = 12, CX16 = 13, SSE4_1 = 19, SSE4_2 = 20, MOVBE = 22, POPCNT = 23 };
enum leaf_1_ecx_too { OSXSAVE = 27, AVX = 28, F16C = 29 };
enum leaf_7_ebx {
    BMI1 = 3,
    AVX2 = 5,
    BMI2 = 8,
    AVX512F = 16,
    AVX512DQ = 17,
    AVX512CD = 28,
    AVX512BW = 30,
    AVX512VL = 31
};
enum leaf_80000001_ecx { LAHF = 0, LZCNT = 5 };
enum xcr0 { STATES_AVX = 0x06, STATES_AVX512 = 0xe6 };

static int has(unsigned int word, unsigned int bits)
{
    return (word & bits) == bits;
}

/* Which register states the operating system saves: XCR0. Only with OSXSAVE. */
static unsigned int saved_states(void)
{
    unsigned int low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* The levels are those of the x86-64 psABI. */
static int detect(void)
{
    unsigned int a, b, c, d, basic = 0, structured = 0, extended = 0;
    if (__get_cpuid(1, &a, &b, &c, &d))
        basic = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
        structured = b;
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
        extended = c;
    if (!has(basic, BIT(CX16) | BIT(POPCNT) | BIT(SSE3) | BIT(SSE4_1) | BIT(SSE4_2) | BIT(SSSE3)) ||
        !has(extended, BIT(LAHF)))
        return 0;
    if (!has(basic, BIT(OSXSAVE) | BIT(AVX) | BIT(F16C) | BIT(FMA) | BIT(MOVBE)) || !has(extended, BIT(LZCNT)) ||
        !has(structured, BIT(AVX2) | BIT(BMI1) | BIT(BMI2)) || !has(saved_states(), STATES_AVX))
        return 2;
    if (!has(structured, BIT(AVX512F) | BIT(AVX512BW) | BIT(AVX512CD) | BIT(AVX512DQ) | BIT(AVX512VL)) ||
        !has(saved_states(), STATES_AVX512))
        return 3;
    return 4;
}

#else

static int detect(void)
{
    return 0;
}

#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int best;        /* rank of the processor's level */
static char wanted[32]; /* of the environment; "" when it asks for nothing */
static int wanted_rank;

static void read_level(void)
{
    best = detect();
    const char *text = getenv("QUERN_CPU_LEVEL");
    if (!text || !text[0])
        return;
    wanted_rank = quern_cpu_level_rank(text);
    /* A name that is cut here is longer than any level's, so it is unknown either way. */
    strncpy(wanted, text, sizeof wanted - 1);
}

quern_status quern_cpu_level(const char **level)
{
    if (!level)
        return quern_fail(QUERN_INVALID_ARGUMENT, "level is NULL; it is where the level's name goes");
    pthread_once(&once, read_level);
    if (!wanted[0]) {
        *level = names[best];
        return QUERN_SUCCESS;
    }
    if (wanted_rank < 0)
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "QUERN_CPU_LEVEL is \"%s\"; wanted is generic, x86-64-v2, x86-64-v3 or x86-64-v4", wanted);
    if (wanted_rank > best)
        return quern_fail(QUERN_NOT_SUPPORTED, "QUERN_CPU_LEVEL is %s, but this processor runs %s at most", wanted,
                          names[best]);
    *level = names[wanted_rank];
    return QUERN_SUCCESS;
}
