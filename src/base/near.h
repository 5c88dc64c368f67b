/* Names near a mistyped one, for messages. */
#ifndef QUERN_BASE_NEAR_H
#define QUERN_BASE_NEAR_H

#include <stddef.h>

/*
 * Writes what may have been meant by name: "; did you mean saxpy?" with up to three near names, nearest first. When
 * none is near: "; there are a, b and c" (as many as fit), or "; there are none". text is always ended; names that do
 * not fit are left out.
 */
void quern_near_names(const char *name, const char *const *candidates, size_t count, char *text, size_t size);

#endif
