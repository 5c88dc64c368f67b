/* Assignments to what a phase, an EACH or the code between them may write. */
#include <quern/kernel.h>

STRUCT(pair, field(float, first), field(float, second, 3))

struct corner {
    int32_t at[2];
};

DEVICE void add(GLOBAL_POINTER(float) to, float v)
{
    to[0] += v;
    v = 0.0f;
    *to += v;
}

DEVICE float total(LOCAL_POINTER(float) from, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += from[i];
    return sum;
}

KERNEL(in_each, in(float, x), inout(float, y), value(pair, p), value(int, n), inout(pair, pairs))
{
    float scale = 1.0f, weights[3];
    weights[0] = p.second[0];
    *(weights + 1) = p.first;
    for (int k = 2; k < 3; k++)
        weights[k] = 0.0f;
    scale *= 2.0f;
    if (n > 3)
        scale++;
    EACH (i) {
        float sum = 0.0f, own[4];
        pair q = p;
        struct corner c;
        int k;
        for (k = 0; k < 3; k++)
            sum += weights[k] * x[i];
        own[n & 3] = sum;
        q.first = own[n & 3];
        q.second[1] = 3.0f;
        c.at[1] = n;
        sum += (float)c.at[1];
        y[i] = sum * scale + q.first;
        *(y + i) += 1.0f;
        pairs[i].first = sum;
        pairs[i].second[2] += sum;
        (pairs + i)->first++;
        GLOBAL_POINTER(float) to = &y[i];
        *to = 1.0f;
        to += 0;
        add(to, 1.0f);
        add(y + i, 1.0f);
    }
}

GROUP_KERNEL(in_phases, (4, 16), in_nd(float, 2, x), out_nd(float, 2, y), local(float, tile), inout(int32_t, count))
{
    LOCAL(float, slice, GROUP_ITEMS);
    PRIVATE(float, own);
    PRIVATE(pair, two);
    int turns = 0;
    ALL_ITEMS2 (j, i) {
        MINE(own, j, i) = 1.0f;
        MINE(two, j, i).first = 2.0f;
        MINE(two, j, i).second[1] = 2.0f;
        slice[ITEM_LINEAR(j, i)] = 0.0f;
        tile[0] = 1.0f;
        ATOMIC_ADD(&count[0], 1);
        ATOMIC_ADD(count + 1, 1);
    }
    while (turns < 5) {
        ITEMS2 (j, i)
            AT(y, GLOBAL_Y(j), GLOBAL(i)) = AT(x, 0, 0) + MINE(own, j, i) + (float)turns;
        turns++;
    }
    ONCE tile[0] = total(slice, turns);
}
