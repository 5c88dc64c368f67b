#!/bin/sh
# Looks at the machine code of vectorised.k.c: vectorised.sh CC INCLUDE_DIR. Fails when a loop of it is not vectorised
# with the widest registers of its instruction-set level, and when the one that cannot be seems to be.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: vectorised.sh CC INCLUDE_DIR" >&2
    exit 2
fi
compiler=$1
include=$2
here=$(dirname "$0")

case $(uname -m) in
x86_64 | amd64) ;;
*)
    echo "vectorised.sh: skipped, the check knows x86-64 only"
    exit 77
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# body NAME: the machine code of a kernel's body, whatever the compiler appended to its name.
body() {
    awk -v name="quern_body_$1" '
        /^[A-Za-z_][^ \t]*:/ { label = $1; sub(/[:.].*/, "", label); inside = (label == name) }
        inside { print }
    ' "$work/kernels.s"
}

failed=0
check() { # LEVEL REGISTERS OPTIONS…
    level=$1
    registers=$2
    shift 2
    "$compiler" -std=gnu17 -O3 -march="$level" "$@" -ffp-contract=off -fno-math-errno -fno-trapping-math \
        -I"$include" -S "$here/vectorised.k.c" -o "$work/kernels.s"
    for kernel in saxpy triad stencil stencil_3 roots helper phases phases_any phases_private phases_2; do
        if ! body "$kernel" | grep -Eq "v(add|sub|mul)p[sd].*%$registers"; then
            echo "$compiler, $level: kernel $kernel has no arithmetic in $registers registers"
            failed=1
        fi
    done
    if body not_vectorised | grep -Eq "v(add|sub|mul)p[sd].*%$registers"; then
        echo "$compiler, $level: the check takes kernel not_vectorised for vectorised"
        failed=1
    fi
}

check x86-64-v3 ymm
check x86-64-v4 zmm -mprefer-vector-width=512
exit $failed
