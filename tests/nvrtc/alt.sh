#!/bin/bash
# libnvrtc.alt.so makes of kernel files what the NVRTC beside it makes: alt.sh NVRTC_DUMP FOLDER FILE.k.c…
#
# Its long has 32 bits, and its ptrdiff_t is a long long; the dialect's are the same everywhere. Exit status 77: there
# is no NVRTC, or none of this kind.
set -euo pipefail

dump=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder/usual" "$folder/alt"
status=0
"$dump" "$folder/usual" "$@" >"$folder/log" || status=$?
cat "$folder/log"
[ "$status" -eq 0 ] || exit "$status"
library=$(sed -n 's/^library: //p' "$folder/log")
alt=$(find "$(dirname "$library")" -maxdepth 1 -name 'libnvrtc.alt.so*' | sort | head -1)
if [ -z "$alt" ]; then
    echo "there is no libnvrtc.alt.so beside $library"
    exit 77
fi
QUERN_NVRTC_LIBRARY=$alt "$dump" "$folder/alt" "$@"

# code FILE: without what is for debuggers, which has the names of types in it.
code() {
    grep -v '^//' "$1" | sed '/^[[:space:]]*\.section/,$d'
}

failed=0 compared=0
for usual in "$folder"/usual/*.ptx; do
    other=$folder/alt/${usual##*/}
    if ! diff <(code "$usual") <(code "$other") >"$folder/difference"; then
        echo "FAILED  $other is not $usual:"
        head -20 "$folder/difference"
        failed=1
    fi
    compared=$((compared + 1))
done
echo "$compared PTX files compared"
[ "$compared" -gt 0 ] || failed=1
exit $failed
