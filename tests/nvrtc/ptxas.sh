#!/bin/bash
# The PTX that check.sh left, through NVIDIA's assembler: ptxas.sh FOLDER PART
#
# It takes all of the examples, whose kernels must not spill registers, and of the other parts two variants of a file:
# one for the oldest architecture, one for the newest. Exit status 77: there is no ptxas of NVRTC's version, or no PTX.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: ptxas.sh FOLDER PART" >&2
    exit 2
fi
folder=$1 part=$2
export LC_ALL=C

ptxas=$(command -v ptxas || true)
for root in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda; do
    if [ -z "$ptxas" ] && [ -n "$root" ] && [ -x "$root/bin/ptxas" ]; then
        ptxas=$root/bin/ptxas
    fi
done
if [ -z "$ptxas" ]; then
    echo "ptxas not present"
    exit 77
fi
shopt -s nullglob
all=("$folder"/*.ptx)
if [ ${#all[@]} -eq 0 ]; then
    echo "NVRTC not present: there is no PTX in $folder"
    exit 77
fi
# architecture FILE: of its name, NAME.75.32.grid.ptx.
architecture() {
    local rest=${1%.*.*.ptx}
    echo "${rest##*.}"
}
if [ "$part" != examples ]; then
    ends=$(for ptx in "${all[@]}"; do architecture "$ptx"; done | sort -n | sed -n '1p;$p' | xargs)
    all=("$folder"/*."${ends% *}".32.grid.ptx "$folder"/*."${ends#* }".64.*.ptx)
fi

# An older assembler cannot read a newer NVRTC's PTX, which is nobody's fault.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "$ptxas" -arch="sm_$(architecture "${all[0]}")" "${all[0]}" -o "$work/cubin" >"$work/log" 2>&1 &&
    grep -q 'Unsupported .version' "$work/log"; then
    echo "ptxas not present: $ptxas is older than NVRTC"
    exit 77
fi

failed=0 kernels=0
for ptx in "${all[@]}"; do
    if ! "$ptxas" -v -arch="sm_$(architecture "$ptx")" "$ptx" -o "$work/cubin" >"$work/log" 2>&1; then
        echo "FAILED  $ptx: $(head -n 5 "$work/log")"
        failed=1
        continue
    fi
    # "12 bytes spill stores" behind "Function properties for NAME"
    spills=$(awk '/Function properties for/ { name = $NF } / spill / && !/ 0 bytes spill stores, 0 bytes spill loads/ { print name ":" $0 }' "$work/log")
    kernels=$((kernels + $(grep -c 'spill stores' "$work/log" || true)))
    if [ "$part" = examples ] && [ -n "$spills" ]; then
        echo "FAILED  $ptx: registers are spilled: $spills"
        failed=1
    fi
done
echo "${#all[@]} PTX files, $kernels kernels and functions assembled"
[ "$kernels" -gt 0 ] || failed=1
exit $failed
