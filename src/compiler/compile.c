/* A kernel file into an object and a header, for a program to be linked with. */
#include "compiler.h"

#include "base/cpu_level.h"
#include "base/error.h"
#include "compile_depfile.h"
#include "compile_front.h"
#include "compile_ptx.h"
#include "driver_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What an object holds when the caller does not say. */
#if defined(__x86_64__)
static const char *const default_levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4", NULL};
#else
static const char *const default_levels[] = {"generic", NULL};
#endif

enum { MOST_LEVELS = 8 };

static const char ending[] = ".k.c";
static const char work_name[] = ".quern-"; /* of the private directory, among the outputs */

/* ---- arguments ---- */

static int is_identifier_part(const char *text)
{
    if (*text >= '0' && *text <= '9')
        return 0;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

/* Names of the library's functions, types and macros: quern_launch, QUERN_RANGE. */
static int is_own_name(const char *name)
{
    return strncmp(name, "quern_", 6) == 0 || strncmp(name, "QUERN_", 6) == 0;
}

static quern_status check_levels(const char *const *levels)
{
    size_t count = 0;
    for (; levels[count]; ++count) {
        if (count == MOST_LEVELS)
            return quern_fail(QUERN_INVALID_ARGUMENT, "there are more than %d levels", MOST_LEVELS);
        if (quern_cpu_level_rank(levels[count]) < 0)
            return quern_fail(QUERN_INVALID_ARGUMENT,
                              "level '%s' is none of generic, x86-64-v2, x86-64-v3 and x86-64-v4", levels[count]);
        for (size_t i = 0; i < count; ++i)
            if (strcmp(levels[i], levels[count]) == 0)
                return quern_fail(QUERN_INVALID_ARGUMENT, "level '%s' is given twice", levels[count]);
    }
    return count ? QUERN_SUCCESS : quern_fail(QUERN_INVALID_ARGUMENT, "there are no levels to compile for");
}

static quern_status check_arguments(const char *path, const char *directory, const quern_compile_options *options)
{
    if (!path || !*path)
        return quern_fail(QUERN_INVALID_ARGUMENT, "path of a kernel file is %s", path ? "empty" : "NULL");
    const char *name = quern_emit_base_name(path);
    size_t length = strlen(name), end = sizeof ending - 1;
    if (length <= end || strcmp(name + length - end, ending) != 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "'%s' is no kernel file: its name must end in %s", path, ending);
    if (!directory || !*directory)
        return quern_fail(QUERN_INVALID_ARGUMENT, "directory for the outputs of '%s' is %s", path,
                          directory ? "empty" : "NULL");
    if (options->prefix && !is_identifier_part(options->prefix))
        return quern_fail(QUERN_INVALID_ARGUMENT, "prefix '%s' cannot begin a C name", options->prefix);
    if (options->prefix && is_own_name(options->prefix))
        return quern_fail(QUERN_INVALID_ARGUMENT,
                          "prefix '%s' gives names like Quern's own, which begin with quern_ or QUERN_; choose another",
                          options->prefix);
    if (options->fp < QUERN_FP_STRICT || options->fp > QUERN_FP_FAST)
        return quern_fail(QUERN_INVALID_ARGUMENT, "floating-point mode %d is none", (int)options->fp);
    return check_levels(options->levels ? options->levels : default_levels);
}

/* ---- compiling ---- */

/* The level that also holds descriptors and launch functions: what runs before a level is chosen must run everywhere.
 */
static size_t find_lowest(const char *const *levels)
{
    size_t lowest = 0;
    for (size_t i = 1; levels[i]; ++i)
        if (quern_cpu_level_rank(levels[i]) < quern_cpu_level_rank(levels[lowest]))
            lowest = i;
    return lowest;
}

typedef struct program {
    quern_front front;
    const char *const *levels;
    quern_ptx_choice cuda;
    quern_ptx_list ptx;
    char *ptx_fault; /* what NVRTC has against the file */
    char *level_unit, *program_unit;
    char *objects[MOST_LEVELS];
    size_t count;
    char *object, *header; /* made, in the work directory */
} program;

static quern_status write_units(program *p)
{
    quern_text level = {0}, whole = {0}, header = {0};
    p->level_unit = quern_front_path(&p->front, "level.c");
    p->program_unit = quern_front_path(&p->front, "program.c");
    p->object = quern_front_path(&p->front, "object.o");
    p->header = quern_front_path(&p->front, "header.h");
    for (; p->levels[p->count]; ++p->count) {
        char *object = quern_path("%s/%zu.o", p->front.work.path, p->count);
        if (!object)
            return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is compiled",
                              p->front.emission.path);
        p->objects[p->count] = object;
    }
    if (!p->level_unit || !p->program_unit || !p->object || !p->header)
        return QUERN_OUT_OF_MEMORY;
    quern_emit_level(&level, &p->front.emission, &p->front.source);
    quern_emit_program(&whole, &p->front.emission, &p->front.source);
    quern_emit_header(&header, &p->front.emission);
    quern_status status = quern_front_write(&p->front, p->level_unit, &level);
    quern_status whole_status = quern_front_write(&p->front, p->program_unit, &whole);
    quern_status header_status = quern_front_write(&p->front, p->header, &header);
    if (status == QUERN_SUCCESS)
        status = whole_status;
    return status == QUERN_SUCCESS ? header_status : status;
}

/* What NVRTC finds wrong is put aside: the C compiler's words come first, which the author knows, and are most often
 * about the same. */
static quern_status compile_ptx(program *p)
{
    quern_status status = quern_ptx_compile(&p->cuda, &p->front.emission, p->front.build.options->verbose, &p->ptx);
    if (status == QUERN_COMPILE_FAILED) {
        quern_ptx_free(&p->ptx);
        p->ptx_fault = strdup(quern_last_error());
        return p->ptx_fault ? QUERN_SUCCESS
                            : quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is compiled",
                                         p->front.emission.path);
    }
    p->front.emission.ptx = p->ptx.images;
    p->front.emission.ptx_count = p->ptx.count;
    return status;
}

/* All levels at once. The lowest comes first, so that its messages are shown when all fail alike. */
static quern_status compile_levels(program *p)
{
    quern_process processes[MOST_LEVELS];
    size_t lowest = find_lowest(p->levels), next = 1;
    memset(processes, 0, sizeof processes);
    for (size_t i = 0; i < p->count; ++i) {
        int is_lowest = i == lowest;
        quern_build_compile(&p->front.build, p->levels[i], is_lowest, is_lowest ? p->program_unit : p->level_unit,
                            p->objects[i], &processes[is_lowest ? 0 : next++].command);
    }
    quern_status status = quern_front_run(&p->front, processes, p->count);
    for (size_t i = 0; i < p->count; ++i)
        quern_process_free(&processes[i]);
    for (size_t i = 0; i < p->count && status == QUERN_SUCCESS; ++i)
        status = quern_front_made(&p->front, p->objects[i]);
    return status;
}

static quern_status join(program *p)
{
    quern_process process = {{0}, {0}, {0}, 0, 0, 0, 0};
    const char *objects[MOST_LEVELS];
    for (size_t i = 0; i < p->count; ++i)
        objects[i] = p->objects[i];
    quern_build_join(&p->front.build, objects, p->count, p->object, &process.command);
    quern_status status = quern_front_run(&p->front, &process, 1);
    quern_process_free(&process);
    return status == QUERN_SUCCESS ? quern_front_made(&p->front, p->object) : status;
}

/* ---- the outputs ---- */

static quern_status fail_output(const char *path)
{
    return quern_fail(QUERN_FILE_ERROR, "cannot write '%s': %s", path, strerror(errno));
}

/* Both outputs, or neither: when the second cannot be put in its place, the first is taken back. */
static quern_status publish(program *p, const char *header, const char *object)
{
    char *kept = quern_front_path(&p->front, "kept.h");
    if (!kept)
        return QUERN_OUT_OF_MEMORY;
    int was_there = link(header, kept) == 0;
    quern_status status = QUERN_SUCCESS;
    if (rename(p->header, header) != 0) {
        status = fail_output(header);
    } else if (rename(p->object, object) != 0) {
        status = fail_output(object);
        if (was_there)
            rename(kept, header);
        else
            unlink(header);
    }
    free(kept);
    return status;
}

static quern_status write_depfile(program *p, const char *header, const char *object)
{
    const char *path = p->front.build.options->depfile;
    quern_text rule = {0};
    if (!path)
        return QUERN_SUCCESS;
    char *aside = quern_front_path(&p->front, "depfile");
    if (!aside)
        return QUERN_OUT_OF_MEMORY;
    quern_depfile_write(&rule, &p->front, header, object);
    quern_status status = quern_front_write(&p->front, aside, &rule);
    if (status == QUERN_SUCCESS) {
        quern_text text = {0};
        unlink(path); /* it may lie in another file system, so it is written again, not moved */
        status = quern_file_read(aside, &text);
        if (status == QUERN_SUCCESS)
            status = quern_file_write(path, quern_text_string(&text), text.length, 0);
        quern_text_free(&text);
    }
    free(aside);
    return status;
}

static quern_status write_outputs(program *p, const char *directory)
{
    const char *name = quern_emit_base_name(p->front.emission.path);
    int length = (int)(strlen(name) - 2); /* without ".c" */
    char *header = quern_path("%s/%.*s.h", directory, length, name);
    char *object = quern_path("%s/%.*s.o", directory, length, name);
    quern_status status = QUERN_OUT_OF_MEMORY;
    if (header && object) {
        status = write_depfile(p, header, object);
        if (status == QUERN_SUCCESS)
            status = publish(p, header, object);
    } else {
        quern_fail(status, "memory is exhausted while '%s' is compiled", p->front.emission.path);
    }
    free(header);
    free(object);
    return status;
}

/* ---- the whole ---- */

static quern_status compile(program *p, const char *directory)
{
    quern_status status = quern_front_headers(&p->front);
    p->front.emission.levels = p->levels;
    if (status == QUERN_SUCCESS)
        status = quern_front_read(&p->front, 1, 0);
    if (status == QUERN_SUCCESS)
        status = compile_ptx(p);
    if (status == QUERN_SUCCESS)
        status = write_units(p);
    if (status == QUERN_SUCCESS)
        status = compile_levels(p);
    if (status == QUERN_SUCCESS)
        quern_front_warn(&p->front, quern_text_string(&p->ptx.notes), p->ptx.notes.length);
    if (status == QUERN_SUCCESS && p->ptx_fault)
        status = quern_fail_text(QUERN_COMPILE_FAILED, p->ptx_fault);
    if (status == QUERN_SUCCESS)
        status = join(p);
    return status == QUERN_SUCCESS ? write_outputs(p, directory) : status;
}

static void release(program *p)
{
    for (size_t i = 0; i < p->count; ++i)
        free(p->objects[i]);
    free(p->level_unit);
    free(p->program_unit);
    free(p->object);
    free(p->header);
    quern_ptx_free(&p->ptx);
    quern_ptx_choice_free(&p->cuda);
    free(p->ptx_fault);
    quern_front_close(&p->front);
}

quern_status quern_compile_file(const char *path, const char *directory, const quern_compile_options *options)
{
    static const quern_compile_options none;
    program p = {.levels = NULL};
    if (!options)
        options = &none;
    if (options->warnings)
        *options->warnings = NULL;
    quern_status status = check_arguments(path, directory, options);
    if (status == QUERN_SUCCESS && access(path, R_OK) != 0)
        status = quern_fail(QUERN_FILE_ERROR, "cannot read '%s': %s", path, strerror(errno));
    if (status == QUERN_SUCCESS)
        status = quern_ptx_choose(options->cuda_architectures, &p.cuda);
    if (status == QUERN_SUCCESS)
        status = quern_directory_make(directory, 0777);
    if (status != QUERN_SUCCESS) {
        quern_ptx_choice_free(&p.cuda);
        return status;
    }
    p.levels = options->levels ? options->levels : default_levels;
    quern_private_directories_sweep(directory, work_name);
    status = quern_front_open(&p.front, path, options, directory, work_name);
    if (status == QUERN_SUCCESS)
        status = compile(&p, directory);
    release(&p);
    return status;
}
