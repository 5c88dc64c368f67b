/* The CUDA backend: copies and fills of boxes. */
#include "device.k.h"

#include "cuda_fixture.h"

#include "device_copy_tests.h"

static int fixture_is_here(void)
{
    cuda_begin();
    return 1;
}

static void fixture_stop(void)
{
    cuda_end();
}

/* What a box takes of the driver. */
static size_t calls_of(const char *function, struct model *model, quern_backend_copy *box, int is_fill)
{
    size_t before = cuda_fake.fake_cuda_calls(function);
    ++model->progress.submitted;
    OK(fixture_end(&model->progress,
                   is_fill ? quern_cuda_backend.fill(model->progress.queue, model->progress.submitted, box)
                           : quern_cuda_backend.copy(model->progress.queue, model->progress.submitted, box)));
    return cuda_fake.fake_cuda_calls(function) - before;
}

static void a_box_takes_few_calls(void **state)
{
    (void)state;
    static struct model model;
    static unsigned char host[BYTES];
    cuda_begin();
    model_make(&model, 0);
    quern_backend_copy box = {.rank = 2, .element_size = 4, .extents = {20, 10}};
    box.target_pitches[0] = 100;
    box.source_pitches[0] = 44;
    box.target_pitches[1] = box.source_pitches[1] = 4;
    box.target = box.target_memory = model.memory;
    box.source = host;
    box.source_is_host = 1;
    assert_int_equal(calls_of("cuMemcpy2DAsync_v2", &model, &box, 0), 1);
    /* Slices that are whole rows apart. */
    quern_backend_copy slices = {.rank = 4, .element_size = 4, .extents = {2, 3, 4, 5}};
    for (int d = 0; d < 4; ++d)
        slices.target_pitches[d] = slices.source_pitches[d] = (ptrdiff_t[]){9000, 1000, 100, 4}[d];
    slices.target = slices.target_memory = model.memory;
    slices.source = host;
    slices.source_is_host = 1;
    assert_int_equal(calls_of("cuMemcpy3DAsync_v2", &model, &slices, 0), 2);
    /* A pattern that CUDA has; one that it lacks, doubled: of a row of 1000 values 1 is no more than a few copies. */
    box.source = "abcd";
    box.source_is_host = 0;
    assert_int_equal(calls_of("cuMemsetD2D32Async", &model, &box, 1), 1);
    quern_backend_copy odd = {.rank = 1, .element_size = 12, .extents = {1000}, .target_pitches = {12}};
    odd.target = odd.target_memory = model.memory;
    odd.source = "abcdefghijkl";
    assert_int_equal(calls_of("cuMemcpyHtoDAsync_v2", &model, &odd, 1), 1);
    model_free(&model);
    cuda_end();
}

/* Within a device the driver may refuse pitches; then the rows are copied one by one. */
static void rows_are_copied_where_a_rectangle_is_refused(void **state)
{
    (void)state;
    static struct model model;
    cuda_begin();
    model_make(&model, 0);
    quern_backend_copy box = {.rank = 3, .element_size = 1, .extents = {3, 5, 7}};
    for (int d = 0; d < 3; ++d) {
        box.source_pitches[d] = (ptrdiff_t[]){99, 11, 1}[d];
        box.target_pitches[d] = (ptrdiff_t[]){169, 13, 1}[d];
    }
    box.source = model.memory;
    box.target = (char *)model.memory + 20000;
    box.source_memory = box.target_memory = model.memory;
    cuda_fake.fake_cuda_fail_at("cuMemcpy3DAsync_v2", 1, CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(calls_of("cuMemcpyDtoDAsync_v2", &model, &box, 0), 15);
    assert_true(cuda_fake.fake_cuda_has_failed());
    copy_on_host(model.wanted + 20000, model.wanted, &box);
    model_check(&model);
    model_free(&model);
    cuda_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_COPY_TESTS,
        cmocka_unit_test(a_box_takes_few_calls),
        cmocka_unit_test(rows_are_copied_where_a_rectangle_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
