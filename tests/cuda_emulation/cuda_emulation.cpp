/*
 * The threads of a block as fibres of one thread. Those of a block run to the next barrier one after another, forwards
 * and backwards by turns, so that what a missing barrier leaves to chance comes out wrong.
 */
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

struct cuda_emulation_place {
    unsigned x, y, z;
};
extern "C" {
cuda_emulation_place threadIdx, blockIdx, blockDim, gridDim;
}

enum { DYNAMIC_BYTES = 65536, STACK_BYTES = 65536 };

/* The dynamic memory that every text declares. */
extern thread_local __attribute__((aligned(16))) char quern_dynamic[DYNAMIC_BYTES];
thread_local __attribute__((aligned(16))) char quern_dynamic[DYNAMIC_BYTES];

struct fibre {
    ucontext_t context;
    cuda_emulation_place place;
    bool has_ended;
};

static ucontext_t scheduler;
static fibre *current;
static void (*item_of_launch)(void *);
static void *launch;

extern "C" void __syncthreads()
{
    fibre *self = current;
    swapcontext(&self->context, &scheduler);
    threadIdx = self->place;
}

static void run_fibre()
{
    threadIdx = current->place;
    item_of_launch(launch);
    current->has_ended = true;
}

static void make_fibre(fibre *f, char *stack, unsigned number)
{
    f->place.x = number % blockDim.x;
    f->place.y = number / blockDim.x % blockDim.y;
    f->place.z = number / blockDim.x / blockDim.y;
    f->has_ended = false;
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = STACK_BYTES;
    f->context.uc_link = &scheduler;
    makecontext(&f->context, run_fibre, 0);
}

/* All threads of the block to the next barrier; gives how many have ended. */
static unsigned run_round(fibre *fibres, unsigned count, bool is_backwards)
{
    unsigned ended = 0;
    for (unsigned i = 0; i < count; ++i) {
        current = &fibres[is_backwards ? count - 1 - i : i];
        swapcontext(&scheduler, &current->context);
        ended += current->has_ended;
    }
    return ended;
}

static const char *run_block(fibre *fibres, char *stacks, unsigned count)
{
    unsigned ended = 0;
    memset(quern_dynamic, 0xa5, sizeof quern_dynamic);
    for (unsigned i = 0; i < count; ++i)
        make_fibre(&fibres[i], stacks + (size_t)i * STACK_BYTES, i);
    for (bool is_backwards = false; ended == 0; is_backwards = !is_backwards)
        ended = run_round(fibres, count, is_backwards);
    return ended == count ? NULL : "some threads of a block have ended while others wait at a barrier";
}

extern "C" const char *cuda_emulation_run(void (*item)(void *), void *of, const unsigned *grid, const unsigned *block)
{
    const unsigned count = block[0] * block[1] * block[2];
    fibre *fibres = (fibre *)calloc(count, sizeof *fibres);
    char *stacks = (char *)malloc((size_t)count * STACK_BYTES);
    const char *wrong = fibres && stacks ? NULL : "memory is exhausted";
    item_of_launch = item;
    launch = of;
    gridDim = {grid[0], grid[1], grid[2]};
    blockDim = {block[0], block[1], block[2]};
    for (blockIdx.z = 0; blockIdx.z < grid[2] && !wrong; ++blockIdx.z)
        for (blockIdx.y = 0; blockIdx.y < grid[1] && !wrong; ++blockIdx.y)
            for (blockIdx.x = 0; blockIdx.x < grid[0] && !wrong; ++blockIdx.x)
                wrong = run_block(fibres, stacks, count);
    free(stacks);
    free(fibres);
    return wrong;
}
