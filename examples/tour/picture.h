/* Pictures, and files of them: picture_png.c, or picture_plain.c where there is no libpng. */
#ifndef TOUR_PICTURE_H
#define TOUR_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* Rows of columns pixels, each of channels bytes (1 grey, 3 red-green-blue), one after another without gaps. */
typedef struct picture {
    size_t rows, columns, channels;
    uint8_t *bytes;
} picture;

/* Memory for a picture. 0, or -1 after a line on stderr. */
int picture_make(picture *picture, size_t rows, size_t columns, size_t channels);
void picture_free(picture *picture);

/* Reads any PNG file as red-green-blue. 0; or -1 when it cannot be read, after a line on stderr. */
int picture_read(const char *path, picture *picture);

/* Writes the picture, of 1 or 3 channels. 0; or -1 after a line on stderr. */
int picture_write(const char *path, const picture *picture);

/* How the names of the files that are written end; and what there is to say of how this build does it, or "". */
extern const char picture_suffix[], picture_note[];

/* A line on stderr. Gives -1. */
int picture_refuse(const char *path, const char *why);

#endif
