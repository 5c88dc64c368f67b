/* A dialect header of the author's, for includes.k.c. */
#ifndef OWN_HEADER_H
#define OWN_HEADER_H

#include <quern/kernel.h>

#define OWN_VALUE 3

DEVICE int32_t plus_one(int32_t x)
{
    return x + 1;
}

#endif
