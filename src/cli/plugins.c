/* --plugin PATH: backends from shared objects, for the subcommands that use devices. */
#include "cli.h"

#include <quern/device.h>

int quern_cli_plugin_add(quern_cli_plugins *plugins, const char *subcommand, const char *path)
{
    if (!path[0])
        return quern_cli_misuse(subcommand, "--plugin is \"\", wanted the path of a shared object");
    if (plugins->count == QUERN_CLI_MOST_PLUGINS)
        return quern_cli_misuse(subcommand, "--plugin is given more than %d times", QUERN_CLI_MOST_PLUGINS);
    plugins->paths[plugins->count++] = path;
    return QUERN_CLI_RIGHT;
}

int quern_cli_plugins_load(const quern_cli_plugins *plugins)
{
    for (size_t i = 0; i < plugins->count; ++i)
        if (quern_backend_load(plugins->paths[i])) {
            quern_cli_library_error(NULL, quern_last_error());
            return QUERN_CLI_WRONG;
        }
    return QUERN_CLI_RIGHT;
}
