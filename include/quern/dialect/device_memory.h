/*
 * Quern: the memory of a kernel in the languages of devices: the elements of pitched parameters, PRIVATE. LOCAL is each
 * language's own.
 *
 * For a pitched parameter x a kernel declares, beside x itself, the type quern_row_of_x, a pointer to its elements, the
 * type quern_bytes_of_x, a pointer to bytes of the same memory, and quern_pitch_of_x_0, … for all dimensions but the
 * fastest.
 */
#ifndef QUERN_DIALECT_DEVICE_MEMORY_H
#define QUERN_DIALECT_DEVICE_MEMORY_H

#define QUERN_ROW(x, offset) ((quern_row_of_##x)((quern_bytes_of_##x)x + (offset)))
/* clang-format off */
#define QUERN_AT_1(x, i) (x[i])
#define QUERN_AT_2(x, i0, i) (QUERN_ROW(x, (i0) * quern_pitch_of_##x##_0)[i])
#define QUERN_AT_3(x, i0, i1, i) \
    (QUERN_ROW(x, (i0) * quern_pitch_of_##x##_0 + (i1) * quern_pitch_of_##x##_1)[i])
#define QUERN_AT_4(x, i0, i1, i2, i) \
    (QUERN_ROW(x, (i0) * quern_pitch_of_##x##_0 + (i1) * quern_pitch_of_##x##_1 + \
                  (i2) * quern_pitch_of_##x##_2)[i])
#define QUERN_AT_5(x, i0, i1, i2, i3, i) \
    (QUERN_ROW(x, (i0) * quern_pitch_of_##x##_0 + (i1) * quern_pitch_of_##x##_1 + \
                  (i2) * quern_pitch_of_##x##_2 + (i3) * quern_pitch_of_##x##_3)[i])
#define QUERN_AT_6(x, i0, i1, i2, i3, i4, i) \
    (QUERN_ROW(x, (i0) * quern_pitch_of_##x##_0 + (i1) * quern_pitch_of_##x##_1 + \
                  (i2) * quern_pitch_of_##x##_2 + (i3) * quern_pitch_of_##x##_3 + \
                  (i4) * quern_pitch_of_##x##_4)[i])
#define QUERN_AT_INDEX_1(x, k) QUERN_AT_1(x, (k)[0])
#define QUERN_AT_INDEX_2(x, k) QUERN_AT_2(x, (k)[0], (k)[1])
#define QUERN_AT_INDEX_3(x, k) QUERN_AT_3(x, (k)[0], (k)[1], (k)[2])
#define QUERN_AT_INDEX_4(x, k) QUERN_AT_4(x, (k)[0], (k)[1], (k)[2], (k)[3])
#define QUERN_AT_INDEX_5(x, k) QUERN_AT_5(x, (k)[0], (k)[1], (k)[2], (k)[3], (k)[4])
#define QUERN_AT_INDEX_6(x, k) QUERN_AT_6(x, (k)[0], (k)[1], (k)[2], (k)[3], (k)[4], (k)[5])
/* clang-format on */

/* An item's own: a variable. */
#define PRIVATE(T, name) T quern_private_of_##name
#define QUERN_MINE_1(name, x) quern_private_of_##name
#define QUERN_MINE_2(name, y, x) quern_private_of_##name
#define QUERN_MINE_3(name, z, y, x) quern_private_of_##name

#endif
