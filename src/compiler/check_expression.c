/*
 * Reads expressions: what they denote, of which light type, and whether they depend on the item.
 *
 * Precedence climbing, one function a level of the grammar that behaves differently. A token that begins no
 * expression is left where it is; the statement then skips what nobody understood.
 */
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static quern_check_value value_of_type(quern_check_base base)
{
    quern_check_value value = quern_check_no_value();
    value.type.base = base;
    return value;
}

/* --- primary expressions --- */

/* The width of an integer: without l 32 bits when it fits into them. */
static unsigned number_bits(const char *text)
{
    int is_binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    if (strpbrk(text, "lL"))
        return 64;
    errno = 0;
    unsigned long long value = is_binary ? strtoull(text + 2, NULL, 2) : strtoull(text, NULL, 0);
    int is_unsigned = strpbrk(text, "uU") || text[0] == '0';
    return !errno && value <= (is_unsigned ? UINT32_MAX : (unsigned long long)INT32_MAX) ? 32 : 64;
}

static quern_check_value integer_value(void)
{
    quern_check_value value = value_of_type(QUERN_BASE_INTEGER);
    value.type.bits = 32;
    return value;
}

/* An array in constant memory, as OpenCL C has it. */
static quern_check_value string_value(void)
{
    quern_check_value value = value_of_type(QUERN_BASE_INTEGER);
    value.type.bits = 8;
    value.type.arrays = 1;
    value.type.is_const = 1;
    value.place = QUERN_PLACE_CONSTANT;
    return value;
}

static quern_check_base number_base(const char *text)
{
    int is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t length = strlen(text);
    if (!strpbrk(text, is_hex ? "pP" : ".eE"))
        return QUERN_BASE_INTEGER;
    char last = length ? text[length - 1] : '\0';
    if (last == 'f' || last == 'F')
        return QUERN_BASE_FLOAT;
    return (last >= '0' && last <= '9') || last == '.' ? QUERN_BASE_DOUBLE : QUERN_BASE_UNKNOWN;
}

static void skip_brackets(quern_checker *checker)
{
    size_t close = checker->closing[checker->at];
    checker->at = close < checker->end ? close + 1 : checker->end;
}

/* At the name of something declared. */
static quern_check_value symbol_value(quern_checker *checker, size_t index)
{
    quern_check_symbol symbol = checker->symbols[index];
    quern_check_value value = quern_check_no_value();
    size_t token = checker->at++;
    value.type = symbol.type;
    switch (symbol.kind) {
    case QUERN_SYMBOL_INDEX:
        value.cause = token;
        value.place = QUERN_PLACE_VARIABLE;
        value.root = index;
        break;
    case QUERN_SYMBOL_VARIABLE:
    case QUERN_SYMBOL_PARAMETER:
        if (symbol.where != QUERN_NOWHERE && checker->marks[symbol.where].cause != QUERN_NOWHERE)
            value.cause = token;
        value.place = QUERN_PLACE_VARIABLE;
        value.root = index;
        break;
    case QUERN_SYMBOL_LOCAL:
        value.place = QUERN_PLACE_LOCAL;
        break;
    case QUERN_SYMBOL_CONSTANT:
        value.place = QUERN_PLACE_CONSTANT;
        value.root = index;
        break;
    case QUERN_SYMBOL_PRIVATE:
        quern_check_report(checker, token,
                           "PRIVATE '%s' is used as it stands; wanted MINE(%s, …) with the item's index", symbol.name,
                           symbol.name);
        value.type = (quern_check_type){0};
        value.cause = token;
        break;
    case QUERN_SYMBOL_HELPER:
        quern_check_report(
            checker, token,
            "helper '%s' is used as a value, and a kernel file has no pointers to functions; wanted a call",
            symbol.name);
        value.type = (quern_check_type){0};
        break;
    default:
        break;
    }
    return value;
}

/* At "(": a cast, or an expression in brackets. */
static quern_check_value read_unary(quern_checker *checker);

static quern_check_value bracketed(quern_checker *checker)
{
    size_t open = checker->at, close = checker->closing[open], outer_end = checker->end;
    quern_check_value value = quern_check_no_value();
    if (quern_check_is(checker, open + 1, "{")) {
        skip_brackets(checker);
        return value;
    }
    checker->at++;
    checker->end = close < outer_end ? close : outer_end;
    if (!quern_check_starts_type(checker, checker->at)) {
        value = quern_check_expression(checker);
        checker->end = outer_end;
        checker->at = close < outer_end ? close + 1 : outer_end;
        return value;
    }
    quern_check_type type;
    quern_check_read_type(checker, &type);
    quern_check_declarator declarator;
    quern_check_read_declarator(checker, type, &declarator);
    checker->end = outer_end;
    checker->at = close < outer_end ? close + 1 : outer_end;
    if (quern_check_next_is(checker, "{")) {
        quern_check_report(checker, open, "a compound literal is no part of the dialect; wanted MAKE(T, …)");
        quern_check_initialiser(checker, &declarator.type, &value);
        value.type = declarator.type;
        return value;
    }
    value = quern_check_decay(checker, read_unary(checker));
    quern_check_cast(checker, open, &declarator.type, &value);
    if (quern_check_lacking_type(&declarator.type))
        quern_check_report(checker, open, "a cast to %s, which not every language has; wanted one to an element type",
                           quern_check_lacking_type(&declarator.type));
    if (declarator.type.pointers && !declarator.type.space && value.type.pointers)
        declarator.type.space = value.type.space; /* a cast leads nowhere else */
    value.type = declarator.type;
    if (!value.type.pointers) {
        value.place = QUERN_PLACE_NONE;
        value.address = 0;
    }
    return value;
}

/* The constants of <quern/kernel.h> that are floating numbers. */
static quern_check_base constant_base(const char *name)
{
    static const char *const floats[] = {"INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "FLT_TRUE_MIN"};
    static const char *const doubles[] = {"DBL_MAX", "DBL_MIN", "DBL_EPSILON", "DBL_TRUE_MIN"};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        if (strcmp(name, floats[i]) == 0)
            return QUERN_BASE_FLOAT;
    for (size_t i = 0; i < sizeof doubles / sizeof doubles[0]; i++)
        if (strcmp(name, doubles[i]) == 0)
            return QUERN_BASE_DOUBLE;
    return strncmp(name, "M_", 2) == 0 ? QUERN_BASE_DOUBLE : QUERN_BASE_UNKNOWN;
}

static quern_check_value read_primary(quern_checker *checker)
{
    const quern_token *token = quern_check_peek(checker, 0);
    switch (token->kind) {
    case QUERN_TOKEN_NUMBER: {
        checker->at++;
        quern_check_value value = value_of_type(number_base(token->text));
        value.type.bits = value.type.base == QUERN_BASE_INTEGER ? number_bits(token->text) : 0;
        return value;
    }
    case QUERN_TOKEN_CHARACTER:
        checker->at++;
        return integer_value();
    case QUERN_TOKEN_STRING:
        while (quern_check_peek(checker, 0)->kind == QUERN_TOKEN_STRING)
            checker->at++;
        return string_value();
    case QUERN_TOKEN_NAME:
        break;
    default:
        return quern_token_is(token, "(") ? bracketed(checker) : quern_check_no_value();
    }
    int is_call = quern_check_is(checker, checker->at + 1, "(") && checker->at + 1 < checker->end;
    size_t symbol = quern_check_find(checker, token->text);
    if (is_call && (symbol == QUERN_NOWHERE || checker->symbols[symbol].kind == QUERN_SYMBOL_HELPER))
        return quern_check_call_expression(checker);
    if (symbol != QUERN_NOWHERE)
        return symbol_value(checker, symbol);
    if (quern_word_find(token->text))
        return quern_check_word_expression(checker);
    quern_check_foreign_name(checker, checker->at);
    checker->at++;
    return value_of_type(constant_base(token->text));
}

/* --- postfix and unary operators --- */

static quern_check_value subscript(quern_checker *checker, quern_check_value value)
{
    size_t open = checker->at, close = checker->closing[open];
    quern_check_value index =
        quern_check_range_expression(checker, (size_t[2]){open + 1, close < checker->end ? close : checker->end});
    skip_brackets(checker);
    quern_check_rows(checker, &value, open);
    value = quern_check_dereference(checker, value);
    quern_check_combine_cause(&value, &index);
    return value;
}

static quern_check_value read_postfix(quern_checker *checker)
{
    quern_check_value value = read_primary(checker);
    while (checker->at < checker->end) {
        if (quern_check_next_is(checker, "[")) {
            value = subscript(checker, value);
        } else if (quern_check_next_is(checker, ".") || quern_check_next_is(checker, "->")) {
            if (quern_check_next_is(checker, "->")) {
                quern_check_rows(checker, &value, checker->at);
                value = quern_check_dereference(checker, value);
            }
            checker->at++;
            value = quern_check_member(value, quern_check_peek(checker, 0)->text);
            if (checker->at < checker->end && quern_check_is_name(checker, checker->at))
                checker->at++;
        } else if (quern_check_next_is(checker, "++") || quern_check_next_is(checker, "--")) {
            quern_check_write(checker, &value, checker->at, &value);
            quern_check_out_element(checker, &value, checker->at, 1);
            checker->at++;
            value.place = QUERN_PLACE_NONE;
        } else if (quern_check_next_is(checker, "(")) { /* through something that is no name: its arguments only */
            size_t open = checker->at, close = checker->closing[open];
            quern_check_value arguments = quern_check_range_expression(
                checker, (size_t[2]){open + 1, close < checker->end ? close : checker->end});
            skip_brackets(checker);
            quern_check_combine_cause(&arguments, &value);
            value = quern_check_no_value();
            value.cause = arguments.cause;
        } else {
            break;
        }
    }
    return value;
}

/* At sizeof or _Alignof: the operand is not evaluated, so nothing in it is written or read. */
static quern_check_value read_sizeof(quern_checker *checker)
{
    checker->at++;
    checker->quiet++;
    int changed = checker->changed;
    if (quern_check_next_is(checker, "(") && quern_check_starts_type(checker, checker->at + 1))
        skip_brackets(checker);
    else
        read_unary(checker);
    checker->changed = changed;
    checker->quiet--;
    quern_check_value value = value_of_type(QUERN_BASE_INTEGER);
    value.type.barred = "size_t";
    return value;
}

static quern_check_value read_unary_operator(quern_checker *checker)
{
    size_t token = checker->at;
    char operator= checker->tokens[token].text[0];
    int is_step = checker->tokens[token].text[1] != '\0';
    checker->at++;
    quern_check_value value = read_unary(checker);
    if (is_step) {
        quern_check_write(checker, &value, token, &value);
        quern_check_out_element(checker, &value, token, 1);
        value.place = QUERN_PLACE_NONE;
        return value;
    }
    if (operator== '*') {
        quern_check_rows(checker, &value, token);
        return quern_check_dereference(checker, value);
    }
    if (operator== '&')
        return quern_check_take_address(value);
    quern_check_value result = quern_check_no_value();
    result.cause = value.cause;
    result.type = operator== '!' ? integer_value().type : quern_check_promoted_type(value.type);
    return result;
}

/* At `&&` where an operand should begin. */
static void skip_label_address(quern_checker *checker)
{
    quern_check_report(checker, checker->at, "the address of a label is no part of the dialect; wanted a switch");
    checker->at++;
    if (checker->at < checker->end && quern_check_is_name(checker, checker->at))
        checker->at++;
}

static quern_check_value read_unary(quern_checker *checker)
{
    static const char *const operators[] = {"++", "--", "-", "+", "!", "~", "*", "&"};
    quern_check_value value = quern_check_no_value();
    if (!quern_check_enter(checker)) {
        checker->at = checker->end;
        return value;
    }
    int is_operator = 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0] && !is_operator; i++)
        is_operator = quern_check_next_is(checker, operators[i]);
    if (quern_check_next_is(checker, "&&"))
        skip_label_address(checker);
    else if (is_operator)
        value = read_unary_operator(checker);
    else if (quern_check_next_is(checker, "sizeof") || quern_check_next_is(checker, "_Alignof"))
        value = read_sizeof(checker);
    else
        value = read_postfix(checker);
    quern_check_leave(checker);
    return value;
}

/* --- binary operators --- */

static int precedence(const quern_token *token)
{
    static const char *const levels[][5] = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (token->kind != QUERN_TOKEN_PUNCTUATOR)
        return 0;
    for (int level = 0; level < (int)(sizeof levels / sizeof levels[0]); level++)
        for (int i = 0; i < 5 && levels[level][i]; i++)
            if (quern_token_is(token, levels[level][i]))
                return level + 1;
    return 0;
}

static quern_check_value combine(quern_checker *checker, quern_check_value left, int level, size_t token,
                                 quern_check_value right)
{
    enum { EQUALITY = 6, RELATION = 7, SHIFT = 8, SUM = 9 };
    quern_check_value result = quern_check_no_value();
    if (level == SUM) {
        quern_check_rows(checker, &left, token);
        quern_check_rows(checker, &right, token);
        quern_check_value a = quern_check_decay(checker, left), b = quern_check_decay(checker, right);
        quern_check_comparison(checker, token, &a, &b);
        if (a.address && !b.address)
            result = a;
        else if (b.address && !a.address)
            result = b;
        else
            result.type = quern_check_arithmetic_type(left.type, right.type);
    } else if (level <= 2 || level == EQUALITY || level == RELATION) {
        quern_check_value a = quern_check_decay(checker, left), b = quern_check_decay(checker, right);
        if (level > 2)
            quern_check_comparison(checker, token, &a, &b);
        result.type = integer_value().type;
    } else if (level == SHIFT) {
        result.type = quern_check_promoted_type(left.type);
    } else {
        result.type = quern_check_arithmetic_type(left.type, right.type);
    }
    result.cause = left.cause;
    quern_check_combine_cause(&result, &right);
    return result;
}

static quern_check_value read_binary(quern_checker *checker, int lowest)
{
    quern_check_value left = read_unary(checker);
    for (;;) {
        int level = checker->at < checker->end ? precedence(&checker->tokens[checker->at]) : 0;
        if (level < lowest || level == 0)
            return left;
        size_t token = checker->at++;
        quern_check_value right = read_binary(checker, level + 1);
        left = combine(checker, left, level, token, right);
    }
}

/* --- ?:, assignment, comma --- */

static quern_check_value read_conditional(quern_checker *checker)
{
    quern_check_value condition = read_binary(checker, 1);
    size_t token = checker->at;
    if (!quern_check_accept(checker, "?"))
        return condition;
    quern_check_value yes = quern_check_expression(checker);
    quern_check_accept(checker, ":");
    quern_check_value no = quern_check_assignment_expression(checker);
    quern_check_value value = quern_check_no_value();
    quern_check_value a = quern_check_decay(checker, yes), b = quern_check_decay(checker, no);
    quern_check_choice(checker, token, &condition.type, &a, &b);
    if (a.address || b.address) /* either of two addresses: the first stands for both */
        value = a.address ? a : b;
    else
        value.type = quern_check_arithmetic_type(yes.type, no.type);
    value.cause = condition.cause;
    quern_check_combine_cause(&value, &yes);
    quern_check_combine_cause(&value, &no);
    return value;
}

static int is_assignment(const quern_token *token)
{
    static const char *const operators[] = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
    if (token->kind != QUERN_TOKEN_PUNCTUATOR)
        return 0;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (quern_token_is(token, operators[i]))
            return 1;
    return 0;
}

/* 1 when the tokens begin … end stand in from … to as well: `y[i]` in `y[i] + 1`. */
static int holds(const quern_checker *checker, size_t begin, size_t end, size_t from, size_t to)
{
    size_t length = end - begin;
    for (size_t at = from; length && at + length <= to; at++) {
        size_t same = 0;
        while (same < length && strcmp(checker->tokens[begin + same].text, checker->tokens[at + same].text) == 0)
            same++;
        if (same == length && !quern_check_is(checker, at - 1, ".") && !quern_check_is(checker, at - 1, "->"))
            return 1;
    }
    return 0;
}

static quern_check_value assign(quern_checker *checker, const quern_check_value *target, size_t begin, size_t token)
{
    quern_check_value source = quern_check_assignment_expression(checker);
    int is_plain = quern_check_is(checker, token, "=");
    quern_check_write(checker, target, token, &source);
    quern_check_out_element(checker, target, token, !is_plain || holds(checker, begin, token, token + 1, checker->at));
    if (is_plain && !target->address)
        quern_check_pointer_value(checker, token, NULL, &target->type, source);
    return source;
}

quern_check_value quern_check_assignment_expression(quern_checker *checker)
{
    if (!quern_check_enter(checker)) {
        checker->at = checker->end;
        return quern_check_no_value();
    }
    size_t begin = checker->at;
    quern_check_value target = read_conditional(checker);
    if (checker->at < checker->end && is_assignment(&checker->tokens[checker->at])) {
        size_t token = checker->at++;
        quern_check_value source = assign(checker, &target, begin, token);
        target.place = QUERN_PLACE_NONE;
        target.address = 0;
        quern_check_combine_cause(&target, &source);
    }
    quern_check_leave(checker);
    return target;
}

quern_check_value quern_check_expression(quern_checker *checker)
{
    quern_check_value value = quern_check_assignment_expression(checker);
    while (quern_check_accept(checker, ",")) {
        quern_check_value next = quern_check_assignment_expression(checker);
        quern_check_combine_cause(&next, &value);
        value = next;
    }
    return value;
}

quern_check_value quern_check_range_expression(quern_checker *checker, const size_t range[2])
{
    size_t at = checker->at, end = checker->end;
    checker->at = range[0];
    checker->end = range[1] > range[0] ? range[1] : range[0];
    quern_check_value value = quern_check_expression(checker);
    checker->at = at;
    checker->end = end;
    return value;
}
