/* Which instruction-set level the CPU's kernels run at. */
#ifndef QUERN_BASE_CPU_LEVEL_H
#define QUERN_BASE_CPU_LEVEL_H

#include <quern/status.h>

/*
 * The best level that this processor runs: "x86-64-v2", "x86-64-v3", "x86-64-v4"; "generic" on other processors and on
 * x86-64 ones below v2. The environment variable QUERN_CPU_LEVEL asks for another: an unknown name is INVALID_ARGUMENT,
 * one above the processor's NOT_SUPPORTED. Detected once; thread-safe.
 */
quern_status quern_cpu_level(const char **level);

/* 0 for "generic", 2, 3, 4 for the x86-64 levels, -1 for anything else: for comparing levels. */
int quern_cpu_level_rank(const char *level);

#endif
