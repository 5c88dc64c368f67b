/* What a kernel file's object depends on, for make and ninja. */
#ifndef QUERN_COMPILER_COMPILE_DEPFILE_H
#define QUERN_COMPILER_COMPILE_DEPFILE_H

#include "compile_front.h"

/* Adds make's rule "header object: kernel file, author's headers" from the line markers of the signature pass. Headers
 * of the system and of Quern itself are left out. */
void quern_depfile_write(quern_text *rule, const quern_front *front, const char *header, const char *object);

#endif
