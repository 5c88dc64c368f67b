/* The entry of the checker, its reports, and the brackets of the whole file. */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MESSAGE_SIZE = 512 };

static void report(quern_checker *checker, const quern_token *token, const char *message)
{
    char place[MESSAGE_SIZE];
    snprintf(place, sizeof place, "%s:%d: error: ", token->file ? token->file : "", token->line);
    size_t length = strlen(place);
    const char *text = checker->diagnostics->text;
    for (text = text ? strstr(text, place) : NULL; text; text = strstr(text + length, place))
        if (strncmp(text + length, message, strlen(message)) == 0 && text[length + strlen(message)] == '\n')
            return;
    quern_error_at(checker->diagnostics, token, "%s", message);
}

void quern_check_report(quern_checker *checker, size_t token, const char *format, ...)
{
    if (checker->quiet)
        return;
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report(checker, &checker->tokens[token < checker->count ? token : checker->count], message);
}

void quern_check_report_at(quern_checker *checker, const quern_token *token, const char *format, ...)
{
    if (checker->quiet)
        return;
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report(checker, token, message);
}

int quern_check_grow(quern_checker *checker, void **array, size_t count, size_t *capacity, size_t element_size)
{
    if (count < *capacity)
        return 1;
    size_t wanted = *capacity ? *capacity * 2 : 32;
    size_t bytes;
    void *memory = quern_multiply_overflows(wanted, element_size, &bytes) ? NULL : realloc(*array, bytes);
    if (!memory) {
        checker->out_of_memory = 1;
        return 0;
    }
    *array = memory;
    *capacity = wanted;
    return 1;
}

/* Finds every bracket's partner at once, so that skipping is cheap however the text is nested. */
static quern_status match_brackets(quern_checker *checker)
{
    size_t *open = calloc(checker->count + 1, sizeof *open);
    if (!open)
        return QUERN_OUT_OF_MEMORY;
    size_t depth = 0;
    for (size_t i = 0; i <= checker->count; i++)
        checker->closing[i] = checker->count;
    for (size_t i = 0; i < checker->count; i++) {
        const quern_token *token = &checker->tokens[i];
        if (token->kind != QUERN_TOKEN_PUNCTUATOR || token->text[0] == '\0' || token->text[1] != '\0')
            continue;
        if (strchr("([{", token->text[0])) {
            open[depth++] = i;
        } else if (strchr(")]}", token->text[0])) {
            char wanted = token->text[0] == ')' ? '(' : token->text[0] == ']' ? '[' : '{';
            size_t level = depth;
            while (level > 0 && checker->tokens[open[level - 1]].text[0] != wanted)
                level--;
            /* An unmatched bracket in between stays open to the end; a closing one without partner is passed over. */
            if (level > 0) {
                checker->closing[open[level - 1]] = i;
                depth = level - 1;
            }
        }
    }
    free(open);
    return QUERN_SUCCESS;
}

static quern_status begin(quern_checker *checker, quern_signature *signature, quern_diagnostics *diagnostics)
{
    memset(checker, 0, sizeof *checker);
    checker->signature = signature;
    checker->tokens = signature->tokens.tokens;
    checker->count = signature->tokens.count;
    checker->diagnostics = diagnostics;
    checker->helper = checker->region = checker->last_phase = QUERN_NOWHERE;
    checker->closing = calloc(checker->count + 1, sizeof *checker->closing);
    checker->marks = calloc(checker->count + 1, sizeof *checker->marks);
    checker->item_helpers = calloc(signature->helper_count + 1, sizeof *checker->item_helpers);
    if (!checker->closing || !checker->marks || !checker->item_helpers)
        return QUERN_OUT_OF_MEMORY;
    for (size_t i = 0; i <= checker->count; i++)
        checker->marks[i].cause = checker->marks[i].exit_cause = checker->marks[i].region = checker->marks[i].block =
            checker->marks[i].initialised = QUERN_NOWHERE;
    return match_brackets(checker);
}

static void end(quern_checker *checker)
{
    while (checker->structs) {
        quern_check_struct *next = checker->structs->next;
        free(checker->structs->fields);
        free(checker->structs);
        checker->structs = next;
    }
    free(checker->symbols);
    free(checker->calls);
    free(checker->item_helpers);
    free(checker->closing);
    free(checker->marks);
}

static void check_all(quern_checker *checker)
{
    const quern_signature *signature = checker->signature;
    quern_check_includes(checker);
    quern_check_subset(checker);
    quern_check_definitions(checker);
    quern_check_file_scope(checker);
    size_t file_symbols = checker->symbol_count;
    for (size_t i = 0; i < signature->helper_count; i++) {
        quern_check_helper(checker, i);
        checker->symbol_count = file_symbols;
    }
    quern_check_recursion(checker);
    for (size_t i = 0; i < signature->kernel_count; i++) {
        quern_check_kernel(checker, &signature->kernels[i]);
        checker->symbol_count = file_symbols;
    }
}

quern_status quern_signature_check(quern_signature *signature, quern_diagnostics *diagnostics)
{
    if (!signature || !diagnostics)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is NULL; wanted what quern_signature_read gave",
                          signature ? "diagnostics" : "signature");
    if (!signature->tokens.tokens)
        return QUERN_SUCCESS;
    quern_checker checker;
    quern_status status = begin(&checker, signature, diagnostics);
    if (status == QUERN_SUCCESS) {
        check_all(&checker);
        if (checker.out_of_memory)
            status = QUERN_OUT_OF_MEMORY;
    }
    end(&checker);
    if (status != QUERN_SUCCESS)
        return quern_fail(status, "memory is exhausted while the kernels of '%s' are checked",
                          signature->tokens.count ? signature->tokens.tokens[0].file : "");
    return QUERN_SUCCESS;
}
