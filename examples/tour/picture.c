/* Pictures in memory. */
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

int picture_refuse(const char *path, const char *why)
{
    fprintf(stderr, "quern-tour: %s: %s\n", path, why);
    return -1;
}

int picture_make(picture *picture, size_t rows, size_t columns, size_t channels)
{
    picture->rows = rows;
    picture->columns = columns;
    picture->channels = channels;
    picture->bytes = calloc(rows * columns, channels);
    return picture->bytes ? 0 : picture_refuse("a picture", "no memory for it");
}

void picture_free(picture *picture)
{
    free(picture->bytes);
    picture->bytes = NULL;
}
