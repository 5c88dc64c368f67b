/* What several scenarios use. */
#include "scenario.h"

quern_status scenario_load_minimal(void)
{
    quern_device *device = NULL;
    if (quern_device_open("minimal:0", &device) == QUERN_SUCCESS)
        return quern_device_release(device);
    quern_status status = quern_backend_load(QUERN_PLUGINS "/minimal.so");
    return status == QUERN_INVALID_ARGUMENT ? QUERN_SUCCESS : status;
}

quern_status scenario_count_call(void *argument)
{
    ++*(int *)argument;
    return QUERN_SUCCESS;
}
