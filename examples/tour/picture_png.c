/* Pictures as PNG files, by libpng's simple interface, which checks what it reads. */
#include "picture.h"

#include <errno.h>
#include <png.h>
#include <string.h>

/* The largest number of rows and of columns: a file that claims more is taken for damaged. */
#define LIMIT 32768

const char picture_suffix[] = ".png", picture_note[] = "";

static int read_begun(const char *path, png_image *image, picture *picture)
{
    image->format = PNG_FORMAT_RGB;
    if (image->width < 1 || image->height < 1 || image->width > LIMIT || image->height > LIMIT)
        return picture_refuse(path, "a picture that is too small or too large");
    if (picture_make(picture, image->height, image->width, 3) != 0)
        return -1;
    if (!png_image_finish_read(image, NULL, picture->bytes, 0, NULL))
        return picture_refuse(path, image->message);
    return 0;
}

int picture_read(const char *path, picture *picture)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    int result = -1;

    picture->bytes = NULL;
    errno = 0;
    if (png_image_begin_read_from_file(&image, path))
        result = read_begun(path, &image, picture);
    else
        picture_refuse(path, errno ? strerror(errno) : image.message);
    png_image_free(&image);
    if (result != 0)
        picture_free(picture);
    return result;
}

int picture_write(const char *path, const picture *picture)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    int result = 0;

    image.width = (png_uint_32)picture->columns;
    image.height = (png_uint_32)picture->rows;
    image.format = picture->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    errno = 0;
    if (!png_image_write_to_file(&image, path, 0, picture->bytes, 0, NULL)) /* leaves no half a file behind */
        result = picture_refuse(path, errno ? strerror(errno) : image.message);
    png_image_free(&image);
    return result;
}
