/*
 * The kernels of pointer_jumping.k.c for one operator. Who includes this defines
 *
 *     OPERATOR          the last part of the kernels' names
 *     COMBINE(a, b)     the accumulated value of a and, after it, b
 */
#ifndef POINTER_JUMPING_JOIN
#define POINTER_JUMPING_JOIN(a, b) POINTER_JUMPING_JOIN_(a, b)
#define POINTER_JUMPING_JOIN_(a, b) a##b
#endif

/*
 * partial[g] = what group g's slice of input accumulates to: pointer_jumping_sum, pointer_jumping_max.
 *
 * In every step the values that are still alive lie step apart, and each second one is accumulated into the one before
 * it. How many there are is the same for every item, so the loop needs no flag that one item writes and others read.
 */
GROUP_KERNEL(POINTER_JUMPING_JOIN(pointer_jumping_, OPERATOR), 256, in(double, input), out(double, partial))
{
    LOCAL(double, slice, GROUP_SIZE);
    ITEMS (i)
        slice[i] = input[GLOBAL(i)];
    for (quern_index step = 1, alive = MIN(GROUP_SIZE, RANGE - GLOBAL(0)); alive > 1;
         step *= 2, alive = (alive + 1) / 2)
        TEAM_EACH (j, alive / 2)
            slice[2 * step * j] = COMBINE(slice[2 * step * j], slice[2 * step * j + step]);
    ONCE partial[GROUP_ID] = slice[0];
}

/*
 * The same with explicit pointers and a group of any size: pointer_jumping_list_sum, pointer_jumping_list_max.
 *
 * next[i] is the next value that is not yet accumulated by item i; each jump doubles the distance. The group is done
 * when item 0 has reached the end. Item 0 moves next[0] while the others test it, so the test reads it with
 * READ_UNIFORM.
 */
GROUP_KERNEL(POINTER_JUMPING_JOIN(pointer_jumping_list_, OPERATOR), ANY, in(double, input), out(double, partial),
             local(double, slice), local(int32_t, next))
{
    PRIVATE(int32_t, activity); /* halved at each jump until odd; from then on the item stays idle */
    ALL_ITEMS (i) {
        MINE(activity, i) = (int32_t)i;
        next[i] = (int32_t)(GLOBAL(i) + 1 < RANGE ? i + 1 : GROUP_SIZE);
        if (GLOBAL(i) < RANGE)
            slice[i] = input[GLOBAL(i)];
    }
    for (;;) {
        READ_UNIFORM(int32_t, first, next[0]);
        if (first >= GROUP_SIZE)
            break;
        ALL_ITEMS (i) {
            if ((MINE(activity, i) & 1) == 0 && next[i] < GROUP_SIZE) {
                slice[i] = COMBINE(slice[i], slice[next[i]]);
                next[i] = next[next[i]];
                MINE(activity, i) /= 2;
            }
        }
    }
    ONCE partial[GROUP_ID] = slice[0];
}
