/*
 * Compiles kernel files by NVRTC as `quern compile` and the backend do, and leaves what came out as files:
 *
 *     nvrtc_dump FOLDER FILE.k.c…
 *
 * makes FOLDER/NAME.cu, the text, and FOLDER/NAME.ARCHITECTURE.BITS.LAYOUT.ptx: all variants for the oldest
 * architecture, and for the newest two that have each word of a variant in them, since time is short. A file with group
 * kernels alone has no linear layout. Exit status: 0 right, 1 something was refused or warned about, 2 misuse, 77 no
 * NVRTC.
 */
#include "base/nvrtc_library.h"
#include "compiler/compile_front.h"
#include "compiler/driver_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static int compilations;

static void fail(const char *file, const char *what, const char *text)
{
    printf("FAILED  %s: %s%s%s\n", file, what, *what && *text ? ": " : "", text);
    ++failures;
}

static void write_file(const char *file, const char *path, const void *data, size_t size)
{
    if (quern_file_write(path, data, size, 0) != QUERN_SUCCESS)
        fail(file, "", quern_last_error());
}

/* One variant: refused, warned about, or written. */
static void compile_variant(const char *folder, const char *base, const quern_front *front,
                            const quern_device_text *text, const quern_nvrtc_target *target)
{
    char path[4096], variant[64];
    void *ptx = NULL;
    char *log = NULL;
    size_t size = 0;
    const char *file = front->emission.path;
    snprintf(variant, sizeof variant, "%d.%d.%s", target->architecture, target->index_bits,
             target->linear ? "linear" : "grid");
    snprintf(path, sizeof path, "%s/%s.%s.ptx", folder, base, variant);
    ++compilations;
    if (quern_nvrtc_compile_and_tell(text->text.data, text->text.length, file, target, QUERN_NVRTC_PTX, &ptx, &size,
                                     &log) != QUERN_SUCCESS)
        fail(file, variant, quern_last_error());
    else
        write_file(file, path, ptx, size - 1);
    if (ptx && log) {
        fail(file, variant, "warnings:");
        printf("%s\n", log);
    }
    free(log);
    free(ptx);
}

static int has_plain_kernel(const quern_signature *signature)
{
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (!signature->kernels[i].is_group)
            return 1;
    return 0;
}

static void compile_variants(const char *folder, const char *base, const quern_front *front,
                             const quern_device_text *text, const quern_nvrtc_info *nvrtc)
{
    const int oldest = nvrtc->architectures[0], newest = nvrtc->architectures[nvrtc->architecture_count - 1];
    const int has_linear = has_plain_kernel(front->emission.signature);
    for (int bits = 32; bits <= 64; bits += 32)
        for (int linear = 0; linear <= has_linear; ++linear) {
            quern_nvrtc_target target = {oldest, front->emission.fp, bits, linear};
            compile_variant(folder, base, front, text, &target);
            target.architecture = newest;
            if (newest != oldest && (!has_linear || linear == (bits == 64)))
                compile_variant(folder, base, front, text, &target);
        }
}

static void compile_texts(const char *folder, const char *path, const quern_front *front, const quern_nvrtc_info *nvrtc)
{
    char cu[4096], base[256];
    const char *name = quern_emit_base_name(path);
    snprintf(base, sizeof base, "%.*s", (int)(strlen(name) - strlen(".k.c")), name);
    snprintf(cu, sizeof cu, "%s/%s.cu", folder, base);
    for (size_t i = 0; i < front->emission.text_count; ++i)
        if (strcmp(front->texts[i].backend, "cuda") == 0) {
            const quern_device_text *text = &front->texts[i];
            write_file(path, cu, text->text.data, text->text.length);
            compile_variants(folder, base, front, text, nvrtc);
            return;
        }
    fail(path, "there is no CUDA text of it", "");
}

static void compile_file(const char *folder, const char *path, const quern_nvrtc_info *nvrtc)
{
    static const quern_compile_options options;
    static const char *const no_levels[] = {NULL};
    quern_front front;
    quern_status status = quern_front_open(&front, path, &options, quern_temporary_directory(), "quern-");
    front.emission.levels = no_levels;
    if (status == QUERN_SUCCESS)
        status = quern_front_headers(&front);
    if (status == QUERN_SUCCESS)
        status = quern_front_read(&front, 0, 0);
    if (status == QUERN_SUCCESS)
        compile_texts(folder, path, &front, nvrtc);
    else
        fail(path, "", quern_last_error());
    quern_front_close(&front);
}

int main(int argc, char **argv)
{
    const quern_nvrtc_info *nvrtc;
    if (argc < 3) {
        fprintf(stderr, "usage: nvrtc_dump FOLDER FILE.k.c...\n");
        return 2;
    }
    if (quern_nvrtc_open(&nvrtc) != QUERN_SUCCESS) {
        printf("NVRTC not present: %s\n", quern_last_error());
        return 77;
    }
    for (int i = 2; i < argc; ++i)
        compile_file(argv[1], argv[i], nvrtc);
    printf("%d kernel files, %d compilations by NVRTC %d.%d, %d failed\n", argc - 2, compilations, nvrtc->major,
           nvrtc->minor, failures);
    printf("library: %s\n", nvrtc->path);
    return failures != 0;
}
