/*
 * Pointer jumping: a group accumulates its slice of an array in a logarithmic number of steps.
 *
 * What "accumulate" means is a macro that pointer_jumping_body.h takes, so that one text serves the sum, the maximum,
 * and any other associative operator; it need not commute. Launched again over its own results until one is left, a
 * kernel accumulates an array of any length.
 */
#include <quern/kernel.h>

#define OPERATOR sum
#define COMBINE(a, b) ((a) + (b))
#include "pointer_jumping_body.h"
#undef OPERATOR
#undef COMBINE

#define OPERATOR max
#define COMBINE(a, b) MAX(a, b)
#include "pointer_jumping_body.h"
#undef OPERATOR
#undef COMBINE
