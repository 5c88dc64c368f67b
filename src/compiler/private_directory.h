/*
 * Private directories for what a compilation makes, each held by a lock while its process lives: what a process that
 * was killed has left behind is found by whoever comes next, since nobody holds it.
 */
#ifndef QUERN_COMPILER_PRIVATE_DIRECTORY_H
#define QUERN_COMPILER_PRIVATE_DIRECTORY_H

#include <quern/status.h>

/* Starts as {0}. */
typedef struct quern_private_directory {
    char *path; /* NULL: there is none */
    int lock;   /* the directory, open and locked; -1 where locks do not work */
} quern_private_directory;

/* A new, empty one, "PARENT/NAMEXXXXXX". FILE_ERROR, OUT_OF_MEMORY. */
quern_status quern_private_directory_make(const char *parent, const char *name, quern_private_directory *directory);

/* Removes it with everything in it. Says nothing of failure: it is called while undoing. */
void quern_private_directory_remove(quern_private_directory *directory);

/* Removes those of PARENT/NAMEXXXXXX that are this user's and that nobody holds; where locks do not work, those that
 * are a day old. */
void quern_private_directories_sweep(const char *parent, const char *name);

/* The same for lock files PARENT/…ENDING, which are empty and may go when nobody holds them. */
void quern_lock_files_sweep(const char *parent, const char *ending);

#endif
