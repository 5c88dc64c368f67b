/* The parts of the subject "argument" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_ARGUMENT_H
#define QUERN_CONFORMANCE_KERNELS_ARGUMENT_H

#include "kernels_support.h"

/* kernels_argument_many.c */
quern_verdict quern_argument_counts(quern_trial *trial);
quern_verdict quern_argument_sixty_four(quern_trial *trial);
quern_verdict quern_argument_arrays(quern_trial *trial);

/* kernels_argument_views.c */
quern_verdict quern_argument_views(quern_trial *trial);
quern_verdict quern_argument_parts(quern_trial *trial);
quern_verdict quern_argument_refused(quern_trial *trial);
quern_verdict quern_argument_overlap(quern_trial *trial);

#endif
