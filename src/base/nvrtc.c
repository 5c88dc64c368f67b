/* NVRTC: what it is, and compiling with it. nvrtc_library.c finds it. */
#include "nvrtc.h"

#include "error.h"
#include "nvrtc_library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARCHITECTURES = 128, MOST_OPTIONS = 16, OPTION_SIZE = 48 };

/* More than that no compiler has to say of one file, or makes of it: a size beyond is nonsense. */
#define MOST_BYTES ((size_t)1 << 30)

/* ---- opening ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int architectures[MOST_ARCHITECTURES];
static quern_nvrtc_info the_info;
static char fault[1024]; /* why there is no NVRTC; empty when there is */
static int is_absent;

static int compare_numbers(const void *a, const void *b)
{
    int first = *(const int *)a, second = *(const int *)b;
    return (first > second) - (first < second);
}

/* What the library says of itself. NULL, or what is wrong with it. */
static const char *ask(void)
{
    int count = 0;
    if (quern_nvrtc.Version(&the_info.major, &the_info.minor) != QUERN_NVRTC_SUCCESS)
        return "it does not say its version";
    if (quern_nvrtc.GetNumSupportedArchs(&count) != QUERN_NVRTC_SUCCESS || count < 1 || count > MOST_ARCHITECTURES ||
        quern_nvrtc.GetSupportedArchs(architectures) != QUERN_NVRTC_SUCCESS)
        return "it does not say which architectures it knows";
    qsort(architectures, (size_t)count, sizeof architectures[0], compare_numbers);
    if (architectures[0] < 10 || architectures[count - 1] > 9999)
        return "the architectures that it says it knows are none";
    the_info.architectures = architectures;
    the_info.architecture_count = (size_t)count;
    return NULL;
}

static void open_once(void)
{
    if (quern_nvrtc_library_open(the_info.path, sizeof the_info.path, fault, sizeof fault, &is_absent))
        return;
    const char *wrong = ask();
    if (!wrong)
        wrong = quern_nvrtc_library_parts(the_info.path, the_info.major, the_info.minor);
    if (wrong)
        snprintf(fault, sizeof fault, "NVRTC's library '%s' cannot be used: %s", the_info.path, wrong);
}

quern_status quern_nvrtc_open(const quern_nvrtc_info **info)
{
    if (!info)
        return quern_fail(QUERN_INVALID_ARGUMENT, "info is NULL; it gets what NVRTC is");
    pthread_once(&once, open_once);
    if (fault[0])
        return quern_fail(QUERN_NOT_PRESENT, "%s", fault);
    *info = &the_info;
    return QUERN_SUCCESS;
}

int quern_nvrtc_is_absent(void)
{
    return is_absent;
}

void quern_nvrtc_list(const quern_nvrtc_info *info, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < info->architecture_count && length < size; ++i)
        length += (size_t)snprintf(text + length, size - length, "%s%d", i ? ", " : "", info->architectures[i]);
}

/* ---- options ---- */

typedef struct options {
    char text[MOST_OPTIONS][OPTION_SIZE];
    const char *list[MOST_OPTIONS];
    int count;
} options;

__attribute__((format(printf, 2, 3))) static void add_option(options *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(o->text[o->count], OPTION_SIZE, format, arguments);
    va_end(arguments);
    o->list[o->count] = o->text[o->count];
    ++o->count;
}

/* Line information costs a few bytes and makes profilers show the author's lines. */
static void make_options(options *o, const quern_nvrtc_target *target, quern_nvrtc_form form)
{
    o->count = 0;
    add_option(o, "--gpu-architecture=%s_%d", form == QUERN_NVRTC_PTX ? "compute" : "sm", target->architecture);
    if (strcmp(target->floating, "fast") == 0) {
        add_option(o, "--use_fast_math");
    } else {
        add_option(o, "--fmad=%s", strcmp(target->floating, "contract") == 0 ? "true" : "false");
        add_option(o, "--prec-div=true");
        add_option(o, "--prec-sqrt=true");
        add_option(o, "--ftz=false");
    }
    add_option(o, "--generate-line-info");
    add_option(o, "-DQUERN_INDEX_BITS=%d", target->index_bits);
    add_option(o, "-DQUERN_LINEAR=%d", target->linear);
    add_option(o, "-DQUERN_CONTIGUOUS=0");
}

/* ---- arguments ---- */

static quern_status check_architecture(const quern_nvrtc_info *info, int architecture)
{
    char list[512];
    for (size_t i = 0; i < info->architecture_count; ++i)
        if (info->architectures[i] == architecture)
            return QUERN_SUCCESS;
    quern_nvrtc_list(info, list, sizeof list);
    return quern_fail(QUERN_NOT_SUPPORTED, "NVRTC %d.%d does not compile for architecture %d, only for %s", info->major,
                      info->minor, architecture, list);
}

static quern_status check_target(const quern_nvrtc_info *info, const quern_nvrtc_target *target)
{
    const char *floating = target->floating;
    if (!floating || (strcmp(floating, "strict") && strcmp(floating, "contract") && strcmp(floating, "fast")))
        return quern_fail(QUERN_INVALID_ARGUMENT, "floating is '%s', wanted strict, contract or fast",
                          floating ? floating : "NULL");
    if (target->index_bits != 32 && target->index_bits != 64)
        return quern_fail(QUERN_INVALID_ARGUMENT, "index_bits is %d, wanted 32 or 64", target->index_bits);
    if (target->linear != 0 && target->linear != 1)
        return quern_fail(QUERN_INVALID_ARGUMENT, "linear is %d, wanted 0 or 1", target->linear);
    return check_architecture(info, target->architecture);
}

/* ---- what comes out ---- */

static quern_status out_of_memory(const char *name)
{
    return quern_fail(QUERN_OUT_OF_MEMORY, "memory is exhausted while '%s' is compiled by NVRTC", name);
}

/* NULL when there is nothing in it, or nonsense, or no memory. */
static char *take_log(quern_nvrtc_program program)
{
    size_t size = 0;
    if (quern_nvrtc.GetProgramLogSize(program, &size) != QUERN_NVRTC_SUCCESS || size <= 1 || size > MOST_BYTES)
        return NULL;
    char *log = calloc(1, size + 1);
    if (log && quern_nvrtc.GetProgramLog(program, log) == QUERN_NVRTC_SUCCESS) {
        log[size] = '\0';
        if (log[strspn(log, " \t\n")])
            return log;
    }
    free(log);
    return NULL;
}

static quern_status report(int result, const char *name, const char *log)
{
    if (result == QUERN_NVRTC_OUT_OF_MEMORY)
        return out_of_memory(name);
    if (result == QUERN_NVRTC_COMPILATION && log)
        return quern_fail_text(QUERN_COMPILE_FAILED, log);
    const char *word = quern_nvrtc.GetErrorString(result);
    char number[32];
    snprintf(number, sizeof number, "error %d", result);
    return quern_fail(result == QUERN_NVRTC_BUILTINS ? QUERN_NOT_PRESENT : QUERN_COMPILE_FAILED,
                      "NVRTC %d.%d ('%s') cannot compile '%s': %s%s%s", the_info.major, the_info.minor, the_info.path,
                      name, word ? word : number, log ? ": " : "", log ? log : "");
}

/* NVRTC says that all is well, and it is not. */
static quern_status report_nonsense(const char *name, const char *what)
{
    return quern_fail(QUERN_COMPILE_FAILED, "NVRTC %d.%d ('%s') has compiled '%s', and %s", the_info.major,
                      the_info.minor, the_info.path, name, what);
}

/* PTX begins with its version, behind comment lines and empty ones, and its NUL counts. */
static int is_ptx(const char *text, size_t size)
{
    static const char begin[] = ".version ";
    if (strnlen(text, size) + 1 != size)
        return 0;
    for (; *text; text += *text == '\n') {
        text += strspn(text, " \t\r");
        if (*text != '\n' && strncmp(text, "//", 2) != 0)
            return strncmp(text, begin, sizeof begin - 1) == 0;
        text += strcspn(text, "\n");
    }
    return 0;
}

/* The name as a C literal: it must not end the comment that it stands in. Gives the bytes that it takes with the
 * quotation marks; text may be NULL. */
static size_t quote(const char *name, char *text)
{
    size_t length = 0;
    char part[8];
    for (const char *at = name; *at; ++at) {
        unsigned char c = (unsigned char)*at;
        int count = c < ' '                 ? snprintf(part, sizeof part, "\\%03o", c)
                    : c == '"' || c == '\\' ? snprintf(part, sizeof part, "\\%c", c)
                                            : snprintf(part, sizeof part, "%c", c);
        if (text)
            memcpy(text + length, part, (size_t)count);
        length += (size_t)count;
    }
    return length;
}

/* The comment line that PTX begins with; malloc'ed. */
static char *make_headline(const char *name, const quern_nvrtc_target *target, size_t *length)
{
    static const char begin[] = "// quern: kernels of \"";
    enum { BEGIN = sizeof begin - 1, REST = 96 };
    size_t quoted = quote(name, NULL);
    char *line = malloc(BEGIN + quoted + REST);
    if (!line)
        return NULL;
    memcpy(line, begin, BEGIN);
    quote(name, line + BEGIN);
    *length = BEGIN + quoted;
    *length += (size_t)snprintf(line + *length, REST, "\", QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, %s\n",
                                target->index_bits, target->linear, target->floating);
    return line;
}

static quern_status take_ptx(quern_nvrtc_program program, const char *name, const quern_nvrtc_target *target,
                             void **data, size_t *size)
{
    size_t length = 0, all, line_length;
    int result = quern_nvrtc.GetPTXSize(program, &length);
    if (result != QUERN_NVRTC_SUCCESS)
        return report(result, name, "no PTX came out");
    if (length <= 1 || length > MOST_BYTES)
        return report_nonsense(name, length <= 1 ? "no PTX came out" : "the size of its PTX is nonsense");
    char *line = make_headline(name, target, &line_length);
    char *ptx = NULL;
    if (line && !quern_add_overflows(line_length, length + 1, &all))
        ptx = calloc(1, all);
    if (!ptx) {
        free(line);
        return out_of_memory(name);
    }
    memcpy(ptx, line, line_length);
    free(line);
    result = quern_nvrtc.GetPTX(program, ptx + line_length);
    if (result != QUERN_NVRTC_SUCCESS) {
        free(ptx);
        return report(result, name, NULL);
    }
    if (!is_ptx(ptx + line_length, length)) {
        free(ptx);
        return report_nonsense(name, "what came out is no PTX");
    }
    *data = ptx;
    *size = line_length + length;
    return QUERN_SUCCESS;
}

static quern_status take_cubin(quern_nvrtc_program program, const char *name, void **data, size_t *size)
{
    size_t length = 0;
    int result = quern_nvrtc.GetCUBINSize(program, &length);
    if (result != QUERN_NVRTC_SUCCESS)
        return report(result, name, "no machine code came out");
    if (length == 0 || length > MOST_BYTES)
        return report_nonsense(name,
                               length == 0 ? "no machine code came out" : "the size of its machine code is nonsense");
    char *cubin = calloc(1, length);
    if (!cubin)
        return out_of_memory(name);
    result = quern_nvrtc.GetCUBIN(program, cubin);
    if (result != QUERN_NVRTC_SUCCESS) {
        free(cubin);
        return report(result, name, NULL);
    }
    *data = cubin;
    *size = length;
    return QUERN_SUCCESS;
}

/* ---- the whole ---- */

static quern_status compile_program(quern_nvrtc_program program, const char *name, const quern_nvrtc_target *target,
                                    quern_nvrtc_form form, void **data, size_t *size, char **log)
{
    options o;
    make_options(&o, target, form);
    int result = quern_nvrtc.CompileProgram(program, o.count, o.list);
    char *said = take_log(program);
    quern_status status;
    if (result != QUERN_NVRTC_SUCCESS)
        status = report(result, name, said);
    else if (form == QUERN_NVRTC_PTX)
        status = take_ptx(program, name, target, data, size);
    else
        status = take_cubin(program, name, data, size);
    if (log)
        *log = said;
    else
        free(said);
    return status;
}

quern_status quern_nvrtc_compile_and_tell(const char *text, size_t text_size, const char *name,
                                          const quern_nvrtc_target *target, quern_nvrtc_form form, void **data,
                                          size_t *size, char **log)
{
    const quern_nvrtc_info *info;
    if (log)
        *log = NULL;
    if (!text || !name || !target || !data || !size)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is NULL",
                          !text     ? "text"
                          : !name   ? "name"
                          : !target ? "target"
                          : !data   ? "data"
                                    : "size");
    if (form != QUERN_NVRTC_PTX && form != QUERN_NVRTC_CUBIN)
        return quern_fail(QUERN_INVALID_ARGUMENT, "form %d is neither PTX nor CUBIN", (int)form);
    quern_status status = quern_nvrtc_open(&info);
    if (status == QUERN_SUCCESS)
        status = check_target(info, target);
    if (status != QUERN_SUCCESS)
        return status;
    char *ended = malloc(text_size + 1); /* NVRTC wants a NUL, which an image does not count */
    if (!ended)
        return out_of_memory(name);
    memcpy(ended, text, text_size);
    ended[text_size] = '\0';
    quern_nvrtc_program program = NULL;
    int result = quern_nvrtc.CreateProgram(&program, ended, name, 0, NULL, NULL);
    if (result == QUERN_NVRTC_SUCCESS && !program) {
        status = quern_fail(QUERN_COMPILE_FAILED, "NVRTC %d.%d ('%s') gives no program for '%s'", the_info.major,
                            the_info.minor, the_info.path, name);
    } else if (result == QUERN_NVRTC_SUCCESS) {
        status = compile_program(program, name, target, form, data, size, log);
        quern_nvrtc.DestroyProgram(&program);
    } else {
        status = report(result, name, NULL);
    }
    free(ended);
    return status;
}

quern_status quern_nvrtc_compile(const char *text, size_t text_size, const char *name, const quern_nvrtc_target *target,
                                 quern_nvrtc_form form, void **data, size_t *size)
{
    return quern_nvrtc_compile_and_tell(text, text_size, name, target, form, data, size, NULL);
}
