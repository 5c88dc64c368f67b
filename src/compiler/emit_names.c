/*
 * Names of host code: a kernel saxpy becomes a function saxpy and an object saxpy_kernel of the program that it is
 * linked into. A function named like one of the C library's would quietly take its place in the whole program.
 */
#include "emit.h"

#include "check_words.h"

#include <string.h>

static const char library_functions[] =
    " abort abs accept access acos acosf acosh acoshf alarm aligned_alloc asctime asin asinf asinh asinhf assert atan"
    " atan2 atan2f atanf atanh atanhf atexit atof atoi atol atoll basename bcmp bcopy bind brk bsearch bzero cabs "
    "calloc"
    " cbrt cbrtf ceil ceilf chdir chmod chown clearerr clock close closedir connect copysign copysignf cos cosf cosh"
    " coshf creat ctime daemon difftime dirname div drand48 dup dup2 environ erf erfc erfcf erff errno err error exec"
    " execl execv execve execvp exit exp exp10 exp2 exp2f expf expm1 expm1f fabs fabsf fclose fcntl fdim fdimf feof"
    " ferror fflush ffs fgetc fgets fileno floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf fopen fork fprintf"
    " fputc fputs fread free freopen frexp frexpf fscanf fseek fstat fsync ftell ftruncate fwrite gamma getc getchar"
    " getcwd getenv getgid getline getopt getpid gets getuid glob gmtime hypot hypotf ilogb ilogbf index initstate "
    "ioctl"
    " isalnum isalpha isatty iscntrl isdigit isfinite isgraph isinf islower isnan isnormal isprint ispunct isspace"
    " isupper isxdigit j0 j1 jn kill labs ldexp ldexpf ldiv lgamma lgammaf link listen llabs lldiv llrint llround"
    " localtime lockf log log10 log10f log1p log1pf log2 log2f logb logbf logf longjmp lrand48 lrint lrintf lround"
    " lroundf lseek main malloc mblen memchr memcmp memcpy memmem memmove memset mkdir mkfifo mknod mktime mlock mmap"
    " modf modff mount mprotect mremap munmap nan nanf nanosleep nearbyint nearbyintf nextafter nextafterf nice open"
    " opendir pause pclose perror pipe poll popen pow powf pread printf psignal putc putchar putenv puts pwrite qsort"
    " raise rand random read readdir readlink realloc realpath recv remainder remainderf remove remquo rename rewind"
    " rindex rint rintf rmdir round roundf sbrk scalbln scalbn scanf select send setbuf setenv setjmp setlocale setvbuf"
    " shutdown sigaction signal signbit significand sin sincos sincosf sinf sinh sinhf sleep snprintf socket splice"
    " sprintf sqrt sqrtf srand srandom sscanf stat stderr stdin stdout stpcpy strcat strchr strcmp strcoll strcpy"
    " strcspn strdup strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strsep strspn strstr strtod "
    "strtof"
    " strtok strtol strtoll strtoul strtoull strxfrm swab symlink sync syscall sysconf system tan tanf tanh tanhf tee"
    " tgamma tgammaf time times tmpfile tmpnam tolower toupper trunc truncate truncf umask uname ungetc unlink unsetenv"
    " usleep utime vfork vfprintf vprintf vsnprintf vsprintf wait waitpid warn write y0 y1 yn ";

/* 1 when name is prefix + middle + suffix. */
static int is_joined(const char *name, const char *prefix, const char *middle, const char *suffix)
{
    size_t before = strlen(prefix), between = strlen(middle);
    return strncmp(name, prefix, before) == 0 && strncmp(name + before, middle, between) == 0 &&
           strcmp(name + before + between, suffix) == 0;
}

/* A helper, struct or other kernel that has the name of the kernel's launch function or descriptor. */
static void check_against_others(const quern_emission *emission, const quern_signature_kernel *kernel,
                                 const char *suffix, const char *what, quern_diagnostics *diagnostics)
{
    const quern_signature *signature = emission->signature;
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (*suffix && is_joined(signature->kernels[i].name, "", kernel->name, suffix))
            quern_error_at(diagnostics, signature->kernels[i].where,
                           "kernel '%s' has the name of the %s of kernel '%s'", signature->kernels[i].name, what,
                           kernel->name);
    for (size_t i = 0; i < signature->helper_count; ++i)
        if (is_joined(signature->helpers[i].name, emission->prefix, kernel->name, suffix))
            quern_error_at(diagnostics, signature->helpers[i].where,
                           "helper function '%s' has the name of the %s of kernel '%s'", signature->helpers[i].name,
                           what, kernel->name);
    for (size_t i = 0; i < signature->struct_count; ++i)
        if (is_joined(signature->structs[i]->name, emission->prefix, kernel->name, suffix))
            quern_error_at(diagnostics, signature->structs[i]->where,
                           "STRUCT '%s' has the name of the %s of kernel '%s'", signature->structs[i]->name, what,
                           kernel->name);
}

static void check_one(const quern_emission *emission, const quern_signature_kernel *kernel,
                      quern_diagnostics *diagnostics)
{
    quern_text name = {0};
    quern_text_add(&name, "%s%s", emission->prefix, kernel->name);
    if (name.failed)
        diagnostics->out_of_memory = 1;
    else if (quern_word_is_listed(library_functions, name.data))
        quern_error_at(diagnostics, kernel->where,
                       "kernel '%s': its launch function would take the place of the C library's '%s'; choose another "
                       "name (or a prefix: quern compile --prefix)",
                       kernel->name, name.data);
    else if (quern_word_reserved(name.data) && strncmp(kernel->name, "quern_", 6) != 0)
        quern_error_at(diagnostics, kernel->where, "kernel '%s': its launch function cannot be called '%s': that is %s",
                       kernel->name, name.data, quern_word_reserved(name.data));
    quern_text_free(&name);
    check_against_others(emission, kernel, "", "launch function", diagnostics);
    check_against_others(emission, kernel, "_kernel", "descriptor", diagnostics);
}

void quern_emit_check_names(const quern_emission *emission, quern_diagnostics *diagnostics)
{
    for (size_t i = 0; i < emission->signature->kernel_count; ++i)
        check_one(emission, &emission->signature->kernels[i], diagnostics);
}
