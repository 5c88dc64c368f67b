/* The tests of events across devices, which have a file of their own. */
#ifndef QUERN_CONFORMANCE_EVENT_H
#define QUERN_CONFORMANCE_EVENT_H

#include "conformance.h"

quern_verdict quern_event_other_devices(quern_trial *trial);
quern_verdict quern_event_data(quern_trial *trial);
quern_verdict quern_event_chain(quern_trial *trial);
quern_verdict quern_event_blocking_queue(quern_trial *trial);
quern_verdict quern_event_failure(quern_trial *trial);

#endif
