/* The constant tables of a text: PTX has a line for each, and the assembler refuses what is too much. */
#include "image.h"
#include "nvrtc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of one element: of the last word in front of the name that is a number's type; 4 for others. */
static size_t element_bytes(const char *words, const char *name)
{
    static const struct {
        const char *word;
        size_t bytes;
    } types[] = {{"char", 1},     {"int8_t", 1}, {"uint8_t", 1}, {"short", 2},    {"int16_t", 2},
                 {"uint16_t", 2}, {"double", 8}, {"int64_t", 8}, {"uint64_t", 8}, {"long", 8}};
    size_t bytes = 4;
    for (const char *at = words; at < name; ++at) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
        for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
            if (length == strlen(types[i].word) && strncmp(at, types[i].word, length) == 0)
                bytes = types[i].bytes;
        at += length;
    }
    return bytes;
}

/* The elements in the outermost braces at `at`. */
static size_t count_items(const char *at)
{
    size_t items = 1;
    int depth = 0;
    for (; *at && *at != ';'; ++at) {
        depth += (*at == '{') - (*at == '}');
        items += depth == 1 && *at == ',';
    }
    return items;
}

/* The next table behind *at: its name, and its bytes; 0 at the end. */
static int next_table(const char **at, const char **name, size_t *length, size_t *bytes)
{
    while ((*at = strstr(*at, "__constant__"))) {
        const char *words = *at + sizeof "__constant__" - 1, *end = words + strcspn(words, "[=;");
        *at = end;
        *name = end;
        while (*name > words && isspace((unsigned char)(*name)[-1]))
            --*name;
        const char *behind = *name;
        while (*name > words && (isalnum((unsigned char)(*name)[-1]) || (*name)[-1] == '_'))
            --*name;
        *length = (size_t)(behind - *name);
        *bytes = element_bytes(words, *name);
        for (; *end == '['; end += strcspn(end, "]") + 1) {
            char *rest;
            unsigned long count = strtoul(end + 1, &rest, 10);
            *bytes *= rest > end + 1 ? count : count_items(end);
        }
        if (*length)
            return 1;
    }
    return 0;
}

size_t fake_nvrtc_constants(const char *text, struct fake_text *ptx)
{
    size_t all = 0, length, bytes;
    const char *name;
    for (const char *at = text; next_table(&at, &name, &length, &bytes); all += bytes)
        fake_text_add(ptx, ".const .align 8 .b8 %.*s[%zu];\n", (int)length, name, bytes);
    return all;
}
