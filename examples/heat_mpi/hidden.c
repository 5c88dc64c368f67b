/* What the times of a step say about overlap, and when they say nothing. */
#include "hidden.h"

#include <stddef.h>

hidden hidden_find(const step_times *times)
{
    hidden found = {NULL, 0, 1};
    double computation = times->without - times->exchange, saved = times->without - times->with;
    double noise = 0.05 * times->without;
    /* A share of less than this is within what two runs differ by anyway. */
    if (times->exchange < noise) {
        found.no_telling = "the exchange is too short a part of a step";
        return found;
    }
    /* Side by side an exchange may need a nap less, which is not hidden but saved. */
    if (times->exchange < 5 * times->nap) {
        found.no_telling = "the exchange is as short as the few naps in which it waits";
        return found;
    }
    if (computation < times->exchange)
        found.most = computation > 0 ? computation / times->exchange : 0;
    if (saved > found.most * times->exchange + times->nap + noise) {
        found.no_telling = "more time was saved than overlap can save; the machine is too busy, or the steps too short";
        return found;
    }
    found.share = saved / times->exchange;
    found.share = found.share < 0 ? 0 : found.share > found.most ? found.most : found.share;
    return found;
}
