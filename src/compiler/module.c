/*
 * A kernel file compiled for this processor and loaded into the process, through the cache.
 *
 * The key is everything that the code depends on: the unit as the preprocessor leaves it (with all headers, and the
 * generated descriptors), the options, the compiler, the level. It is taken again after the compilation: if a file was
 * changed in between, the object is of neither text and is not kept.
 */
#include "compiler.h"

#include "base/cpu_level.h"
#include "base/error.h"
#include "cache.h"
#include "compile_front.h"
#include "driver_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ATTEMPTS = 3 };

struct quern_module {
    void *handle;
    quern_kernel *kernels; /* copies: the runtime keeps state in them, and a shared object loaded twice is there once */
    quern_kernel **pointers;
    size_t count;
};

typedef struct loading {
    quern_front front;
    const char *levels[2];
    const char *cache;
    char *unit, *object, *shared; /* in the work directory */
    quern_text text;              /* the preprocessed unit */
    quern_text key;
    quern_cache_entry entry;
    int changed; /* a file was changed while it was compiled */
} loading;

static quern_status out_of_memory(const loading *l)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is loaded", l->front.emission.path);
}

/* ---- the key ---- */

static quern_status preprocess(loading *l, quern_text *text)
{
    quern_process process = {{0}, {0}, {0}, 0, 0, 0, 0};
    quern_build_preprocess(&l->front.build, l->levels[0], l->unit, &process.command);
    quern_status status = quern_processes_run(&process, 1, l->front.build.options->verbose);
    if (status == QUERN_SUCCESS && process.exit_code != 0)
        status = process.errors.length
                     ? quern_fail_text(QUERN_COMPILE_FAILED, process.errors.data)
                     : quern_fail(QUERN_COMPILE_FAILED, "the C compiler '%s' ended with status %d and said nothing",
                                  process.command.items[0], process.exit_code);
    if (status == QUERN_SUCCESS) {
        *text = process.output;
        process.output = (quern_text){0};
    }
    quern_process_free(&process);
    return status;
}

/* The text without the name of the work directory, which is another one every time. */
static void add_without_work(quern_text *key, const quern_text *text, const char *work)
{
    const char *at = quern_text_string(text), *found;
    size_t length = strlen(work);
    for (; (found = strstr(at, work)) != NULL; at = found + length)
        quern_text_add_bytes(key, at, (size_t)(found - at));
    quern_text_add_bytes(key, at, (size_t)(quern_text_string(text) + text->length - at));
}

/* The command that compiles, word by word, as far as it is not the work directory's. */
static quern_status add_command(loading *l, quern_text *key)
{
    quern_arguments command = {0};
    quern_build_compile(&l->front.build, l->levels[0], 1, "", "", &command);
    for (size_t i = 0; i < command.count; ++i)
        quern_text_add(key, "argument %s\n", command.items[i]);
    int failed = command.failed;
    quern_arguments_free(&command);
    return failed ? out_of_memory(l) : QUERN_SUCCESS;
}

static quern_status make_key(loading *l)
{
    char headers[33];
    quern_cache_headers_digits(headers);
    quern_text_add(&l->key, "quern " QUERN_VERSION " module\nlevel %s\nheaders %s\n", l->levels[0], headers);
    quern_compiler_describe(&l->front.compiler, &l->key);
    quern_text_add_bytes(&l->key, quern_text_string(&l->front.version), l->front.version.length);
    quern_status status = add_command(l, &l->key);
    if (status != QUERN_SUCCESS)
        return status;
    quern_text_add(&l->key, "text\n");
    add_without_work(&l->key, &l->text, l->front.work.path);
    return l->key.failed ? out_of_memory(l) : QUERN_SUCCESS;
}

/* ---- building ---- */

/* Runs the command that makes the file. */
static quern_status run_one(loading *l, quern_process *process, const char *made)
{
    quern_status status = quern_front_run(&l->front, process, 1);
    quern_process_free(process);
    return status == QUERN_SUCCESS ? quern_front_made(&l->front, made) : status;
}

static quern_status compile(loading *l)
{
    quern_process process = {{0}, {0}, {0}, 0, 0, 0, 0};
    quern_build_compile(&l->front.build, l->levels[0], 1, l->unit, l->object, &process.command);
    return run_one(l, &process, l->object);
}

static quern_status share(loading *l)
{
    quern_process process = {{0}, {0}, {0}, 0, 0, 0, 0};
    quern_build_share(&l->front.build, l->object, l->shared, &process.command);
    return run_one(l, &process, l->shared);
}

/* Says in changed whether the unit is still what the key was made of. */
static quern_status look_again(loading *l)
{
    quern_text again = {0};
    quern_status status = preprocess(l, &again);
    l->changed =
        status == QUERN_SUCCESS && (again.length != l->text.length ||
                                    memcmp(quern_text_string(&again), quern_text_string(&l->text), again.length) != 0);
    quern_text_free(&again);
    return status;
}

static quern_status build(loading *l)
{
    quern_status status = compile(l);
    if (status == QUERN_SUCCESS)
        status = look_again(l);
    if (status == QUERN_SUCCESS)
        status = share(l);
    if (status == QUERN_SUCCESS && !l->changed)
        status = quern_cache_entry_store(&l->entry, &l->key, l->front.work.path, l->shared);
    return status;
}

/* ---- loading ---- */

static quern_status copy_kernels(const loading *l, quern_module *module, const quern_kernel *const *table)
{
    while (table[module->count])
        ++module->count;
    module->kernels = calloc(module->count + 1, sizeof *module->kernels);
    module->pointers = calloc(module->count + 1, sizeof *module->pointers);
    if (!module->kernels || !module->pointers)
        return out_of_memory(l);
    for (size_t i = 0; i < module->count; ++i) {
        module->kernels[i] = *table[i];
        module->pointers[i] = &module->kernels[i];
    }
    return QUERN_SUCCESS;
}

static quern_status load(const loading *l, const char *path, quern_module **module)
{
    quern_module *loaded = calloc(1, sizeof *loaded);
    if (!loaded)
        return out_of_memory(l);
    quern_status status;
    const quern_kernel *const *table = NULL;
    errno = 0;
    loaded->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int memory = !loaded->handle && errno == ENOMEM;
    if (loaded->handle)
        table = dlsym(loaded->handle, "quern_module_table");
    if (table) {
        status = copy_kernels(l, loaded, table);
    } else {
        const char *reason = dlerror();
        memory |= reason && strstr(reason, strerror(ENOMEM));
        status = quern_fail(memory ? QUERN_OUT_OF_MEMORY : QUERN_FILE_ERROR, "the compiled '%s' cannot be loaded: %s",
                            l->front.emission.path, reason ? reason : "it has no table of kernels");
    }
    if (status == QUERN_SUCCESS)
        *module = loaded;
    else
        quern_module_unload(loaded);
    return status;
}

/* From the cache, or built into it. Who waits for another process that builds the same finds it there. */
static quern_status load_entry(loading *l, quern_module **module)
{
    if (quern_cache_entry_is_sound(&l->entry, &l->key))
        return load(l, l->entry.object, module);
    quern_cache_entry_lock(&l->entry);
    if (quern_cache_entry_is_sound(&l->entry, &l->key))
        return load(l, l->entry.object, module);
    quern_cache_sweep(l->cache);
    quern_status status = build(l);
    return status == QUERN_SUCCESS && !l->changed ? load(l, l->entry.object, module) : status;
}

static quern_status prepare(loading *l)
{
    quern_text text = {0};
    quern_status status = quern_cache_headers(l->cache, &l->front.include_directory);
    l->front.build.include_directory = l->front.include_directory;
    l->front.emission.levels = l->levels;
    if (status == QUERN_SUCCESS)
        status = quern_front_read(&l->front, 1, 1);
    if (status != QUERN_SUCCESS)
        return status;
    l->unit = quern_front_path(&l->front, "unit.c");
    l->object = quern_front_path(&l->front, "unit.o");
    l->shared = quern_front_path(&l->front, "unit.so");
    if (!l->unit || !l->object || !l->shared)
        return QUERN_OUT_OF_MEMORY;
    quern_emit_module(&text, &l->front.emission, &l->front.source);
    return quern_front_write(&l->front, l->unit, &text);
}

static quern_status attempt(loading *l, const char *path, const quern_compile_options *options, int last,
                            quern_module **module)
{
    quern_status status = quern_front_open(&l->front, path, options, l->cache, QUERN_CACHE_WORK);
    if (status == QUERN_SUCCESS)
        status = prepare(l);
    if (status == QUERN_SUCCESS)
        status = preprocess(l, &l->text);
    if (status == QUERN_SUCCESS)
        status = make_key(l);
    if (status == QUERN_SUCCESS)
        status = quern_cache_entry_open(l->cache, &l->key, &l->entry);
    if (status == QUERN_SUCCESS) {
        status = load_entry(l, module);
        /* A text that never stays the same (__TIME__) is loaded once and not kept. */
        if (status == QUERN_SUCCESS && l->changed && last)
            status = load(l, l->shared, module);
        quern_cache_entry_close(&l->entry);
    }
    free(l->unit);
    free(l->object);
    free(l->shared);
    quern_text_free(&l->text);
    quern_text_free(&l->key);
    quern_front_close(&l->front);
    return status;
}

/* ---- the interface ---- */

static quern_status choose_level(const quern_compile_options *options, const char **level)
{
    if (!options->levels || !options->levels[0])
        return quern_cpu_level(level);
    *level = options->levels[0];
    if (quern_cpu_level_rank(*level) < 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "level '%s' is none of generic, x86-64-v2, x86-64-v3 and x86-64-v4",
                          *level);
    return QUERN_SUCCESS;
}

/* Through the cache that lies in the directory. */
static quern_status load_through(const char *cache, const char *path, const quern_compile_options *options,
                                 const char *level, quern_module **module)
{
    quern_status status = QUERN_SUCCESS;
    *module = NULL;
    for (int i = 1; i <= ATTEMPTS && status == QUERN_SUCCESS && !*module; ++i) {
        loading l = {.levels = {level, NULL}, .cache = cache};
        status = attempt(&l, path, options, i == ATTEMPTS, module);
    }
    return status;
}

/* The disk of the cache is full: for this one time a directory elsewhere will do. What is loaded needs its file no
 * more. The failure, with its sentence, stays when that is of no use. */
static quern_status load_elsewhere(quern_status failure, const char *path, const quern_compile_options *options,
                                   const char *level, quern_module **module)
{
    static const char name[] = "quern-cache-";
    quern_private_directory directory = {0};
    char *sentence = strdup(quern_last_error());
    quern_private_directories_sweep(quern_temporary_directory(), name);
    quern_status status = quern_private_directory_make(quern_temporary_directory(), name, &directory);
    if (status == QUERN_SUCCESS)
        status = load_through(directory.path, path, options, level, module);
    quern_private_directory_remove(&directory);
    if (status != QUERN_SUCCESS)
        status = quern_fail(failure, "%s", sentence ? sentence : "there is no room on the disk of the cache");
    free(sentence);
    return status;
}

quern_status quern_module_load(const char *path, const quern_compile_options *options, quern_module **module)
{
    static const quern_compile_options none;
    const char *level;
    char *cache = NULL;
    if (!path || !*path)
        return quern_fail(QUERN_INVALID_ARGUMENT, "path of a kernel file is %s", path ? "empty" : "NULL");
    if (strcmp(quern_emit_base_name(path), ".k.c") == 0)
        return quern_fail(QUERN_INVALID_ARGUMENT, "'%s' is no kernel file: its name must have something before .k.c",
                          path);
    if (!module)
        return quern_fail(QUERN_INVALID_ARGUMENT, "module is NULL; it gets the loaded '%s'", path);
    if (!options)
        options = &none;
    if (options->warnings)
        *options->warnings = NULL;
    quern_status status = choose_level(options, &level);
    if (status != QUERN_SUCCESS)
        return status;
    quern_module *loaded = NULL;
    status = quern_cache_directory(&cache);
    if (status == QUERN_SUCCESS) {
        status = load_through(cache, path, options, level, &loaded);
        if (status != QUERN_SUCCESS)
            status = quern_cache_explain(status, cache);
    }
    if (quern_cache_is_full(status))
        status = load_elsewhere(status, path, options, level, &loaded);
    free(cache);
    if (status == QUERN_SUCCESS)
        *module = loaded;
    return status;
}

void quern_module_kernels(const quern_module *module, quern_kernel *const **kernels, size_t *count)
{
    *kernels = module->pointers;
    *count = module->count;
}

void quern_module_unload(quern_module *module)
{
    if (!module)
        return;
    if (module->handle)
        dlclose(module->handle);
    free(module->kernels);
    free(module->pointers);
    free(module);
}
