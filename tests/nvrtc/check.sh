#!/bin/bash
# Kernel files through NVRTC: check.sh NVRTC_DUMP SOURCE_DIR FOLDER PART
#
# All files of a part, in all variants for the oldest architecture and in two for the newest, without a warning; in
# strict mode PTX has no fma that the author did not write. What came out stays in FOLDER, for ptxas.sh. Exit status 77: no NVRTC.
set -euo pipefail

if [ $# -ne 4 ]; then
    echo "usage: check.sh NVRTC_DUMP SOURCE_DIR FOLDER PART" >&2
    exit 2
fi
dump=$1 source=$(realpath "$2") folder=$3 part=$4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LC_ALL=C

case $part in
examples) files=("$source"/examples/*.k.c "$source"/bench/kernels/*.k.c) ;;
conformance) files=("$source"/src/conformance/kernels/*.k.c) ;;
tests) files=("$source"/tests/kernels/*.k.c "$source"/tests/faults/*.k.c "$source"/tests/tool/kernels/tool.k.c "$here"/*.k.c) ;;
dialect) files=("$source"/tests/diagnostics/*_good.k.c) ;;
*)
    echo "check.sh: there is no part $part" >&2
    exit 2
    ;;
esac

rm -rf "$folder"
mkdir -p "$folder"
failed=0 checked=0
status=0
"$dump" "$folder" "${files[@]}" || status=$?
if [ "$status" -eq 77 ]; then
    exit 77
fi
[ "$status" -eq 0 ] || failed=1

# count ENTRY FILE: the fma in a kernel.
count() {
    awk -v entry="quern_k_$1(" '
        /\.entry/ { inside = index($0, entry) > 0 }
        inside && /(fma|mad)\.r[nzmp]\./ { ++n }
        END { print n + 0 }' "$2"
}

# wanted ENTRY COMPARISON NUMBER FILE
wanted() {
    local number
    number=$(count "$1" "$4")
    if ! [ "$number" "$2" "$3" ]; then
        echo "FAILED  $4: kernel $1 has $number fma, wanted $2 $3"
        failed=1
    fi
}

for text in "$folder"/*.cu; do
    found=$(awk -f "$here/fused.awk" "$text" "${text%.cu}".*.ptx) || failed=1
    printf '%s' "$found" | grep FAILED || true
    checked=$((checked + ${found##*$'\n'}))
done
if [ "$part" = tests ]; then
    for ptx in "$folder"/fused.*.ptx; do
        wanted fused_group -eq 3 "$ptx"
        wanted fused_each -ge 3 "$ptx"
    done
    for ptx in "$folder"/products.*.ptx; do
        for kernel in sums sums_double sums_nd sums_group; do
            wanted $kernel -eq 0 "$ptx"
        done
    done
fi
echo "$checked PTX files in strict mode looked through for fma"
[ "$checked" -gt 0 ] || failed=1
exit $failed
