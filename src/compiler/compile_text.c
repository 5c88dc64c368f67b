/* The text that a device's compiler gets, without compiling anything: for the author to read. */
#include "compiler.h"

#include "base/error.h"
#include "compile_front.h"
#include "driver_files.h"

#include <string.h>

/* Takes the text out of the front. */
static quern_status take_text(quern_front *front, const char *backend, char **text)
{
    for (size_t i = 0; i < front->emission.text_count; ++i)
        if (strcmp(front->texts[i].backend, backend) == 0) {
            *text = front->texts[i].text.data;
            front->texts[i].text = (quern_text){0};
            return QUERN_SUCCESS;
        }
    return quern_fail(QUERN_NOT_FOUND,
                      "there is no text of '%s' for the backend '%s'; there are those for opencl and cuda",
                      front->emission.path, backend);
}

quern_status quern_compile_text(const char *path, const char *backend, const quern_compile_options *options,
                                char **text)
{
    static const quern_compile_options none;
    static const char *const no_levels[] = {NULL};
    quern_front front;
    if (!path || !backend || !text)
        return quern_fail(QUERN_INVALID_ARGUMENT, "%s is NULL",
                          !path      ? "path of a kernel file"
                          : !backend ? "backend"
                                     : "text");
    quern_status status =
        quern_front_open(&front, path, options ? options : &none, quern_temporary_directory(), "quern-");
    front.emission.levels = no_levels;
    if (status == QUERN_SUCCESS)
        status = quern_front_headers(&front);
    if (status == QUERN_SUCCESS)
        status = quern_front_read(&front, 0, 0);
    if (status == QUERN_SUCCESS)
        status = take_text(&front, backend, text);
    quern_front_close(&front);
    return status;
}
