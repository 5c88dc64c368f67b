/* What copies and fills are swept over: extents of every rank, elements of many sizes, rows laid out in several ways.
 */
#ifndef QUERN_CONFORMANCE_SWEEP_H
#define QUERN_CONFORMANCE_SWEEP_H

#include "guarded.h"

/* Extents, odd and prime, of ranks 0 to 6, some of them 1; the first QUERN_SWEEP_FEW are small and of every rank. */
enum { QUERN_SWEEP_EXTENTS = 15, QUERN_SWEEP_FEW = 8 };
extern const quern_extents quern_sweep_extents[QUERN_SWEEP_EXTENTS];

/* Types of 1, 2, 3, 4, 8, 12 and 16 bytes; index counts from 0. */
enum { QUERN_SWEEP_TYPES = 7 };
quern_type quern_sweep_type(size_t index);

/* Memory around an array: rows at the device's alignment; rows with padding and planes with empty rows; planes with
 * padding that is no whole row; no gaps. */
enum { QUERN_SWEEP_LAYOUTS = 4 };
quern_guarded_shape quern_sweep_shape(size_t layout, quern_type type, quern_extents extents);

/* "int32 7x3, padded", for messages. */
const char *quern_sweep_text(size_t layout, quern_type type, quern_extents extents, char text[160]);

#endif
