/* JSON on stdout: texts of any bytes, statuses, and the printing. */
#include "json.h"

#include "cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 sequence at text, 0 when there is none (overlong and surrogates are none). */
static size_t sequence_length(const unsigned char *text)
{
    unsigned lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    unsigned second = text[1];
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f))
        return 0;
    return length;
}

json_t *quern_cli_json_text(const char *text)
{
    if (!text)
        return json_null();
    char *clean = strdup(text);
    if (!clean)
        return NULL;
    for (char *at = clean; *at;) {
        size_t length = sequence_length((const unsigned char *)at);
        if (length == 0)
            *at = '?';
        at += length > 0 ? length : 1;
    }
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *quern_cli_json_status(quern_status status)
{
    static const char prefix[] = "QUERN_";
    const char *name = quern_status_name(status);
    char word[64];
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    snprintf(word, sizeof word, "%s", name);
    for (char *at = word; *at; ++at)
        *at = (char)tolower((unsigned char)*at);
    return json_string(word);
}

int quern_cli_json_check(void)
{
#ifdef QUERN_HAVE_JANSSON
    return QUERN_CLI_RIGHT;
#else
    quern_cli_error("this build has no --json: jansson was not there when it was made");
    return QUERN_CLI_WRONG;
#endif
}

#ifdef QUERN_HAVE_JANSSON
enum { DUMP_FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(9) };
#endif

char *quern_cli_json_dump(json_t *value)
{
#ifdef QUERN_HAVE_JANSSON
    char *text = value ? json_dumps(value, DUMP_FLAGS) : NULL, *line = NULL;
    if (text && asprintf(&line, "%s\n", text) < 0)
        line = NULL;
    free(text);
    json_decref(value);
    return line;
#else
    (void)value;
    return NULL;
#endif
}

int quern_cli_json_print(json_t *value)
{
    if (quern_cli_json_check())
        return QUERN_CLI_WRONG;
    if (!value) {
        quern_cli_error("no memory for the JSON output");
        return QUERN_CLI_WRONG;
    }
#ifdef QUERN_HAVE_JANSSON
    /* A failed write shows when main flushes stdout. */
    json_dumpf(value, stdout, DUMP_FLAGS);
    putchar('\n');
    json_decref(value);
#endif
    return QUERN_CLI_RIGHT;
}
