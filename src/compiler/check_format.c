/* Reads the format of PRINT: string literals, their escapes, and the conversions in them. */
#include "check_format.h"

#include <string.h>

/* Where the literals are read; one behind another is one string. */
typedef struct reader {
    const quern_checker *checker;
    size_t token, end;
    const char *at; /* in the token's text, behind its quote; NULL before it */
    int is_over;    /* a NUL ends a format, whatever follows */
} reader;

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) % 16 : 16;
}

/* Behind a backslash. What \n and its kin are does not matter, but that they are no letter. */
static char read_escape(reader *from)
{
    int base = *from->at == 'x' ? 16 : digit_of(*from->at) < 8 ? 8 : 0, value = 0;
    if (base == 0)
        return *from->at++ == '%' ? '%' : '\n';
    from->at += base == 16;
    for (int digits = 0; digit_of(*from->at) < base && (base == 16 || digits < 3); digits++)
        value = (value * base + digit_of(*from->at++)) & 0xff;
    return (char)value;
}

/* The next character; '\0' behind the last one. */
static char next_character(reader *from)
{
    for (; !from->is_over && from->token < from->end; from->token++, from->at = NULL) {
        if (!from->at) {
            const char *quote = strchr(from->checker->tokens[from->token].text, '"');
            from->at = quote ? quote + 1 : "";
        }
        if (*from->at == '"' || *from->at == '\0')
            continue;
        char c = *from->at++;
        if (c == '\\')
            c = read_escape(from);
        from->is_over = c == '\0';
        return c;
    }
    return '\0';
}

static void add_character(char *text, size_t size, char c)
{
    size_t length = strlen(text);
    if (c && length + 1 < size)
        text[length] = c;
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Behind a %. 0 when that was "%%". */
static int read_conversion(reader *from, quern_check_conversion *found)
{
    memset(found, 0, sizeof *found);
    found->token = from->token;
    found->text[0] = '%';
    char c = next_character(from);
    if (c == '%')
        return 0;
    int number = 0;
    for (; c && strchr("-+ #0'I123456789.*", c); c = next_character(from)) {
        number = c >= '0' && c <= '9' ? number * 10 + (c - '0') : 0;
        if (number > QUERN_LARGEST_WIDTH)
            number = QUERN_LARGEST_WIDTH + 1;
        if (found->largest < number)
            found->largest = number;
        add_character(found->text, sizeof found->text, c);
        found->has_star |= c == '*';
        found->has_local_flag |= c == '\'' || c == 'I';
    }
    for (; c && strchr("hlLqjzt", c); c = next_character(from)) {
        add_character(found->text, sizeof found->text, c);
        add_character(found->length, sizeof found->length, c);
    }
    if (is_letter(c)) {
        add_character(found->text, sizeof found->text, c);
        found->letter = c;
    }
    return 1;
}

size_t quern_check_format(const quern_checker *checker, const size_t range[2], quern_check_conversion *conversions,
                          size_t limit)
{
    reader from = {checker, range[0], range[1], NULL, 0};
    size_t count = 0;
    for (char c = next_character(&from); c; c = next_character(&from)) {
        quern_check_conversion found;
        if (c != '%' || !read_conversion(&from, &found))
            continue;
        if (count < limit)
            conversions[count] = found;
        count++;
    }
    return count;
}
