/* Pieces and chunks of a launch. */
#include "cpu_job.h"

#include <string.h>

/*
 * Items of a piece. Fewer than FEW may each be heavy, so that they are given out in small numbers; more than MANY
 * are given out in CHUNKS parts; in between the piece is one call. Borders of large pieces are multiples of ALIGNED items, whole
 * cache lines even of single bytes.
 */
enum { FEW = 64, MANY = 8192, CHUNKS = 16, LARGE = 512, ALIGNED = 64 };

/* While chunks of a piece of FEW items take less than this, the next one is larger. */
enum { SHORT_NANOSECONDS = 1000 };

/* How long a leader waits for a worker that runs a piece: turns of pausing, then of yielding, then it sleeps. */
enum { PAUSES = 2000, PAUSES_WHEN_CROWDED = 100, YIELDS = 50 };

struct quern_cpu_job {
    const struct quern_cpu_launch *launch;
    int split;         /* so many of the slowest dimensions are cut */
    ptrdiff_t units;   /* their product */
    ptrdiff_t chunk;   /* units given out at a time; 0: grows from 1 */
    _Atomic int failed;
    struct quern_cpu_worker *engaged; /* linked by their mailboxes' next */
    struct quern_cpu_cursor own;      /* the leader's piece */
};

/* A piece is about to run on the thread: its scratch is empty again. */
static void empty_scratch(struct quern_cpu_thread *self)
{
    struct quern_cpu_scratch *scratch = &self->scratch;
    if (scratch->overflowed)
        (void)scratch->grow(scratch, 0);
    scratch->used = 0;
}

static int run_whole(const struct quern_cpu_launch *launch, struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    piece.rank = launch->rank;
    piece.failed = 0;
    piece.scratch = &self->scratch;
    for (int32_t d = 0; d < launch->rank; ++d)
        piece.dim[d] = launch->dim[d];
    empty_scratch(self);
    launch->function(&piece, launch->arguments);
    return piece.failed;
}

/* ---- plain pieces: one dimension, no groups, one call ---- */

static int run_plain(quern_cpu_function *function, const struct quern_cpu_argument *arguments, ptrdiff_t begin,
                     ptrdiff_t end, ptrdiff_t extent, ptrdiff_t offset, struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    piece.rank = 1;
    piece.failed = 0;
    piece.scratch = &self->scratch;
    piece.dim[0].begin = begin;
    piece.dim[0].end = end;
    piece.dim[0].extent = extent;
    piece.dim[0].offset = offset;
    piece.dim[0].group = 0;
    piece.dim[0].groups = 0;
    empty_scratch(self);
    function(&piece, arguments);
    return piece.failed;
}

static int run_letter(const struct quern_cpu_letter *letter, struct quern_cpu_thread *self)
{
    return run_plain(letter->function, letter->of.arguments, letter->begin, letter->end, letter->extent,
                     letter->offset, self);
}

/* ---- parts of a job ---- */

/* Extent of the job's dimension s, slowest first, in items or groups. */
static ptrdiff_t extent_of(const struct quern_cpu_launch *launch, int s)
{
    return launch->dim[launch->rank - 1 - s].end;
}

/*
 * Sets the piece's dimensions to a box that begins at unit number begin and goes no further than end: as many whole
 * slices of as slow a dimension as possible. Returns the unit behind the box.
 */
static ptrdiff_t next_box(const struct quern_cpu_job *job, struct quern_cpu_piece *piece, ptrdiff_t begin, ptrdiff_t end)
{
    const struct quern_cpu_launch *launch = job->launch;
    ptrdiff_t slice = 1, rest = begin;
    int s = job->split - 1; /* the dimension that the box extends along; slice units are one step of it */
    while (s > 0 && begin % (slice * extent_of(launch, s)) == 0 && slice * extent_of(launch, s) <= end - begin)
        slice *= extent_of(launch, s--);
    for (int faster = s + 1; faster < job->split; ++faster)
        piece->dim[launch->rank - 1 - faster] = launch->dim[launch->rank - 1 - faster];
    rest = begin / slice;
    struct quern_cpu_dimension *along = &piece->dim[launch->rank - 1 - s];
    ptrdiff_t position = s > 0 ? rest % extent_of(launch, s) : rest;
    ptrdiff_t steps = (end - begin) / slice, room = extent_of(launch, s) - position;
    if (steps > room)
        steps = room;
    along->begin = position;
    along->end = position + steps;
    rest = s > 0 ? rest / extent_of(launch, s) : 0;
    for (int slower = s - 1; slower >= 0; --slower) {
        struct quern_cpu_dimension *dimension = &piece->dim[launch->rank - 1 - slower];
        dimension->begin = slower > 0 ? rest % extent_of(launch, slower) : rest;
        dimension->end = dimension->begin + 1;
        rest = slower > 0 ? rest / extent_of(launch, slower) : 0;
    }
    return begin + steps * slice;
}

static int run_units(const struct quern_cpu_job *job, struct quern_cpu_piece *piece, ptrdiff_t begin, ptrdiff_t end)
{
    const struct quern_cpu_launch *launch = job->launch;
    int failed = 0;
    while (begin < end) {
        begin = next_box(job, piece, begin, end);
        piece->failed = 0;
        launch->function(piece, launch->arguments);
        failed |= piece->failed;
    }
    return failed;
}

/* Runs what is left of a piece, chunk by chunk. */
static int run_cursor(const struct quern_cpu_job *job, struct quern_cpu_piece *piece, struct quern_cpu_cursor *cursor)
{
    ptrdiff_t chunk = job->chunk ? job->chunk : 1, end = cursor->end;
    int failed = 0;
    /* Looked at first, so that a cursor at its end is not written to again and again. */
    while (atomic_load_explicit(&cursor->next, memory_order_relaxed) < end) {
        ptrdiff_t begin = atomic_fetch_add_explicit(&cursor->next, chunk, memory_order_relaxed);
        if (begin >= end)
            break;
        ptrdiff_t stop = end - begin < chunk ? end : begin + chunk;
        if (job->chunk) {
            failed |= run_units(job, piece, begin, stop);
        } else {
            int64_t start = quern_cpu_now();
            failed |= run_units(job, piece, begin, stop);
            if (quern_cpu_now() - start < SHORT_NANOSECONDS)
                chunk *= 4;
        }
    }
    return failed;
}

/* A thread takes part in the job, which it begins with a piece of its own. */
static void take_part(struct quern_cpu_job *job, struct quern_cpu_cursor *own, struct quern_cpu_worker *first_other,
                      struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    const struct quern_cpu_launch *launch = job->launch;
    piece.rank = launch->rank;
    piece.scratch = &self->scratch;
    for (int32_t d = 0; d < launch->rank; ++d)
        piece.dim[d] = launch->dim[d];
    empty_scratch(self);
    int failed = run_cursor(job, &piece, own);
    /* The others' pieces, beginning with the next one's, so that not everybody helps the same. */
    for (struct quern_cpu_worker *other = first_other; other; other = other->mailbox.next)
        failed |= run_cursor(job, &piece, &other->cursor);
    if (own != &job->own)
        failed |= run_cursor(job, &piece, &job->own);
    for (struct quern_cpu_worker *other = job->engaged; other != first_other; other = other->mailbox.next)
        failed |= run_cursor(job, &piece, &other->cursor);
    if (failed)
        atomic_store_explicit(&job->failed, 1, memory_order_relaxed);
}

/* ---- workers ---- */

/* 1 when the leader may wake one more worker: there is a CPU for it. */
static int may_wake(const struct quern_cpu_thread *self)
{
    unsigned running = atomic_load_explicit(&quern_cpu_pool.awake, memory_order_relaxed) + (self->worker ? 0 : 1);
    return running < quern_cpu_pool.cpus;
}

/* Reserves up to wanted free workers, those that are awake before those that sleep. */
static unsigned engage(struct quern_cpu_device *device, const struct quern_cpu_thread *self, unsigned wanted,
                       struct quern_cpu_worker **first)
{
    unsigned count = 0, asleep = 0;
    struct quern_cpu_worker **link = first;
    for (unsigned i = 0; i < device->thread_count && count < wanted; ++i) {
        struct quern_cpu_worker *worker = &device->workers[i];
        if (atomic_load_explicit(&worker->asleep, memory_order_relaxed)) {
            ++asleep;
            continue;
        }
        if (worker == self->worker || atomic_load_explicit(&worker->leading, memory_order_relaxed) ||
            !quern_cpu_mailbox_reserve(&worker->mailbox))
            continue;
        *link = worker;
        link = &worker->mailbox.next;
        ++count;
    }
    for (unsigned i = 0; asleep && count < wanted && i < device->thread_count && may_wake(self); ++i) {
        struct quern_cpu_worker *worker = &device->workers[i];
        if (!atomic_load_explicit(&worker->asleep, memory_order_relaxed) ||
            !quern_cpu_mailbox_reserve(&worker->mailbox))
            continue;
        quern_cpu_worker_wake(worker);
        *link = worker;
        link = &worker->mailbox.next;
        ++count;
    }
    *link = NULL;
    return count;
}

/* Until the worker has finished the piece that it runs. */
static void wait_for(struct quern_cpu_mailbox *mailbox, struct quern_cpu_thread *self)
{
    int pauses = quern_cpu_is_crowded() ? PAUSES_WHEN_CROWDED : PAUSES;
    for (int i = 0; i < pauses; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return;
        quern_cpu_pause();
    }
    for (int i = 0; i < YIELDS; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return;
        sched_yield();
    }
    while (!quern_cpu_mailbox_is_done(mailbox))
        quern_cpu_mailbox_sleep(mailbox, &self->parker);
}

/* 1 when the piece has been run by the worker; 0 when it is the leader's again. */
static int settle(struct quern_cpu_worker *worker, uint32_t patience, struct quern_cpu_thread *self)
{
    struct quern_cpu_mailbox *mailbox = &worker->mailbox;
    for (uint32_t i = 0; i < patience; ++i) {
        if (quern_cpu_mailbox_is_done(mailbox))
            return 1;
        quern_cpu_pause();
    }
    if (quern_cpu_mailbox_take(mailbox, mailbox->number))
        return 0;
    wait_for(mailbox, self);
    return 1;
}

/* ---- launches ---- */

static void write_letter(struct quern_cpu_worker *worker, const struct quern_cpu_launch *launch, ptrdiff_t begin,
                         ptrdiff_t end, _Atomic int *failed)
{
    struct quern_cpu_letter *letter = &worker->mailbox.letter;
    letter->function = launch->function;
    letter->of.arguments = launch->arguments;
    letter->failed = failed;
    letter->begin = begin;
    letter->end = end;
    letter->extent = launch->dim[0].extent;
    letter->offset = launch->dim[0].offset;
    quern_cpu_mailbox_post(&worker->mailbox);
}

/* Each engaged worker has a piece of one call. */
static int run_plain_pieces(const struct quern_cpu_launch *launch, struct quern_cpu_worker *engaged, ptrdiff_t size,
                            struct quern_cpu_thread *self)
{
    _Atomic int failed = 0;
    ptrdiff_t begin = size;
    for (struct quern_cpu_worker *worker = engaged; worker; worker = worker->mailbox.next) {
        /* Rounded borders can leave nothing for the last ones. */
        ptrdiff_t first = begin < launch->units ? begin : launch->units;
        ptrdiff_t end = launch->units - first < size ? launch->units : first + size;
        write_letter(worker, launch, first, end, &failed);
        begin = end;
    }
    int own_failed = run_plain(launch->function, launch->arguments, 0, size < launch->units ? size : launch->units,
                               launch->dim[0].extent, launch->dim[0].offset, self);
    for (struct quern_cpu_worker *worker = engaged, *next; worker; worker = next) {
        struct quern_cpu_mailbox *mailbox = &worker->mailbox;
        next = mailbox->next;
        if (settle(worker, mailbox->patience, self)) {
            mailbox->patience = QUERN_CPU_PATIENCE;
        } else {
            if (mailbox->patience > 1)
                mailbox->patience /= 2;
            own_failed |= run_letter(&mailbox->letter, self);
        }
        quern_cpu_mailbox_give_back(mailbox);
    }
    return own_failed | atomic_load_explicit(&failed, memory_order_relaxed);
}

/* Fills in how the launch is cut for so many threads. */
static void plan(struct quern_cpu_job *job, const struct quern_cpu_launch *launch, ptrdiff_t threads, ptrdiff_t *size)
{
    /* The slowest dimensions until there are enough units to share out; the inner one stays whole where possible. */
    ptrdiff_t units = extent_of(launch, 0), inner = launch->units / units;
    int split = 1;
    while (split < launch->rank && units < 4 * threads) {
        ptrdiff_t extent = extent_of(launch, split++);
        units *= extent;
        inner /= extent;
    }
    job->launch = launch;
    job->split = split;
    job->units = units;
    *size = (units + threads - 1) / threads;
    ptrdiff_t unit_items = inner * launch->weight;
    ptrdiff_t border = unit_items == 1 && *size >= LARGE ? ALIGNED : 1;
    *size = (*size + border - 1) / border * border;
    ptrdiff_t items = *size * unit_items;
    if (launch->weight == 1 && items < FEW)
        job->chunk = 0;
    else if (launch->weight == 1 && items <= MANY)
        job->chunk = *size;
    else
        job->chunk = (*size / CHUNKS + border - 1) / border * border;
    if (job->chunk == 0 && !(launch->weight == 1 && items < FEW))
        job->chunk = 1;
}

static int run_job(const struct quern_cpu_launch *launch, struct quern_cpu_worker *engaged, unsigned count,
                   struct quern_cpu_thread *self)
{
    struct quern_cpu_job job;
    ptrdiff_t size, begin;
    plan(&job, launch, (ptrdiff_t)count + 1, &size);
    job.engaged = engaged;
    atomic_init(&job.failed, 0);
    atomic_init(&job.own.next, 0);
    job.own.end = size < job.units ? size : job.units;
    begin = job.own.end;
    for (struct quern_cpu_worker *worker = engaged; worker; worker = worker->mailbox.next) {
        atomic_store_explicit(&worker->cursor.next, begin, memory_order_relaxed);
        begin = job.units - begin < size ? job.units : begin + size;
        worker->cursor.end = begin;
    }
    for (struct quern_cpu_worker *worker = engaged; worker; worker = worker->mailbox.next) {
        worker->mailbox.letter.function = NULL;
        worker->mailbox.letter.of.job = &job;
        quern_cpu_mailbox_post(&worker->mailbox);
    }
    take_part(&job, &job.own, engaged, self);
    /* Nothing is left to be given out; only who has begun is waited for. All cursors stay until everybody is done. */
    for (struct quern_cpu_worker *worker = engaged; worker; worker = worker->mailbox.next)
        (void)settle(worker, 0, self);
    for (struct quern_cpu_worker *worker = engaged, *next; worker; worker = next) {
        next = worker->mailbox.next;
        quern_cpu_mailbox_give_back(&worker->mailbox);
    }
    return atomic_load_explicit(&job.failed, memory_order_relaxed);
}

int quern_cpu_launch_run(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                         const struct quern_cpu_launch *launch)
{
    if (launch->units == 1 || launch->alone || device->thread_count == 1)
        return run_whole(launch, self);
    struct quern_cpu_worker *engaged;
    ptrdiff_t wanted = launch->units - 1;
    if (wanted > (ptrdiff_t)device->thread_count - 1)
        wanted = (ptrdiff_t)device->thread_count - 1;
    unsigned count = engage(device, self, (unsigned)wanted, &engaged);
    if (count == 0)
        return run_whole(launch, self);
    if (launch->rank == 1 && launch->weight == 1 && launch->dim[0].group == 0) {
        ptrdiff_t size = (launch->units + count) / ((ptrdiff_t)count + 1);
        if (size >= LARGE)
            size = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
        if (size >= FEW && size <= MANY)
            return run_plain_pieces(launch, engaged, size, self);
    }
    return run_job(launch, engaged, count, self);
}

void quern_cpu_job_serve(struct quern_cpu_worker *worker, struct quern_cpu_thread *self, uint64_t number)
{
    if (!quern_cpu_mailbox_take(&worker->mailbox, number))
        return;
    const struct quern_cpu_letter *letter = &worker->mailbox.letter;
    if (!letter->function)
        take_part(letter->of.job, &worker->cursor, worker->mailbox.next, self);
    else if (run_letter(letter, self))
        atomic_store_explicit(letter->failed, 1, memory_order_relaxed);
    quern_cpu_mailbox_finish(&worker->mailbox, number);
}
