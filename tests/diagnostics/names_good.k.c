/* Names that look taken and are free. */
#include <quern/kernel.h>

STRUCT(vector, field(float, in), field(float, out))

DEVICE float value_of(float value, float field)
{
    return value * field;
}

KERNEL(free_names, in(float, input), out(float, output), value(vector, v))
{
    EACH (item) {
        float in = input[item], out = v.in, inout = 1.0f, step = 2.0f, value = 3.0f, source = v.out, field = 4.0f;
        float index = 1.0f, group = 2.0f, thread = 3.0f, y1 = 4.0f, gamma = 5.0f, barrier_count = 6.0f, halves = 7.0f;
        output[item] = in + out + inout + step + value_of(value, source) + field + index + group + thread + y1 + gamma +
                       barrier_count + halves;
#if defined(linux) || defined(unix)
        output[item] = not_compiled;
#endif
        float linux_count = 1.0f, MAX_INT = 2.0f, M_FOUR = 4.0f;
        output[item] += linux_count + MAX_INT + M_FOUR;
    }
}
