#!/bin/sh
# Compiles the kernels that docs/dialect.md shows: documented.sh CC INCLUDE_DIR.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: documented.sh CC INCLUDE_DIR" >&2
    exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```/ { inside = ($0 == "```c"); next } inside' "$(dirname "$0")/../../docs/dialect.md" >"$work/documented.k.c"
if ! grep -q '^KERNEL(' "$work/documented.k.c"; then
    echo "documented.sh: docs/dialect.md shows no kernel"
    exit 1
fi
"$1" -std=gnu17 -Wall -Wextra -Werror -I"$2" -c "$work/documented.k.c" -o "$work/documented.o"
