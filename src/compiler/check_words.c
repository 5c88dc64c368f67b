/* The vocabulary of the checker, one table a subject. */
#include "check_words.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const quern_word words[] = {
    {"EACH", QUERN_WORD_EACH, 1},
    {"EACH2", QUERN_WORD_EACH, 2},
    {"EACH3", QUERN_WORD_EACH, 3},
    {"EACH_INDEX", QUERN_WORD_EACH, 0},
    {"EACH_PACK", QUERN_WORD_EACH, 0},
    {"ITEMS", QUERN_WORD_PHASE, 1},
    {"ITEMS2", QUERN_WORD_PHASE, 2},
    {"ITEMS3", QUERN_WORD_PHASE, 3},
    {"ALL_ITEMS", QUERN_WORD_PHASE, 1},
    {"ALL_ITEMS2", QUERN_WORD_PHASE, 2},
    {"ALL_ITEMS3", QUERN_WORD_PHASE, 3},
    {"TEAM_EACH", QUERN_WORD_PHASE, 0},
    {"ONCE", QUERN_WORD_PHASE, 0},
    {"LOCAL", QUERN_WORD_DECLARATION, 0},
    {"PRIVATE", QUERN_WORD_DECLARATION, 0},
    {"READ_UNIFORM", QUERN_WORD_DECLARATION, 0},
    {"MINE", QUERN_WORD_ID, 0},
    {"GROUP_SIZE", QUERN_WORD_ID, 0},
    {"GROUP_SIZE_Y", QUERN_WORD_ID, 0},
    {"GROUP_SIZE_Z", QUERN_WORD_ID, 0},
    {"GROUP_ID", QUERN_WORD_ID, 0},
    {"GROUP_ID_Y", QUERN_WORD_ID, 0},
    {"GROUP_ID_Z", QUERN_WORD_ID, 0},
    {"GROUPS", QUERN_WORD_ID, 0},
    {"GROUPS_Y", QUERN_WORD_ID, 0},
    {"GROUPS_Z", QUERN_WORD_ID, 0},
    {"RANGE", QUERN_WORD_ID, 0},
    {"RANGE_Y", QUERN_WORD_ID, 0},
    {"RANGE_Z", QUERN_WORD_ID, 0},
    {"GLOBAL", QUERN_WORD_ID, 0},
    {"GLOBAL_Y", QUERN_WORD_ID, 0},
    {"GLOBAL_Z", QUERN_WORD_ID, 0},
    {"GROUP_ITEMS", QUERN_WORD_ID, 0},
    {"GROUP_LINEAR", QUERN_WORD_ID, 0},
    {"ITEM_LINEAR", QUERN_WORD_ID, 0},
    {"GLOBAL_LINEAR", QUERN_WORD_ID, 0},
    {"AT", QUERN_WORD_ACCESS, 0},
    {"AT_INDEX", QUERN_WORD_ACCESS, 0},
    {"LOAD", QUERN_WORD_ACCESS, 0},
    {"LOAD_INDEX", QUERN_WORD_ACCESS, 0},
    {"STORE", QUERN_WORD_ACCESS, 0},
    {"STORE_INDEX", QUERN_WORD_ACCESS, 0},
    {"EXTENT", QUERN_WORD_ACCESS, 0},
    {"MIN", QUERN_WORD_GENERIC, 0},
    {"MAX", QUERN_WORD_GENERIC, 0},
    {"ABS", QUERN_WORD_GENERIC, 0},
    {"GLOBAL_POINTER", QUERN_WORD_POINTER, 0},
    {"LOCAL_POINTER", QUERN_WORD_POINTER, 0},
    {"CONSTANT_POINTER", QUERN_WORD_POINTER, 0},
    {"KERNEL", QUERN_WORD_FILE, 0},
    {"GROUP_KERNEL", QUERN_WORD_FILE, 0},
    {"DEVICE", QUERN_WORD_FILE, 0},
    {"CONSTANT", QUERN_WORD_FILE, 0},
    {"STRUCT", QUERN_WORD_FILE, 0},
    {"REDUCTION", QUERN_WORD_FILE, 0},
    {"SCAN", QUERN_WORD_FILE, 0},
    {"ELEMENTWISE", QUERN_WORD_FILE, 0},
    {"ANY", QUERN_WORD_OTHER, 0},
    {"MAKE", QUERN_WORD_OTHER, 0},
    {"PACK", QUERN_WORD_OTHER, 0},
    {"PRINT", QUERN_WORD_OTHER, 0},
};

static int starts_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static int is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return 1;
    return 0;
}

const quern_word *quern_word_find(const char *name)
{
    static const quern_word atomic = {"ATOMIC_", QUERN_WORD_ATOMIC, 0};
    static const quern_word subgroup = {"SUBGROUP_", QUERN_WORD_SUBGROUP, 0};
    if (name[0] < 'A' || name[0] > 'Z') /* all words are capitals */
        return NULL;
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strcmp(words[i].name, name) == 0)
            return &words[i];
    if (starts_with(name, atomic.name))
        return &atomic;
    return starts_with(name, subgroup.name) ? &subgroup : NULL;
}

int quern_word_is_upper(const char *name)
{
    int letters = 0;
    for (; *name; name++) {
        if (*name >= 'A' && *name <= 'Z')
            letters = 1;
        else if (!(*name == '_' || (*name >= '0' && *name <= '9')))
            return 0;
    }
    return letters;
}

/* --- names taken by a language --- */

static const char *const c_keywords[] = {
    "auto",     "break",    "case",     "char",      "const",          "continue",      "default",  "do",
    "double",   "else",     "enum",     "extern",    "float",          "for",           "goto",     "if",
    "inline",   "int",      "long",     "register",  "restrict",       "return",        "short",    "signed",
    "sizeof",   "static",   "struct",   "switch",    "typedef",        "union",         "unsigned", "void",
    "volatile", "while",    "_Bool",    "_Complex",  "_Atomic",        "_Imaginary",    "typeof",   "asm",
    "_Alignas", "_Alignof", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local",
};

static const char *const cxx_keywords[] = {
    "alignas",      "alignof",       "and",          "and_eq",    "bitand",
    "bitor",        "catch",         "char8_t",      "char16_t",  "char32_t",
    "class",        "co_await",      "co_return",    "co_yield",  "compl",
    "concept",      "const_cast",    "consteval",    "constexpr", "constinit",
    "decltype",     "delete",        "dynamic_cast", "explicit",  "export",
    "false",        "friend",        "mutable",      "namespace", "new",
    "noexcept",     "not",           "not_eq",       "nullptr",   "operator",
    "or",           "or_eq",         "protected",    "public",    "reinterpret_cast",
    "requires",     "static_assert", "static_cast",  "template",  "this",
    "thread_local", "throw",         "true",         "try",       "typeid",
    "typename",     "using",         "virtual",      "wchar_t",   "xor",
    "xor_eq",
};

static const char *const opencl_keywords[] = {
    "global",
    "local",
    "constant",
    "private",
    "kernel",
    "read_only",
    "write_only",
    "read_write",
    "half",
    "bool",
    "generic", /* to clang, whatever version of OpenCL C */
    "pipe",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "vec_step",
    "sampler_t",
    "event_t",
    "image1d_t",
    "image1d_array_t",
    "image1d_buffer_t",
    "image2d_t",
    "image2d_array_t",
    "image3d_t",
    "__global",
    "__local",
    "__constant",
    "__private",
    "__kernel",
    "__read_only",
    "__write_only",
    "__read_write",
};

static const char *const cuda_keywords[] = {
    "threadIdx",   "blockIdx",     "blockDim",          "gridDim",    "warpSize",
    "dim3",        "__device__",   "__host__",          "__shared__", "__constant__",
    "__managed__", "__restrict__", "__launch_bounds__", "__global__",
};

/* Macros of gcc and clang themselves, on some machine. Quern undefines them, so that a kernel file that has such a name
 * is told, but host code may include what is made of it. */
static const char *const compiler_macros[] = {"linux", "unix", "i386"};

/* Macros that the CPU's headers bring, by whole names: <limits.h>, <stdint.h>, <float.h>, <stddef.h>, math. */
static const char c_constants[] =
    " CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX INT_MAX INT_MIN UINT_MAX"
    " LONG_MAX LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX INT8_MAX INT8_MIN UINT8_MAX INT16_MAX INT16_MIN"
    " UINT16_MAX INT32_MAX INT32_MIN UINT32_MAX INT64_MAX INT64_MIN UINT64_MAX INTPTR_MAX INTPTR_MIN UINTPTR_MAX"
    " INTMAX_MAX INTMAX_MIN UINTMAX_MAX PTRDIFF_MAX PTRDIFF_MIN SIZE_MAX SSIZE_MAX WCHAR_MAX WCHAR_MIN WINT_MAX "
    "WINT_MIN"
    " SIG_ATOMIC_MAX SIG_ATOMIC_MIN FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM FLT_MANT_DIG"
    " FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN"
    " DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN"
    " DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN LDBL_DIG LDBL_EPSILON LDBL_MAX LDBL_MIN DECIMAL_DIG INFINITY NAN NULL M_E"
    " M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 LINE_MAX NAME_MAX"
    " PATH_MAX HOST_NAME_MAX PIPE_BUF NGROUPS_MAX MAX_INPUT MAX_CANON ";

/* 1 when text, names between blanks, has this one. */
int quern_word_is_listed(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *found = length ? strstr(text, name) : NULL; found; found = strstr(found + 1, name))
        if (found[-1] == ' ' && found[length] == ' ')
            return 1;
    return 0;
}

/* float4, uchar16, …: types in OpenCL C and in CUDA. */
static int is_vector_type(const char *name)
{
    static const char *const elements[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                           "long", "ulong", "float", "double", "half"};
    static const char *const widths[] = {"2", "3", "4", "8", "16"};
    for (size_t i = 0; i < LENGTH(elements); i++)
        if (starts_with(name, elements[i]) && is_among(name + strlen(elements[i]), widths, LENGTH(widths)))
            return 1;
    return 0;
}

const char *quern_word_reserved(const char *name)
{
    if (starts_with(name, "quern_") || starts_with(name, "QUERN_"))
        return "one of Quern's own names";
    if (quern_word_find(name))
        return "a word of the dialect";
    if (is_among(name, c_keywords, LENGTH(c_keywords)))
        return "a keyword of C";
    if (is_among(name, cxx_keywords, LENGTH(cxx_keywords)))
        return "a keyword of C++";
    if (is_among(name, opencl_keywords, LENGTH(opencl_keywords)))
        return "a keyword of OpenCL C";
    if (is_vector_type(name))
        return "a vector type of OpenCL C and CUDA";
    if (is_among(name, cuda_keywords, LENGTH(cuda_keywords)))
        return "a keyword of CUDA";
    if (is_among(name, compiler_macros, LENGTH(compiler_macros)))
        return "a macro of gcc and clang";
    if (quern_word_is_listed(c_constants, name))
        return "a constant that C's headers bring";
    return NULL;
}

/* --- functions: math by its C names, as C, OpenCL C and CUDA all have it, and <quern/kernel.h> with them --- */

static const char *const math_generic[] = {
    "acos", "acosh", "asin",  "asinh", "atan",      "atan2", "atanh", "cbrt",  "ceil",  "copysign", "cos",
    "cosh", "erf",   "erfc",  "exp",   "exp2",      "expm1", "fabs",  "fdim",  "floor", "fma",      "fmax",
    "fmin", "fmod",  "hypot", "ldexp", "lgamma",    "log",   "log10", "log1p", "log2",  "logb",     "nextafter",
    "pow",  "rint",  "round", "sin",   "remainder", "sinh",  "sqrt",  "tan",   "tanh",  "tgamma",   "trunc",
};

static const char *const math_integer[] = {"isnan", "isinf", "isfinite", "signbit", "popcount", "clz", "ffs"};

quern_math_result quern_word_math(const char *name)
{
    if (is_among(name, math_generic, LENGTH(math_generic)))
        return QUERN_MATH_GENERIC;
    return is_among(name, math_integer, LENGTH(math_integer)) ? QUERN_MATH_INTEGER : QUERN_MATH_NONE;
}

const char *quern_word_math_without_suffix(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; length && (name[length - 1] == 'f' || name[length - 1] == 'l') && i < LENGTH(math_generic); i++)
        if (strlen(math_generic[i]) == length - 1 && strncmp(name, math_generic[i], length - 1) == 0)
            return math_generic[i];
    return NULL;
}

/* --- types --- */

static const char *const type_names[] = {
    "void",      "char",     "short",  "int",      "long",      "float",    "double",    "signed",
    "unsigned",  "_Bool",    "bool",   "size_t",   "ptrdiff_t", "intptr_t", "uintptr_t", "intmax_t",
    "uintmax_t", "wchar_t",  "int8_t", "int16_t",  "int32_t",   "int64_t",  "uint8_t",   "uint16_t",
    "uint32_t",  "uint64_t", "half",   "uchar",    "ushort",    "uint",     "ulong",     "quern_index",
    "struct",    "union",    "enum",   "_Complex", "__int128",  "_Float16", "__fp16",    "ssize_t",
};

int quern_word_is_type(const char *name)
{
    return is_among(name, type_names, LENGTH(type_names));
}

int quern_word_is_type_keyword(const char *name)
{
    return quern_word_is_type(name) && is_among(name, c_keywords, LENGTH(c_keywords));
}

int quern_word_is_qualifier(const char *name)
{
    static const char *const qualifiers[] = {
        "const",        "volatile",   "restrict",      "static",       "extern",   "register",
        "auto",         "inline",     "__inline",      "__restrict",   "__const",  "__volatile__",
        "__restrict__", "__inline__", "_Thread_local", "thread_local", "__thread", "_Atomic"};
    return is_among(name, qualifiers, LENGTH(qualifiers));
}
