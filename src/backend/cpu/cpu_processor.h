/* What differs from processor to processor: pausing, prefetching, counting time. */
#ifndef QUERN_BACKEND_CPU_PROCESSOR_H
#define QUERN_BACKEND_CPU_PROCESSOR_H

#include <stdint.h>

#if !defined(__x86_64__) && !defined(__i386__)
#include <time.h>
#endif

/* Pairs of lines, as processors fetch them by two. */
enum { QUERN_CPU_LINES = 128 };

/* A moment's rest in a loop that waits for another thread. */
static inline void quern_cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

/* The line is going to be written: it is taken from the other processors' caches meanwhile. */
static inline void quern_cpu_fetch_to_write(const volatile void *address)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const volatile char *)address));
#else
    __builtin_prefetch((const void *)address, 1);
#endif
}

/* A clock that is quick to read: processor cycles, about, or nanoseconds. */
static inline uint64_t quern_cpu_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
#endif
}

#endif
