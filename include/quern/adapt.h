/*
 * Quern: adapt: the buffers of a struct on another device.
 *
 * Programs keep buffers in structs, in structs inside these, in arrays of them. A kernel takes buffers only (OpenCL
 * knows no pointers in structs), so what moves is the host's struct: quern_adapt makes a copy of it whose buffers lie
 * on a device, and launches then take the copy's fields. Where the buffers stand is said by a table of fields, which a
 * macro declares:
 *
 *     struct cell { quern_buffer *mass; quern_view border; float decay; };
 *     struct mesh { struct cell cells[2]; quern_buffer *edges; int steps; };
 *
 *     QUERN_ADAPT_FIELDS(cell_fields, struct cell,
 *                        QUERN_ADAPT_BUFFER(struct cell, mass), QUERN_ADAPT_VIEW(struct cell, border));
 *     QUERN_ADAPT_FIELDS(mesh_fields, struct mesh,
 *                        QUERN_ADAPT_STRUCT(struct mesh, cells, cell_fields), QUERN_ADAPT_BUFFER(struct mesh, edges));
 *
 *     quern_adapt(device, queue, &mesh_fields, &mesh, &there);
 *     saxpy(queue, range, QUERN_CONST_VIEW(there.edges), QUERN_VIEW(there.cells[1].mass), there.cells[1].decay);
 *     quern_adapt(cpu, NULL, &mesh_fields, &there, &back);
 *     quern_adapt_release(&mesh_fields, &there);
 *
 * Whatever a table does not name is copied byte by byte. A member that is not what its macro wants does not compile.
 */
#ifndef QUERN_ADAPT_H
#define QUERN_ADAPT_H

#include <quern/buffer.h>

typedef enum quern_adapt_kind {
    QUERN_ADAPT_IS_BUFFER = 1, /* a quern_buffer *, perhaps const */
    QUERN_ADAPT_IS_VIEW,       /* a quern_view or quern_const_view */
    QUERN_ADAPT_IS_STRUCT,     /* a struct with a table of its own */
    QUERN_ADAPT_IS_ARRAY       /* a pointer to such structs, whose number stands in another member */
} quern_adapt_kind;

/* A member of a struct; made by the macros below. */
typedef struct quern_adapt_field {
    uint32_t kind; /* a quern_adapt_kind */
    const char *name;
    size_t offset;       /* in the struct, bytes */
    size_t size;         /* bytes of one buffer pointer, view or struct */
    size_t count;        /* how many of them the member is: more than 1 for an array inside the struct */
    size_t count_offset; /* of an ARRAY: where the size_t with the number of its structs is */
    const struct quern_adapt_fields *structs; /* of a STRUCT and an ARRAY: their table */
} quern_adapt_field;

/* A table: all members of a struct that are or hold buffers. */
typedef struct quern_adapt_fields {
    const char *name; /* of the struct */
    size_t size;      /* its bytes */
    size_t count;
    const quern_adapt_field *fields;
} quern_adapt_fields;

/*
 * QUERN_ADAPT_FIELDS(name, struct mesh, field, ...): declares the table `name`, a static const quern_adapt_fields, at
 * file scope or in a function. A struct's table stands before those of the structs that hold it. name##_… are the
 * macro's own.
 */
#define QUERN_ADAPT_FIELDS(name, S, ...)                                                                               \
    typedef S name##_struct_;                                                                                          \
    static const quern_adapt_field name##_table_[] = {__VA_ARGS__};                                                    \
    static const quern_adapt_fields name = {#S, sizeof(name##_struct_),                                                \
                                            sizeof name##_table_ / sizeof name##_table_[0], name##_table_}

/* A quern_buffer *, or an array of them. */
#define QUERN_ADAPT_BUFFER(S, member)                                                                                  \
    {                                                                                                                  \
        QUERN_ADAPT_IS_BUFFER, #member, offsetof(S, member), sizeof(quern_buffer *),                                   \
            QUERN_ADAPT_COUNT_(QUERN_ADAPT_MEMBER_(S, member), quern_buffer *, const quern_buffer *), 0, NULL          \
    }

/* A quern_view or quern_const_view, or an array of them. */
#define QUERN_ADAPT_VIEW(S, member)                                                                                    \
    {                                                                                                                  \
        QUERN_ADAPT_IS_VIEW, #member, offsetof(S, member), sizeof(quern_view),                                         \
            QUERN_ADAPT_COUNT_(QUERN_ADAPT_MEMBER_(S, member), quern_view, quern_const_view), 0, NULL                  \
    }

/* A struct inside the struct, or an array of them; `table` is what QUERN_ADAPT_FIELDS declared for it. */
#define QUERN_ADAPT_STRUCT(S, member, table)                                                                           \
    {                                                                                                                  \
        QUERN_ADAPT_IS_STRUCT, #member, offsetof(S, member), sizeof(table##_struct_),                                  \
            QUERN_ADAPT_COUNT_(QUERN_ADAPT_MEMBER_(S, member), table##_struct_, struct quern_adapt_none_), 0, &table   \
    }

/* A pointer to as many structs as the member count says, a size_t, which several pointers may share. NULL is none. */
#define QUERN_ADAPT_ARRAY(S, member, count, table)                                                                     \
    {                                                                                                                  \
        QUERN_ADAPT_IS_ARRAY, #member, offsetof(S, member),                                                            \
            QUERN_ADAPT_POINTED_(QUERN_ADAPT_MEMBER_(S, member), table##_struct_), 1,                                  \
            QUERN_ADAPT_NUMBER_(QUERN_ADAPT_MEMBER_(S, count), offsetof(S, count)), &table                             \
    }

/* What the macros ask of a member: its type, and how many it holds. Not for direct use. */
struct quern_adapt_none_ {
    int nothing;
};
/* clang-format off */
#ifdef __cplusplus
extern "C++" {
template <class M, class T, class U> struct quern_adapt_count_ {
    static_assert(sizeof(M) == 0, "the member is not of the type that the field's macro wants, nor an array of it");
    static constexpr size_t value = 0;
};
template <class T, class U> struct quern_adapt_count_<T, T, U> { static constexpr size_t value = 1; };
template <class T, class U> struct quern_adapt_count_<U, T, U> { static constexpr size_t value = 1; };
template <class T, class U, size_t N> struct quern_adapt_count_<T[N], T, U> { static constexpr size_t value = N; };
template <class T, class U, size_t N> struct quern_adapt_count_<U[N], T, U> { static constexpr size_t value = N; };
template <class M, class T, class U> struct quern_adapt_count_<M &, T, U> : quern_adapt_count_<M, T, U> {};
template <class M, class T> struct quern_adapt_pointed_ {
    static_assert(sizeof(M) == 0, "the member is no pointer to the structs of the table");
    static constexpr size_t value = 0;
};
template <class T> struct quern_adapt_pointed_<T *, T> { static constexpr size_t value = sizeof(T); };
template <class T> struct quern_adapt_pointed_<const T *, T> { static constexpr size_t value = sizeof(T); };
template <class M, class T> struct quern_adapt_pointed_<M &, T> : quern_adapt_pointed_<M, T> {};
template <class M> struct quern_adapt_number_ {
    static_assert(sizeof(M) == 0, "the member with the number of structs is no size_t");
};
template <> struct quern_adapt_number_<size_t> { static constexpr size_t given(size_t offset) { return offset; } };
template <class M> struct quern_adapt_number_<M &> : quern_adapt_number_<M> {};
}
#define QUERN_ADAPT_MEMBER_(S, member) static_cast<S *>(nullptr)->member
#define QUERN_ADAPT_COUNT_(m, T, U) quern_adapt_count_<decltype(m), T, U>::value
#define QUERN_ADAPT_POINTED_(m, T) quern_adapt_pointed_<decltype(m), T>::value
#define QUERN_ADAPT_NUMBER_(m, offset) quern_adapt_number_<decltype(m)>::given(offset)
#else
/* A struct where a number is wanted: what a member of another type ends in. */
#define QUERN_ADAPT_WRONG_ (struct quern_the_member_is_of_another_type_){0}
struct quern_the_member_is_of_another_type_ { int nothing; };
#define QUERN_ADAPT_MEMBER_(S, member) (((S *)0)->member)
/* A pointer to a T is no array of T, though it decays to the same. */
#define QUERN_ADAPT_COUNT_(m, T, U) _Generic(&m, T *: 1, U *: 1, T **: QUERN_ADAPT_WRONG_, U **: QUERN_ADAPT_WRONG_, \
    default: _Generic(m, T *: sizeof m / (sizeof(T)), U *: sizeof m / (sizeof(U)), default: QUERN_ADAPT_WRONG_))
#define QUERN_ADAPT_POINTED_(m, T) _Generic(&m, T **: sizeof(T), const T **: sizeof(T), default: QUERN_ADAPT_WRONG_)
#define QUERN_ADAPT_NUMBER_(m, offset) _Generic(&m, size_t *: offset, default: QUERN_ADAPT_WRONG_)
#endif
/* clang-format on */

QUERN_BEGIN_DECLARATIONS

/*
 * *target = a copy of the struct *source with its buffers on the device.
 *
 * Each buffer moves once, however many fields refer to it: a new one on the device, of the same shape and type, with
 * the device's own padding, into which the elements are copied on the queue. The host does not wait for that on a
 * non-blocking queue; uses of the new buffers are ordered behind. A buffer that kernels of the device reach already is
 * shared, not copied. A view takes its whole buffer along and is the view of the same elements there (views that are no
 * box of the buffer's elements have it keep its pitches). NULL stays NULL. An ARRAY is copied to memory of its own.
 *
 * queue is of the device; NULL is the calling thread's or task's current queue there. *target is only written to, and
 * does not overlap *source. Each buffer and view in it holds a reference: give them up with quern_adapt_release. Other
 * calls share nothing with this one. To bring the elements back, adapt to another device, or copy from the fields.
 *
 * When it fails, *target is as it was and nothing is kept; copies may have been queued. INVALID_ARGUMENT for a table
 * that does not fit its struct, or that holds itself, a field that is no buffer, a view that is of none; LIMIT_EXCEEDED
 * for more than 64 tables below one or more than 1024 fields in one; WRONG_DEVICE, INVALID_SHAPE and INVALID_TYPE for a
 * view that is not sound or reaches outside of its buffer, OVERFLOW, OUT_OF_MEMORY, and what creating a buffer and
 * copying give. In debug builds a buffer that is gone is refused with RELEASED, others cannot tell: its memory may be
 * anything's, and where it does not look like a buffer it is INVALID_ARGUMENT. The sentence names the field:
 * source->cells[1].mass.
 */
QUERN_API quern_status quern_adapt(quern_device *device, quern_queue *queue, const quern_adapt_fields *fields,
                                   const void *source, void *target);

/*
 * Gives up what quern_adapt left in *target: a reference for each buffer and view, the memory of each ARRAY; they are
 * NULL and empty then, so that a second call does nothing. Never waits. It goes on past a field that is no buffer, and
 * says so in the end, of the first one: INVALID_ARGUMENT; in debug builds RELEASED for a buffer that was released by
 * mistake. The sentence names the field: target->cells[1].mass.
 */
QUERN_API quern_status quern_adapt_release(const quern_adapt_fields *fields, void *target);

QUERN_END_DECLARATIONS

#endif
