/* Copies and fills of pitched boxes. */
#include "cpu_copy.h"

#include <string.h>

enum { LINE = 64 };

/* Fewer bytes than this are not worth a second thread. */
enum { ALONE_BYTES = 16384 };

/* A fill repeats its value in a pattern of so many bytes, made once for all rows of a piece. */
enum { PATTERN_BYTES = 1024 };

/* ---- boxes ---- */

/* A walk over the rows of a piece: all dimensions but the innermost, dim[0]. */
struct walk {
    const struct quern_cpu_copy *copy;
    const struct quern_cpu_piece *piece;
    ptrdiff_t index[QUERN_MAX_RANK]; /* fastest first, like the piece */
    char *target;
    const char *source;
};

static ptrdiff_t target_pitch(const struct quern_cpu_copy *copy, int d)
{
    return copy->target_pitches[copy->rank - 1 - d];
}

static ptrdiff_t source_pitch(const struct quern_cpu_copy *copy, int d)
{
    return copy->source_pitches[copy->rank - 1 - d];
}

static void walk_begin(struct walk *walk, const struct quern_cpu_copy *copy, const struct quern_cpu_piece *piece)
{
    walk->copy = copy;
    walk->piece = piece;
    walk->target = copy->target;
    walk->source = copy->source;
    for (int d = 1; d < copy->rank; ++d) {
        walk->index[d] = piece->dim[d].begin;
        walk->target += walk->index[d] * target_pitch(copy, d);
        walk->source += walk->index[d] * source_pitch(copy, d);
    }
}

/* To the next row; 0 when there is none. */
static int walk_on(struct walk *walk)
{
    for (int d = 1; d < walk->copy->rank; ++d) {
        ptrdiff_t begin = walk->piece->dim[d].begin, end = walk->piece->dim[d].end;
        walk->target += target_pitch(walk->copy, d);
        walk->source += source_pitch(walk->copy, d);
        if (++walk->index[d] < end)
            return 1;
        walk->index[d] = begin;
        walk->target -= (end - begin) * target_pitch(walk->copy, d);
        walk->source -= (end - begin) * source_pitch(walk->copy, d);
    }
    return 0;
}

/* The bytes of a row without gaps that the piece's blocks stand for. */
static void row_part(const struct quern_cpu_copy *copy, const struct quern_cpu_piece *piece, size_t *begin, size_t *end)
{
    size_t first = (size_t)piece->dim[0].begin * LINE, last = (size_t)piece->dim[0].end * LINE;
    *begin = first > copy->shift ? first - copy->shift : 0;
    *end = last - copy->shift < copy->row_bytes ? last - copy->shift : copy->row_bytes;
}

/* ---- copying ---- */

static void copy_rows(const struct quern_cpu_copy *copy, const struct quern_cpu_piece *piece)
{
    struct walk walk;
    size_t begin, end;
    row_part(copy, piece, &begin, &end);
    walk_begin(&walk, copy, piece);
    do
        memcpy(walk.target + begin, walk.source + begin, end - begin);
    while (walk_on(&walk));
}

/* One element after another, each with its pitch on both sides. */
static void copy_elements(char *target, ptrdiff_t target_pitch_, const char *source, ptrdiff_t source_pitch_,
                          ptrdiff_t count, size_t size)
{
#define EVERY(bytes)                                                                                                   \
    case bytes:                                                                                                        \
        for (ptrdiff_t i = 0; i < count; ++i)                                                                          \
            memcpy(target + i * target_pitch_, source + i * source_pitch_, (size_t)(bytes));                           \
        break
    switch (size) {
        EVERY(1);
        EVERY(2);
        EVERY(4);
        EVERY(8);
        EVERY(16);
    default:
        for (ptrdiff_t i = 0; i < count; ++i)
            memcpy(target + i * target_pitch_, source + i * source_pitch_, size);
    }
#undef EVERY
}

static void copy_piece(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    const struct quern_cpu_copy *copy = arguments->address;
    if (copy->row_bytes) {
        copy_rows(copy, piece);
        return;
    }
    struct walk walk;
    ptrdiff_t begin = piece->dim[0].begin, count = piece->dim[0].end - begin;
    ptrdiff_t target_step = target_pitch(copy, 0), source_step = source_pitch(copy, 0);
    walk_begin(&walk, copy, piece);
    do
        copy_elements(walk.target + begin * target_step, target_step, walk.source + begin * source_step, source_step,
                      count, copy->element_size);
    while (walk_on(&walk));
}

/* ---- filling ---- */

/* A value many times over, from the byte number phase of it on: what rows are filled with. */
struct pattern {
    size_t bytes; /* a multiple of the value's size; 0: the value is too large for it */
    char text[PATTERN_BYTES];
};

static void pattern_make(struct pattern *pattern, const char *value, size_t size, size_t phase)
{
    pattern->bytes = PATTERN_BYTES / size * size;
    for (size_t i = 0; i < pattern->bytes; ++i) {
        pattern->text[i] = value[phase];
        phase = phase + 1 == size ? 0 : phase + 1;
    }
}

/* Fills bytes from target on, which begin with the byte number phase of the value. */
static void fill_row(char *target, size_t bytes, const struct pattern *pattern, const char *value, size_t size,
                     size_t phase)
{
    while (bytes) {
        /* Without a pattern: the rest of one value at a time. */
        const char *from = pattern->bytes ? pattern->text : value + phase;
        size_t most = pattern->bytes ? pattern->bytes : size - phase, part = bytes < most ? bytes : most;
        memcpy(target, from, part);
        target += part;
        bytes -= part;
        phase = 0;
    }
}

static int is_one_byte(const char *value, size_t size)
{
    return size == 1 || memcmp(value, value + 1, size - 1) == 0;
}

static void fill_piece(struct quern_cpu_piece *piece, const struct quern_cpu_argument *arguments)
{
    const struct quern_cpu_copy *copy = arguments->address;
    const char *value = copy->source;
    struct walk walk;
    walk_begin(&walk, copy, piece);
    if (copy->row_bytes) {
        size_t begin, end, size = copy->element_size;
        int same = is_one_byte(value, size);
        struct pattern pattern;
        row_part(copy, piece, &begin, &end);
        size_t phase = begin % size;
        if (!same)
            pattern_make(&pattern, value, size, phase);
        do {
            if (same)
                memset(walk.target + begin, value[0], end - begin);
            else
                fill_row(walk.target + begin, end - begin, &pattern, value, size, phase);
        } while (walk_on(&walk));
        return;
    }
    ptrdiff_t begin = piece->dim[0].begin, count = piece->dim[0].end - begin, step = target_pitch(copy, 0);
    do
        copy_elements(walk.target + begin * step, step, value, 0, count, copy->element_size);
    while (walk_on(&walk));
}

/* ---- planning ---- */

/* A dimension that counts so many. */
static void set_dimension(struct quern_cpu_dimension *dimension, size_t count)
{
    memset(dimension, 0, sizeof *dimension);
    dimension->end = dimension->extent = (ptrdiff_t)count;
}

static void plan(struct quern_cpu_copy *plan, const quern_backend_copy *copy, int is_fill)
{
    int rank = (int)copy->rank, last = rank - 1;
    ptrdiff_t element = (ptrdiff_t)copy->element_size;
    size_t inner = copy->extents[last], bytes = copy->element_size;
    plan->target = copy->target;
    plan->source = copy->source;
    plan->element_size = copy->element_size;
    plan->rank = rank;
    for (int d = 0; d < rank; ++d) {
        plan->target_pitches[d] = copy->target_pitches[d];
        plan->source_pitches[d] = is_fill ? 0 : copy->source_pitches[d];
        set_dimension(&plan->dim[last - d], copy->extents[d]);
        bytes *= copy->extents[d];
    }
    plan->row_bytes = plan->shift = 0;
    if (inner == 1 || (copy->target_pitches[last] == element && (is_fill || copy->source_pitches[last] == element))) {
        plan->row_bytes = inner * copy->element_size;
        plan->shift = (uintptr_t)plan->target % LINE;
        set_dimension(&plan->dim[0], (plan->shift + plan->row_bytes + LINE - 1) / LINE);
    }
    plan->launch.function = is_fill ? fill_piece : copy_piece;
    plan->launch.rank = rank;
    plan->launch.alone = bytes < ALONE_BYTES;
    plan->launch.weight = 1;
    plan->launch.is_group = 0;
    plan->launch.argument_bytes = sizeof(struct quern_cpu_argument);
    plan->launch.tuning = NULL;
    plan->launch.experience = NULL;
    plan->launch.part = 0;
    plan->launch.units = 1;
    for (int d = 0; d < rank; ++d)
        plan->launch.units *= plan->dim[d].end;
}

void quern_cpu_copy_plan(struct quern_cpu_copy *copy_plan, const quern_backend_copy *copy)
{
    plan(copy_plan, copy, 0);
}

void quern_cpu_fill_plan(struct quern_cpu_copy *fill_plan, const quern_backend_copy *fill)
{
    plan(fill_plan, fill, 1);
}

void quern_cpu_copy_aim(struct quern_cpu_copy *copy_plan)
{
    copy_plan->launch.arguments = &copy_plan->argument;
    copy_plan->launch.dim = copy_plan->dim;
    copy_plan->argument.address = copy_plan;
}
