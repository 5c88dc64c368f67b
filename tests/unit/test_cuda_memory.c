/* The CUDA backend: memory of each kind. */
#include "device.k.h"

#include "cuda_fixture.h"

#include <unistd.h>

/* 1 when the host can read a byte there. The kernel looks, so that nothing faults. */
static int host_can_read(const void *address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int can = write(ends[1], address, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return can;
}

static const quern_memory_kind kinds[] = {QUERN_MEMORY_DEVICE, QUERN_MEMORY_HOST, QUERN_MEMORY_PINNED,
                                          QUERN_MEMORY_UNIFIED};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void memory_lies_at_its_alignment_where_it_belongs(void **state)
{
    (void)state;
    cuda_begin();
    void *device = fixture_device();
    for (size_t k = 0; k < KINDS; ++k)
        for (size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
            char *memory[3];
            for (int i = 0; i < 3; ++i) {
                void *given = NULL;
                OK(quern_cuda_backend.allocate(device, 777, alignment, kinds[k], &given));
                memory[i] = given;
                assert_int_equal((uintptr_t)given % alignment, 0);
                if (kinds[k] == QUERN_MEMORY_DEVICE)
                    assert_false(host_can_read(memory[i]) || host_can_read(memory[i] + 776));
                else
                    memset(memory[i], 1, 777);
            }
            for (int i = 0; i < 3; ++i)
                quern_cuda_backend.free(device, memory[(i + 1) % 3], 777, kinds[k]);
        }
    cuda_end();
}

/* Data go from the host through memory of each kind to the device and back. */
static void every_kind_is_copied(void **state)
{
    (void)state;
    enum { BYTES = 5000 };
    static unsigned char from[BYTES], to[BYTES];
    struct fake_progress progress;
    cuda_begin();
    void *device = fixture_device(), *memory = fixture_memory(device, BYTES);
    for (int blocking = 0; blocking < 2; ++blocking)
        for (size_t k = 1; k < KINDS; ++k) {
            void *between = NULL;
            int is_host = kinds[k] != QUERN_MEMORY_UNIFIED;
            OK(quern_cuda_backend.allocate(device, BYTES, 64, kinds[k], &between));
            fixture_queue(&progress, device, blocking);
            for (size_t i = 0; i < BYTES; ++i)
                from[i] = (unsigned char)(i * (17 + k) + (unsigned)blocking);
            memcpy(between, from, BYTES);
            memset(to, 0, BYTES);
            quern_backend_copy steps[] = {
                fixture_bytes(memory, memory, between, is_host ? NULL : between, BYTES),
                fixture_bytes(between, is_host ? NULL : between, memory, memory, BYTES - 1000), /* the same again */
                fixture_bytes(to, NULL, memory, memory, BYTES),
            };
            for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
                OK(fixture_copy(&progress, &steps[i]));
            OK(fixture_synchronize(&progress));
            assert_memory_equal(to, from, BYTES);
            assert_memory_equal(between, from, BYTES);
            if (!is_host) { /* a fill of it, and the host sees it */
                quern_backend_copy fill = fixture_bytes(between, between, "ab", NULL, 100);
                fill.element_size = 2;
                fill.target_pitches[0] = 2;
                OK(fixture_end(&progress, quern_cuda_backend.fill(progress.queue, ++progress.submitted, &fill)));
                OK(fixture_synchronize(&progress));
                for (size_t i = 0; i < 200; ++i)
                    assert_int_equal(((char *)between)[i], "ab"[i % 2]);
                assert_memory_equal((char *)between + 200, from + 200, BYTES - 200);
            }
            fixture_queue_end(&progress);
            quern_cuda_backend.free(device, between, BYTES, kinds[k]);
        }
    fixture_free(device, memory, BYTES);
    cuda_end();
}

static void memory_that_is_not_to_be_had_is_an_error(void **state)
{
    (void)state;
    static const char *const functions[] = {"cuMemAlloc_v2", NULL, "cuMemHostAlloc", "cuMemAllocManaged"};
    void *memory = NULL;
    cuda_fake_set("MEMORY", "1000000");
    cuda_begin();
    void *device = fixture_device();
    REFUSED(quern_cuda_backend.allocate(device, 2000000, 64, QUERN_MEMORY_DEVICE, &memory), QUERN_OUT_OF_MEMORY,
            "2000000 bytes|cuda:0|CUDA_ERROR_OUT_OF_MEMORY (2)");
    REFUSED(quern_cuda_backend.allocate(device, (size_t)PTRDIFF_MAX, 64, QUERN_MEMORY_HOST, &memory),
            QUERN_OUT_OF_MEMORY, "host memory");
    for (size_t k = 0; k < KINDS; ++k) {
        if (!functions[k])
            continue;
        cuda_fake.fake_cuda_fail_at(functions[k], 1, CUDA_ERROR_OUT_OF_MEMORY);
        REFUSED(quern_cuda_backend.allocate(device, 1000, 64, kinds[k], &memory), QUERN_OUT_OF_MEMORY,
                "1000 bytes|cuda:0|CUDA_ERROR_OUT_OF_MEMORY (2)");
        OK(quern_cuda_backend.allocate(device, 1000, 64, kinds[k], &memory));
        quern_cuda_backend.free(device, memory, 1000, kinds[k]);
    }
    assert_ptr_not_equal(memory, NULL);
    cuda_fake_set("MEMORY", NULL);
    cuda_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_lies_at_its_alignment_where_it_belongs),
        cmocka_unit_test(every_kind_is_copied),
        cmocka_unit_test(memory_that_is_not_to_be_had_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
