/*
 * What the tool calls of jansson, for a build without it: every value is NULL, so that printing one is an error. The
 * code that makes values then need not know; quern_cli_json_check refuses --json before any work.
 */
#ifndef QUERN_CLI_JSON_NONE_H
#define QUERN_CLI_JSON_NONE_H

#include <stddef.h>

typedef struct quern_cli_no_json json_t;
typedef long long json_int_t;

static inline json_t *json_pack(const char *format, ...)
{
    (void)format;
    return NULL;
}

static inline json_t *json_array(void)
{
    return NULL;
}

static inline json_t *json_null(void)
{
    return NULL;
}

static inline json_t *json_integer(json_int_t value)
{
    (void)value;
    return NULL;
}

static inline json_t *json_real(double value)
{
    (void)value;
    return NULL;
}

static inline json_t *json_string(const char *text)
{
    (void)text;
    return NULL;
}

static inline int json_array_append_new(json_t *array, json_t *value)
{
    (void)array;
    (void)value;
    return 0;
}

static inline int json_object_update(json_t *object, json_t *other)
{
    (void)object;
    (void)other;
    return 0;
}

static inline int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    (void)object;
    (void)key;
    (void)value;
    return 0;
}

static inline void json_decref(json_t *value)
{
    (void)value;
}

#endif
