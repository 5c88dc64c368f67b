/* Files and directories as the compiler needs them. Every path is the caller's to free. */
#ifndef QUERN_COMPILER_DRIVER_FILES_H
#define QUERN_COMPILER_DRIVER_FILES_H

#include "text.h"

/* A path by printf's rules; NULL when memory is exhausted. */
char *quern_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The file's whole text, added to text. FILE_ERROR (a sentence that names the file), OUT_OF_MEMORY. */
quern_status quern_file_read(const char *path, quern_text *text);

/* The same without a sentence: 0, or an errno. */
int quern_file_try_read(const char *path, quern_text *text);

/* Writes a new file. synchronise: its bytes are on the disk when the function returns. On failure there is none.
 * FILE_ERROR. */
quern_status quern_file_write(const char *path, const void *bytes, size_t size, int synchronise);

/* Makes the directory and those above it that are missing; mode is for those that it makes. FILE_ERROR. */
quern_status quern_directory_make(const char *path, unsigned mode);

/* A new, empty, private directory, "PARENT/NAMEXXXXXX". FILE_ERROR, OUT_OF_MEMORY. */
quern_status quern_directory_make_private(const char *parent, const char *name, char **path);

/* Removes it with everything in it. Says nothing of failure: it is called while undoing. NULL is fine. */
void quern_directory_remove(const char *path);

/* TMPDIR, else /tmp. */
const char *quern_temporary_directory(void);

#endif
