/*
 * Quern: KERNEL and GROUP_KERNEL on the CPU: the entry that the backend calls, and the function
 * around the author's body.
 */
#ifndef QUERN_DIALECT_CPU_KERNEL_H
#define QUERN_DIALECT_CPU_KERNEL_H

/* What the compiler of kernel files puts behind the names of this instruction-set level: nothing, or _x86_64_v3. */
#ifndef QUERN_LEVEL
#define QUERN_LEVEL
#endif
#define QUERN_ENTRY(name) QUERN_JOIN3(quern_k_, name, QUERN_LEVEL)
#define QUERN_BODY(name) QUERN_JOIN3(quern_body_, name, QUERN_LEVEL)

#define QUERN_HIDDEN __attribute__((visibility("hidden")))
#define QUERN_OWN_FUNCTION static __attribute__((noinline)) void

/* KERNEL(name, parameters…) { body }: the body runs once for a piece; EACH loops over the piece's items. */
#define KERNEL(...) QUERN_KERNEL_(QUERN_FIRST(__VA_ARGS__), __VA_ARGS__)
#define QUERN_KERNEL_(name, ...)                                                                                       \
    QUERN_OWN_FUNCTION QUERN_BODY(name)(QUERN_PLAIN_DECLARE QUERN_VISIT(QUERN_DECLARE, __VA_ARGS__));                  \
    QUERN_DECLARE_ENTRY(name);                                                                                         \
    void QUERN_ENTRY(name)(struct quern_cpu_piece * quern_piece,                                                       \
                           const struct quern_cpu_argument *quern_arguments QUERN_UNUSED)                              \
    {                                                                                                                  \
        QUERN_VISIT(QUERN_UNPACK, __VA_ARGS__)                                                                         \
        QUERN_BODY(name)(QUERN_PLAIN_PASS QUERN_VISIT(QUERN_PASS, __VA_ARGS__));                                       \
    }                                                                                                                  \
    QUERN_OWN_FUNCTION QUERN_BODY(name)(QUERN_PLAIN_DECLARE QUERN_VISIT(QUERN_DECLARE, __VA_ARGS__))

#define QUERN_DECLARE_ENTRY(name)                                                                                      \
    QUERN_HIDDEN void QUERN_ENTRY(name)(struct quern_cpu_piece * quern_piece,                                          \
                                        const struct quern_cpu_argument *quern_arguments)

#define QUERN_PLAIN_DECLARE                                                                                            \
    const struct quern_cpu_piece *quern_piece QUERN_UNUSED, const quern_index quern_range_z QUERN_UNUSED,              \
        const quern_index quern_range_y QUERN_UNUSED, const quern_index quern_range_x QUERN_UNUSED
#define QUERN_PLAIN_PASS                                                                                               \
    quern_piece, quern_cpu_range(quern_piece, 2), quern_cpu_range(quern_piece, 1), quern_cpu_range(quern_piece, 0)

QUERN_INLINE quern_index quern_cpu_range(const struct quern_cpu_piece *piece, int d)
{
    return d < piece->rank ? piece->dim[d].extent : 1;
}

/* The group size that the launch gives; (ANY, ANY) and (ANY, ANY, ANY) for groups of rank 2 and 3. */
#define ANY 0

/*
 * GROUP_KERNEL(name, size, parameters…) { body }: the body runs once for a group; phases loop over the group's
 * items. The parameters are visited behind the size, as KERNEL visits them behind the name.
 */
#define GROUP_KERNEL(name, ...) QUERN_GROUP_SIZE(QUERN_GROUP_KERNEL_, QUERN_FIRST(__VA_ARGS__), name, (__VA_ARGS__))
#define QUERN_GROUP_KERNEL_(name, size_z, size_y, size_x, list)                                                        \
    QUERN_OWN_FUNCTION QUERN_BODY(name)(QUERN_GROUP_DECLARE(size_z, size_y, size_x)                                    \
                                            QUERN_VISIT_LIST(QUERN_DECLARE, list));                                    \
    QUERN_DECLARE_ENTRY(name);                                                                                         \
    void QUERN_ENTRY(name)(struct quern_cpu_piece * quern_piece,                                                       \
                           const struct quern_cpu_argument *quern_arguments QUERN_UNUSED)                              \
    {                                                                                                                  \
        QUERN_VISIT_LIST(QUERN_UNPACK, list)                                                                           \
        const struct quern_cpu_dimension quern_x = quern_cpu_dimension(quern_piece, 0);                                \
        const struct quern_cpu_dimension quern_y = quern_cpu_dimension(quern_piece, 1);                                \
        const struct quern_cpu_dimension quern_z = quern_cpu_dimension(quern_piece, 2);                                \
        for (quern_index quern_id_z = quern_z.begin; quern_id_z < quern_z.end; ++quern_id_z)                           \
            for (quern_index quern_id_y = quern_y.begin; quern_id_y < quern_y.end; ++quern_id_y)                       \
                for (quern_index quern_id_x = quern_x.begin; quern_id_x < quern_x.end; ++quern_id_x) {                 \
                    quern_cpu_scratch_reset(quern_piece);                                                              \
                    QUERN_VISIT_LIST(QUERN_TAKE, list)                                                                 \
                    QUERN_BODY(name)(QUERN_GROUP_PASS QUERN_VISIT_LIST(QUERN_PASS, list));                             \
                    if (quern_piece->failed)                                                                           \
                        return;                                                                                        \
                }                                                                                                      \
    }                                                                                                                  \
    QUERN_OWN_FUNCTION QUERN_BODY(name)(QUERN_GROUP_DECLARE(size_z, size_y, size_x)                                    \
                                            QUERN_VISIT_LIST(QUERN_DECLARE, list))

#define QUERN_VISIT_LIST(macro, list) QUERN_VISIT_LIST_(macro, QUERN_UNWRAP list)
#define QUERN_VISIT_LIST_(...) QUERN_VISIT(__VA_ARGS__)
#define QUERN_UNWRAP(...) __VA_ARGS__

/*
 * What a body knows of its group, dimension by dimension. A size that is constant comes as the type of quern_static_x,
 * so that GROUP_SIZE is an integer constant; the compiler drops what the body does not use.
 */
#define QUERN_GROUP_DECLARE(size_z, size_y, size_x)                                                                    \
    struct quern_cpu_piece *quern_piece QUERN_UNUSED, QUERN_DECLARE_DIMENSION(z, size_z),                              \
        QUERN_DECLARE_DIMENSION(y, size_y), QUERN_DECLARE_DIMENSION(x, size_x)
#define QUERN_DECLARE_DIMENSION(d, size)                                                                               \
    const char(*quern_static_##d)[(size) + 1] QUERN_UNUSED, const quern_index quern_id_##d QUERN_UNUSED,               \
        const quern_index quern_size_##d QUERN_UNUSED, const quern_index quern_groups_##d QUERN_UNUSED,                \
        const quern_index quern_range_##d QUERN_UNUSED
#define QUERN_GROUP_PASS quern_piece, QUERN_PASS_DIMENSION(z), QUERN_PASS_DIMENSION(y), QUERN_PASS_DIMENSION(x)
#define QUERN_PASS_DIMENSION(d) 0, quern_id_##d, quern_##d.group, quern_##d.groups, quern_##d.extent

/* The dimension d of a piece; one item where the piece has no such dimension. */
QUERN_INLINE struct quern_cpu_dimension quern_cpu_dimension(const struct quern_cpu_piece *piece, int d)
{
    return d < piece->rank ? piece->dim[d] : (struct quern_cpu_dimension){0, 1, 1, 0, 1, 1};
}

#endif
