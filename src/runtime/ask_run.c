/* Running calls of backends' functions; see ask_run.h. */
#include "ask_run.h"

#include "answer.h"
#include "base/coroutine.h"
#include "offload.h"

/* Where it is called the sentence is looked at, too: sentences are counted by thread. */
static quern_status answer(void *argument)
{
    quern_asking *self = argument;
    const unsigned told = quern_fail_count();
    const quern_status status = self->call(self);
    return status == QUERN_SUCCESS ? QUERN_SUCCESS : quern_answer_failure(self->backend, self->function, status, told);
}

static void run(void *argument)
{
    quern_asking *self = argument;
    self->status = answer(self);
}

quern_status quern_asking_run(quern_asking *asking)
{
    quern_call_on_thread_stack(run, asking);
    return asking->status;
}

quern_status quern_asking_offload(quern_asking *asking)
{
    return quern_offload(answer, asking);
}
