/* Trying out whether a small launch is faster with several threads or with one. */
#include "cpu_tune.h"

/* Each way is tried until it has been timed so often; the first times fetch the data to where they are used then. */
enum { FIRST_SAMPLES = 8, SAMPLES = FIRST_SAMPLES + QUERN_CPU_TIMES };

/* Workers that sleep take their time: so many launches and ticks are waited for them. */
enum { PATIENT_LAUNCHES = 32, PATIENT_TICKS = 200000 };

/* What takes longer is shared out without trying the other way. */
enum { LONG_TICKS = 12000 };

/* So many launches use the result; twice as many whenever the trials come to the same one again, up to 2^20: they wake
 * workers, which then look for more work a while, and may share what the launching processor computes with. */
enum { EPOCH = 4096, MOST_DOUBLINGS = 8 };

/* Of launches that are shared out one in so many is timed; after so many in a row that one thread would have run
 * faster, as when the other processor has got something else to do, so many run alone before both ways are tried again.
 */
enum { WATCHED = 8, STRIKES = 2, ALONE_AFTER_STRIKES = 512 };

static uint32_t get(const _Atomic uint32_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic uint32_t *value, uint32_t to)
{
    atomic_store_explicit(value, to, memory_order_relaxed);
}

static void enter(struct quern_cpu_experience *experience, uint32_t phase)
{
    set(&experience->launches, 0);
    set(&experience->samples, 0);
    atomic_store_explicit(&experience->since, quern_cpu_ticks(), memory_order_relaxed);
    set(&experience->phase, phase);
}

static void set_repeated(struct quern_cpu_experience *experience, uint32_t repeated)
{
    set(&experience->repeated, repeated);
    set(&experience->limit, (uint32_t)EPOCH << repeated);
}

/* The trials' result. */
static void decide(struct quern_cpu_experience *experience, uint32_t result)
{
    uint32_t repeated = get(&experience->repeated);
    if (get(&experience->result) != result)
        repeated = 0;
    else if (repeated < MOST_DOUBLINGS)
        ++repeated;
    set(&experience->result, result);
    set_repeated(experience, repeated);
    enter(experience, result);
}

int quern_cpu_tune_begin(struct quern_cpu_experience *experience, struct quern_cpu_trial *trial)
{
    uint32_t phase = get(&experience->phase), launches = get(&experience->launches);
    trial->experience = NULL;
    trial->patient = 0;
    if (phase == QUERN_CPU_SHARED || phase == QUERN_CPU_ALONE) {
        set(&experience->launches, launches + 1);
        if (launches < get(&experience->limit)) {
            if (phase == QUERN_CPU_SHARED && launches % WATCHED == 0 && get(&experience->alone)) {
                trial->experience = experience;
                trial->begin = quern_cpu_ticks();
            }
            return phase == QUERN_CPU_SHARED;
        }
        enter(experience, phase = QUERN_CPU_TRY_SHARED);
    } else if (launches == 0) {
        enter(experience, phase); /* the very first launch */
    }
    set(&experience->launches, get(&experience->launches) + 1);
    trial->experience = experience;
    trial->patient = 1;
    trial->begin = quern_cpu_ticks();
    return phase == QUERN_CPU_TRY_SHARED;
}

/* The middle one: neither the luckiest nor an interrupted one says how the next launches will be. */
static uint32_t median(const struct quern_cpu_experience *experience)
{
    uint32_t sorted[QUERN_CPU_TIMES];
    for (int i = 0; i < QUERN_CPU_TIMES; ++i) {
        uint32_t ticks = get(&experience->times[i]);
        int at = i;
        for (; at > 0 && sorted[at - 1] > ticks; --at)
            sorted[at] = sorted[at - 1];
        sorted[at] = ticks;
    }
    return sorted[QUERN_CPU_TIMES / 2];
}

/* Another time of the way that is being tried. 1 when there are enough, and *result is set. */
static int add_sample(struct quern_cpu_experience *experience, _Atomic uint32_t *result, uint64_t ticks)
{
    uint32_t samples = get(&experience->samples);
    set(&experience->samples, samples + 1);
    if (samples >= FIRST_SAMPLES && samples < SAMPLES)
        set(&experience->times[samples - FIRST_SAMPLES], ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX);
    if (samples + 1 < SAMPLES)
        return 0;
    set(result, median(experience));
    return 1;
}

static void end_shared(struct quern_cpu_experience *experience, uint64_t now, uint64_t ticks, int shared)
{
    if (shared) {
        if (add_sample(experience, &experience->shared, ticks)) {
            if (get(&experience->shared) > LONG_TICKS) {
                set(&experience->alone, 0); /* not known */
                decide(experience, QUERN_CPU_SHARED);
            } else {
                enter(experience, QUERN_CPU_TRY_ALONE);
            }
        }
        return;
    }
    /* Nobody came in time. What takes long is offered again at the next launch. */
    if (ticks <= LONG_TICKS && get(&experience->launches) >= PATIENT_LAUNCHES &&
        now - atomic_load_explicit(&experience->since, memory_order_relaxed) >= PATIENT_TICKS)
        decide(experience, QUERN_CPU_ALONE);
}

/* A launch of a kind that was faster when shared out. */
static void watch(struct quern_cpu_experience *experience, uint64_t ticks)
{
    uint32_t strikes = ticks > get(&experience->alone) ? get(&experience->samples) + 1 : 0;
    set(&experience->samples, strikes);
    if (strikes < STRIKES)
        return;
    set_repeated(experience, 0);
    enter(experience, QUERN_CPU_ALONE);
    set(&experience->launches, EPOCH - ALONE_AFTER_STRIKES);
}

void quern_cpu_tune_end(struct quern_cpu_trial *trial, int shared)
{
    struct quern_cpu_experience *experience = trial->experience;
    if (!experience)
        return;
    uint64_t now = quern_cpu_ticks(), ticks = now - trial->begin;
    uint32_t phase = get(&experience->phase);
    if (phase == QUERN_CPU_SHARED)
        watch(experience, ticks);
    else if (phase == QUERN_CPU_TRY_SHARED)
        end_shared(experience, now, ticks, shared);
    else if (phase == QUERN_CPU_TRY_ALONE && add_sample(experience, &experience->alone, ticks))
        decide(experience, get(&experience->alone) < get(&experience->shared) ? QUERN_CPU_ALONE : QUERN_CPU_SHARED);
}

/* ---- large launches ---- */

/* What is over within this, some eight microseconds, is short; and of short launches, one in so many is timed. */
enum { SHORT_TICKS = 20000, TIMED = 4 };

int quern_cpu_tune_is_short(struct quern_cpu_tuning *tuning, size_t items, struct quern_cpu_trial *trial)
{
    struct quern_cpu_experience *experience = quern_cpu_tune_find(tuning, items);
    uint32_t last = get(&experience->shared), launches = get(&experience->launches);
    int is_short = last != 0 && last < SHORT_TICKS;
    set(&experience->launches, launches + 1);
    trial->experience = is_short && launches % TIMED ? NULL : experience;
    if (trial->experience)
        trial->begin = quern_cpu_ticks();
    return is_short;
}

void quern_cpu_tune_end_large(struct quern_cpu_trial *trial)
{
    if (!trial->experience)
        return;
    uint64_t ticks = quern_cpu_ticks() - trial->begin;
    set(&trial->experience->shared, ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX);
}
