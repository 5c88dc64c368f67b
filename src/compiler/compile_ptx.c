/*
 * PTX of a kernel file: which architectures, which variants.
 *
 * The variants are compiled one after another. NVRTC lets one thread of a process compile at a time, so that threads
 * would gain nothing.
 */
#include "compile_ptx.h"

#include "base/error.h"
#include "base/nvrtc_library.h"
#include "driver_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char backend[] = "cuda";

/* ---- which architectures ---- */

/* 75 of "75", "sm_75" and "compute_75"; 0 when it is none of these. */
static int read_number(const char *word, size_t length)
{
    static const char *const prefixes[] = {"sm_", "compute_"};
    int number = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
        size_t skipped = strlen(prefixes[i]);
        if (length > skipped && strncmp(word, prefixes[i], skipped) == 0) {
            word += skipped;
            length -= skipped;
            break;
        }
    }
    if (length < 2 || length > 4 || *word == '0')
        return 0;
    for (; length; --length, ++word) {
        if (*word < '0' || *word > '9')
            return 0;
        number = number * 10 + (*word - '0');
    }
    return number;
}

static int is_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && strncmp(word, wanted, length) == 0;
}

static int is_relative(const char *word, size_t length)
{
    return is_word(word, length, "oldest") || is_word(word, length, "newest") || is_word(word, length, "all");
}

/* The words are judged before NVRTC is looked for, so that what is wrong is refused alike everywhere. */
static quern_status check_words(const char *list)
{
    for (const char *word = list;; ++word) {
        size_t length = strcspn(word, ",");
        if (length == 0)
            return quern_fail(QUERN_INVALID_ARGUMENT, "the list of CUDA architectures '%s' has an empty place", list);
        if (!is_relative(word, length) && !read_number(word, length))
            return quern_fail(QUERN_INVALID_ARGUMENT,
                              "'%.*s' is no CUDA architecture; wanted numbers such as 75, sm_75 or compute_75, oldest, "
                              "newest or all, with commas between them, or none or auto alone",
                              (int)length, word);
        word += length;
        if (!*word)
            return QUERN_SUCCESS;
    }
}

static quern_status add(quern_ptx_choice *choice, int architecture)
{
    char list[512];
    size_t known = 0;
    while (known < choice->nvrtc->architecture_count && choice->nvrtc->architectures[known] != architecture)
        ++known;
    if (known == choice->nvrtc->architecture_count) {
        quern_nvrtc_list(choice->nvrtc, list, sizeof list);
        return quern_fail(QUERN_NOT_SUPPORTED,
                          "CUDA architecture %d is not known to NVRTC %d.%d, which compiles for %s", architecture,
                          choice->nvrtc->major, choice->nvrtc->minor, list);
    }
    for (size_t i = 0; i < choice->count; ++i)
        if (choice->architectures[i] == architecture)
            return quern_fail(QUERN_INVALID_ARGUMENT, "CUDA architecture %d is given twice", architecture);
    if (choice->count == QUERN_PTX_MOST_ARCHITECTURES)
        return quern_fail(QUERN_INVALID_ARGUMENT, "there are more than %d CUDA architectures",
                          QUERN_PTX_MOST_ARCHITECTURES);
    choice->architectures[choice->count++] = architecture;
    return QUERN_SUCCESS;
}

static quern_status add_word(quern_ptx_choice *choice, const char *word, size_t length)
{
    const int *known = choice->nvrtc->architectures;
    size_t count = choice->nvrtc->architecture_count;
    quern_status status = QUERN_SUCCESS;
    if (is_word(word, length, "oldest"))
        return add(choice, known[0]);
    if (is_word(word, length, "newest"))
        return add(choice, known[count - 1]);
    if (!is_word(word, length, "all"))
        return add(choice, read_number(word, length));
    for (size_t i = 0; i < count && status == QUERN_SUCCESS; ++i)
        status = add(choice, known[i]);
    return status;
}

static quern_status choose_listed(const char *list, quern_ptx_choice *choice)
{
    quern_status status = check_words(list);
    if (status != QUERN_SUCCESS)
        return status;
    status = quern_nvrtc_open(&choice->nvrtc);
    if (status != QUERN_SUCCESS)
        return quern_fail(status, "PTX for the CUDA architectures '%s' needs NVRTC: %s", list, quern_last_error());
    for (const char *word = list; status == QUERN_SUCCESS; ++word) {
        size_t length = strcspn(word, ",");
        status = add_word(choice, word, length);
        word += length;
        if (!*word)
            break;
    }
    return status;
}

quern_status quern_ptx_choose(const char *list, quern_ptx_choice *choice)
{
    *choice = (quern_ptx_choice){.nvrtc = NULL};
    if (!list || strcmp(list, "none") == 0)
        return QUERN_SUCCESS;
    if (strcmp(list, "auto") != 0)
        return choose_listed(list, choice);
    choice->is_wish = 1;
    if (quern_nvrtc_open(&choice->nvrtc) != QUERN_SUCCESS) { /* the text alone will do */
        choice->fault = quern_nvrtc_is_absent() ? NULL : strdup(quern_last_error());
        return QUERN_SUCCESS;
    }
    return add_word(choice, "oldest", strlen("oldest"));
}

void quern_ptx_choice_free(quern_ptx_choice *choice)
{
    free(choice->fault);
    choice->fault = NULL;
}

/* ---- compiling ---- */

/* Kernels with groups are the same in both layouts. */
static int has_plain_kernel(const quern_signature *signature)
{
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (!signature->kernels[i].is_group)
            return 1;
    return 0;
}

/* What the PTX of an image makes worth saying, once: the variants differ in what their author did not write. */
static void note_image(const quern_emission *emission, quern_ptx_list *list, const quern_ptx_image *image,
                       const char *log)
{
    if (list->is_noted)
        return;
    list->is_noted = 1;
    quern_ptx_note_log(&list->notes, log);
    quern_ptx_note_limits(&list->notes, emission->signature, image->data);
}

/* An image whose kernels have too large arguments is left out, with a note: the other devices run them. */
static quern_status compile_one(const quern_ptx_choice *choice, const quern_emission *emission,
                                const quern_device_text *text, quern_ptx_list *list, quern_ptx_image *image,
                                int verbose)
{
    quern_nvrtc_target target = {image->architecture, emission->fp, image->index_bits, image->linear};
    void *data = NULL;
    char *log = NULL;
    if (quern_compile_interrupted)
        return quern_fail(QUERN_COMPILE_FAILED, "the compilation was interrupted");
    if (verbose)
        fprintf(stderr, "NVRTC %d.%d: '%s' to PTX for architecture %d, indices of %d bits, %s\n", choice->nvrtc->major,
                choice->nvrtc->minor, emission->path, image->architecture, image->index_bits,
                image->linear ? "linear" : "grid");
    quern_status status =
        quern_nvrtc_compile_and_tell(quern_text_string(&text->text), text->text.length, emission->path, &target,
                                     QUERN_NVRTC_PTX, &data, &image->size, &log);
    image->data = data;
    if (status == QUERN_SUCCESS)
        note_image(emission, list, image, log);
    if (status == QUERN_COMPILE_FAILED &&
        quern_ptx_note_arguments(&list->notes, emission->signature, log, image->architecture)) {
        --list->count;
        status = QUERN_SUCCESS;
    }
    free(log);
    return status;
}

static quern_status compile_text(const quern_ptx_choice *choice, const quern_emission *emission,
                                 const quern_device_text *text, int verbose, quern_ptx_list *list)
{
    int layouts = has_plain_kernel(emission->signature) ? 2 : 1;
    quern_status status = QUERN_SUCCESS;
    list->images = calloc(choice->count * 4, sizeof *list->images);
    if (!list->images)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is compiled", emission->path);
    for (size_t i = 0; i < choice->count; ++i)
        for (int bits = 32; bits <= 64; bits += 32)
            for (int linear = 0; linear < layouts && status == QUERN_SUCCESS; ++linear) {
                quern_ptx_image *image = &list->images[list->count++];
                *image = (quern_ptx_image){choice->architectures[i], bits, linear, NULL, 0};
                status = compile_one(choice, emission, text, list, image, verbose);
            }
    return status;
}

/* Somebody has an NVRTC, and would miss the PTX. */
static void note_absence(quern_ptx_list *list, const quern_emission *emission, const char *fault)
{
    quern_text_add(&list->notes, "%s: warning: no PTX is embedded: %s\n", emission->path, fault);
}

quern_status quern_ptx_compile(const quern_ptx_choice *choice, const quern_emission *emission, int verbose,
                               quern_ptx_list *list)
{
    quern_status status = QUERN_SUCCESS;
    *list = (quern_ptx_list){.images = NULL};
    if (choice->fault)
        note_absence(list, emission, choice->fault);
    for (size_t i = 0; choice->nvrtc && i < emission->text_count; ++i)
        if (strcmp(emission->texts[i].backend, backend) == 0)
            status = compile_text(choice, emission, &emission->texts[i], verbose, list);
    if (status == QUERN_NOT_PRESENT && choice->is_wish) { /* there is an NVRTC, and a part of it is missing */
        quern_ptx_free(list);
        note_absence(list, emission, quern_last_error());
        status = QUERN_SUCCESS;
    }
    return status;
}

void quern_ptx_free(quern_ptx_list *list)
{
    for (size_t i = 0; i < list->count; ++i)
        free(list->images[i].data);
    free(list->images);
    quern_text_free(&list->notes);
    *list = (quern_ptx_list){.images = NULL};
}
