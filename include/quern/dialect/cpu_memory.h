/*
 * Quern: the memory of a group on the CPU: LOCAL arrays on the stack, PRIVATE variables as an array
 * with an element per item.
 */
#ifndef QUERN_DIALECT_CPU_MEMORY_H
#define QUERN_DIALECT_CPU_MEMORY_H

/* The largest LOCAL array, and the largest PRIVATE array that lies on the stack, in bytes. */
#define QUERN_LOCAL_LIMIT 262144
#define QUERN_PRIVATE_STACK 8192

/* The group's shared array of n elements, n a constant. */
#define LOCAL(T, name, n)                                                                                              \
    _Static_assert(sizeof(T) * (n) <= QUERN_LOCAL_LIMIT, "the LOCAL array " #name " is larger than 256 KiB");          \
    _Alignas(64) T name[n]

/*
 * A value per item that survives barriers. Small arrays lie on the stack; large ones, and those of a group whose size
 * the launch gives, in the thread's scratch. Without memory the group ends, and the launch fails with OUT_OF_MEMORY.
 */
#define PRIVATE(T, name)                                                                                               \
    _Alignas(64) T QUERN_JOIN(quern_stack_of_, name)[QUERN_ON_STACK(T) ? QUERN_STATIC_ITEMS : 1];                      \
    T *const QUERN_PRIVATE_OF(name) = QUERN_ON_STACK(T) ? QUERN_JOIN(quern_stack_of_, name)                            \
                                                        : (T *)quern_cpu_take(quern_piece, GROUP_ITEMS, sizeof(T));    \
    if (!QUERN_PRIVATE_OF(name))                                                                                       \
    return
#define QUERN_PRIVATE_OF(name) QUERN_JOIN(quern_private_of_, name)
#define QUERN_STATIC_ITEMS (QUERN_STATIC(z) * QUERN_STATIC(y) * QUERN_STATIC(x))
#define QUERN_ON_STACK(T) (QUERN_STATIC_ITEMS > 0 && (size_t)QUERN_STATIC_ITEMS * sizeof(T) <= QUERN_PRIVATE_STACK)

/* The item's own: MINE(name, i), MINE(name, y, x), MINE(name, z, y, x). */
#define MINE(name, ...) (QUERN_PRIVATE_OF(name)[ITEM_LINEAR(__VA_ARGS__)])

#endif
