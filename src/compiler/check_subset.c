/* What the subset excludes and single tokens show: words of C that OpenCL C or CUDA C++ lack, and designators. */
#include "check.h"

#include <string.h>

typedef struct excluded {
    const char *word;
    const char *what; /* "… is no part of the dialect" */
    const char *wanted;
} excluded;

static const excluded words[] = {
    {"_Static_assert", "_Static_assert", "a condition of the preprocessor with #error"},
    {"static_assert", "static_assert", "a condition of the preprocessor with #error"},
    {"_Generic", "_Generic", "a helper for each type, or a macro that takes the type's name"},
    {"typeof", "typeof", "the type's name"},
    {"__typeof__", "__typeof__", "the type's name"},
    {"__typeof", "__typeof", "the type's name"},
    {"__auto_type", "__auto_type", "the type's name"},
    {"asm", "assembly", "C"},
    {"__asm__", "assembly", "C"},
    {"__asm", "assembly", "C"},
    {"_Alignas", "_Alignas", "it left out"},
    {"_Alignof", "_Alignof", "sizeof or a constant"},
    {"_Bool", "_Bool", "int or uint8_t"},
    {"bool", "bool", "int or uint8_t"},
    {"_Atomic", "_Atomic", "ATOMIC_ADD and the like"},
    {"_Complex", "_Complex", "a STRUCT of two fields"},
    {"_Imaginary", "_Imaginary", "a STRUCT of two fields"},
    {"_Thread_local", "_Thread_local", "PRIVATE or a variable of a kernel"},
    {"_Noreturn", "_Noreturn", "it left out"},
    {"__int128", "__int128", "int64_t"},
};

/* int_least16_t, uint_fast32_t: as wide as a compiler likes. */
static int is_loose_type(const char *name)
{
    name += name[0] == 'u';
    return strncmp(name, "int_least", 9) == 0 || strncmp(name, "int_fast", 8) == 0;
}

static void check_word(quern_checker *checker, size_t token)
{
    if (is_loose_type(checker->tokens[token].text))
        quern_check_report(checker, token, "%s has not the same width everywhere; wanted one of int8_t to uint64_t",
                           checker->tokens[token].text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (quern_check_is(checker, token, words[i].word))
            quern_check_report(checker, token, "%s is no part of the dialect; wanted %s", words[i].what,
                               words[i].wanted);
}

/* `{.x = 1}`, `{[2] = 1}`: neither a dot with a name nor a bracket can follow a brace or a comma otherwise. */
static void check_designator(quern_checker *checker, size_t token)
{
    if (!quern_check_is(checker, token - 1, "{") && !quern_check_is(checker, token - 1, ","))
        return;
    if ((quern_check_is(checker, token, ".") && quern_check_is_name(checker, token + 1)) ||
        (quern_check_is(checker, token, "[") && checker->closing[token] < checker->count &&
         quern_check_is(checker, checker->closing[token] + 1, "=")))
        quern_check_report(checker, token,
                           "a designated initialiser is no part of the dialect; wanted the values in order");
}

/* 1.0L, L'x', u8"…" */
static void check_literal(quern_checker *checker, size_t token)
{
    const quern_token *at = &checker->tokens[token];
    char last = at->text[strlen(at->text) - 1];
    int is_hex = at->text[0] == '0' && (at->text[1] == 'x' || at->text[1] == 'X');
    if (at->kind == QUERN_TOKEN_NUMBER && (last == 'l' || last == 'L') && strpbrk(at->text, is_hex ? "pP" : ".eE"))
        quern_check_report(checker, token, "%s is a long double, which not every language has; wanted a double",
                           at->text);
    if ((at->kind == QUERN_TOKEN_STRING || at->kind == QUERN_TOKEN_CHARACTER) && !strchr("\"'", at->text[0]))
        quern_check_report(checker, token, "%s has characters of another type than char; wanted it without %.*s",
                           at->text, (int)strcspn(at->text, "\"'"), at->text);
}

static void check_elvis(quern_checker *checker, size_t token)
{
    if (quern_check_is(checker, token, "?") && quern_check_is(checker, token + 1, ":"))
        quern_check_report(checker, token,
                           "?: without its middle operand is no part of the dialect; wanted that written out");
}

static void check_statement_expression(quern_checker *checker, size_t token)
{
    if (quern_check_is(checker, token, "(") && quern_check_is(checker, token + 1, "{") &&
        !(token > 0 && quern_check_is_name(checker, token - 1) && quern_word_is_upper(checker->tokens[token - 1].text)))
        quern_check_report(checker, token,
                           "a statement inside an expression is no part of the dialect; wanted a DEVICE helper");
}

void quern_check_subset(quern_checker *checker)
{
    for (size_t i = 0; i < checker->count; i++) {
        if (quern_check_is_foreign(checker, i))
            continue;
        check_literal(checker, i);
        if (checker->tokens[i].kind == QUERN_TOKEN_NAME)
            check_word(checker, i);
        else if (checker->tokens[i].kind == QUERN_TOKEN_PUNCTUATOR && i > 0) {
            check_designator(checker, i);
            check_statement_expression(checker, i);
            check_elvis(checker, i);
        }
    }
}
