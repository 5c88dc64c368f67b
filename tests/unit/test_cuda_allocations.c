/*
 * A launch on CUDA allocates nothing on the host once the first ones have been made, whatever its arguments.
 *
 * The executable's own malloc takes the C library's place and counts what Quern, which is linked into it, asks for;
 * the fake driver's own calls come from elsewhere and are not Quern's.
 */
#include <quern/quern.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "saxpy.k.h"
#include "stencil.k.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER 1
#endif
#endif

#if defined(SANITIZER) || !defined(__GLIBC__)

static void no_allocations(void **state)
{
    (void)state;
    print_message("skipped: the sanitizer, or a C library other than glibc, has a malloc that cannot be replaced\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include <stdatomic.h>

/* ---- malloc and its like, of this executable ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

extern const char __executable_start[], etext[]; /* the linker's */

static atomic_size_t allocations;

static void count(const void *caller)
{
    if ((const char *)caller >= __executable_start && (const char *)caller < etext)
        atomic_fetch_add(&allocations, 1);
}

void *malloc(size_t size)
{
    count(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t many, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_calloc(many, size);
}

void *realloc(void *memory, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

/* ---- launches ---- */

enum { N = 1009, ROWS = 37, COLUMNS = 41, MANY = 300 };

typedef struct arrays {
    quern_view x, y, u, v;
} arrays;

static quern_buffer *buffers[4];

static quern_view make(quern_device *device, int index, quern_extents extents)
{
    assert_int_equal(quern_buffer_create(device, QUERN_TYPE(float), extents, &buffers[index]), 0);
    return QUERN_VIEW(buffers[index]);
}

/* Sub-views and whole ones, one and two dimensions, with a wait now and then: more than the driver keeps to be done. */
static void launch_many(quern_queue *queue, const arrays *a)
{
    static const ptrdiff_t interior[] = {1, 1};
    quern_range inside = quern_range_with_offsets(QUERN_RANGE(ROWS - 2, COLUMNS - 2), interior);
    for (int k = 0; k < MANY; ++k) {
        size_t begin = (size_t)k % 7, length = N - 7;
        quern_view x, y;
        assert_int_equal(quern_view_sub(a->x, &begin, QUERN_EXTENTS(length), &x), 0);
        assert_int_equal(quern_view_sub(a->y, &begin, QUERN_EXTENTS(length), &y), 0);
        assert_int_equal(saxpy(queue, QUERN_RANGE(length), quern_view_as_const(x), y, 0.5f), 0);
        assert_int_equal(stencil(queue, inside, quern_view_as_const(a->u), a->v, 0.25f), 0);
        if (k % 50 == 49)
            assert_int_equal(quern_queue_synchronize(queue), 0);
    }
}

static void no_allocations(void **state)
{
    (void)state;
    quern_device *device = NULL;
    assert_int_equal(quern_device_open("cuda:0", &device), 0);
    size_t before = atomic_load(&allocations);
    const arrays a = {make(device, 0, QUERN_EXTENTS(N)), make(device, 1, QUERN_EXTENTS(N)),
                      make(device, 2, QUERN_EXTENTS(ROWS, COLUMNS)), make(device, 3, QUERN_EXTENTS(ROWS, COLUMNS))};
    assert_true(atomic_load(&allocations) > before); /* it does count */

    for (int blocking = 0; blocking < 2; ++blocking) {
        const quern_queue_options options = {.blocking = blocking};
        quern_queue *queue = NULL;
        assert_int_equal(quern_queue_create(device, &options, &queue), 0);
        launch_many(queue, &a);
        before = atomic_load(&allocations);
        launch_many(queue, &a);
        assert_int_equal(atomic_load(&allocations), before);
        assert_int_equal(quern_queue_release(queue), 0);
    }
    for (int k = 0; k < 4; ++k)
        assert_int_equal(quern_buffer_release(buffers[k]), 0);
    assert_int_equal(quern_device_release(device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocations)};
    setenv("QUERN_CUDA_LIBRARY", QUERN_FAKE_CUDA, 1);
    setenv("QUERN_NVRTC_LIBRARY", QUERN_FAKE_NVRTC, 1);
    setenv("QUERN_FAKE_CUDA_DELAY", "10", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
