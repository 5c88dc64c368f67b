/* Sharing out a launch, and the workers' side of it. */
#include "cpu_job.h"

#include "cpu_team.h"
#include "cpu_work.h"

/*
 * Items of a piece. Fewer than FEW may each be heavy, so that they are given out one by one at first; more than MANY
 * are given out in chunks, unless the launch is known to be short; in between the piece is one call.
 */
enum { FEW = 64, MANY = 8192 };

/* How many times larger the chunk behind a quick one is. */
enum { GROWTH = 4, GROWTH_OF_MANY = 16 };

/* So many items, and more, are run in parts of PART items or more, 2 to MOST_PARTS: each is a call of its own. */
enum { TURNED = 2048, PART = 1280, MOST_PARTS = 8 };

/* The size of the parts along the slowest dimension, and where the last one begins. Rounded sizes may make fewer parts
 * than wanted. */
static ptrdiff_t cut(const struct quern_cpu_launch *launch, ptrdiff_t *last)
{
    const ptrdiff_t extent = launch->dim[launch->rank - 1].end;
    ptrdiff_t parts = launch->units / PART;
    parts = parts < 2 ? 2 : parts > MOST_PARTS ? MOST_PARTS : parts;
    ptrdiff_t size = (extent + parts - 1) / parts;
    if (launch->rank == 1)
        size = quern_cpu_align_items(size);
    *last = (extent - 1) / size * size;
    return size;
}

static int is_turned(const struct quern_cpu_launch *launch)
{
    return launch->units >= TURNED && !launch->is_group;
}

void quern_cpu_launch_cut(struct quern_cpu_launch *launch)
{
    launch->part = is_turned(launch) ? cut(launch, &launch->last_part) : 0;
}

/*
 * Part by part, from the first to the last in one launch and from the last to the first in the next: what a launch has
 * touched last is then what the next one, mostly over the same arrays, begins with, and still lies in the cache. Arrays
 * a little larger than a cache would otherwise pass through it without ever being found there. The parts are cut along
 * the slowest dimension.
 */
static __attribute__((noinline)) int run_turned(const struct quern_cpu_launch *launch, struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    quern_cpu_piece_begin(&piece, launch->rank, launch->dim, self);
    struct quern_cpu_dimension *slowest = &piece.dim[launch->rank - 1];
    const ptrdiff_t extent = slowest->end;
    ptrdiff_t last = 0, size = launch->part;
    if (size)
        last = launch->last_part;
    else
        size = cut(launch, &last);
    int back = self->turn ^= 1, failed = 0;
    ptrdiff_t begin = back ? last : 0, step = back ? -size : size;
    for (; begin >= 0 && begin <= last; begin += step) {
        slowest->begin = begin;
        slowest->end = begin == last ? extent : begin + size;
        launch->function(&piece, launch->arguments);
        failed |= piece.failed;
    }
    return failed;
}

int quern_cpu_launch_run_alone(struct quern_cpu_thread *self, const struct quern_cpu_launch *launch)
{
    struct quern_cpu_piece piece;
    if (is_turned(launch))
        return run_turned(launch, self);
    quern_cpu_piece_begin(&piece, launch->rank, launch->dim, self);
    launch->function(&piece, launch->arguments);
    return piece.failed;
}

/* ---- the workers' side ---- */

static int run_letter_piece(struct quern_cpu_letter *letter, struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    ptrdiff_t end = atomic_load_explicit(&letter->bound, memory_order_relaxed);
    const struct quern_cpu_dimension dim = {letter->begin, end, letter->extent, letter->offset, 0, 0};
    if (letter->begin >= end)
        return 0;
    quern_cpu_piece_begin(&piece, 1, &dim, self);
    letter->function(&piece, atomic_load_explicit(&letter->what, memory_order_relaxed));
    return piece.failed;
}

/* Runs a piece in chunks and takes chunks of others then. */
static int take_part(const struct quern_cpu_work *work, struct quern_cpu_cursor *own, ptrdiff_t begin,
                     struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    quern_cpu_piece_begin(&piece, work->rank, work->dim, self);
    int failed = quern_cpu_work_run_cursor(work, &piece, own, begin);
    return failed | quern_cpu_work_run_others(work, &piece, own);
}

static int take_part_in_chunks(const struct quern_cpu_letter *letter, const struct quern_cpu_argument *arguments,
                               struct quern_cpu_cursor *own, struct quern_cpu_thread *self)
{
    const struct quern_cpu_dimension dim = {0, letter->extent, letter->extent, letter->offset, 0, 0};
    const struct quern_cpu_work work = {.function = letter->function,
                                        .arguments = arguments,
                                        .dim = &dim,
                                        .chunk = quern_cpu_item_chunk(own->end - letter->begin),
                                        .rank = 1,
                                        .split = 1,
                                        .grows = GROWTH_OF_MANY};
    return take_part(&work, own, letter->begin, self);
}

static int run_letter(struct quern_cpu_worker *worker, struct quern_cpu_thread *self)
{
    struct quern_cpu_letter *letter = &worker->mailbox.letter;
    const void *what = atomic_load_explicit(&letter->what, memory_order_relaxed);
    switch (quern_cpu_mailbox_kind(&worker->mailbox)) {
    case QUERN_CPU_LETTER_PIECE:
        return run_letter_piece(letter, self);
    case QUERN_CPU_LETTER_CHUNKS:
        return take_part_in_chunks(letter, what, &worker->cursor, self);
    default:
        return take_part(what, &worker->cursor, letter->begin, self);
    }
}

void quern_cpu_job_serve(struct quern_cpu_worker *worker, struct quern_cpu_thread *self, uint64_t number)
{
    struct quern_cpu_mailbox *mailbox = &worker->mailbox;
    quern_cpu_mailbox_fetch(mailbox);
    if (quern_cpu_mailbox_kind(mailbox) != QUERN_CPU_LETTER_PIECE)
        quern_cpu_fetch_to_write(&worker->cursor); /* else it is only the leader's */
    if (quern_cpu_mailbox_take(mailbox, number))
        quern_cpu_mailbox_answer(mailbox, number, run_letter(worker, self), 0);
    else
        quern_cpu_mailbox_answer(mailbox, number, 0, 1);
}

/* ---- the leader's side: pieces of one call ---- */

static void post_item_letter(struct quern_cpu_worker *worker, uint32_t kind, const struct quern_cpu_launch *launch,
                             ptrdiff_t begin, intptr_t bound)
{
    struct quern_cpu_letter *letter = &worker->mailbox.letter;
    letter->function = launch->function;
    letter->begin = begin;
    letter->extent = launch->dim[0].extent;
    letter->offset = launch->dim[0].offset;
    quern_cpu_mailbox_write(&worker->mailbox, kind, launch->arguments, launch->argument_bytes, bound);
    quern_cpu_mailbox_post(&worker->mailbox);
}

/* How long the next launch waits for the worker before it takes the piece back depends on how it went this time. */
static void learn_patience(struct quern_cpu_mailbox *mailbox, int helped)
{
    if (helped)
        mailbox->patience = QUERN_CPU_PATIENCE;
    else if (mailbox->patience > 1)
        mailbox->patience /= 2;
}

/* Each engaged worker has a piece of one call. *helped, which is 1 when workers are to be given time for it, becomes 1
 * when one has run its piece, else 0. */
static int run_pieces(const struct quern_cpu_launch *launch, struct quern_cpu_worker *engaged, ptrdiff_t size,
                      struct quern_cpu_thread *self, int *helped)
{
    struct quern_cpu_piece piece;
    ptrdiff_t begin = size;
    int patient = *helped;
    *helped = 0;
    for (struct quern_cpu_worker *worker = engaged; worker; worker = worker->cursor.following) {
        /* Rounded borders can leave nothing for the last ones. */
        ptrdiff_t first = begin < launch->units ? begin : launch->units;
        ptrdiff_t end = launch->units - first < size ? launch->units : first + size;
        post_item_letter(worker, QUERN_CPU_LETTER_PIECE, launch, first, end);
        begin = end;
    }
    quern_cpu_piece_begin(&piece, 1, launch->dim, self);
    piece.dim[0].end = size < launch->units ? size : launch->units;
    launch->function(&piece, launch->arguments);
    int failed = piece.failed;
    for (struct quern_cpu_worker *worker = engaged, *next; worker; worker = next) {
        struct quern_cpu_mailbox *mailbox = &worker->mailbox;
        next = worker->cursor.following;
        if (quern_cpu_team_settle(worker, patient ? QUERN_CPU_PATIENCE : mailbox->patience, self)) {
            learn_patience(mailbox, 1);
            failed |= mailbox->failed;
            *helped = 1;
        } else {
            learn_patience(mailbox, 0);
            failed |= run_letter_piece(&mailbox->letter, self);
        }
        quern_cpu_mailbox_give_back(mailbox);
    }
    return failed;
}

/* ---- the leader's side: pieces in chunks ---- */

struct job {
    struct quern_cpu_work work;
    ptrdiff_t units;
    ptrdiff_t size; /* units of a piece */
    struct quern_cpu_cursor own;
};

/* Cuts the slowest dimensions, until there are enough units to share out; the inner one stays whole where possible. */
static void plan(struct job *job, const struct quern_cpu_launch *launch, ptrdiff_t threads, int is_short)
{
    const struct quern_cpu_dimension *slowest = &launch->dim[launch->rank - 1];
    ptrdiff_t units = slowest->end;
    int16_t split = 1;
    while (split < launch->rank && units < 4 * threads)
        units *= slowest[-split++].end;
    ptrdiff_t items = units == launch->units ? launch->weight : launch->units / units * launch->weight;
    ptrdiff_t size = (units + threads - 1) / threads;
    if (items == 1)
        size = quern_cpu_align_items(size);
    job->units = units;
    job->size = size;
    job->work = (struct quern_cpu_work){.function = launch->function,
                                        .arguments = launch->arguments,
                                        .dim = launch->dim,
                                        .rank = launch->rank,
                                        .split = split,
                                        .grows = GROWTH_OF_MANY};
    if (is_short) {
        job->work.chunk = size;
        job->work.grows = 0;
    } else if (!launch->is_group && size * items < FEW) {
        job->work.chunk = 1;
        job->work.grows = GROWTH;
    } else if (!launch->is_group && size * items <= MANY) {
        job->work.chunk = size;
        job->work.grows = 0;
    } else {
        job->work.chunk = items == 1 ? quern_cpu_item_chunk(size) : size / QUERN_CPU_CHUNKS + 1;
        if (job->work.chunk * GROWTH_OF_MANY > size * GROWTH)
            job->work.grows = GROWTH;
    }
}

/* Gives each engaged worker a piece, and its first chunk for sure. */
static void post_pieces(struct job *job, const struct quern_cpu_launch *launch, int is_items)
{
    ptrdiff_t begin = job->own.end;
    for (struct quern_cpu_worker *worker = job->own.following; worker; worker = worker->cursor.following) {
        ptrdiff_t end = job->units - begin < job->size ? job->units : begin + job->size;
        ptrdiff_t chunk = is_items ? quern_cpu_item_chunk(end - begin) : job->work.chunk;
        worker->mailbox.letter.begin = begin;
        worker->cursor.end = end;
        worker->cursor.leaders = &job->own;
        atomic_store_explicit(&worker->cursor.next, end - begin < chunk ? end : begin + chunk, memory_order_relaxed);
        begin = end;
    }
    /* Only when all cursors are set: who has a piece looks at the others'. */
    for (struct quern_cpu_worker *worker = job->own.following; worker; worker = worker->cursor.following) {
        struct quern_cpu_letter *letter = &worker->mailbox.letter;
        if (is_items) {
            post_item_letter(worker, QUERN_CPU_LETTER_CHUNKS, launch, letter->begin, (intptr_t)&job->own);
        } else {
            quern_cpu_mailbox_write(&worker->mailbox, QUERN_CPU_LETTER_WORK, &job->work, sizeof job->work,
                                    (intptr_t)&job->own);
            quern_cpu_mailbox_post(&worker->mailbox);
        }
    }
}

/* The leader's piece was done so quickly that the others' are, too, in a moment: looking for more to do in their
 * cursors would only be in their way. 1 when they are done. */
static int wait_briefly(const struct job *job)
{
    struct quern_cpu_worker *worker = job->own.following;
    for (uint32_t i = 0; worker && i < worker->mailbox.patience; ++i) {
        if (quern_cpu_mailbox_is_done(&worker->mailbox))
            worker = worker->cursor.following;
        else
            quern_cpu_pause();
    }
    return !worker;
}

/* Nothing is left in the cursors; who has begun is waited for, and first chunks that nobody has begun are run. All
 * cursors stay until everybody is done. */
static int settle_job(struct job *job, struct quern_cpu_piece *piece, struct quern_cpu_thread *self, int *helped)
{
    int failed = 0;
    *helped = 0;
    for (struct quern_cpu_worker *worker = job->own.following; worker; worker = worker->cursor.following) {
        ptrdiff_t begin = worker->mailbox.letter.begin, end = worker->cursor.end;
        if (quern_cpu_team_settle(worker, 0, self)) {
            failed |= worker->mailbox.failed;
            learn_patience(&worker->mailbox, 1);
            *helped = 1;
        } else {
            learn_patience(&worker->mailbox, 0);
            ptrdiff_t chunk = quern_cpu_mailbox_kind(&worker->mailbox) == QUERN_CPU_LETTER_CHUNKS
                                  ? quern_cpu_item_chunk(end - begin)
                                  : job->work.chunk;
            failed |= quern_cpu_work_run(&job->work, piece, begin, end - begin < chunk ? end : begin + chunk);
        }
    }
    for (struct quern_cpu_worker *worker = job->own.following, *next; worker; worker = next) {
        next = worker->cursor.following;
        quern_cpu_mailbox_give_back(&worker->mailbox);
    }
    return failed;
}

static int run_job(const struct quern_cpu_launch *launch, struct quern_cpu_worker *engaged, unsigned count,
                   struct quern_cpu_thread *self, int is_short, int *helped)
{
    struct job job;
    struct quern_cpu_piece piece;
    int is_items = launch->rank == 1 && !launch->is_group;
    quern_cpu_fetch_to_write(&job.own);
    if (!is_items)
        quern_cpu_fetch_to_write(&job.work);
    plan(&job, launch, (ptrdiff_t)count + 1, is_short);
    is_items = is_items && job.work.grows == GROWTH_OF_MANY;
    job.own.end = job.size < job.units ? job.size : job.units;
    job.own.following = engaged;
    job.own.leaders = NULL;
    atomic_init(&job.own.next, job.work.chunk);
    post_pieces(&job, launch, is_items);
    quern_cpu_piece_begin(&piece, launch->rank, launch->dim, self);
    uint64_t begin = quern_cpu_ticks();
    int failed = quern_cpu_work_run_cursor(&job.work, &piece, &job.own, 0);
    if (quern_cpu_ticks() - begin >= QUERN_CPU_QUICK_TICKS || !wait_briefly(&job))
        failed |= quern_cpu_work_run_others(&job.work, &piece, &job.own);
    return failed | settle_job(&job, &piece, self, helped);
}

/* ---- launches ---- */

static int run_shared(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                      const struct quern_cpu_launch *launch, int is_short, int *helped)
{
    struct quern_cpu_worker *engaged;
    ptrdiff_t wanted = launch->units - 1, most = (ptrdiff_t)device->thread_count - 1;
    unsigned count = quern_cpu_team_engage(device, self, (unsigned)(wanted < most ? wanted : most), &engaged);
    if (count == 0) {
        *helped = 0;
        return quern_cpu_launch_run_alone(self, launch);
    }
    if (launch->rank == 1 && !launch->is_group) {
        ptrdiff_t size = quern_cpu_align_items((launch->units + count) / ((ptrdiff_t)count + 1));
        if (size >= FEW && (size <= MANY || is_short))
            return run_pieces(launch, engaged, size, self, helped);
    }
    return run_job(launch, engaged, count, self, is_short, helped);
}

static int run_large(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                     const struct quern_cpu_launch *launch)
{
    struct quern_cpu_trial trial = {NULL, 0, 0};
    size_t items = (size_t)(launch->units * launch->weight);
    int helped = 0, is_short = launch->tuning && quern_cpu_tune_is_short(launch->tuning, items, &trial);
    int failed = run_shared(device, self, launch, is_short, &helped);
    quern_cpu_tune_end_large(&trial);
    return failed;
}

int quern_cpu_launch_is_small(const struct quern_cpu_device *device, ptrdiff_t items)
{
    return items <= MANY * (ptrdiff_t)device->thread_count;
}

int quern_cpu_launch_run_anyhow(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                                const struct quern_cpu_launch *launch)
{
    struct quern_cpu_trial trial;
    if (launch->units == 1 || device->thread_count == 1)
        return quern_cpu_launch_run_alone(self, launch);
    if (!launch->experience)
        return run_large(device, self, launch);
    int shared = quern_cpu_tune_begin(launch->experience, &trial);
    int helped = trial.patient;
    int failed = shared ? run_shared(device, self, launch, 0, &helped) : quern_cpu_launch_run_alone(self, launch);
    quern_cpu_tune_end(&trial, helped);
    return failed;
}
