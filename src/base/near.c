/* Names near a mistyped one: optimal string alignment (insert, delete, replace, swap neighbours), case ignored. */
#include "near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 64, NEAREST = 3, SPARE = 8 /* bytes kept for the end of the sentence */ };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of edits between two names; LONGEST for names too long to be worth comparing. */
static size_t distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    if (rows >= LONGEST || columns >= LONGEST)
        return strcmp(a, b) == 0 ? 0 : LONGEST;
    size_t before[LONGEST + 1], above[LONGEST + 1], row[LONGEST + 1];
    for (size_t j = 0; j <= columns; ++j)
        above[j] = j;
    memcpy(before, above, sizeof before);
    for (size_t i = 1; i <= rows; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= columns; ++j) {
            size_t best = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
            best = smaller(best, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                best = smaller(best, before[j - 2] + 1);
            row[j] = best;
        }
        memcpy(before, above, sizeof before);
        memcpy(above, row, sizeof above);
    }
    return above[columns];
}

/* The indices of the nearest candidates, nearest first; gives their number. */
static size_t nearest(const char *name, const char *const *candidates, size_t count, size_t found[NEAREST])
{
    size_t limit = strlen(name) / 3 > 1 ? strlen(name) / 3 : 1;
    size_t edits[NEAREST];
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        size_t d = distance(name, candidates[i]);
        if (d > limit)
            continue;
        size_t place = used;
        while (place > 0 && edits[place - 1] > d)
            --place;
        if (place == NEAREST)
            continue;
        used = smaller(used + 1, NEAREST);
        for (size_t j = used - 1; j > place; --j) {
            edits[j] = edits[j - 1];
            found[j] = found[j - 1];
        }
        edits[place] = d;
        found[place] = i;
    }
    return used;
}

/* Appends when all of it fits; gives 1 then. */
static int append(char *text, size_t size, const char *addition)
{
    size_t used = strlen(text);
    if (used + strlen(addition) + 1 > size)
        return 0;
    strcpy(text + used, addition);
    return 1;
}

void quern_near_names(const char *name, const char *const *candidates, size_t count, char *text, size_t size)
{
    size_t found[NEAREST];
    size_t near = nearest(name, candidates, count, found);
    size_t listed = near > 0 ? near : count;
    text[0] = '\0';
    if (count == 0) {
        append(text, size, "; there are none");
        return;
    }
    append(text, size, near > 0 ? "; did you mean " : count == 1 ? "; there is only " : "; there are ");
    for (size_t i = 0; i < listed; ++i) {
        const char *word = candidates[near > 0 ? found[i] : i];
        const char *joint = i == 0 ? "" : i + 1 < listed ? ", " : near > 0 ? " or " : " and ";
        char piece[LONGEST * 2];
        snprintf(piece, sizeof piece, "%s%s", joint, word);
        if (!append(text, size > SPARE ? size - SPARE : 0, piece)) {
            append(text, size, ", …");
            break;
        }
    }
    if (near > 0)
        append(text, size, "?");
}
