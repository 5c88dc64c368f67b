#!/bin/bash
# Kernels whose arguments no GPU takes: the object is made, without their PTX, and their author is told:
# arguments.sh QUERN LIBRARY FOLDER, LIBRARY being the NVRTC of nonsense_nvrtc.c.
set -euo pipefail

quern=$1 library=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >a.k.c <<'END'
#include <quern/kernel.h>
STRUCT(table, field(float, t, 10000))
KERNEL(first, out(float, y), value(table, s))
{
    EACH (i)
        y[i] = s.t[i];
}
KERNEL(second, out(float, y), value(table, s), value(table, r))
{
    EACH (i)
        y[i] = s.t[i] + r.t[i];
}
END
export QUERN_NVRTC_LIBRARY=$library
failed=0

# compiles NONSENSE IMAGES: so many PTX images lie in the object.
compiles() {
    local number
    rm -rf out
    QUERN_NONSENSE=$1 "$quern" compile a.k.c -o out --levels generic --cuda-arch 75 >log 2>&1 </dev/null || {
        echo "FAILED  it does not compile"
        failed=1
    }
    number=$(grep -ac '// quern: kernels of ' out/a.k.o || true)
    [ "$number" = "$2" ] || { echo "FAILED  with $1 there are $number images, wanted $2" && failed=1; }
}

# says NUMBER TEXT: so many lines of the log have the text.
says() {
    [ "$(grep -cF -- "$2" log || true)" -eq "$1" ] || { echo "FAILED  wanted $1 × '$2' in:" && cat log && failed=1; }
}

compiles none 4
says 0 warning
compiles arguments 0
says 1 "a.k.c:3: warning: NVRTC gives the arguments of 'first' at most 32764 bytes on CUDA architecture 75, and they take 40040: "
says 1 "a.k.c:8: warning: NVRTC gives the arguments of 'second' at most 32764 bytes on CUDA architecture 75, and they take 80040: "
says 2 warning
says 0 quern_k_
compiles arguments_64 2
says 2 warning
exit $failed
