/*
 * What is to be said of PTX that was made, or could not be: NVRTC's warnings, and kernels that no GPU can hold.
 *
 * PTX says what its kernels take, which the checker does not know of every type. The driver refuses it only when a
 * program runs, the C compiler and NVRTC do not.
 */
#include "compile_ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What every CUDA device has. */
enum { STATIC_LOCAL = 49152, ITEM_MEMORY = 524288, CONSTANT_MEMORY = 65536, GROUP_ITEMS = 1024, GROUP_DEPTH = 64 };

/* ---- NVRTC's log ---- */

/* `FILE(LINE): warning #NUMBER-D: TEXT` */
typedef struct message {
    size_t file; /* length */
    const char *line;
    size_t line_length;
    const char *kind;
    size_t kind_length;
    long number; /* 0: none */
    const char *text;
} message;

static int read_message(const char *at, message *m)
{
    const char *end = at + strcspn(at, "\n");
    for (const char *open = at; open < end && (open = memchr(open, '(', (size_t)(end - open))) != NULL; ++open) {
        m->file = (size_t)(open - at);
        m->line = open + 1;
        m->line_length = strspn(m->line, "0123456789");
        m->kind = m->line + m->line_length + 3;
        if (!m->line_length || strncmp(m->kind - 3, "): ", 3) != 0)
            continue;
        m->kind_length = strspn(m->kind, "abcdefghijklmnopqrstuvwxyz");
        m->text = m->kind + m->kind_length;
        m->number = 0;
        if (strncmp(m->text, " #", 2) == 0) {
            m->number = strtol(m->text + 2, NULL, 10);
            m->text += strcspn(m->text, ":\n");
        }
        return *m->text == ':' && m->kind_length > 0;
    }
    return 0;
}

/* The C compiler says the same of these: variables that are not used, or only set. */
static int is_said_already(long number)
{
    return number == 177 || number == 550;
}

void quern_ptx_note_log(quern_text *notes, const char *log)
{
    int keep = 0;
    for (const char *at = log; at && *at;) {
        size_t length = strcspn(at, "\n");
        message m;
        if (read_message(at, &m)) {
            keep = !is_said_already(m.number);
            if (keep)
                quern_text_add(notes, "%.*s:%.*s: %.*s%.*s [NVRTC]\n", (int)m.file, at, (int)m.line_length, m.line,
                               (int)m.kind_length, m.kind, (int)(at + length - m.text), m.text);
        } else if (!isspace((unsigned char)*at)) {
            keep = 0; /* a remark on NVRTC's options */
        } else if (keep && strspn(at, " \t") < length) {
            quern_text_add(notes, "%.*s\n", (int)length, at);
        }
        at += length + (at[length] == '\n');
    }
}

/* ---- kernels whose arguments NVRTC refuses ---- */

static int is_called(const char *name, size_t length, const char *prefix, const char *rest)
{
    size_t before = strlen(prefix);
    return length == before + strlen(rest) && strncmp(name, prefix, before) == 0 &&
           strncmp(name + before, rest, length - before) == 0;
}

/* By its name in PTX; NULL when the file has none of that name. */
static const quern_signature_kernel *find_kernel(const quern_signature *signature, const char *name, size_t length)
{
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (is_called(name, length, "quern_k_", signature->kernels[i].name))
            return &signature->kernels[i];
    return NULL;
}

/* The number behind a text that stands before `end`; -1 when there is none. */
static long long number_behind(const char *at, const char *end, const char *text)
{
    const char *found = memmem(at, (size_t)(end - at), text, strlen(text));
    return found && isdigit((unsigned char)found[strlen(text)]) ? strtoll(found + strlen(text), NULL, 10) : -1;
}

/* `FILE(LINE): Error: Formal parameter space overflowed (40040 bytes required, max 32764 bytes allowed) in function
 * quern_k_NAME`; 0 when the line says something else. */
static int note_arguments(quern_text *notes, const quern_signature *signature, const char *at, const char *end,
                          int architecture)
{
    static const char fault[] = "Formal parameter space overflowed", place[] = " in function ";
    const char *name = memmem(at, (size_t)(end - at), place, sizeof place - 1);
    long long bytes = number_behind(at, end, "overflowed ("), most = number_behind(at, end, ", max ");
    if (!memmem(at, (size_t)(end - at), fault, sizeof fault - 1) || !name || bytes < 0 || most < 0)
        return 0;
    name += sizeof place - 1;
    const quern_signature_kernel *kernel = find_kernel(signature, name, strcspn(name, " \t\r\n"));
    if (!kernel)
        return 0;
    quern_text known = {0}; /* another variant has said it */
    quern_text_add(&known, "%s:%d: warning: NVRTC gives the arguments of '%s' at most %lld bytes", kernel->where->file,
                   kernel->where->line, kernel->name, most);
    if (!strstr(quern_text_string(notes), quern_text_string(&known)))
        quern_text_add(notes,
                       "%s on CUDA architecture %d, and they take %lld: its PTX of this file is left out, and no such "
                       "GPU runs the file's kernels; wanted smaller ones, or an in parameter\n",
                       quern_text_string(&known), architecture, bytes);
    notes->failed |= known.failed;
    quern_text_free(&known);
    return 1;
}

/* The word of an error as NVRTC's parts have it: `FILE(LINE): error: TEXT`, and with a capital. */
static int is_error(const char *at, const char *end)
{
    static const char *const words[] = {"): error", "): Error", "): catastrophic error"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (memmem(at, (size_t)(end - at), words[i], strlen(words[i])))
            return 1;
    return 0;
}

int quern_ptx_note_arguments(quern_text *notes, const quern_signature *signature, const char *log, int architecture)
{
    int noted = 0;
    for (const char *at = log; at && *at;) {
        const char *end = at + strcspn(at, "\n");
        if (is_error(at, end)) {
            if (!note_arguments(notes, signature, at, end, architecture))
                return 0;
            noted = 1;
        }
        at = end + (*end == '\n');
    }
    return noted;
}

/* ---- what a kernel and a file take ---- */

/* A variable's line, `.shared .align 4 .b8 NAME[1024];`. */
typedef struct variable {
    const char *name;
    size_t name_length;
    long long bytes, alignment;
} variable;

/* 1 when the line at `at`, behind its blanks, declares a variable of that space. */
static int read_variable(const char *at, const char *space, variable *v)
{
    if (strncmp(at, space, strlen(space)) != 0)
        return 0;
    at += strlen(space);
    v->bytes = v->alignment = 1;
    for (; *at == '.'; at += strspn(at, " \t")) {
        const char *number = at + 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz");
        if (strncmp(at, ".align ", 7) == 0)
            v->alignment = strtoll(at + 7, NULL, 10);
        else
            v->bytes = strtoll(number, NULL, 10) / 8;
        at += strncmp(at, ".align ", 7) == 0 ? 7 + strspn(at + 7, "0123456789") : strcspn(at, " \t\n");
        at += strspn(at, " \t");
    }
    v->name = at;
    v->name_length = strcspn(at, "[;= \t\n");
    if (at[v->name_length] == '[')
        v->bytes *= strtoll(at + v->name_length + 1, NULL, 10);
    return v->name_length > 0 && v->bytes > 0 && v->alignment > 0;
}

static void add_variable(long long *bytes, const variable *v)
{
    *bytes = (*bytes + v->alignment - 1) / v->alignment * v->alignment + v->bytes;
}

/* What a kernel's variables take, by PTX. */
typedef struct usage {
    const char *entry; /* NULL before the first */
    size_t length;
    long long local, item; /* LOCAL arrays; arrays that an item has by itself */
} usage;

static void note_kernel(quern_text *notes, const quern_signature *signature, const usage *u)
{
    const quern_signature_kernel *kernel = u->entry ? find_kernel(signature, u->entry, u->length) : NULL;
    if (kernel && u->local > STATIC_LOCAL)
        quern_text_add(notes,
                       "%s:%d: warning: the LOCAL arrays of '%s' take %lld bytes, and CUDA gives a kernel %d: no "
                       "GPU loads this file's PTX; wanted smaller ones or a local parameter\n",
                       kernel->where->file, kernel->where->line, kernel->name, u->local, (int)STATIC_LOCAL);
    if (kernel && u->item > ITEM_MEMORY)
        quern_text_add(notes,
                       "%s:%d: warning: the arrays that every item of '%s' has by itself take %lld bytes, and CUDA "
                       "gives an item %d: it runs on no GPU\n",
                       kernel->where->file, kernel->where->line, kernel->name, u->item, (int)ITEM_MEMORY);
}

/* largest: the largest table, by whose place the author is told. */
static void note_constants(quern_text *notes, const quern_signature *signature, const variable *largest,
                           long long bytes)
{
    const quern_token_list *tokens = &signature->tokens;
    for (size_t i = 1; bytes > CONSTANT_MEMORY && i < tokens->count; ++i) {
        const quern_token *token = &tokens->tokens[i];
        if (token->kind == QUERN_TOKEN_NAME &&
            is_called(largest->name, largest->name_length, "quern_u_", token->text)) {
            quern_text_add(notes,
                           "%s:%d: warning: the CONSTANT tables take %lld bytes with '%s', and CUDA gives a file %d: "
                           "no GPU loads this file's PTX; wanted smaller tables or an in parameter\n",
                           token->file, token->line, bytes, token->text, (int)CONSTANT_MEMORY);
            return;
        }
    }
}

static void note_memory(quern_text *notes, const quern_signature *signature, const char *ptx)
{
    long long constant = 0;
    usage u = {NULL, 0, 0, 0};
    variable largest = {NULL, 0, 0, 1}, v;
    for (const char *at = ptx; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        at += strspn(at, " \t");
        if (strncmp(at, ".visible .entry ", 16) == 0) {
            note_kernel(notes, signature, &u);
            u = (usage){at + 16, strcspn(at + 16, "( \n"), 0, 0};
        } else if (read_variable(at, ".shared ", &v)) {
            add_variable(&u.local, &v);
        } else if (read_variable(at, ".local ", &v)) {
            add_variable(&u.item, &v);
        } else if (read_variable(at, ".const ", &v)) {
            add_variable(&constant, &v);
            if (v.bytes > largest.bytes)
                largest = v;
        }
    }
    note_kernel(notes, signature, &u);
    note_constants(notes, signature, &largest, constant);
}

static void note_group(quern_text *notes, const quern_signature_kernel *kernel)
{
    size_t items = 1; /* which no signature lets overflow */
    for (uint32_t d = 0; d < kernel->group_rank; ++d)
        items *= kernel->group[d];
    if (items > GROUP_ITEMS)
        quern_text_add(notes,
                       "%s:%d: warning: the groups of '%s' have %zu items, and those of a CUDA device at most %d: it "
                       "runs on none\n",
                       kernel->where->file, kernel->where->line, kernel->name, items, (int)GROUP_ITEMS);
    else if (kernel->group_rank == 3 && kernel->group[0] > GROUP_DEPTH)
        quern_text_add(notes,
                       "%s:%d: warning: the groups of '%s' have %zu items along z, and those of a CUDA device at most "
                       "%d: it runs on none\n",
                       kernel->where->file, kernel->where->line, kernel->name, kernel->group[0], (int)GROUP_DEPTH);
}

void quern_ptx_note_limits(quern_text *notes, const quern_signature *signature, const char *ptx)
{
    for (size_t i = 0; i < signature->kernel_count; ++i)
        if (signature->kernels[i].is_group)
            note_group(notes, &signature->kernels[i]);
    note_memory(notes, signature, ptx);
}
