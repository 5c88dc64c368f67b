#!/bin/bash
# Compares the declarations of CUDA in Quern's backend and in the fake driver with NVIDIA's headers, where those are
# installed: header_test.sh COMPILER SOURCE_DIR. Then spoils a declaration at a time, which must be found.
set -uo pipefail
compiler=$1 source=$2
here=$source/tests/fake_cuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find_headers() {
    local folder
    for folder in "${CUDA_HOME:-/nowhere}/include" "${CUDA_PATH:-/nowhere}/include" /usr/local/cuda/include \
        /usr/local/cuda-*/include /opt/cuda/include /usr/local/include /usr/include; do
        if [[ -f $folder/nvrtc.h ]] && grep -q CUresult "$folder/cuda.h" 2>/dev/null; then
            echo "$folder"
            return
        fi
    done
}
headers=$(find_headers)
if [[ -z $headers ]]; then
    echo "cuda.h not present"
    exit 77
fi
# Parameters are compared as of CUDA 12 and newer, where functions stopped being renamed.
version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\)$/\1/p' "$headers/cuda.h")
if ((version < 12000)); then
    echo "cuda.h is of version $version, wanted 12000 or newer"
    exit 77
fi

if ! echo 'int main() {}' | "$compiler" -x c++ -std=c++17 -fsyntax-only - 2>/dev/null; then
    echo "$compiler does not compile C++17"
    exit 77
fi

# What the backend's header has: numbers, members, functions.
generate() {
    local header=$1 name symbol struct theirs
    echo '#ifdef BEFORE'
    grep -oE '\bCU(DA)?_[A-Z0-9_]+ = ' "$header" | sed 's/ = //' | sort -u >"$work/numbers"
    while read -r name; do echo "constexpr long long backend_$name = backend::$name;"; done <"$work/numbers"
    echo '#define BACKEND_FUNCTION(name, symbol, arguments) typedef backend::CUresult backend_##name arguments;'
    echo 'namespace backend {'
    echo 'QUERN_CUDA_FUNCTIONS(BACKEND_FUNCTION)'
    echo '#ifdef QUERN_CUDA_NEWER_FUNCTIONS'
    echo 'QUERN_CUDA_NEWER_FUNCTIONS(BACKEND_FUNCTION)'
    echo '#endif'
    echo '}'
    echo '#else'
    while read -r name; do echo "SAME(backend_$name, $name);"; done <"$work/numbers"
    grep -oE 'X\([A-Za-z0-9]+, "[A-Za-z0-9_]+"' "$header" | tr -d '"' | sed 's/X(//; s/,//' >"$work/functions"
    while read -r name symbol; do echo "MATCH(backend::backend_$name, $symbol);"; done <"$work/functions"
    for struct in $(sed -n 's/^typedef struct \(CUDA_[A-Z0-9_]*\) {$/\1/p' "$header"); do
        echo "SAME(sizeof(backend::$struct), sizeof($struct));"
        sed -n "/^typedef struct $struct {/,/^}/p" "$header" | sed '1d;$d' | tr ',' ';' | tr ';' '\n' |
            sed -n 's/.*[ *]\([A-Za-z0-9]\{1,\}\) *$/\1/p' >"$work/members"
        while read -r name; do
            theirs=$struct
            # The one with contexts is CUDA_MEMCPY3D_PEER, which is the same but for them.
            [[ $struct$name == CUDA_MEMCPY3D*Context ]] && theirs=CUDA_MEMCPY3D_PEER
            echo "SAME(offsetof(backend::$struct, $name), offsetof($theirs, $name));"
        done <"$work/members"
    done
    echo '#endif'
}

# check FOLDER: 0 when the declarations that the folder holds are right.
check() {
    generate "$1/cuda_api.h" >"$1/generated.h"
    "$compiler" -x c++ -std=c++17 -fsyntax-only -w -I"$1" -I"$source/include" -isystem "$headers" \
        "$here/header_test/header_test.cpp"
}

copy() {
    rm -rf "$work/$1"
    mkdir "$work/$1"
    cp "$source/src/backend/cuda/cuda_api.h" "$here/api.h" "$here/nvrtc_api.h" "$work/$1"
    # its nvrtc.h would be taken for NVIDIA's
    sed 's/"nvrtc.h"/"quern_nvrtc.h"/' "$source/src/base/nvrtc_library.h" >"$work/$1/nvrtc_library.h"
    cp "$source/src/base/nvrtc.h" "$work/$1/quern_nvrtc.h"
}

status=0
copy right
if ! check "$work/right"; then
    echo "a declaration differs from $headers"
    exit 1
fi
echo "compared with $headers, version $version: $(wc -l <"$work/numbers") numbers and $(wc -l <"$work/functions")" \
    "functions of the backend, and all of the fake's"

# must_find FILE SED_COMMAND: with the change the comparison fails.
must_find() {
    copy wrong
    sed -i "$2" "$work/wrong/$1"
    if cmp -s "$work/wrong/$1" "$work/right/$1"; then
        echo "'$2' changes nothing in $1"
        status=1
    elif check "$work/wrong" >/dev/null 2>&1; then
        echo "'$2' in $1 was not found"
        status=1
    fi
}
must_find cuda_api.h 's/CUDA_ERROR_NOT_READY = 600/CUDA_ERROR_NOT_READY = 601/'
must_find cuda_api.h 's/size_t srcXInBytes, srcY;/size_t srcY, srcXInBytes;/'
must_find cuda_api.h 's/"cuMemAlloc_v2"/"cuMemAlloc_v9"/'
must_find cuda_api.h 's/"cuDeviceGetName", (char \*, int/"cuDeviceGetName", (char *, size_t/'
must_find api.h 's/X(WARP_SIZE, 10)/X(WARP_SIZE, 11)/'
must_find api.h 's/size_t source_x, source_y;/size_t source_y, source_x;/'
must_find nvrtc_api.h 's/X(ERROR_COMPILATION, 6)/X(ERROR_COMPILATION, 5)/'
exit "$status"
