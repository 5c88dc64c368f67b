#!/bin/bash
# The suite finds what is wrong with backends that are wrong on purpose: a line a case of broken.list, and exits 1 when
# one was not found.
#
#   broken.sh QUERN_BINARY PLUGIN_DIRECTORY
set -uo pipefail
tool=$1 plugins=$2 list=$(dirname "${BASH_SOURCE[0]}")/broken.list
failed=0

# Says why the case is not as wanted.
wrong() {
    echo "FAILED  $backend, $test: $*"
    failed=$((failed + 1))
}

# The test's result in the report, "FAILED detail".
check() {
    local output status=0 seconds=60 # what is only slow, on a loaded machine, must not count as hanging
    local run=$test device=broken:0
    case $backend in hang | stop_hang) seconds=5 ;; esac
    case $test in lifetime.st*) run=storage.zero_extents ;; esac
    [ "$test" = lifetime.stop ] && device=broken # all of its devices end
    output=$("$tool" conformance --plugin "$plugins/$backend.so" --device broken:0 --test "$run" --timeout "$seconds" 2>/dev/null) ||
        status=$?
    [ "$status" -eq 1 ] || { wrong "exit status $status, wanted 1"; return; }
    grep -qE "^failed +$device  $test  .*$words" <<<"$output" || { wrong "no \"$words\" in: $output"; return; }
    echo "ok      $backend, $test: $(grep -m 1 '^failed' <<<"$output" | cut -c 1-150)"
}

while read -r backend test words; do
    case $backend in '' | '#'*) continue ;; esac
    check
done <"$list"
[ "$failed" -eq 0 ]
