/* What `quern compile` and a load at run time begin with alike: the signature pass. */
#ifndef QUERN_COMPILER_COMPILE_FRONT_H
#define QUERN_COMPILER_COMPILE_FRONT_H

#include "driver.h"
#include "emit.h"
#include "private_directory.h"

typedef struct quern_front {
    quern_compiler compiler;
    quern_build build;
    quern_emission emission; /* levels are set by whoever opens it */
    quern_signature signature;
    quern_piece_list pieces;
    quern_device_text texts[2];   /* for the compilers of devices */
    quern_text source;            /* the kernel file */
    quern_text preprocessed;      /* the signature pass' output */
    quern_text version;           /* what the compiler says of itself; only when it was asked for */
    quern_private_directory work; /* for everything that is made */
    char *include_directory, *source_directory;
} quern_front;

/*
 * Reads the kernel file, finds the compiler, makes the private directory "PARENT/NAMEXXXXXX". options and levels must
 * outlive the front. Whatever the status, the front is to be closed.
 */
quern_status quern_front_open(quern_front *front, const char *path, const quern_compile_options *options,
                              const char *parent, const char *name);
void quern_front_close(quern_front *front);

/* Finds the headers of the dialect: those in the cache; where there can be none they are written for this one
 * compilation. */
quern_status quern_front_headers(quern_front *front);

/*
 * Runs the signature pass, reads the kernels, checks them and their bodies. COMPILE_FAILED with all messages.
 * for_host: names of host code are checked too; also where a file is only loaded, so that what `quern run` takes
 * compiles into a program. ask_version: fills version.
 */
quern_status quern_front_read(quern_front *front, int for_host, int ask_version);

/* "WORK/name"; to be freed. NULL when memory is exhausted, which is then the thread's sentence. */
char *quern_front_path(const quern_front *front, const char *name);

/* Writes a unit into the work directory. Takes text's memory. */
quern_status quern_front_write(const quern_front *front, const char *path, quern_text *text);

/* Runs processes. COMPILE_FAILED with what the first that failed printed; warnings of all are handed to the caller's
 * option. */
quern_status quern_front_run(const quern_front *front, quern_process *processes, size_t count);

/* Adds to the warnings that the caller's option gets; whole lines. */
void quern_front_warn(const quern_front *front, const char *text, size_t length);

/* COMPILE_FAILED when the compiler ended well and yet has not made the file. */
quern_status quern_front_made(const quern_front *front, const char *path);

#endif
