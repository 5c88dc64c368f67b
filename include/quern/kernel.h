/*
 * Quern: the kernel dialect, for files named *.k.c.
 *
 *     #include <quern/kernel.h>
 *
 *     KERNEL(saxpy, in(float, x), inout(float, y), value(float, a))
 *     {
 *         EACH (i)
 *             y[i] += a * x[i];
 *     }
 *
 * This is the only header that a kernel file includes besides its own. docs/dialect.md lists the
 * words, the rules and the subset of C that is common to all languages a kernel file becomes.
 *
 * Each of those languages has its header in dialect/, and this one picks it:
 *
 *     QUERN_DIALECT_SIGNATURE   nothing is defined, so that the compiler reads the words themselves
 *     otherwise                 C for gcc and clang: dialect/cpu.h
 */
#ifndef QUERN_KERNEL_H
#define QUERN_KERNEL_H

#if !defined(QUERN_DIALECT_SIGNATURE)
#include <quern/dialect/cpu.h>
#endif

#endif
