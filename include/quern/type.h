/*
 * Quern: element types.
 *
 * An element is an 8- to 64-bit integer, a float, a double, or a struct of such. The type of a C
 * type is QUERN_TYPE(float), QUERN_TYPE(int32_t), QUERN_TYPE(struct particle).
 */
#ifndef QUERN_TYPE_H
#define QUERN_TYPE_H

#include <quern/status.h>

typedef enum quern_type_kind {
    QUERN_KIND_NONE = 0,
    QUERN_KIND_INT8,
    QUERN_KIND_INT16,
    QUERN_KIND_INT32,
    QUERN_KIND_INT64,
    QUERN_KIND_UINT8,
    QUERN_KIND_UINT16,
    QUERN_KIND_UINT32,
    QUERN_KIND_UINT64,
    QUERN_KIND_FLOAT32,
    QUERN_KIND_FLOAT64,
    QUERN_KIND_STRUCT
} quern_type_kind;

/* An element type, passed by value. Two types are the same when all three fields are. */
typedef struct quern_type {
    uint16_t kind;      /* a quern_type_kind */
    uint16_t alignment; /* bytes, a power of two */
    uint32_t size;      /* bytes of one element */
} quern_type;

/* A conversion that neither a C nor a C++ user's warnings trip over; the headers' own. */
#ifdef __cplusplus
#define QUERN_CAST_(T, x) static_cast<T>(x)
#else
#define QUERN_CAST_(T, x) ((T)(x))
#endif

QUERN_BEGIN_DECLARATIONS

/* The type of a scalar kind; {0, 0, 0} for QUERN_KIND_NONE, QUERN_KIND_STRUCT and unknown numbers. */
QUERN_API quern_type quern_type_scalar(quern_type_kind kind);

/* For QUERN_TYPE, which knows the kind. A size or an alignment that does not fit becomes 0, which is no type. */
static inline quern_type quern_type_make_(quern_type_kind kind, size_t size, size_t alignment)
{
    quern_type type;
    type.kind = QUERN_CAST_(uint16_t, kind);
    type.alignment = QUERN_CAST_(uint16_t, alignment <= UINT16_MAX ? alignment : 0);
    type.size = QUERN_CAST_(uint32_t, size <= UINT32_MAX ? size : 0);
    return type;
}

/* The type of a struct of size bytes with the alignment; both as sizeof and _Alignof give them. Sizes from 4 GiB and
 * alignments from 64 KiB on give a type that everything refuses. */
static inline quern_type quern_type_struct(size_t size, size_t alignment)
{
    return quern_type_make_(QUERN_KIND_STRUCT, size, alignment);
}

/* 1 when both are the same type, else 0. */
static inline int quern_type_equal(quern_type a, quern_type b)
{
    return a.kind == b.kind && a.size == b.size && a.alignment == b.alignment;
}

/* "int16", "float32", "struct", …; "none" for anything else. Never NULL. */
QUERN_API const char *quern_type_name(quern_type type);

QUERN_END_DECLARATIONS

/*
 * QUERN_TYPE(T): the quern_type of the C type T; const and volatile make no difference. Something that is
 * no element (bool, long double; in C++ pointers and enums too) does not compile.
 */
/* clang-format off */
#ifdef __cplusplus
extern "C++" {
static inline quern_type_kind quern_kind_of_(const volatile char *) { return static_cast<char>(-1) < 0 ? QUERN_KIND_INT8 : QUERN_KIND_UINT8; }
static inline quern_type_kind quern_kind_of_(const volatile signed char *) { return QUERN_KIND_INT8; }
static inline quern_type_kind quern_kind_of_(const volatile short *) { return QUERN_KIND_INT16; }
static inline quern_type_kind quern_kind_of_(const volatile int *) { return QUERN_KIND_INT32; }
static inline quern_type_kind quern_kind_of_(const volatile long *) { return sizeof(long) == 8 ? QUERN_KIND_INT64 : QUERN_KIND_INT32; }
static inline quern_type_kind quern_kind_of_(const volatile long long *) { return QUERN_KIND_INT64; }
static inline quern_type_kind quern_kind_of_(const volatile unsigned char *) { return QUERN_KIND_UINT8; }
static inline quern_type_kind quern_kind_of_(const volatile unsigned short *) { return QUERN_KIND_UINT16; }
static inline quern_type_kind quern_kind_of_(const volatile unsigned int *) { return QUERN_KIND_UINT32; }
static inline quern_type_kind quern_kind_of_(const volatile unsigned long *) { return sizeof(long) == 8 ? QUERN_KIND_UINT64 : QUERN_KIND_UINT32; }
static inline quern_type_kind quern_kind_of_(const volatile unsigned long long *) { return QUERN_KIND_UINT64; }
static inline quern_type_kind quern_kind_of_(const volatile float *) { return QUERN_KIND_FLOAT32; }
static inline quern_type_kind quern_kind_of_(const volatile double *) { return QUERN_KIND_FLOAT64; }
template <class T> struct quern_is_array_ { static constexpr bool value = false; };
template <class T, size_t N> struct quern_is_array_<T[N]> { static constexpr bool value = true; };
template <class T> static inline quern_type_kind quern_kind_of_(const volatile T *)
{
    static_assert(__is_class(T) || __is_union(T) || quern_is_array_<T>::value, "not an element type of Quern");
    return QUERN_KIND_STRUCT;
}
}
#define QUERN_KIND_OF_(T) quern_kind_of_(static_cast<T *>(nullptr))
#define QUERN_ALIGN_OF_(T) alignof(T)
#else
/* A struct where a kind is wanted: what a type that is no element ends in. */
struct quern_not_an_element_type_ { int nothing; };
static inline struct quern_not_an_element_type_ quern_not_an_element_(void)
{
    struct quern_not_an_element_type_ nothing = {0};
    return nothing;
}
#define QUERN_KIND_OF_(T) _Generic(*(T *)0, \
    _Bool: quern_not_an_element_(), long double: quern_not_an_element_(), \
    char: ((char)-1 < 0 ? QUERN_KIND_INT8 : QUERN_KIND_UINT8), \
    signed char: QUERN_KIND_INT8, short: QUERN_KIND_INT16, int: QUERN_KIND_INT32, \
    long: (sizeof(long) == 8 ? QUERN_KIND_INT64 : QUERN_KIND_INT32), long long: QUERN_KIND_INT64, \
    unsigned char: QUERN_KIND_UINT8, unsigned short: QUERN_KIND_UINT16, unsigned int: QUERN_KIND_UINT32, \
    unsigned long: (sizeof(long) == 8 ? QUERN_KIND_UINT64 : QUERN_KIND_UINT32), \
    unsigned long long: QUERN_KIND_UINT64, \
    float: QUERN_KIND_FLOAT32, double: QUERN_KIND_FLOAT64, default: QUERN_KIND_STRUCT)
#define QUERN_ALIGN_OF_(T) _Alignof(T)
#endif
/* clang-format on */
#define QUERN_TYPE(T) quern_type_make_(QUERN_KIND_OF_(T), sizeof(T), QUERN_ALIGN_OF_(T))

#endif
