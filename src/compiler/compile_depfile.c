/* Dependencies: every file that the preprocessor's line markers name. */
#include "compile_depfile.h"

#include <stdlib.h>
#include <string.h>

/* As make reads it: blanks and # behind a backslash, $ twice. */
static void add_escaped(quern_text *rule, const char *path)
{
    for (; *path; ++path) {
        if (*path == ' ' || *path == '#' || *path == '\\')
            quern_text_add(rule, "\\");
        quern_text_add(rule, *path == '$' ? "$$" : "%c", *path);
    }
}

/* The quoted name at *at, unescaped into name; *at moves behind it. */
static void read_name(const char **at, quern_text *name)
{
    const char *c = *at + 1;
    for (; *c && *c != '"' && *c != '\n'; ++c) {
        char byte = *c;
        if (byte == '\\' && c[1] >= '0' && c[1] <= '7') {
            int value = 0;
            for (int i = 0; i < 3 && c[1] >= '0' && c[1] <= '7'; ++i)
                value = value * 8 + (*++c - '0');
            byte = (char)(unsigned char)value;
        } else if (byte == '\\' && c[1]) {
            byte = *++c == 'n' ? '\n' : *c;
        }
        quern_text_add_bytes(name, &byte, 1);
    }
    *at = *c == '"' ? c + 1 : c;
}

/* A file that the author could edit: not <built-in>, a directory, a system header, or one of Quern's own. */
static int counts(const quern_front *front, const char *name, const char *flags)
{
    size_t length = strlen(name), line = strcspn(flags, "\n");
    if (length == 0 || name[0] == '<' || name[length - 1] == '/' || memchr(flags, '3', line))
        return 0;
    return strncmp(name, front->work.path, strlen(front->work.path)) != 0 &&
           strncmp(name, front->include_directory, strlen(front->include_directory)) != 0;
}

/* 1 when the rule has the escaped name already, as a line of its own. */
static int has_line(const quern_text *rule, const char *line)
{
    size_t length = strlen(line);
    for (const char *found = strstr(quern_text_string(rule), line); found; found = strstr(found + 1, line))
        if (found[length] == ' ' || found[length] == '\0')
            return 1;
    return 0;
}

static void add_dependency(quern_text *rule, const char *name)
{
    quern_text line = {0};
    quern_text_add(&line, " \\\n  ");
    add_escaped(&line, name);
    if (!line.failed && !has_line(rule, line.data))
        quern_text_add(rule, "%s", line.data);
    rule->failed |= line.failed;
    quern_text_free(&line);
}

void quern_depfile_write(quern_text *rule, const quern_front *front, const char *header, const char *object)
{
    add_escaped(rule, header);
    quern_text_add(rule, " ");
    add_escaped(rule, object);
    quern_text_add(rule, ":");
    add_dependency(rule, front->emission.path);
    const char *at = quern_text_string(&front->preprocessed);
    while (at) {
        if (at[0] == '#' && at[1] == ' ' && at[2] >= '0' && at[2] <= '9') {
            quern_text name = {0};
            at += 2 + strspn(at + 2, "0123456789 ");
            if (*at == '"')
                read_name(&at, &name);
            if (counts(front, quern_text_string(&name), at))
                add_dependency(rule, quern_text_string(&name));
            rule->failed |= name.failed;
            quern_text_free(&name);
        }
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    quern_text_add(rule, "\n");
}
