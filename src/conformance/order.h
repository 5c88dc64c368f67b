/* The tests of order that have files of their own: with launches, and randomised. */
#ifndef QUERN_CONFORMANCE_ORDER_H
#define QUERN_CONFORMANCE_ORDER_H

#include "conformance.h"

quern_verdict quern_order_launches(quern_trial *trial);
quern_verdict quern_order_same_launch(quern_trial *trial);
quern_verdict quern_order_random(quern_trial *trial);

#endif
