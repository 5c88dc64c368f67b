/* The tests of queues with several threads, which have a file of their own. */
#ifndef QUERN_CONFORMANCE_QUEUE_H
#define QUERN_CONFORMANCE_QUEUE_H

#include "conformance.h"

quern_verdict quern_queue_several_threads(quern_trial *trial);
quern_verdict quern_queue_crossing_threads(quern_trial *trial);

#endif
