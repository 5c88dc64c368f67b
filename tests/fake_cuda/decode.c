/* Running a launch: its words and pointers become what the CPU build of the kernel takes. */
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

/* The parameters one after another, from the array `parameters` or the buffer in `extra`. */
static fc_result read_parameters(const struct fake_kernel *kernel, void **parameters, void **extra, char *bytes)
{
    const void *buffer = NULL;
    size_t size = 0;
    if (!parameters == !extra)
        return FC_ERROR_INVALID_VALUE; /* every kernel has its words */
    for (size_t i = 0; parameters && i < kernel->parameter_count; ++i) {
        if (!parameters[i])
            return FC_ERROR_INVALID_VALUE;
        memcpy(bytes + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].bytes);
    }
    if (parameters)
        return FC_SUCCESS;
    for (; *extra != FC_LAUNCH_END; extra += 2)
        if (*extra == FC_LAUNCH_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == FC_LAUNCH_BUFFER_SIZE)
            size = *(const size_t *)extra[1];
        else
            return FC_ERROR_INVALID_VALUE;
    if (!buffer || size != kernel->parameter_bytes)
        return FC_ERROR_INVALID_VALUE;
    memcpy(bytes, buffer, size);
    return FC_SUCCESS;
}

static uintptr_t pointer_at(const struct fake_launch *launch, size_t parameter)
{
    fc_pointer pointer;
    memcpy(&pointer, launch->bytes + launch->kernel->parameters[parameter].offset, sizeof pointer);
    return (uintptr_t)pointer;
}

fc_result fake_launch_new(const struct fake_function *function, struct fake_context *context, void **parameters,
                          void **extra, struct fake_launch **launch)
{
    const struct fake_kernel *kernel = function->kernel;
    struct fake_launch *made = calloc(1, sizeof *made);
    if (!made)
        return FC_ERROR_OUT_OF_MEMORY;
    made->kernel = kernel;
    made->context = context;
    made->seed = fake_random();
    made->bytes = calloc(1, kernel->parameter_bytes);
    made->memories = calloc(kernel->parameter_count, sizeof(struct fake_memory *));
    fc_result error = made->bytes && made->memories ? read_parameters(kernel, parameters, extra, made->bytes)
                                                    : FC_ERROR_OUT_OF_MEMORY;
    if (error) {
        fake_launch_free(made);
        return error;
    }
    for (size_t i = 0; i < kernel->parameter_count; ++i)
        if (kernel->parameters[i].is_pointer) {
            made->memories[i] = fake_memory_find(pointer_at(made, i));
            if (made->memories[i])
                ++made->memories[i]->uses;
        }
    made->memory_count = kernel->parameter_count;
    *launch = made;
    return FC_SUCCESS;
}

size_t fake_launch_bytes(const struct fake_launch *launch)
{
    return launch->kernel->parameter_bytes;
}

uintptr_t fake_launch_pointer(const struct fake_launch *launch, size_t i)
{
    return launch->kernel->parameters[i].is_pointer ? pointer_at(launch, i) : 0;
}

void fake_launch_free(struct fake_launch *launch)
{
    for (size_t i = 0; i < launch->memory_count; ++i)
        fake_memory_unuse(launch->memories[i]);
    free(launch->memories);
    free(launch->bytes);
    free(launch);
}

fc_result fake_launch_check(const struct fake_launch *launch)
{
    for (size_t i = 0; i < launch->memory_count; ++i) {
        const struct fake_memory *memory = launch->memories[i];
        if (!launch->kernel->parameters[i].is_pointer || !pointer_at(launch, i))
            continue;
        if (!memory || !fake_memory_is_reachable(memory, launch->context))
            return FC_ERROR_ILLEGAL_ADDRESS;
        if (memory->there && !memory->is_detached)
            continue;
        fake_violation("kernel '%s' came to memory of %zu bytes %s", launch->kernel->descriptor->name, memory->bytes,
                       memory->there ? "that had been freed" : "before the memory had been allocated in its stream");
        return FC_ERROR_ILLEGAL_ADDRESS;
    }
    return FC_SUCCESS;
}

/* ---- words ---- */

/* A launch while it is decoded. */
struct decoding {
    const struct fake_launch *launch;
    const quern_kernel *kernel;
    int64_t *words;
    int32_t rank;
    struct quern_cpu_dimension dimensions[QUERN_MAX_RANK];
    struct quern_cpu_argument arguments[QUERN_MAX_PARAMETERS];
    size_t extents[QUERN_MAX_PARAMETERS][QUERN_MAX_RANK];
    ptrdiff_t pitches[QUERN_MAX_PARAMETERS][QUERN_MAX_RANK];
    fc_result error;
};

#define WRONG(d, ...)                                                                                                  \
    do {                                                                                                               \
        fake_violation(__VA_ARGS__);                                                                                   \
        (d)->error = FC_ERROR_LAUNCH_FAILED;                                                                           \
    } while (0)

static int64_t *read_words(const struct fake_launch *launch)
{
    const struct fake_kernel *kernel = launch->kernel;
    int64_t *words = calloc(kernel->word_count, sizeof *words);
    for (size_t i = 0; words && i < kernel->word_count; ++i)
        if (kernel->index_bits == 64) {
            memcpy(&words[i], launch->bytes + 8 * i, 8);
        } else {
            int32_t word;
            memcpy(&word, launch->bytes + 4 * i, 4);
            words[i] = word;
        }
    return words;
}

/* ---- the range and the grid ---- */

/* A group kernel's grid is exactly its groups; behind the range's dimensions there is one of everything. */
static void check_grid(struct decoding *d)
{
    for (int32_t i = 0; i < 3; ++i) {
        const struct quern_cpu_dimension *dim = &d->dimensions[i];
        unsigned grid = d->launch->grid[i], block = d->launch->block[i];
        int inside = i < d->rank;
        ptrdiff_t groups = inside ? dim->groups : 1;
        size_t fixed = inside ? d->kernel->group[d->rank - 1 - i] : 1;
        if (grid != groups)
            WRONG(d, "group kernel '%s' on a grid of %u groups along dimension %d, its words say %td", d->kernel->name,
                  grid, i, groups);
        else if (fixed && block != fixed)
            WRONG(d, "group kernel '%s' in blocks of %u along dimension %d, its groups have %zu", d->kernel->name,
                  block, i, fixed);
        else if (inside && groups != (dim->extent + block - 1) / block)
            WRONG(d, "group kernel '%s': words say %td groups of %u for %td items along dimension %d", d->kernel->name,
                  groups, block, dim->extent, i);
    }
}

static void decode_range(struct decoding *d)
{
    int64_t items = 1;
    d->rank = (int32_t)d->words[QUERN_WORD_RANK];
    if (d->rank < 0 || d->rank > QUERN_MAX_RANK || (d->kernel->rank >= 0 && d->rank != d->kernel->rank)) {
        WRONG(d, "kernel '%s' of rank %d has a range of rank %d", d->kernel->name, d->kernel->rank, d->rank);
        return;
    }
    for (int32_t i = 0; i < d->rank; ++i) {
        const int64_t *words = d->words + QUERN_WORD_DIMENSIONS + QUERN_WORDS_PER_DIMENSION * i;
        struct quern_cpu_dimension *dim = &d->dimensions[i];
        *dim = (struct quern_cpu_dimension){
            .extent = words[QUERN_WORD_EXTENT], .end = words[QUERN_WORD_EXTENT], .offset = words[QUERN_WORD_OFFSET]};
        if (dim->extent <= 0)
            WRONG(d, "kernel '%s' has an extent of %td", d->kernel->name, dim->extent);
        if (d->kernel->is_group) {
            dim->groups = dim->end = words[QUERN_WORD_GROUPS];
            dim->group = (ptrdiff_t)d->launch->block[i < 3 ? i : 2];
        }
        items *= dim->extent;
    }
    if (items != d->words[QUERN_WORD_ITEMS])
        WRONG(d, "kernel '%s': words say %lld items, its extents have %lld", d->kernel->name,
              (long long)d->words[QUERN_WORD_ITEMS], (long long)items);
    if (!d->launch->kernel->is_linear && d->rank > 3)
        WRONG(d, "kernel '%s' has a range of rank %d on the grid", d->kernel->name, d->rank);
    if (d->kernel->is_group)
        check_grid(d);
}

/* ---- arguments ---- */

/* Behind the last byte of the view, from its begin. */
static size_t bytes_of(const struct decoding *d, uint32_t i)
{
    const quern_parameter *parameter = &d->kernel->parameters[i];
    size_t bytes = parameter->type.size;
    for (uint32_t k = 0; k < parameter->rank; ++k) {
        if (d->extents[i][k] == 0)
            return 0;
        bytes += (d->extents[i][k] - 1) * (size_t)d->pitches[i][k];
    }
    return parameter->rank ? bytes : 0; /* how long a plain one is nobody says */
}

static void decode_view(struct decoding *d, uint32_t i, size_t passed, const int64_t *words)
{
    const quern_parameter *parameter = &d->kernel->parameters[i];
    const struct fake_memory *memory = d->launch->memories[passed];
    uintptr_t address = pointer_at(d->launch, passed);
    for (uint32_t k = 0; k < parameter->rank; ++k) {
        d->extents[i][k] = (size_t)words[1 + k];
        d->pitches[i][k] = (ptrdiff_t)words[1 + parameter->rank + k];
    }
    d->arguments[i].extents = d->extents[i];
    d->arguments[i].pitches = d->pitches[i];
    if (!memory)
        return; /* nothing is there, and nothing is passed */
    uintptr_t view = address + (uintptr_t)words[0];
    if (view < memory->begin || view - memory->begin > memory->bytes ||
        bytes_of(d, i) > memory->bytes - (view - memory->begin))
        WRONG(d, "parameter '%s' of kernel '%s' begins at byte %lld of memory of %zu bytes and has %zu",
              parameter->name, d->kernel->name, (long long)(view - memory->begin), memory->bytes, bytes_of(d, i));
    else if (view % parameter->type.alignment)
        d->error = FC_ERROR_MISALIGNED_ADDRESS;
    else
        d->arguments[i].address = fake_memory_host(view);
}

/* The lengths are not passed: a local parameter's memory goes as far as the next one's, or to the end. */
static void decode_local(struct decoding *d, uint32_t i, int64_t offset, int64_t *end)
{
    const quern_parameter *parameter = &d->kernel->parameters[i];
    if (offset < 0 || offset > *end || offset % parameter->type.alignment)
        WRONG(d, "local parameter '%s' of kernel '%s' begins at byte %lld, before %lld, aligned to %d", parameter->name,
              d->kernel->name, (long long)offset, (long long)*end, parameter->type.alignment);
    else
        d->arguments[i].length = (size_t)(*end - offset) / parameter->type.size;
    *end = offset;
}

static size_t words_of(const quern_parameter *parameter)
{
    return parameter->form == QUERN_PARAMETER_VALUE ? 0 : 1 + 2 * (size_t)parameter->rank;
}

/* From the last to the first, for the sake of local ones. */
static void decode_arguments(struct decoding *d)
{
    size_t word = d->launch->kernel->word_count, passed = d->launch->kernel->parameter_count;
    int64_t end = d->launch->shared;
    for (uint32_t i = d->kernel->parameter_count; i-- > 0;) {
        const quern_parameter *parameter = &d->kernel->parameters[i];
        word -= words_of(parameter);
        passed -= parameter->form != QUERN_PARAMETER_LOCAL;
        if (parameter->form == QUERN_PARAMETER_LOCAL)
            decode_local(d, i, d->words[word], &end);
        else if (parameter->form == QUERN_PARAMETER_VALUE)
            d->arguments[i].address = d->launch->bytes + d->launch->kernel->parameters[passed].offset;
        else
            decode_view(d, i, passed, d->words + word);
    }
}

/* ---- running ---- */

/* The slowest dimension is cut in a few parts, which are run in any order. */
static int run_parts(struct decoding *d, struct quern_cpu_piece *piece, unsigned seed)
{
    enum { PARTS = 5 };
    struct quern_cpu_dimension *dim = &piece->dim[d->rank ? d->rank - 1 : 0];
    ptrdiff_t all = d->rank ? dim->end : 1, count = all < PARTS ? all : PARTS;
    ptrdiff_t first = (ptrdiff_t)(seed % (unsigned)count), step = seed & 64 ? 1 : count - 1;
    if (d->rank == 0 || count == 1) {
        d->launch->kernel->function(piece, d->arguments);
        return piece->failed;
    }
    for (ptrdiff_t i = 0; i < count; ++i) {
        ptrdiff_t part = (first + i * step) % count;
        dim->begin = all / count * part;
        dim->end = part == count - 1 ? all : all / count * (part + 1);
        d->launch->kernel->function(piece, d->arguments);
    }
    return piece->failed;
}

static void run(struct decoding *d)
{
    struct fake_scratch scratch;
    fake_scratch_begin(&scratch, d->kernel, d->arguments);
    struct quern_cpu_piece piece = {.rank = d->rank, .scratch = &scratch.base};
    memcpy(piece.dim, d->dimensions, sizeof d->dimensions);
    if (run_parts(d, &piece, d->launch->seed))
        WRONG(d, "memory is exhausted while kernel '%s' runs", d->kernel->name);
    if (!fake_scratch_end(&scratch))
        d->error = FC_ERROR_ILLEGAL_ADDRESS;
}

fc_result fake_launch_run(const struct fake_launch *launch)
{
    struct decoding *d = calloc(1, sizeof *d);
    fc_result error = FC_ERROR_LAUNCH_FAILED;
    if (!d)
        return error;
    d->launch = launch;
    d->kernel = launch->kernel->descriptor;
    d->words = read_words(launch);
    if (d->words) {
        decode_range(d);
        if (!d->error)
            decode_arguments(d);
        if (!d->error)
            run(d);
        error = d->error;
    }
    free(d->words);
    free(d);
    return error;
}
