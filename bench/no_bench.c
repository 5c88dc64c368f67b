/* `quern bench` of quern-bootstrap, the tool that compiles the kernels of `quern bench`: there is none yet. */
#include "cli/cli.h"

int quern_cli_bench(int argc, char **argv)
{
    (void)argc, (void)argv;
    quern_cli_error("this quern was built without bench");
    return QUERN_CLI_MISUSE;
}
