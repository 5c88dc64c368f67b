/* Backends from shared objects: quern_backend_load of <quern/device.h>. */
#ifndef QUERN_RUNTIME_PLUGIN_H
#define QUERN_RUNTIME_PLUGIN_H

#include <quern/backend.h>

/* Is this a table that the runtime can use? NOT_SUPPORTED for another version, a table too short or one that lacks a
 * required function; INVALID_ARGUMENT for a name that is none. path is for the sentence. */
quern_status quern_backend_table_check(const quern_backend *table, const char *path);

#endif
