/* The checksum of a run: XXH3-64 over the packed bytes of the arrays. */
#include "compare.h"

#include "base/error.h"

#ifdef QUERN_HAVE_XXHASH

#include <xxhash.h>

int quern_cli_has_checksum(void)
{
    return 1;
}

quern_status quern_cli_checksum(const quern_cli_array *arrays, size_t count, uint64_t *checksum)
{
    *checksum = 0;
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        return quern_fail(QUERN_OUT_OF_MEMORY, "no memory for the checksum");
    int failed = XXH3_64bits_reset(state) != XXH_OK;
    for (size_t i = 0; i < count && !failed; ++i)
        if (arrays[i].data)
            failed = XXH3_64bits_update(state, arrays[i].data, quern_cli_array_bytes(&arrays[i])) != XXH_OK;
    if (!failed)
        *checksum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return failed ? quern_fail(QUERN_INTERNAL, "the checksum could not be computed") : QUERN_SUCCESS;
}

#else

int quern_cli_has_checksum(void)
{
    return 0;
}

quern_status quern_cli_checksum(const quern_cli_array *arrays, size_t count, uint64_t *checksum)
{
    (void)arrays;
    (void)count;
    *checksum = 0;
    return QUERN_SUCCESS;
}

#endif
