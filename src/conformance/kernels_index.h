/* The parts of the subject "index" among themselves. */
#ifndef QUERN_CONFORMANCE_KERNELS_INDEX_H
#define QUERN_CONFORMANCE_KERNELS_INDEX_H

#include "kernels_support.h"

/* kernels_index_groups.c */
quern_verdict quern_index_group_ids_1(quern_trial *trial);
quern_verdict quern_index_group_ids_2(quern_trial *trial);
quern_verdict quern_index_group_ids_3(quern_trial *trial);
quern_verdict quern_index_group_continue(quern_trial *trial);
quern_verdict quern_index_group_return(quern_trial *trial);

#endif
