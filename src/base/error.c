/* The calling thread's error sentence. Long ones (compiler logs) are kept whole on the heap. */
#include "error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_SENTENCE = 512 };

static _Thread_local char short_sentence[SHORT_SENTENCE];
static _Thread_local char *long_sentence; /* used instead when not NULL */
_Thread_local unsigned quern_sentences;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* frees long_sentence when its thread ends */
static int key_made;

static void make_key(void)
{
    key_made = pthread_key_create(&key, free) == 0;
}

static void drop_long_sentence(void)
{
    if (!long_sentence)
        return;
    pthread_setspecific(key, NULL);
    free(long_sentence);
    long_sentence = NULL;
}

/* Takes text, which was malloc'ed. When no key can be had, the text is cut rather than leaked. */
static void set_long_sentence(char *text)
{
    pthread_once(&key_once, make_key);
    if (!key_made || pthread_setspecific(key, text) != 0) {
        snprintf(short_sentence, sizeof short_sentence, "%s", text);
        free(text);
        return;
    }
    long_sentence = text;
}

quern_status quern_fail(quern_status status, const char *format, ...)
{
    /* The arguments may be the old sentence itself, so the new one is made aside first. */
    char text[SHORT_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *whole = NULL;
    if (length >= (int)sizeof text && (whole = malloc((size_t)length + 1)) != NULL) {
        va_start(arguments, format);
        vsnprintf(whole, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    drop_long_sentence();
    memcpy(short_sentence, text, sizeof text);
    if (whole)
        set_long_sentence(whole);
    ++quern_sentences;
    return status;
}

quern_status quern_fail_text(quern_status status, const char *text)
{
    return quern_fail(status, "%s", text);
}

const char *quern_last_error(void)
{
    return long_sentence ? long_sentence : short_sentence;
}

const char *quern_status_name(quern_status status)
{
    switch (status) {
#define NAME(name, value, text)                                                                                        \
    case QUERN_##name:                                                                                                 \
        return "QUERN_" #name;
        QUERN_STATUS_LIST(NAME)
#undef NAME
    default:
        return "unknown status";
    }
}

int quern_status_is_known(quern_status status)
{
    switch (status) {
#define KNOWN(name, value, text) case QUERN_##name:
        QUERN_STATUS_LIST(KNOWN)
#undef KNOWN
        return 1;
    default:
        return 0;
    }
}

const char *quern_status_text(quern_status status)
{
    switch (status) {
#define TEXT(name, value, text)                                                                                        \
    case QUERN_##name:                                                                                                 \
        return text;
        QUERN_STATUS_LIST(TEXT)
#undef TEXT
    default:
        return "unknown status";
    }
}
