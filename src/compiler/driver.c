/*
 * The system's C compiler: which it is, and what it is told.
 *
 * -fno-math-errno and -fno-trapping-math let loops vectorise and change no result: they are about errno and the
 * exception flags, which no kernel can see. -falign-loops puts a loop of a few instructions where a processor fetches
 * it at once: without it a kernel's speed depends, by a tenth or more, on what the file has in front of it.
 */
#include "driver.h"

#include "base/error.h"
#include "driver_files.h"
#include "emit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- finding it ---- */

static int is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* The full path of a program as the shell would find it; NULL when there is none, or memory is exhausted
 * (*out_of_memory). */
static char *find_program(const char *name, int *out_of_memory)
{
    char *path = NULL;
    if (strchr(name, '/')) {
        path = quern_path("%s", name);
        *out_of_memory |= !path;
        if (path && is_program(path))
            return path;
        free(path);
        return NULL;
    }
    const char *directories = getenv("PATH");
    for (const char *at = directories ? directories : "/usr/bin:/bin"; *name && at;) {
        size_t length = strcspn(at, ":");
        path = length ? quern_path("%.*s/%s", (int)length, at, name) : quern_path("./%s", name);
        *out_of_memory |= !path;
        if (path && is_program(path))
            return path;
        free(path);
        at = at[length] ? at + length + 1 : NULL;
    }
    return NULL;
}

/* Takes path, and adds the words of rest behind it. */
static quern_status use_program(quern_compiler *compiler, char *path, const char *rest)
{
    quern_arguments_add(&compiler->command, "%s", path);
    free(path);
    while (*(rest += strspn(rest, " \t"))) {
        size_t length = strcspn(rest, " \t");
        quern_arguments_add(&compiler->command, "%.*s", (int)length, rest);
        rest += length;
    }
    if (!compiler->command.failed)
        return QUERN_SUCCESS;
    quern_compiler_free(compiler);
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler is looked for");
}

/* The text is a program's name, or a command of several words. */
static quern_status find_command(const char *text, const char *origin, quern_compiler *compiler)
{
    int out_of_memory = 0;
    char *path = find_program(text, &out_of_memory);
    if (path)
        return use_program(compiler, path, "");
    const char *begin = text + strspn(text, " \t");
    size_t length = strcspn(begin, " \t");
    char *first = quern_path("%.*s", (int)length, begin);
    path = first ? find_program(first, &out_of_memory) : NULL;
    out_of_memory |= !first;
    free(first);
    if (path)
        return use_program(compiler, path, begin + length);
    if (out_of_memory)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler is looked for");
    return quern_fail(QUERN_NOT_FOUND, "the C compiler '%s' (%s) is not an executable file and not in PATH", text,
                      origin);
}

quern_status quern_compiler_find(const char *name, quern_compiler *compiler)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *wanted = getenv("QUERN_CC");
    int out_of_memory = 0;
    *compiler = (quern_compiler){0};
    if (name)
        return find_command(name, "asked for by the caller", compiler);
    if (wanted && *wanted)
        return find_command(wanted, "from QUERN_CC", compiler);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; ++i) {
        char *path = find_program(usual[i], &out_of_memory);
        if (path)
            return use_program(compiler, path, "");
    }
    if (out_of_memory)
        return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while the C compiler is looked for");
    return quern_fail(QUERN_NOT_FOUND,
                      "there is no C compiler: none of cc, gcc and clang is in PATH; set QUERN_CC to one");
}

void quern_compiler_free(quern_compiler *compiler)
{
    quern_arguments_free(&compiler->command);
}

void quern_compiler_describe(const quern_compiler *compiler, quern_text *text)
{
    for (size_t i = 0; i < compiler->command.count; ++i) {
        const char *word = compiler->command.items[i];
        struct stat info;
        quern_text_add(text, "compiler %s", word);
        if (stat(word, &info) == 0)
            quern_text_add(text, " %lld %lld.%09ld", (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                           info.st_mtim.tv_nsec);
        quern_text_add(text, "\n");
    }
}

/* ---- command lines ---- */

static void begin(const quern_build *build, quern_arguments *command)
{
    for (size_t i = 0; i < build->compiler->command.count; ++i)
        quern_arguments_add(command, "%s", build->compiler->command.items[i]);
}

void quern_build_version(const quern_build *build, quern_arguments *command)
{
    begin(build, command);
    quern_arguments_add(command, "--version");
}

/* Language and include paths; the caller's arguments come last. */
static void add_common(const quern_build *build, quern_arguments *command)
{
    quern_arguments_add(command, "-std=gnu17");
    quern_arguments_add(command, "-Ulinux"); /* names that are reserved for nobody, and that c17 leaves alone */
    quern_arguments_add(command, "-Uunix");
    quern_arguments_add(command, "-Ui386");
    quern_arguments_add(command, "-I%s", build->include_directory);
    quern_arguments_add(command, "-iquote");
    quern_arguments_add(command, "%s", build->source_directory);
    for (const char *const *argument = build->options->arguments; argument && *argument; ++argument)
        quern_arguments_add(command, "%s", *argument);
}

void quern_build_signature(const quern_build *build, const char *unit, quern_arguments *command)
{
    begin(build, command);
    add_common(build, command);
    quern_arguments_add(command, "-DQUERN_DIALECT_SIGNATURE");
    quern_arguments_add(command, "-E");
    quern_arguments_add(command, "-x");
    quern_arguments_add(command, "c");
    quern_arguments_add(command, "%s", unit);
}

static void add_level(const char *level, const char *prefix, quern_arguments *command)
{
    quern_text suffix = {0};
    quern_emit_level_suffix(&suffix, level, prefix ? prefix : "");
    quern_arguments_add(command, "-DQUERN_LEVEL=%s", quern_text_string(&suffix));
    command->failed |= suffix.failed;
    quern_text_free(&suffix);
    if (strcmp(level, "generic") == 0)
        return;
    quern_arguments_add(command, "-march=%s", level);
    if (strcmp(level, "x86-64-v4") == 0)
        quern_arguments_add(command, "-mprefer-vector-width=512");
}

static void add_floating_point(quern_fp_mode fp, quern_arguments *command)
{
    quern_arguments_add(command, "-fno-math-errno");
    quern_arguments_add(command, "-fno-trapping-math");
    if (fp == QUERN_FP_FAST)
        quern_arguments_add(command, "-ffast-math");
    quern_arguments_add(command, fp == QUERN_FP_STRICT ? "-ffp-contract=off" : "-ffp-contract=fast");
}

/* All that decides what the code becomes. */
static void add_code_options(const quern_build *build, const char *level, quern_arguments *command)
{
    quern_arguments_add(command, "-O3");
    quern_arguments_add(command, "-falign-loops=32");
    quern_arguments_add(command, "-fPIC");
    quern_arguments_add(command, "-fvisibility=hidden");
    if (build->options->debug)
        quern_arguments_add(command, "-g");
    add_level(level, build->options->prefix, command);
    add_floating_point(build->fp, command);
    add_common(build, command);
}

void quern_build_preprocess(const quern_build *build, const char *level, const char *unit, quern_arguments *command)
{
    begin(build, command);
    add_code_options(build, level, command);
    quern_arguments_add(command, "-E");
    quern_arguments_add(command, "-x");
    quern_arguments_add(command, "c");
    quern_arguments_add(command, "%s", unit);
}

void quern_build_compile(const quern_build *build, const char *level, int warn, const char *unit, const char *object,
                         quern_arguments *command)
{
    begin(build, command);
    quern_arguments_add(command, warn ? "-Wall" : "-w");
    quern_arguments_add(command, "-Wno-unknown-pragmas"); /* #pragma quern */
    add_code_options(build, level, command);
    quern_arguments_add(command, "-c");
    quern_arguments_add(command, "-o");
    quern_arguments_add(command, "%s", object);
    quern_arguments_add(command, "-x");
    quern_arguments_add(command, "c");
    quern_arguments_add(command, "%s", unit);
}

void quern_build_join(const quern_build *build, const char *const *objects, size_t count, const char *object,
                      quern_arguments *command)
{
    begin(build, command);
    quern_arguments_add(command, "-r");
    quern_arguments_add(command, "-nostdlib");
    quern_arguments_add(command, "-o");
    quern_arguments_add(command, "%s", object);
    for (size_t i = 0; i < count; ++i)
        quern_arguments_add(command, "%s", objects[i]);
}

/* No floating-point option here: with -ffast-math gcc would link code that changes the whole process's rounding of
 * subnormals. */
void quern_build_share(const quern_build *build, const char *object, const char *shared, quern_arguments *command)
{
    begin(build, command);
    quern_arguments_add(command, "-shared");
    quern_arguments_add(command, "-Wl,-z,defs");
    quern_arguments_add(command, "-o");
    quern_arguments_add(command, "%s", shared);
    quern_arguments_add(command, "%s", object);
    quern_arguments_add(command, "-lm");
}
