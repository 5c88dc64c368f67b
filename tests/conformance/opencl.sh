#!/bin/bash
# The conformance suite on the OpenCL devices of this machine: opencl.sh QUERN_BINARY [OPTION...]. Without any the reason
# is said, and the test skipped (77).
set -uo pipefail
tool=$1
shift
if ! reason=$("$tool" devices | grep '^opencl .*does not work: '); then
    # An array of {"device": …}; one run a device, so that each one's results stand together.
    devices=$("$tool" devices --json | sed -n 's/^ *"device": "\(opencl:[0-9]*\)",\?$/\1/p')
    [ -n "$devices" ] && reason='' || reason='OpenCL has no device'
fi
if [ -n "$reason" ]; then
    echo "skipped: $reason"
    exit 77
fi
status=0
for device in $devices; do
    "$tool" conformance --device "$device" "$@" || status=1
done
exit "$status"
