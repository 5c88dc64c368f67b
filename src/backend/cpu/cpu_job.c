/* Sharing out a launch, and the workers' side of it. */
#include "cpu_job.h"

#include "cpu_team.h"
#include "cpu_work.h"

/*
 * Items of a piece. Fewer than FEW may each be heavy, so that they are given out one by one at first; more than MANY
 * are given out in chunks; in between the piece is one call.
 */
enum { FEW = 64, MANY = 8192 };

/* How many times larger the chunk behind a quick one is. */
enum { GROWTH = 4, GROWTH_OF_MANY = 16 };

static int run_whole(const struct quern_cpu_launch *launch, struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    quern_cpu_piece_begin(&piece, launch->rank, launch->dim, self);
    launch->function(&piece, launch->arguments);
    return piece.failed;
}

/* ---- the workers' side ---- */

static int run_letter_piece(const struct quern_cpu_letter *letter, const struct quern_cpu_argument *arguments,
                            struct quern_cpu_thread *self)
{
    struct quern_cpu_piece piece;
    const struct quern_cpu_dimension dim = {letter->begin, letter->end, letter->extent, letter->offset, 0, 0};
    if (letter->begin >= letter->end)
        return 0;
    quern_cpu_piece_begin(&piece, 1, &dim, self);
    letter->function(&piece, arguments);
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
                                        .chunk = quern_cpu_item_chunk(letter->end - letter->begin),
                                        .rank = 1,
                                        .split = 1,
                                        .grows = GROWTH_OF_MANY};
    return take_part(&work, own, letter->begin, self);
}

void quern_cpu_job_serve(struct quern_cpu_worker *worker, struct quern_cpu_thread *self, uint64_t number)
{
    struct quern_cpu_mailbox *mailbox = &worker->mailbox;
    quern_cpu_mailbox_fetch(mailbox);
    quern_cpu_fetch_to_write(&worker->cursor);
    if (!quern_cpu_mailbox_take(mailbox, number))
        return;
    const void *what = atomic_load_explicit(&mailbox->letter.what, memory_order_relaxed);
    if (mailbox->letter.kind == QUERN_CPU_LETTER_PIECE) {
        mailbox->failed = run_letter_piece(&mailbox->letter, what, self);
    } else {
        __builtin_prefetch(worker->cursor.leaders);
        if (mailbox->letter.kind == QUERN_CPU_LETTER_CHUNKS)
            mailbox->failed = take_part_in_chunks(&mailbox->letter, what, &worker->cursor, self);
        else
            mailbox->failed = take_part(what, &worker->cursor, mailbox->letter.begin, self);
    }
    quern_cpu_mailbox_finish(mailbox, number);
}

/* ---- the leader's side: pieces of one call ---- */

static void post_item_letter(struct quern_cpu_worker *worker, uint32_t kind, const struct quern_cpu_launch *launch,
                             ptrdiff_t begin, ptrdiff_t end)
{
    struct quern_cpu_letter *letter = &worker->mailbox.letter;
    letter->kind = kind;
    letter->function = launch->function;
    letter->begin = begin;
    letter->end = end;
    letter->extent = launch->dim[0].extent;
    letter->offset = launch->dim[0].offset;
    atomic_store_explicit(&letter->what, launch->arguments, memory_order_relaxed);
    atomic_store_explicit(&letter->lines, (uint32_t)((launch->argument_bytes + 63) / 64), memory_order_relaxed);
    quern_cpu_mailbox_post(&worker->mailbox);
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
            mailbox->patience = QUERN_CPU_PATIENCE;
            failed |= mailbox->failed;
            *helped = 1;
        } else {
            if (mailbox->patience > 1)
                mailbox->patience /= 2;
            failed |= run_letter_piece(&mailbox->letter, launch->arguments, self);
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
static void plan(struct job *job, const struct quern_cpu_launch *launch, ptrdiff_t threads)
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
    if (!launch->is_group && size * items < FEW) {
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
            post_item_letter(worker, QUERN_CPU_LETTER_CHUNKS, launch, letter->begin, worker->cursor.end);
            continue;
        }
        letter->kind = QUERN_CPU_LETTER_WORK;
        letter->end = worker->cursor.end;
        atomic_store_explicit(&letter->what, &job->work, memory_order_relaxed);
        atomic_store_explicit(&letter->lines, 1, memory_order_relaxed);
        quern_cpu_mailbox_post(&worker->mailbox);
    }
}

/* The leader's piece was done so quickly that the others' are, too, in a moment: looking for more to do in their
 * cursors would only be in their way. 1 when they are done. */
static int wait_briefly(const struct job *job)
{
    struct quern_cpu_worker *worker = job->own.following;
    for (int i = 0; i < QUERN_CPU_PATIENCE && worker; ++i) {
        if (quern_cpu_mailbox_is_done(&worker->mailbox))
            worker = worker->cursor.following;
        else
            quern_cpu_pause();
    }
    return !worker;
}

/* Nothing is left in the cursors; who has begun is waited for, and first chunks that nobody has begun are run. All cursors
 * stay until everybody is done. */
static int settle_job(struct job *job, struct quern_cpu_piece *piece, struct quern_cpu_thread *self, int *helped)
{
    int failed = 0;
    *helped = 0;
    for (struct quern_cpu_worker *worker = job->own.following; worker; worker = worker->cursor.following) {
        ptrdiff_t begin = worker->mailbox.letter.begin, end = worker->cursor.end;
        if (quern_cpu_team_settle(worker, 0, self)) {
            failed |= worker->mailbox.failed;
            *helped = 1;
        } else {
            ptrdiff_t chunk = worker->mailbox.letter.kind == QUERN_CPU_LETTER_CHUNKS
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
                   struct quern_cpu_thread *self, int *helped)
{
    struct job job;
    struct quern_cpu_piece piece;
    int is_items = launch->rank == 1 && !launch->is_group;
    quern_cpu_fetch_to_write(&job.own);
    if (!is_items)
        quern_cpu_fetch_to_write(&job.work);
    plan(&job, launch, (ptrdiff_t)count + 1);
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
                      const struct quern_cpu_launch *launch, int *helped)
{
    struct quern_cpu_worker *engaged;
    ptrdiff_t wanted = launch->units - 1, most = (ptrdiff_t)device->thread_count - 1;
    unsigned count = quern_cpu_team_engage(device, self, (unsigned)(wanted < most ? wanted : most), &engaged);
    if (count == 0) {
        *helped = 0;
        return run_whole(launch, self);
    }
    if (launch->rank == 1 && !launch->is_group) {
        ptrdiff_t size = quern_cpu_align_items((launch->units + count) / ((ptrdiff_t)count + 1));
        if (size >= FEW && size <= MANY)
            return run_pieces(launch, engaged, size, self, helped);
    }
    return run_job(launch, engaged, count, self, helped);
}

int quern_cpu_launch_run(struct quern_cpu_device *device, struct quern_cpu_thread *self,
                         const struct quern_cpu_launch *launch)
{
    struct quern_cpu_trial trial;
    int helped = 0;
    if (launch->units == 1 || launch->alone || device->thread_count == 1)
        return run_whole(launch, self);
    ptrdiff_t items = launch->units * launch->weight;
    if (!launch->tuning || items > MANY * (ptrdiff_t)device->thread_count)
        return run_shared(device, self, launch, &helped);
    int shared = quern_cpu_tune_begin(launch->tuning, (size_t)items, &trial);
    helped = trial.experience != NULL;
    int failed = shared ? run_shared(device, self, launch, &helped) : run_whole(launch, self);
    quern_cpu_tune_end(&trial, helped);
    return failed;
}
