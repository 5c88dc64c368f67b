/* Shared objects that somebody names: what dlopen would not survive is found before. */
#ifndef QUERN_BASE_SHARED_OBJECT_H
#define QUERN_BASE_SHARED_OBJECT_H

/* What is wrong with the file, "it is cut short"; NULL when dlopen may be tried. The text is good until the thread's
 * next call. */
const char *quern_shared_object_fault(const char *path);

/* The same of what dlopen would take for the name, which the dynamic linker looks for when no '/' is in it: then the
 * text begins with the path that was found. NULL also when nothing is found: dlopen says so. */
const char *quern_shared_object_name_fault(const char *name);

#endif
