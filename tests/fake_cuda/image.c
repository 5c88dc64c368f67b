/* Reading what a module is loaded from. */
#include "image.h"

#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the line that names the kernel file ---- */

static const char source_line[] = "// quern: kernels of \"";

/* Behind the literal whose text begins at `at`; the text goes to *path. */
static const char *read_literal(const char *at, char *path)
{
    while (*at && *at != '"' && *at != '\n') {
        if (*at != '\\') {
            *path++ = *at++;
            continue;
        }
        ++at;
        if (*at >= '0' && *at <= '7') {
            int value = 0;
            for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; ++i)
                value = 8 * value + (*at++ - '0');
            *path++ = (char)value;
        } else if (*at) {
            *path++ = *at++;
        }
    }
    *path = '\0';
    return *at == '"' ? at + 1 : NULL;
}

/* 1 when there is such a line and it is right, 0 when there is none, -1 when it is wrong. */
static int read_source_line(const char *data, struct fake_image *image)
{
    char floating[16] = "";
    const char *line = strstr(data, source_line);
    if (!line || (line != data && line[-1] != '\n'))
        return 0;
    image->path = malloc(strlen(line) + 1);
    const char *rest = image->path ? read_literal(line + sizeof source_line - 1, image->path) : NULL;
    if (!rest || sscanf(rest, ", QUERN_INDEX_BITS=%d, QUERN_LINEAR=%d, %15[a-z]", &image->index_bits, &image->is_linear,
                        floating) != 3)
        return -1;
    static const char *const modes[] = {"strict", "contract", "fast"};
    for (image->floating = 0; image->floating < 3; ++image->floating)
        if (strcmp(floating, modes[image->floating]) == 0)
            break;
    int known = image->floating < 3 && (image->index_bits == 32 || image->index_bits == 64) &&
                (image->is_linear == 0 || image->is_linear == 1);
    return known ? 1 : -1;
}

/* ---- entries ---- */

static int add_name(struct fake_image *image, const char *name, size_t length, size_t item_bytes)
{
    char **more = realloc(image->names, (image->count + 2) * sizeof *more);
    if (!more)
        return 0;
    image->names = more;
    more[image->count + 1] = NULL;
    size_t *bytes = realloc(image->item_bytes, (image->count + 1) * sizeof *bytes);
    more[image->count] = bytes ? strndup(name, length) : NULL;
    if (!more[image->count])
        return 0;
    image->item_bytes = bytes;
    bytes[image->count++] = item_bytes;
    return 1;
}

/* The bytes of all arrays `SPACE .align 4 .b8 NAME[1024]` between two places of a PTX. */
static size_t bytes_of(const char *at, const char *end, const char *space)
{
    size_t bytes = 0;
    while (at < end && (at = strstr(at, space)) && at < end) {
        size_t alignment = 1, count = 0;
        if (sscanf(at + strlen(space), " .align %zu .b8 %*[^[;=\n][%zu]", &alignment, &count) == 2 && alignment)
            bytes = (bytes + alignment - 1) / alignment * alignment + count;
        at += strlen(space);
    }
    return bytes;
}

static int read_names(const char *data, struct fake_image *image)
{
    for (const char *at = data; (at = strstr(at, FAKE_CUBIN_ENTRY));) {
        at += sizeof FAKE_CUBIN_ENTRY - 1;
        size_t length = strcspn(at, " (\t\r\n");
        const char *next = strstr(at, FAKE_CUBIN_ENTRY);
        if (length == 0 || !add_name(image, at, length, bytes_of(at, next ? next : at + strlen(at), ".local")))
            return 0;
    }
    return 1;
}

/* ---- PTX ---- */

static fc_result bad_ptx(fc_result error, char *log, size_t log_size, const char *text)
{
    snprintf(log, log_size, "ptxas application ptx input, %s\nptxas fatal   : Ptx assembly aborted due to errors",
             text);
    return error;
}

/* The newest version of PTX, 10 * major + minor, of a driver. */
static int newest_ptx(int driver)
{
    static const int of_12[] = {80, 81, 82, 83, 84, 85, 85, 86, 87, 88};
    int major = driver / 1000, minor = driver % 1000 / 10;
    if (major == 12)
        return of_12[minor < 10 ? minor : 9];
    return 10 * (major - 4) + minor;
}

/* Comments and literals do not come into it: PTX has braces in neither, as far as this driver loads it. */
static int is_whole(const char *data)
{
    long depth = 0;
    for (const char *at = data; *at; ++at) {
        if (at[0] == '/' && at[1] == '/')
            at += strcspn(at, "\n") - 1;
        else
            depth += (*at == '{') - (*at == '}');
    }
    return depth == 0;
}

static const char *after(const char *data, const char *directive)
{
    for (const char *at = data; (at = strstr(at, directive)); ++at)
        if (at == data || at[-1] == '\n')
            return at + strlen(directive);
    return NULL;
}

static fc_result read_ptx(const char *data, char *log, size_t log_size)
{
    char suffix = ' ';
    int major, minor, target;
    const char *version = after(data, ".version "), *architecture = after(data, ".target sm_");
    if (!version || sscanf(version, "%d.%d", &major, &minor) != 2)
        return bad_ptx(FC_ERROR_INVALID_PTX, log, log_size, "line 1; fatal   : Missing .version directive");
    if (10 * major + minor > newest_ptx(fake_settings.version))
        return bad_ptx(FC_ERROR_UNSUPPORTED_PTX_VERSION, log, log_size, "line 1; fatal   : Unsupported .version");
    if (!architecture || sscanf(architecture, "%d%c", &target, &suffix) < 1)
        return bad_ptx(FC_ERROR_INVALID_PTX, log, log_size, "line 2; fatal   : Missing .target directive");
    if (target > fake_settings.architecture || (suffix == 'a' && target != fake_settings.architecture))
        return bad_ptx(FC_ERROR_INVALID_PTX, log, log_size,
                       "line 2; fatal   : SM version specified by .target is higher than default SM version assumed");
    if (!is_whole(data))
        return bad_ptx(FC_ERROR_INVALID_PTX, log, log_size, "fatal   : Parsing error near '': syntax error");
    size_t constants = bytes_of(data, data + strlen(data), ".const");
    if (constants <= FAKE_CONSTANTS)
        return FC_SUCCESS;
    snprintf(log, log_size, FAKE_TOO_MANY_CONSTANTS, constants, FAKE_CONSTANTS);
    return FC_ERROR_INVALID_PTX;
}

/* ---- machine code ---- */

static fc_result read_cubin(const char *data)
{
    int target;
    const char *architecture = strstr(data, FAKE_CUBIN_ARCHITECTURE), *end = strstr(data, FAKE_CUBIN_END);
    if (!architecture || !end || sscanf(architecture, FAKE_CUBIN_ARCHITECTURE "%d", &target) != 1)
        return FC_ERROR_INVALID_IMAGE;
    if (target / 10 != fake_settings.architecture / 10 || target > fake_settings.architecture)
        return FC_ERROR_NO_BINARY_FOR_GPU;
    return FC_SUCCESS;
}

/* ---- both ---- */

static int is_text(const char *data)
{
    data += strspn(data, " \t\r\n");
    return *data == '.' || strncmp(data, "//", 2) == 0;
}

void fake_image_free(struct fake_image *image)
{
    if (!image)
        return;
    for (size_t i = 0; i < image->count; ++i)
        free(image->names[i]);
    free(image->names);
    free(image->item_bytes);
    free(image->path);
    free(image);
}

fc_result fake_image_read(const char *data, struct fake_image **image, char *log, size_t log_size)
{
    fc_result error = FC_ERROR_INVALID_IMAGE;
    int is_cubin = strncmp(data, FAKE_CUBIN_BEGIN, sizeof FAKE_CUBIN_BEGIN - 1) == 0;
    if (is_cubin)
        error = read_cubin(data);
    else if (is_text(data))
        error = read_ptx(data, log, log_size);
    if (error)
        return error;
    struct fake_image *made = calloc(1, sizeof *made);
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    int source = read_source_line(data, made);
    if (!read_names(data, made) || source < 0) {
        fake_image_free(made);
        if (source < 0)
            fake_violation("the line that names an image's kernel file is none that src/base/nvrtc.h describes");
        return source < 0 ? FC_ERROR_INVALID_IMAGE : FC_ERROR_OUT_OF_MEMORY;
    }
    *image = made;
    return FC_SUCCESS;
}
