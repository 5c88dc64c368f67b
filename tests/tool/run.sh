#!/bin/bash
# The tool as its user sees it: prints a line a case, closes with 'N passed, N failed', and exits 1 when one failed, 2
# when misused.
#
#   run.sh QUERN_BINARY SOURCE_DIR [PART...]      PART names a file cases_PART.sh; without one, all of them
set -uo pipefail

if [ $# -lt 2 ] || [ ! -x "$1" ] || [ ! -f "$2/include/quern/quern.h" ]; then
    echo "usage: run.sh QUERN_BINARY SOURCE_DIR [PART...]" >&2
    exit 2
fi
tool=$(realpath "$1") source=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QUERN_CACHE_DIR=${QUERN_CACHE_DIR:-$work/cache}
export LC_ALL=C
# A sanitizer's allocator gives NULL, as any other does, when asked for more than there is.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}allocator_may_return_null=1
unset QUERN_DEVICE QUERN_CPU_DEVICES QUERN_CPU_THREADS QUERN_CPU_LEVEL POSIXLY_CORRECT
cd "$work"
kernels=$here/kernels/tool.k.c
plugins=${QUERN_TEST_PLUGINS:-} # the folder of tests/plugin's shared objects
shift 2
[ $# -gt 0 ] || set -- dispatch devices compile cuda arrays options values groups bounds agree refused files bench conformance

. "$here/lib.sh"
for part; do
    if [ ! -f "$here/cases_$part.sh" ]; then
        echo "run.sh: there is no part $part" >&2
        exit 2
    fi
    . "$here/cases_$part.sh"
done
finish

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
