/* The test of a program's lifetime, which has a file of its own. */
#ifndef QUERN_CONFORMANCE_LIFETIME_H
#define QUERN_CONFORMANCE_LIFETIME_H

#include "conformance.h"

quern_verdict quern_lifetime_program(quern_trial *trial);

#endif
