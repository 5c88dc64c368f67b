/*
 * Pictures of a build without libpng: a computed one stands in for what a file holds, so that every job has work, and
 * results are written as portable any-maps, which take no library.
 */
#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char picture_suffix[] = ".pnm";
const char picture_note[] = "This build has no libpng: the photograph is computed, and pictures are .pnm files.\n";

/* As large as the photograph. */
enum { ROWS = 512, COLUMNS = 512, CHANNELS = 3 };

int picture_read(const char *path, picture *picture)
{
    (void)path;
    if (picture_make(picture, ROWS, COLUMNS, CHANNELS) != 0)
        return -1;
    /* Smooth here, noisy there, and different in every channel. */
    uint32_t noise = 1;
    for (uint32_t i = 0; i < ROWS * COLUMNS * CHANNELS; ++i) {
        uint32_t channel = i % CHANNELS, x = i / CHANNELS % COLUMNS, y = i / CHANNELS / COLUMNS;
        noise = noise * 1664525u + 1013904223u;
        picture->bytes[i] = (uint8_t)((x * (channel + 1) + y * 3) / 4 + (noise >> 24) * x / COLUMNS);
    }
    return 0;
}

int picture_write(const char *path, const picture *picture)
{
    size_t bytes = picture->rows * picture->columns * picture->channels;
    FILE *file = fopen(path, "wb");
    if (!file)
        return picture_refuse(path, strerror(errno));
    int failed =
        fprintf(file, "P%c\n%zu %zu\n255\n", picture->channels == 1 ? '5' : '6', picture->columns, picture->rows) < 0;
    failed |= fwrite(picture->bytes, 1, bytes, file) != bytes;
    failed |= fclose(file) != 0;
    if (!failed)
        return 0;
    int error = errno;
    (void)remove(path); /* leaves no half a file behind */
    return picture_refuse(path, strerror(error));
}
