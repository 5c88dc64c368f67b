/* The randomised test of order, which has a file of its own. */
#ifndef QUERN_CONFORMANCE_ORDER_H
#define QUERN_CONFORMANCE_ORDER_H

#include "conformance.h"

quern_verdict quern_order_random(quern_trial *trial);

#endif
