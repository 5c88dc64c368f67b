/*
 * The checker's own declarations, shared by the check_*.c files; not for others.
 *
 * The checker reads the statements of kernels and helpers by recursive descent, straight from the tokens,
 * without building a tree: what it needs of an expression fits in a quern_check_value. A kernel's body is read
 * several times. The first passes are silent and collect which variables and loops depend on the item, until
 * nothing new is found; the last one reports. Whatever the checker does not understand it passes over in silence:
 * the C compiler reads the same text afterwards.
 */
#ifndef QUERN_COMPILER_CHECK_H
#define QUERN_COMPILER_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "check_words.h"
#include "signature.h"

#define QUERN_NOWHERE ((size_t)-1)

typedef enum quern_check_base {
    QUERN_BASE_UNKNOWN = 0,
    QUERN_BASE_VOID,
    QUERN_BASE_INTEGER,
    QUERN_BASE_FLOAT,
    QUERN_BASE_DOUBLE,
    QUERN_BASE_STRUCT
} quern_check_base;

typedef enum quern_check_space {
    QUERN_SPACE_ANY = 0, /* of a plain C pointer, or no pointer */
    QUERN_SPACE_GLOBAL,
    QUERN_SPACE_LOCAL,
    QUERN_SPACE_CONSTANT
} quern_check_space;

struct quern_check_struct;

/* As much of a C type as the rules need: `float *a[3]` is FLOAT with one pointer and one array. */
typedef struct quern_check_type {
    quern_check_base base;
    quern_check_space space;
    unsigned pointers, arrays;
    int is_open;   /* the outermost array gets its length from its values */
    unsigned bits; /* of an INTEGER; 0 when they are not known, or not the same everywhere */
    int is_const;  /* of what the pointers lead to */
    const struct quern_check_struct *structure;
    const char *barred; /* the name of a type that no element or parameter may have ("long"), else NULL */
} quern_check_type;

typedef struct quern_check_field {
    const char *name;
    quern_check_type type;
} quern_check_field;

typedef struct quern_check_struct {
    const char *tag;
    quern_check_field *fields;
    size_t field_count, field_capacity;
    struct quern_check_struct *next;
} quern_check_struct;

typedef enum quern_check_symbol_kind {
    QUERN_SYMBOL_VARIABLE,
    QUERN_SYMBOL_INDEX,     /* what EACH, ITEMS, … declare */
    QUERN_SYMBOL_PARAMETER, /* of a kernel; its form in quern_check_symbol.form */
    QUERN_SYMBOL_LOCAL,
    QUERN_SYMBOL_PRIVATE,
    QUERN_SYMBOL_CONSTANT, /* a table at file scope */
    QUERN_SYMBOL_ENUMERATOR,
    QUERN_SYMBOL_TYPE,
    QUERN_SYMBOL_HELPER,
    QUERN_SYMBOL_FUNCTION /* one that is not marked DEVICE, and was reported */
} quern_check_symbol_kind;

typedef struct quern_check_symbol {
    const char *name;
    quern_check_symbol_kind kind;
    size_t where; /* the declaring token; QUERN_NOWHERE for a kernel's parameter */
    quern_check_type type;
    quern_parameter_form form;
    unsigned rank;
    size_t region;  /* the phase or EACH that it is declared in, else QUERN_NOWHERE */
    size_t helper;  /* of a HELPER: index of its first record */
    int has_number; /* an ENUMERATOR whose value is known */
    int is_initialised;
    int64_t number;
} quern_check_symbol;

/* What an expression denotes, as far as writing to it is concerned. */
typedef enum quern_check_place {
    QUERN_PLACE_NONE = 0,
    QUERN_PLACE_VARIABLE, /* a variable or a part of it */
    QUERN_PLACE_ELEMENT,  /* an element of a parameter */
    QUERN_PLACE_LOCAL,    /* the group's memory */
    QUERN_PLACE_MINE,     /* an item's own PRIVATE value */
    QUERN_PLACE_CONSTANT, /* a table at file scope */
    QUERN_PLACE_POINTED   /* behind a pointer of the author's */
} quern_check_place;

typedef struct quern_check_value {
    quern_check_type type;
    quern_check_place place;
    int address;  /* the value is the address of that place, not the place */
    size_t root;  /* the symbol's index for VARIABLE, ELEMENT and CONSTANT, else QUERN_NOWHERE */
    size_t cause; /* the token that makes it depend on the item, else QUERN_NOWHERE */
} quern_check_value;

typedef enum quern_check_frame_kind {
    QUERN_FRAME_CONDITION, /* the branches of an if */
    QUERN_FRAME_LOOP,
    QUERN_FRAME_SWITCH,
    QUERN_FRAME_PHASE /* a phase or an EACH */
} quern_check_frame_kind;

typedef struct quern_check_frame {
    quern_check_frame_kind kind;
    size_t token; /* its first one */
    size_t cause; /* the token that makes its condition depend on the item, else QUERN_NOWHERE */
    struct quern_check_frame *up;
    size_t symbols; /* of a SWITCH: the number of names that are declared around it */
} quern_check_frame;

/* What the silent passes learn about a token of a body. */
typedef struct quern_check_mark {
    size_t cause;            /* of a declared name, or of a loop's condition */
    size_t exit_cause;       /* of a break or continue that targets this loop */
    size_t region;           /* of a label, and of it also: */
    size_t block;            /* the "{" around it */
    size_t initialised;      /* the last variable with an initialiser that is in scope there, else QUERN_NOWHERE */
    unsigned char has_phase; /* a statement that holds a phase */
    unsigned char is_label;
    unsigned char is_assigned; /* a parameter of which the kernel assigns elements, or may */
} quern_check_mark;

typedef struct quern_check_call {
    size_t caller, callee; /* indices of helpers */
    size_t where;
} quern_check_call;

typedef struct quern_checker {
    quern_signature *signature; /* of which only has_wide_atomics is written */
    const quern_token *tokens;
    size_t count;
    size_t *closing; /* for each opening bracket the index of its closing one, else count */
    quern_diagnostics *diagnostics;

    size_t at, end; /* the reading position; what is read ends before end */
    int quiet;      /* greater than 0: report nothing */
    int depth;      /* of nested statements and expressions */
    int out_of_memory;

    quern_check_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    quern_check_struct *structs;

    const quern_signature_kernel *kernel; /* the body being read is that of a kernel … */
    size_t helper;                        /* … or of this helper, else QUERN_NOWHERE */
    size_t body_begin;
    int block_depth; /* 1: the body's outermost level */
    size_t block;    /* the innermost "{" */
    quern_check_frame *frame;
    size_t region; /* the innermost phase or EACH, else QUERN_NOWHERE */
    size_t last_phase;
    int64_t local_bytes;     /* of the LOCAL arrays so far */
    quern_check_mark *marks; /* one a token */
    int changed;             /* this pass has marked something new */

    unsigned char *item_helpers; /* one a helper: 1 when its result depends on the item, whatever its arguments */
    quern_check_call *calls;
    size_t call_count, call_capacity;
} quern_checker;

/* --- check.c: reports --- */

/* Adds a message at the token unless this pass is silent; a text that stands there already (a body included twice) is
 * not repeated. */
void quern_check_report(quern_checker *checker, size_t token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void quern_check_report_at(quern_checker *checker, const quern_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Room for one element more in *array; 0 when memory is exhausted, which the checker then remembers. */
int quern_check_grow(quern_checker *checker, void **array, size_t count, size_t *capacity, size_t element_size);

/* --- check_scope.c: tokens and names --- */
const quern_token *quern_check_peek(const quern_checker *checker, size_t ahead);
int quern_check_next_is(const quern_checker *checker, const char *text);
int quern_check_is(const quern_checker *checker, size_t token, const char *text); /* 0 beyond the end */
int quern_check_is_name(const quern_checker *checker, size_t token);
int quern_check_accept(quern_checker *checker, const char *text);
/* Splits what lies between the brackets at open at its commas; gives the number of arguments, of which up to limit are
 * stored. */
size_t quern_check_arguments(const quern_checker *checker, size_t open, size_t (*arguments)[2], size_t limit);
/* 0 when too deeply nested: the caller then reads nothing. Each success needs a leave. */
int quern_check_enter(quern_checker *checker);
void quern_check_leave(quern_checker *checker);

size_t quern_check_find(const quern_checker *checker, const char *name); /* QUERN_NOWHERE when it is not declared */
/* Declares; NULL when memory is exhausted. The pointer is good until the next declaration. */
quern_check_symbol *quern_check_declare(quern_checker *checker, const char *name, quern_check_symbol_kind kind,
                                        size_t where, quern_check_type type);
/* Reports a declared name that a language of the dialect, or the dialect itself, has taken. */
void quern_check_declared_name(quern_checker *checker, size_t token, const char *what);

/* --- check_type.c: types --- */
/* 1 when the tokens at the position begin a type. */
int quern_check_starts_type(const quern_checker *checker, size_t at);
/* Reads declaration specifiers; 0 when there are none. */
int quern_check_read_type(quern_checker *checker, quern_check_type *type);
quern_check_type quern_check_type_of_text(const quern_checker *checker, const char *text);
quern_check_struct *quern_check_find_struct(const quern_checker *checker, const char *tag);
quern_check_struct *quern_check_add_struct(quern_checker *checker, const char *tag);
void quern_check_add_field(quern_checker *checker, quern_check_struct *structure, const char *name,
                           quern_check_type type);
/* The first type inside type that no element may have; NULL when there is none. */
const char *quern_check_barred_type(const quern_check_type *type);

/* --- check_declaration.c --- */
typedef struct quern_check_declarator {
    size_t name; /* QUERN_NOWHERE when there is none */
    quern_check_type type;
    int is_function;
    size_t bounds; /* the first "[" , else QUERN_NOWHERE */
} quern_check_declarator;

void quern_check_read_declarator(quern_checker *checker, quern_check_type base, quern_check_declarator *declarator);
/* type: of what is initialised, as far as it is known; NULL when it is not. */
void quern_check_initialiser(quern_checker *checker, const quern_check_type *type, quern_check_value *value);
/* 1 when a declaration begins at the position. */
int quern_check_starts_declaration(const quern_checker *checker);
void quern_check_declaration(quern_checker *checker);
void quern_check_helper_parameters(quern_checker *checker, const quern_signature_helper *helper);
/* The type of a helper's parameter; 0 when there is no such parameter. */
int quern_check_helper_parameter(quern_checker *checker, const quern_signature_helper *helper, size_t parameter,
                                 quern_check_type *type);

void quern_check_variable_type(quern_checker *checker, size_t name, const quern_check_type *type);
/* The name of a type that some language lacks ("long long"), else NULL. */
const char *quern_check_lacking_type(const quern_check_type *type);

/* --- check_memory.c --- */
/* At LOCAL, PRIVATE, READ_UNIFORM. */
void quern_check_memory(quern_checker *checker);

/* --- check_constant.c --- */
/* The name in begin … end that keeps it from being a constant in every dialect; QUERN_NOWHERE when none is certain to.
 */
size_t quern_check_find_variable(const quern_checker *checker, size_t begin, size_t end);
/* 1 when the tokens are an integer constant expression whose value is the same everywhere. */
int quern_check_constant(const quern_checker *checker, const size_t range[2], int64_t *value);
/* The bytes of a number of that type; 0 when they are not known. */
int64_t quern_check_type_size(const quern_check_type *type);

/* --- check_cpp.c: what C++ refuses --- */
/* Behind the declarator of a table. */
void quern_check_table_value(quern_checker *checker, size_t name);
/* begin … end, at file scope, is the value of something of that type. */
void quern_check_fits(quern_checker *checker, size_t begin, size_t end, const quern_check_type *type);
/* Behind the declarator of a variable. */
void quern_check_has_value(quern_checker *checker, size_t name, const quern_check_type *type);
void quern_check_lengths(quern_checker *checker, size_t name, size_t bounds, int is_field);
void quern_check_item_count(quern_checker *checker, size_t name, size_t bounds);
void quern_check_has_items(quern_checker *checker, size_t name, const quern_check_type *type);
/* begin … name are the words in front of a name. */
void quern_check_has_type(quern_checker *checker, size_t begin, size_t name);
/* Behind the ")" of a helper without a body so far. */
void quern_check_helper_form(quern_checker *checker, size_t name);
void quern_check_argument_count(quern_checker *checker, const quern_signature_helper *helper, size_t token,
                                size_t count);
/* token is a `return`. */
void quern_check_returned(quern_checker *checker, size_t token);

/* --- check_expression.c --- */
quern_check_value quern_check_expression(quern_checker *checker);            /* with commas */
quern_check_value quern_check_assignment_expression(quern_checker *checker); /* without */
quern_check_value quern_check_range_expression(quern_checker *checker, const size_t range[2]);

/* --- check_value.c --- */
quern_check_value quern_check_no_value(void);
void quern_check_combine_cause(quern_check_value *value, const quern_check_value *other);
int quern_check_is_scalar(quern_check_type type);
quern_check_type quern_check_index_type(void); /* quern_index */
/* Of an integer; 0 when they are not known, or not the same everywhere. */
unsigned quern_check_integer_bits(const quern_check_type *type);
/* The name of an integer type whose width the device decides ("quern_index"); NULL when it is none. */
const char *quern_check_varying_type(const quern_check_type *type);
quern_check_type quern_check_arithmetic_type(quern_check_type a, quern_check_type b);
/* What C's promotions make of it; no type for what is no number. */
quern_check_type quern_check_promoted_type(quern_check_type type);
/* An array or a pointer as the address of what it leads to, so that *(x + i) is x[i]. Everything else as it is. */
quern_check_value quern_check_decay(const quern_checker *checker, quern_check_value value);
/* The place behind an address, an array or a pointer. */
quern_check_value quern_check_dereference(const quern_checker *checker, quern_check_value value);
quern_check_value quern_check_take_address(quern_check_value value);
quern_check_value quern_check_member(quern_check_value value, const char *name);

/* --- check_calls.c, check_recursion.c --- */
/* At a name that nothing declares: reports what CUDA has in place of an index. */
void quern_check_foreign_name(quern_checker *checker, size_t token);
/* At a name that is followed by "(" and is no variable. */
quern_check_value quern_check_call_expression(quern_checker *checker);
void quern_check_recursion(quern_checker *checker);

/* --- check_dialect.c --- */
/* At a word of the dialect that stands alone. */
quern_check_value quern_check_word_expression(quern_checker *checker);

/* --- check_space.c: the memories of a device --- */
/* Which memory an address, or the place of a value, lies in; 0 when it is not known. */
int quern_check_find_space(const quern_check_value *value, quern_check_space *space);
/* "global memory"; "a GLOBAL_POINTER", of a pointer's type; "GLOBAL_POINTER(T)", as the author writes it. */
const char *quern_check_memory_word(quern_check_space space);
const char *quern_check_pointer_word(quern_check_space space);
const char *quern_check_wanted_word(quern_check_space space, int is_const);
/* value, which has decayed, is cast to that type. */
void quern_check_cast(quern_checker *checker, size_t token, const quern_check_type *to, const quern_check_value *value);
/* Two values, which have decayed, that an operator at the token compares or subtracts. */
void quern_check_comparison(quern_checker *checker, size_t token, const quern_check_value *left,
                            const quern_check_value *right);
/* condition ? yes : no, of which the last two have decayed. */
void quern_check_choice(quern_checker *checker, size_t token, const quern_check_type *condition,
                        const quern_check_value *yes, const quern_check_value *no);

/* --- check_pointer.c: where addresses go --- */
/* value is the argument with this number, from 1, of a helper that is called at the token. 1 when the helper may write
 * a variable of the kernel through it, and this is where it may do so. */
int quern_check_pointer_argument(quern_checker *checker, size_t token, const char *helper, size_t number,
                                 const quern_check_type *parameter, quern_check_value value);
/* value is put into a pointer of that type; name is the pointer's, or NULL. */
void quern_check_pointer_value(quern_checker *checker, size_t token, const char *name, const quern_check_type *pointer,
                               quern_check_value value);
/* Reports an _nd parameter that is used as if its elements were contiguous. */
void quern_check_rows(quern_checker *checker, const quern_check_value *value, size_t token);

/* --- check_write.c --- */
/* value is assigned at the token; source is what it gets, or NULL. */
void quern_check_write(quern_checker *checker, const quern_check_value *value, size_t token,
                       const quern_check_value *source);
/* An element that value denotes is assigned at the token; reads_old: its value is read, too, as += does. Old values of
 * an out parameter are nothing to rely on. */
void quern_check_out_element(quern_checker *checker, const quern_check_value *value, size_t token, int reads_old);
/* The cause that makes an assignment at this position, to the variable declared there, happen for some items only, else
 * QUERN_NOWHERE. */
size_t quern_check_control_cause(const quern_checker *checker, size_t declaration);
/* Remembers that a token depends on the item by cause. */
void quern_check_mark_cause(quern_checker *checker, size_t token, size_t cause);

/* --- check_statement.c, check_phase.c, check_jump.c --- */
void quern_check_statement(quern_checker *checker);
/* At EACH, ITEMS, …: the phase with its body. */
void quern_check_phase(quern_checker *checker, const quern_word *word);
/* The token holds a barrier: every item must reach it. Also remembers for the jumps that it is there. */
void quern_check_barrier_position(quern_checker *checker, size_t token);
/* At break, continue, return or goto. */
void quern_check_jump(quern_checker *checker);
/* At the label of a switch. */
void quern_check_case(quern_checker *checker);
/* At the label of a goto. */
void quern_check_label(quern_checker *checker);

/* --- check_body.c --- */
void quern_check_kernel(quern_checker *checker, const quern_signature_kernel *kernel);
void quern_check_helper(quern_checker *checker, size_t helper);

/* --- check_file.c, check_subset.c, check_definition.c, check_include.c --- */
void quern_check_file_scope(quern_checker *checker);
void quern_check_subset(quern_checker *checker);
void quern_check_definitions(quern_checker *checker);
void quern_check_includes(quern_checker *checker);
/* 1 for a token of a header that is neither the author's nor the dialect's. */
int quern_check_is_foreign(const quern_checker *checker, size_t token);

#endif
