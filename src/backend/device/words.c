/* Writing the words of a launch. */
#include "words.h"

static void add_word(struct quern_device_words *words, uint32_t bits, int64_t word)
{
    if (bits == 32)
        words->w.narrow[words->count++] = (int32_t)word;
    else
        words->w.wide[words->count++] = word;
}

static void add_dimensions(struct quern_device_words *words, uint32_t bits, const quern_backend_launch *launch,
                           const size_t *pieces, uint32_t grid_rank)
{
    uint32_t rank = launch->kernel->rank < 0 ? QUERN_MAX_RANK : (uint32_t)launch->kernel->rank;
    for (uint32_t d = 0; d < rank; ++d) {
        uint32_t slow = launch->rank - 1 - d; /* wraps beyond the range's rank, where it is not used */
        int inside = d < launch->rank;
        add_word(words, bits, inside ? (int64_t)launch->extents[slow] : 1);
        add_word(words, bits, inside ? launch->offsets[slow] : 0);
        add_word(words, bits, inside && d < grid_rank ? (int64_t)pieces[d] : 1);
        add_word(words, bits, inside && launch->kernel->is_group ? (int64_t)launch->groups[slow] : 1);
    }
}

static int is_view(const quern_backend_argument *argument)
{
    return argument->form <= QUERN_PARAMETER_INOUT_ND;
}

static void add_view(struct quern_device_words *words, uint32_t bits, const quern_backend_argument *argument)
{
    add_word(words, bits, argument->memory ? (int64_t)((uintptr_t)argument->address - (uintptr_t)argument->memory) : 0);
    if (argument->form < QUERN_PARAMETER_IN_ND)
        return;
    for (uint32_t d = 0; d < argument->rank; ++d)
        add_word(words, bits, (int64_t)argument->extents[d]);
    for (uint32_t d = 0; d < argument->rank; ++d)
        add_word(words, bits, argument->pitches[d]);
}

void quern_device_words_set(struct quern_device_words *words, const quern_backend_launch *launch,
                            const quern_launch_layout *layout, const size_t *pieces, uint32_t grid_rank,
                            const size_t *local_offsets)
{
    uint32_t bits = layout->index_bits == 32 ? 32 : 64;
    words->count = 0;
    add_word(words, bits, (int64_t)launch->items);
    add_word(words, bits, (int64_t)pieces[0]);
    add_word(words, bits, launch->rank);
    add_dimensions(words, bits, launch, pieces, grid_rank);
    for (size_t i = 0; i < launch->argument_count; ++i)
        if (is_view(&launch->arguments[i]))
            add_view(words, bits, &launch->arguments[i]);
        else if (local_offsets && launch->arguments[i].form == QUERN_PARAMETER_LOCAL)
            add_word(words, bits, (int64_t)local_offsets[i]);
    words->bytes = words->count * bits / 8;
}
