/* All tests of the suite as one list, subject by subject, and how a test is named on a command line. */
#ifndef QUERN_CONFORMANCE_REGISTRY_H
#define QUERN_CONFORMANCE_REGISTRY_H

#include "conformance.h"

/* The tests, controls included, and each; index counts from 0. */
size_t quern_conformance_count(void);
const quern_conformance_test *quern_conformance_at(size_t index);

/* 1 when the pattern means the test of that name: the name itself, its subject ("copy"), or a pattern with * and ? as a
 * shell has them ("copy.*"). */
int quern_conformance_matches(const char *name, const char *pattern);

#endif
