/*
 * Gates: host functions that make a queue late, so that whoever should wait for it shows that he does.
 *
 * A gate holds its queue until it is opened. But no test may depend on being able to open it: a backend without host
 * functions of its own runs them on the submitting thread, and one without waits makes the submitting thread wait. So a
 * gate that is run by the thread that submitted it lets through at once, and none holds longer than its patience. What
 * must be right in the end is right either way; what is true only while the queue is held is checked with
 * quern_gate_is_closed.
 */
#ifndef QUERN_CONFORMANCE_GATE_H
#define QUERN_CONFORMANCE_GATE_H

#include "trial.h"

typedef struct quern_gate quern_gate;

/* Queues a gate; passes it with status. The end of the trial opens it. */
quern_verdict quern_gate_make(quern_trial *trial, quern_queue *queue, quern_status status, quern_gate **gate);

/* Opens it. A gate that still holds is left closed for a few milliseconds more: who does not wait for it then runs
 * ahead, and what he makes is wrong. */
void quern_gate_open(quern_gate *gate);

/* 1 as long as the gate holds its queue, or will, and nothing behind it can have run. */
int quern_gate_is_closed(quern_gate *gate);

/* 1 when the gate was passed while nobody had opened it: this backend cannot be held. */
int quern_gate_gave_way(quern_gate *gate);

#endif
