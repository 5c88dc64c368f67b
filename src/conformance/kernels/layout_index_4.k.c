/* Conformance, subject "layout": EACH_INDEX over ranges of rank 4 to 6, as layout.k.c. */
#include <quern/kernel.h>

#include "layout_index.h"

INDEX_KERNEL(4)
INDEX_KERNEL(5)
INDEX_KERNEL(6)
