/* How much of the exchange has been hidden behind the computation, as far as the times of the steps can tell. */
#ifndef HEAT_MPI_HIDDEN_H
#define HEAT_MPI_HIDDEN_H

/* Seconds a step, all by the same clock. */
typedef struct step_times {
    double without, with; /* overlap */
    double exchange;      /* part of without */
    double nap;           /* how long one of the exchange's sleeps lasts: finer than that nothing was measured */
} step_times;

typedef struct hidden {
    const char *no_telling; /* why nothing can be said; NULL: it can */
    double share;           /* of the exchange that was hidden, 0 to most */
    double most;            /* that the computation is long enough to hide, 0 to 1 */
} hidden;

hidden hidden_find(const step_times *times);

#endif
