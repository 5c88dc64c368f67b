/* Reads the body of a kernel, in passes, and that of a helper. */
#include "check.h"

/* Enough for what depends on the item to travel backwards through that many loops; a kernel needs two or three. */
enum { MOST_PASSES = 100 };

static int is_body(const quern_checker *checker, size_t begin, size_t end)
{
    return begin < end && end <= checker->count && quern_check_is(checker, begin, "{");
}

static void read_body(quern_checker *checker, size_t begin, size_t end)
{
    size_t symbols = checker->symbol_count;
    checker->at = begin + 1;
    checker->end = end;
    checker->depth = 0;
    checker->body_begin = begin;
    checker->block_depth = 1;
    checker->block = begin;
    checker->frame = NULL;
    checker->region = QUERN_NOWHERE;
    checker->local_bytes = 0;
    while (checker->at < checker->end)
        quern_check_statement(checker);
    checker->symbol_count = symbols;
}

/* The index of a token that the signature points to. */
static size_t index_of(const quern_checker *checker, const quern_token *token)
{
    size_t index = token >= checker->tokens ? (size_t)(token - checker->tokens) : QUERN_NOWHERE;
    return index < checker->count ? index : QUERN_NOWHERE;
}

static void declare_parameters(quern_checker *checker, const quern_signature_kernel *kernel)
{
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const quern_signature_parameter *parameter = &kernel->parameters[i];
        if (!parameter->name)
            continue;
        quern_check_type type = quern_check_type_of_text(checker, parameter->type_name ? parameter->type_name : "");
        /* The signature has checked the type's own name; a plain struct's fields are for here. */
        const char *barred = type.base == QUERN_BASE_STRUCT ? quern_check_barred_type(&type) : NULL;
        if (barred && parameter->where)
            quern_check_report_at(
                checker, parameter->where,
                "parameter '%s' has type '%s', in which there is %s; wanted fixed-width integers, char, short, "
                "int, float, double, and structs and arrays of these",
                parameter->name, parameter->type_name, barred);
        if (parameter->form == QUERN_PARAMETER_LOCAL && !kernel->is_group && parameter->where)
            quern_check_report_at(checker, parameter->where,
                                  "parameter '%s' is local, but '%s' is a KERNEL and has no groups; wanted a "
                                  "GROUP_KERNEL",
                                  parameter->name, kernel->name);
        if (parameter->form != QUERN_PARAMETER_VALUE)
            type.pointers++;
        if (parameter->form == QUERN_PARAMETER_IN || parameter->form == QUERN_PARAMETER_IN_ND)
            type.is_const = 1;
        if (parameter->form == QUERN_PARAMETER_LOCAL)
            type.space = QUERN_SPACE_LOCAL;
        else if (parameter->form != QUERN_PARAMETER_VALUE)
            type.space = QUERN_SPACE_GLOBAL;
        quern_check_symbol *symbol =
            quern_check_declare(checker, parameter->name, QUERN_SYMBOL_PARAMETER,
                                parameter->where ? index_of(checker, parameter->where) : QUERN_NOWHERE, type);
        if (!symbol)
            return;
        symbol->form = parameter->form;
        symbol->rank = parameter->rank;
    }
}

void quern_check_kernel(quern_checker *checker, const quern_signature_kernel *kernel)
{
    checker->kernel = kernel;
    checker->helper = QUERN_NOWHERE;
    checker->region = QUERN_NOWHERE;
    checker->last_phase = QUERN_NOWHERE;
    declare_parameters(checker, kernel);
    if (is_body(checker, kernel->body_begin, kernel->body_end)) {
        checker->quiet++;
        int passes = 0;
        do {
            checker->changed = 0;
            read_body(checker, kernel->body_begin, kernel->body_end);
        } while (checker->changed && ++passes < MOST_PASSES && !checker->out_of_memory);
        checker->quiet--;
        read_body(checker, kernel->body_begin, kernel->body_end);
    }
    checker->kernel = NULL;
}

void quern_check_helper(quern_checker *checker, size_t helper)
{
    const quern_signature_helper *record = &checker->signature->helpers[helper];
    checker->kernel = NULL;
    checker->helper = helper;
    checker->region = QUERN_NOWHERE;
    checker->frame = NULL;
    checker->depth = 0;
    quern_check_helper_parameters(checker, record);
    if (is_body(checker, record->body_begin, record->body_end)) {
        checker->quiet++; /* for the labels, to which a goto may lead forwards */
        read_body(checker, record->body_begin, record->body_end);
        checker->quiet--;
        read_body(checker, record->body_begin, record->body_end);
    }
    checker->helper = QUERN_NOWHERE;
}
