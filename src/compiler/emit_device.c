/* The text of a kernel file for a device: the language's headers, then the author's file, piece by piece. */
#include "emit_device.h"

#include "embedded.h"

#include <string.h>

/* ---- the words of a launch ---- */

uint32_t quern_device_dimensions(const quern_signature_kernel *kernel)
{
    return kernel->rank < 0 ? QUERN_MAX_RANK : (uint32_t)kernel->rank;
}

static size_t words_of(const quern_device_language *language, const quern_signature_parameter *parameter)
{
    if (parameter->form == QUERN_PARAMETER_LOCAL)
        return language->local ? 0 : 1;
    return parameter->form == QUERN_PARAMETER_VALUE ? 0 : 1 + 2 * (size_t)parameter->rank;
}

size_t quern_device_word(const quern_device_language *language, const quern_signature_kernel *kernel, size_t parameter)
{
    size_t word = 3 + 4 * (size_t)quern_device_dimensions(kernel);
    for (size_t i = 0; i < parameter; ++i)
        word += words_of(language, &kernel->parameters[i]);
    return word;
}

/* ---- the headers ---- */

/* The byte behind a comment that begins at `at`. */
static const char *behind_comment(const char *at, const char *end)
{
    const char *closing = strstr(at + 2, "*/");
    return closing ? closing + 2 : end;
}

/* One line of a header, without comments, needless blanks and, when nothing is left, its newline; gives what follows
 * it. A header holds no string in which any of these could stand. */
static const char *add_header_line(quern_text *text, const char *at, const char *end)
{
    size_t begin = text->length;
    while (at < end && *at != '\n') {
        if (at[0] == '/' && at[1] == '*') {
            at = behind_comment(at, end);
            continue;
        }
        int is_blank = *at == ' ', is_doubled = is_blank && (at[1] == ' ' || at[1] == '\n' || at[1] == '/');
        if (!is_doubled && !(is_blank && text->length == begin))
            quern_text_add_bytes(text, at, 1);
        ++at;
    }
    if (text->length > begin)
        quern_text_add_bytes(text, "\n", 1);
    return at < end ? at + 1 : end;
}

/* Every blank that is not needed is left out, since each kernel file's object holds a copy. */
static void add_header(quern_text *text, const quern_embedded_header *header)
{
    const char *at = (const char *)header->text, *end = at + header->size;
    while (at < end)
        at = add_header_line(text, at, end);
}

static void add_headers(quern_device_writer *writer)
{
    for (const char *const *name = writer->language->headers; *name; ++name)
        for (const quern_embedded_header *header = quern_embedded_headers; header->name; ++header)
            if (strcmp(header->name, *name) == 0)
                add_header(writer->text, header);
}

/* ---- pieces ---- */

static const char *guard_of(uint32_t needs)
{
    static const char *const guards[] = {"", "defined(QUERN_FP64)", "defined(QUERN_ATOMICS64)",
                                         "defined(QUERN_FP64) && defined(QUERN_ATOMICS64)"};
    return guards[needs & (QUERN_NEEDS_FP64 | QUERN_NEEDS_ATOMICS64)];
}

/* field(T, name) or field(T, name, n), as T name; or T name[n]; */
static void write_field(quern_device_writer *writer, size_t begin, size_t end)
{
    size_t parts[4] = {begin + 2, end, end, end}, count = 0;
    for (size_t i = begin + 2; i < end && count < 2; ++i)
        if (quern_token_is(&writer->signature->tokens.tokens[i], ","))
            parts[++count] = i + 1;
    for (size_t i = count + 1; i < 4; ++i)
        parts[i] = end; /* behind the closing bracket */
    quern_device_tokens(writer, parts[0], parts[1] - 1);
    quern_device_tokens(writer, parts[1], count == 2 ? parts[2] - 1 : end - 1);
    if (count == 2) {
        quern_device_insert(writer, "[");
        quern_device_tokens(writer, parts[2], end - 1);
        quern_device_insert(writer, "]");
    }
    quern_device_insert(writer, ";");
}

/* STRUCT(name, field(T, f), …) */
static void write_struct(quern_device_writer *writer, const quern_piece *piece)
{
    const quern_token_list *tokens = &writer->signature->tokens;
    const char *name = tokens->tokens[piece->begin + 2].text, *prefix = quern_device_prefix(writer, name);
    size_t closing = quern_tokens_closing(tokens, piece->begin + 1);
    quern_device_begin(writer, piece->begin);
    quern_device_insert(writer, "typedef struct %s%s %s%s; struct %s%s {", prefix, name, prefix, name, prefix, name);
    for (size_t at = piece->begin + 4; at < closing;) {
        size_t end = quern_tokens_closing(tokens, at + 1) + 1;
        write_field(writer, at, end);
        at = end + 1; /* the comma */
    }
    quern_device_insert(writer, " };");
}

static void write_kernel(quern_device_writer *writer, const quern_signature_kernel *kernel)
{
    writer->kernel = kernel;
    writer->reads_between_phases = quern_device_reads_between_phases(writer->signature, kernel);
    writer->after_phase = 0;
    quern_device_open_kernel(writer, kernel);
    writer->depth = 1;
    quern_device_tokens(writer, kernel->body_begin + 1, kernel->body_end + 1);
    writer->kernel = NULL;
}

static void write_piece(quern_device_writer *writer, const quern_piece *piece)
{
    if (piece->needs)
        quern_device_line(writer, "#if %s", guard_of(piece->needs));
    if (piece->kind == QUERN_PIECE_KERNEL)
        write_kernel(writer, &writer->signature->kernels[piece->kernel]);
    else if (piece->kind == QUERN_PIECE_STRUCT)
        write_struct(writer, piece);
    else
        quern_device_tokens(writer, piece->begin, piece->end);
    if (piece->needs)
        quern_device_line(writer, "#endif");
    writer->depth = writer->parentheses = 0;
}

void quern_emit_device(quern_text *text, const quern_signature *signature, const quern_piece_list *pieces,
                       const char *path, quern_fp_mode fp, const quern_device_language *language)
{
    quern_device_writer writer = {.text = text, .signature = signature, .pieces = pieces, .language = language};
    language->begin(&writer, fp);
    /* So that a compiler's lines of the headers are not taken for the author's, and of what an included file declares
     * it is known whose text it is. */
    quern_device_line(&writer, "#line 1 \"<Quern's dialect>\"");
    add_headers(&writer);
    quern_text_add(text, "#line 1 ");
    quern_text_add_literal(text, path);
    quern_text_add(text, "\n");
    for (size_t i = 0; i < pieces->count; ++i)
        write_piece(&writer, &pieces->pieces[i]);
    quern_text_add(text, "\n");
}
