/* What heat_mpi says of its times: never more hidden than the computation can hide, and nothing when times do not tell.
 */
#include "hidden.h"

#include <stdio.h>

typedef struct example {
    step_times times; /* milliseconds as well as seconds */
    int tells;
    double share, most;
} example;

static const example examples[] = {
    {{10, 6, 4, 0.1}, 1, 1, 1},            /* all of it */
    {{10, 8, 4, 0.1}, 1, 0.5, 1},          /* half */
    {{10, 10.5, 4, 0.1}, 1, 0, 1},         /* less than nothing is nothing */
    {{10, 9, 8, 0.1}, 1, 0.125, 0.25},     /* the computation, 2, could hide a quarter */
    {{10, 7.875, 8, 0.25}, 1, 0.25, 0.25}, /* a little more than it could, by less than a nap */
    {{10, 7.5, 8, 0.1}, 1, 0.25, 0.25},    /* or by less than two runs differ */
    {{10, 7.25, 8, 0.1}, 0, 0, 0},         /* by more than that */
    {{10, 5, 8, 0.1}, 0, 0, 0},            /* far more than it could */
    {{10, 3, 4, 0.1}, 0, 0, 0},            /* more than the whole exchange */
    {{10, 9.9, 0.4, 0.01}, 0, 0, 0},       /* an exchange that is nearly nothing */
    {{0.3, 0.2, 0.26, 0.08}, 0, 0, 0},     /* and one of three naps */
    {{8, 8, 8, 0}, 1, 0, 0},               /* no computation at all */
};

static int differs(double a, double b)
{
    return a - b > 1e-9 || b - a > 1e-9;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
        const example *wanted = &examples[i];
        hidden found = hidden_find(&wanted->times);
        if ((found.no_telling == NULL) == wanted->tells &&
            (!wanted->tells || (!differs(found.share, wanted->share) && !differs(found.most, wanted->most))))
            continue;
        printf("example %zu: %g hidden of at most %g (%s), wanted %g of at most %g\n", i, found.share, found.most,
               found.no_telling ? found.no_telling : "tells", wanted->share, wanted->most);
        ++wrong;
    }
    return wrong != 0;
}
