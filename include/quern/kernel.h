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
 * Each of those languages has its headers in dialect/. This one picks those of C for gcc and clang, dialect/cpu.h, or,
 * with QUERN_DIALECT_SIGNATURE, none, so that `quern compile` reads the words themselves. From what it reads it writes
 * the texts for the compilers of devices, which begin with the headers of their language: dialect/opencl*.h, cuda*.h.
 */
#ifndef QUERN_KERNEL_H
#define QUERN_KERNEL_H

#if !defined(QUERN_DIALECT_SIGNATURE)
#include <quern/dialect/cpu.h>
#endif

#endif
