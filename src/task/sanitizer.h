/* Which sanitizer this is compiled with, and what it has to be told: QUERN_ASAN, QUERN_TSAN. */
#ifndef QUERN_TASK_SANITIZER_H
#define QUERN_TASK_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define QUERN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QUERN_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define QUERN_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define QUERN_TSAN 1
#endif
#endif

#ifdef QUERN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef QUERN_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#endif
