/* Element types: the scalars, and the names of all. */
#include <quern/type.h>

quern_type quern_type_scalar(quern_type_kind kind)
{
    switch (kind) {
    case QUERN_KIND_INT8:
        return QUERN_TYPE(int8_t);
    case QUERN_KIND_INT16:
        return QUERN_TYPE(int16_t);
    case QUERN_KIND_INT32:
        return QUERN_TYPE(int32_t);
    case QUERN_KIND_INT64:
        return QUERN_TYPE(int64_t);
    case QUERN_KIND_UINT8:
        return QUERN_TYPE(uint8_t);
    case QUERN_KIND_UINT16:
        return QUERN_TYPE(uint16_t);
    case QUERN_KIND_UINT32:
        return QUERN_TYPE(uint32_t);
    case QUERN_KIND_UINT64:
        return QUERN_TYPE(uint64_t);
    case QUERN_KIND_FLOAT32:
        return QUERN_TYPE(float);
    case QUERN_KIND_FLOAT64:
        return QUERN_TYPE(double);
    case QUERN_KIND_NONE:
    case QUERN_KIND_STRUCT:
    default:
        return (quern_type){0, 0, 0};
    }
}

const char *quern_type_name(quern_type type)
{
    static const char *const names[] = {
        [QUERN_KIND_NONE] = "none",       [QUERN_KIND_INT8] = "int8",       [QUERN_KIND_INT16] = "int16",
        [QUERN_KIND_INT32] = "int32",     [QUERN_KIND_INT64] = "int64",     [QUERN_KIND_UINT8] = "uint8",
        [QUERN_KIND_UINT16] = "uint16",   [QUERN_KIND_UINT32] = "uint32",   [QUERN_KIND_UINT64] = "uint64",
        [QUERN_KIND_FLOAT32] = "float32", [QUERN_KIND_FLOAT64] = "float64", [QUERN_KIND_STRUCT] = "struct",
    };
    return type.kind < sizeof names / sizeof *names ? names[type.kind] : "none";
}
