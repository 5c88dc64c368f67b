/* Where a compilation finds the headers of the dialect. */
#include "compile_front.h"

#include "base/error.h"
#include "cache.h"
#include "driver_files.h"

#include <stdlib.h>

quern_status quern_front_headers(quern_front *front)
{
    char *cache = NULL, *sentence = quern_path("%s", quern_last_error());
    quern_status status = quern_cache_directory(&cache);
    if (status == QUERN_SUCCESS)
        status = quern_cache_headers(cache, &front->include_directory);
    free(cache);
    if (status == QUERN_FILE_ERROR) {
        /* Not the caller's failure, so its sentence does not stay. */
        if (sentence)
            quern_fail_text(status, sentence);
        front->include_directory = quern_front_path(front, "include");
        status = front->include_directory ? quern_cache_write_headers(front->include_directory) : QUERN_OUT_OF_MEMORY;
    }
    free(sentence);
    front->build.include_directory = front->include_directory;
    return status;
}
