/*
 * The images of kernels that a build has embedded: the text, and PTX for the oldest architecture in all variants, each
 * what its target says. Without NVRTC it is not known what the build found, and the text alone is looked at. Exit
 * status: 0 right, 1 wrong, 77 no NVRTC.
 */
#include <quern/quern.h>

#include "base/nvrtc.h"
#include "products.k.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(kernel, condition)                                                                                       \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("FAILED  kernel %s: not so: %s\n", (kernel)->name, #condition);                                     \
            ++failures;                                                                                                \
        }                                                                                                              \
    } while (0)

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The text, which is there in any case: as many bytes as it has, without the NUL. */
static void check_text(const quern_kernel *kernel)
{
    int count = 0;
    for (size_t i = 0; i < kernel->image_count; ++i) {
        const quern_kernel_image *image = &kernel->images[i];
        if (strcmp(image->backend, "cuda") == 0 && strcmp(image->target, "cuda-c++ strict") == 0) {
            ++count;
            CHECK(kernel, image->size == strlen(image->data));
        }
    }
    CHECK(kernel, count == 1);
}

/* The PTX of one variant; its NUL counts. Returns how many there are. */
static int check_ptx(const quern_kernel *kernel, int architecture, int bits, int linear)
{
    char target[64], line[128], entry[64], machine[32];
    int count = 0;
    snprintf(target, sizeof target, "ptx strict %d %d %s", architecture, bits, linear ? "linear" : "grid");
    snprintf(line, sizeof line, "QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, strict\n", bits, linear);
    snprintf(entry, sizeof entry, ".entry quern_k_%s(", kernel->name);
    snprintf(machine, sizeof machine, ".target sm_%d", architecture);
    for (size_t i = 0; i < kernel->image_count; ++i) {
        const quern_kernel_image *image = &kernel->images[i];
        if (strcmp(image->backend, "cuda") != 0 || strcmp(image->target, target) != 0)
            continue;
        const char *ptx = image->data, *variant = strstr(ptx, line);
        ++count;
        CHECK(kernel, image->size == strlen(ptx) + 1);
        CHECK(kernel, begins(ptx, "// quern: kernels of \""));
        CHECK(kernel, variant && variant < strchr(ptx, '\n'));
        CHECK(kernel, strstr(ptx, entry) && strstr(ptx, machine));
    }
    return count;
}

static void check_kernel(const quern_kernel *kernel, const quern_nvrtc_info *nvrtc)
{
    int found = 0;
    check_text(kernel);
    for (size_t a = 0; nvrtc && a < nvrtc->architecture_count; ++a)
        for (int bits = 32; bits <= 64; bits += 32)
            for (int linear = 0; linear < 2; ++linear) {
                int count = check_ptx(kernel, nvrtc->architectures[a], bits, linear);
                CHECK(kernel, count == (a == 0 && (!linear || !kernel->is_group)));
                found += count;
            }
    for (size_t i = 0; nvrtc && i < kernel->image_count; ++i)
        found -= begins(kernel->images[i].target, "ptx ");
    CHECK(kernel, found == 0);
}

int main(void)
{
    const quern_kernel *kernels[] = {&sums_kernel, &sums_double_kernel, &sums_nd_kernel, &sums_group_kernel};
    const quern_nvrtc_info *nvrtc = NULL;
    if (quern_nvrtc_open(&nvrtc) != QUERN_SUCCESS)
        printf("NVRTC not present: %s\n", quern_last_error());
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        check_kernel(kernels[i], nvrtc);
    if (failures)
        return 1;
    return nvrtc ? 0 : 77;
}
