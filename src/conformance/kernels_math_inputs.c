/* Conformance, subject "math": arguments. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels_math.h"

/* ---- numbers of a kind ---- */

double quern_math_round(quern_type_kind kind, double x)
{
    return kind == QUERN_KIND_FLOAT32 ? (double)(float)x : x;
}

void quern_math_store(quern_type_kind kind, const double *x, size_t count, void *bytes)
{
    for (size_t i = 0; i < count; ++i) {
        const float narrow = (float)x[i];
        if (kind == QUERN_KIND_FLOAT32)
            memcpy((char *)bytes + i * sizeof narrow, &narrow, sizeof narrow);
        else
            memcpy((char *)bytes + i * sizeof *x, &x[i], sizeof *x);
    }
}

double quern_math_load(quern_type_kind kind, const void *bytes, size_t index)
{
    float narrow;
    double wide;
    if (kind == QUERN_KIND_FLOAT32) {
        memcpy(&narrow, (const char *)bytes + index * sizeof narrow, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, (const char *)bytes + index * sizeof wide, sizeof wide);
    return wide;
}

quern_verdict quern_math_array(quern_trial *trial, const char *name, quern_type_kind kind, const double *x,
                               size_t count, quern_guarded *array)
{
    void *bytes;
    QUERN_MEMORY(trial, bytes, count * sizeof *x);
    quern_math_store(kind, x, count, bytes);
    return quern_conformance_array(trial, name, quern_type_scalar(kind), count, bytes, array);
}

/* ---- special ones ---- */

/* Where functions change: their poles, ends, branches and ties. Each comes with both signs. */
static const double common[] = {0.0,        1.0,    0.5,   2.0,     1.5,       2.5,       3.5,       0.75,     0.25,
                                3.0,        4.0,    10.0,  100.0,   1000.0,    1e10,      1e-10,     1e30,     1e-30,
                                M_PI_2,     M_PI_4, M_PI,  2.0 / 3, 8388608,   8388607.5, 4194303.5, 16777216, 16777215,
                                0.49999997, 127.5,  128.0, 88.72,   88.73,     103.97,    104.1,     149.0,    150.5,
                                34.5,       35.05,  171.0, 171.7,   709.7,     709.9,     745.1,     745.3,    1023.5,
                                1024.0,     1074.0, 1e-5,  1e-3,    0.9999999, 1.0000001, 22.0,      255.0,    65537.0};

typedef struct limits {
    double largest, smallest_normal, smallest, epsilon;
    int most_exponent, bits;
} limits;

static limits limits_of(quern_type_kind kind)
{
    const limits narrow = {FLT_MAX, FLT_MIN, 0x1p-149, FLT_EPSILON, 127, 24},
                 wide = {DBL_MAX, DBL_MIN, 0x1p-1074, DBL_EPSILON, 1023, 53};
    return kind == QUERN_KIND_FLOAT32 ? narrow : wide;
}

static size_t specials(quern_type_kind kind, double *x)
{
    const limits l = limits_of(kind);
    const double own[] = {l.largest,
                          l.largest * (1 - l.epsilon),
                          l.smallest_normal,
                          l.smallest,
                          3 * l.smallest,
                          l.smallest_normal - l.smallest,
                          l.smallest_normal / 64,
                          1 + l.epsilon,
                          1 - l.epsilon / 2,
                          1 - l.epsilon,
                          ldexp(1.0, l.bits - 1) + 1,
                          ldexp(1.0, l.bits - 1) - 0.5,
                          ldexp(1.0, l.bits - 2) + 0.5,
                          sqrt(l.largest),
                          sqrt(l.smallest_normal),
                          (double)INFINITY};
    size_t n = 0;
    for (size_t i = 0; i < QUERN_LENGTH(common) + QUERN_LENGTH(own); ++i) {
        const double v = quern_math_round(kind, i < QUERN_LENGTH(common) ? common[i] : own[i - QUERN_LENGTH(common)]);
        x[n++] = v;
        x[n++] = -v;
    }
    x[n++] = (double)NAN;
    return n;
}

enum { MOST_SPECIALS = 256 };

/* ---- random ones ---- */

static double uniform(uint64_t *state)
{
    return (double)(quern_conformance_random(state) >> 11) * 0x1p-53;
}

/* Of all sizes there are, subnormal ones among them. */
static double any_size(const limits *l, uint64_t *state)
{
    const int exponent = (int)(quern_conformance_random(state) % (uint64_t)(2 * l->most_exponent + l->bits)) -
                         l->most_exponent - l->bits;
    const double v = ldexp(1.0 + uniform(state), exponent + 1);
    return quern_conformance_random(state) % 2 ? v : -v;
}

static double random_number(quern_type_kind kind, size_t turn, uint64_t *state)
{
    const limits l = limits_of(kind);
    switch (turn % 7) {
    case 0:
        return quern_math_round(kind, any_size(&l, state));
    case 1:
        return quern_math_round(kind, 2 * uniform(state) - 1);
    case 2:
        return quern_math_round(kind, 20 * uniform(state) - 10);
    case 3:
        return quern_math_round(kind, 400 * uniform(state) - 200);
    case 4:
        return quern_math_round(kind, 1 + (uniform(state) - 0.5) * 0.01);
    case 5:
        return quern_math_round(kind, (double)(quern_conformance_random(state) % 4001) / 2 - 1000);
    default:
        return quern_math_round(kind, 1e6 * uniform(state));
    }
}

void quern_math_numbers(quern_type_kind kind, size_t count, double *x)
{
    double special[MOST_SPECIALS];
    uint64_t state = 1;
    const size_t n = specials(kind, special);
    for (size_t i = 0; i < count; ++i)
        x[i] = i < n ? special[i] : random_number(kind, i, &state);
}

void quern_math_pairs(quern_type_kind kind, size_t count, double *x, double *y)
{
    double special[MOST_SPECIALS];
    uint64_t state = 2;
    const size_t n = specials(kind, special);
    for (size_t i = 0; i < count; ++i) {
        x[i] = i < n * n ? special[i / n] : random_number(kind, i, &state);
        y[i] = i < n * n ? special[i % n] : random_number(kind, i / 7, &state);
        if (i >= n * n && i % 11 == 5) /* close to each other */
            y[i] = quern_math_round(kind, x[i] * (1 + (double)(i % 5) * 1e-7));
    }
}
