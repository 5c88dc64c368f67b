/* The calling thread's error sentence. Long ones (compiler logs) are kept whole on the heap. */
#include "error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local quern_sentence_slot own_slot;
static _Thread_local quern_sentence_slot *used_slot; /* NULL: own_slot */
_Thread_local unsigned quern_sentences;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* frees own_slot's long sentence when its thread ends */
static int key_made;

static void make_key(void)
{
    key_made = pthread_key_create(&key, free) == 0;
}

quern_sentence_slot *quern_sentence_use(quern_sentence_slot *slot)
{
    quern_sentence_slot *before = used_slot;
    used_slot = slot;
    return before;
}

static quern_sentence_slot *slot_in_use(void)
{
    return used_slot ? used_slot : &own_slot;
}

void quern_sentence_free(quern_sentence_slot *slot)
{
    if (slot == &own_slot && slot->long_sentence)
        pthread_setspecific(key, NULL);
    free(slot->long_sentence);
    slot->long_sentence = NULL;
}

/* Takes text, which was malloc'ed. A thread for whose end no key can be had cuts the text rather than leak it. */
static void set_long_sentence(quern_sentence_slot *slot, char *text)
{
    if (slot == &own_slot) {
        pthread_once(&key_once, make_key);
        if (!key_made || pthread_setspecific(key, text) != 0) {
            snprintf(slot->short_sentence, sizeof slot->short_sentence, "%s", text);
            free(text);
            return;
        }
    }
    slot->long_sentence = text;
}

quern_status quern_fail(quern_status status, const char *format, ...)
{
    /* The arguments may be the old sentence itself, so the new one is made aside first. */
    char text[QUERN_SHORT_SENTENCE];
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
    quern_sentence_slot *slot = slot_in_use();
    quern_sentence_free(slot);
    memcpy(slot->short_sentence, text, sizeof text);
    if (whole)
        set_long_sentence(slot, whole);
    ++quern_sentences;
    return status;
}

quern_status quern_fail_text(quern_status status, const char *text)
{
    return quern_fail(status, "%s", text);
}

const char *quern_last_error(void)
{
    const quern_sentence_slot *slot = slot_in_use();
    return slot->long_sentence ? slot->long_sentence : slot->short_sentence;
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
