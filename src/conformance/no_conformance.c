/* `quern conformance` of quern-bootstrap, the tool that compiles the kernels of the suite: there is none yet. */
#include "cli/cli.h"

int quern_cli_conformance(int argc, char **argv)
{
    (void)argc, (void)argv;
    quern_cli_error("this quern was built without its conformance suite");
    return QUERN_CLI_MISUSE;
}
