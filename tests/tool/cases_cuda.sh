# quern compile --cuda-arch.

# images FILE NUMBER: so many PTX images lie in an object; each begins with a line that says what it is made of.
images() {
    local number
    number=$(grep -ac '// quern: kernels of ' "$1" || true)
    [ "$number" -eq "$2" ] || wrong "$1 holds $number PTX images, wanted $2"
}

begin 'CUDA architectures that are none'
for list in sm90x native 7.5 sm_ compute_ 75a -75 +75 075 7 12345 'none,75' '75,auto' 'Oldest' '75 90' 'sm_sm_75'; do
    refuse 2 'is no CUDA architecture' compile "$kernels" -o none "--cuda-arch=$list"
done
for list in '' , 75, ,75 75,,90; do
    refuse 2 "the list of CUDA architectures '$list' has an empty place" compile "$kernels" -o none --cuda-arch "$list"
done
refuse 2 'option --cuda-arch needs a value' compile "$kernels" -o none --cuda-arch
refuse 2 '--print and --cuda-arch exclude each other' compile "$kernels" --print opencl --cuda-arch 75
[ ! -e none ] || wrong 'there are outputs'

begin 'a library that is a pipe is not waited for, nor passed over'
mkdir pipes
mkfifo pipes/libcuda.so.1 pipes/libnvrtc.so.13
if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then # else nothing is looked for before dlopen looks
    env -u QUERN_CUDA_LIBRARY LD_LIBRARY_PATH="$PWD/pipes" timeout -s KILL 30 "$tool" devices >out 2>err </dev/null ||
        wrong "quern devices: exit status $?"
    out_matches "^cuda .*pipes/libcuda\.so\.1: it is no file, wanted a shared object"
    env -u QUERN_CUDA_LIBRARY -u QUERN_NVRTC_LIBRARY LD_LIBRARY_PATH="$PWD/pipes" timeout -s KILL 30 \
        "$tool" compile "$kernels" -o text --levels generic >out 2>err </dev/null ||
        wrong "quern compile: exit status $?"
    [ -f text/tool.k.o ] || wrong 'there is no object'
fi

begin 'without NVRTC the text alone is embedded, and PTX that is asked for is missed'
echo 'this is no library' >nonsense.so
own_library=${QUERN_NVRTC_LIBRARY-}
for library in /no/such/libnvrtc.so ./nonsense.so ${plugins:+"$plugins/minimal.so"}; do
    export QUERN_NVRTC_LIBRARY=$library
    for list in 75 sm_90,75 oldest newest all; do
        refuse 1 "PTX for the CUDA architectures '$list' needs NVRTC: NVRTC's library '$library' cannot be used: " \
            compile "$kernels" -o none --cuda-arch "$list"
    done
    refuse 2 'is no CUDA architecture' compile "$kernels" -o none --cuda-arch nonsense
    [ ! -e none ] || wrong 'there are outputs'
    for list in '' --cuda-arch=auto; do # whoever names a library would miss the PTX
        "$tool" compile "$kernels" -o text --levels generic $list >out 2>err </dev/null || wrong 'it does not compile'
        err "$kernels: warning: no PTX is embedded: NVRTC's library '$library' cannot be used: "
        err '(QUERN_NVRTC_LIBRARY names it)'
        [ "$(wc -l <err)" -eq 1 ] || wrong "more is said: $(cat err)"
        images text/tool.k.o 0
    done
    quern 0 compile "$kernels" -o text --levels generic --cuda-arch none
    quern 0 compile "$kernels" -o text --levels generic -w
    images text/tool.k.o 0
done
export QUERN_NVRTC_LIBRARY=$own_library # empty is as good as none

if ! "$tool" compile "$kernels" -o ptx --levels generic --cuda-arch oldest >out 2>err; then
    finish
    # Any other reason is a fault, which the cases below then show.
    if grep -q 'needs NVRTC: ' err; then
        echo 'NVRTC not present: the cases with it are skipped'
        return 0
    fi
fi

begin 'PTX for the oldest and other architectures is embedded'
images ptx/tool.k.o 4
quern 0 compile "$kernels" -o ptx --levels generic
images ptx/tool.k.o 4
quern 0 compile "$kernels" -o ptx --levels generic --cuda-arch none
images ptx/tool.k.o 0
quern 0 compile "$kernels" -o ptx --levels generic --cuda-arch oldest,newest
images ptx/tool.k.o 8
oldest=$(grep -ao '^\.target sm_[0-9]*' ptx/tool.k.o | sort -u -V | sed -n '1s/.*sm_//p')
quern 0 compile "$kernels" -o ptx --levels generic --cuda-arch "sm_$oldest"
images ptx/tool.k.o 4
[ "$(grep -ao "^\.target sm_$oldest\$" ptx/tool.k.o | wc -l)" -eq 4 ] || wrong "the PTX is not for $oldest"
grep -aq "ptx strict $oldest 64 linear" ptx/tool.k.o || wrong 'no image says what it is'
grep -aq "quern: kernels of \"$kernels\", QUERN_INDEX_BITS=64, QUERN_LINEAR=1, strict" ptx/tool.k.o ||
    wrong 'no PTX names the kernel file'

begin 'the same inputs give the same object'
cp ptx/tool.k.o first.o
quern 0 compile "$kernels" -o again --levels generic --cuda-arch "compute_$oldest"
cmp -s first.o again/tool.k.o || wrong 'the objects differ'

begin 'kernels with groups have no linear layout'
printf '#include <quern/kernel.h>\nGROUP_KERNEL(k, 8, out(float, x))\n{\n    ITEMS (i)\n        x[GLOBAL(i)] = 1;\n}\n' >group.k.c
quern 0 compile group.k.c -o ptx --levels generic --cuda-arch "$oldest"
images ptx/group.k.o 2
grep -aq 'ptx strict [0-9]* 32 grid' ptx/group.k.o || wrong 'there is no image for the grid'
! grep -aq 'linear$' ptx/group.k.o || wrong 'there is an image in the linear layout'

begin 'floating point is meant as the text means it'
quern 0 compile group.k.c -o ptx --levels generic --fp contract --cuda-arch "$oldest"
grep -aq "ptx contract $oldest 64 grid" ptx/group.k.o || wrong 'no image says contract'
grep -aq 'QUERN_LINEAR=0, contract$' ptx/group.k.o || wrong 'no PTX says contract'

begin 'an architecture that NVRTC does not know'
refuse 1 'CUDA architecture 42 is not known to NVRTC' compile "$kernels" -o none --cuda-arch 42
err ", which compiles for $oldest, "
refuse 2 "CUDA architecture $oldest is given twice" compile "$kernels" -o none --cuda-arch "$oldest,sm_$oldest"
refuse 2 "CUDA architecture $oldest is given twice" compile "$kernels" -o none --cuda-arch all,oldest
[ ! -e none ] || wrong 'there are outputs'

begin 'NVRTC'"'"'s warnings, and kernels that no GPU can hold, are told at the author'"'"'s line'
cat >large.k.c <<'END'
#include <quern/kernel.h>
CONSTANT float small[2] = {1, 2};
CONSTANT float table[20000] = {1, 2, 3};
GROUP_KERNEL(wide, 64, inout(float, x))
{
    LOCAL(float, tile, 12289);
    ITEMS (i)
        tile[i] = table[i] + small[i & 1];
    ITEMS (i)
        x[GLOBAL(i)] = tile[63 - i];
}
GROUP_KERNEL(many, (32, 64), inout(float, x))
{
    ITEMS2 (y, i)
        x[GLOBAL(i)] = 1e-60;
}
GROUP_KERNEL(deep, (65, 1, 1), inout(float, x))
{
    ITEMS3 (z, y, i)
        x[z] = 1;
}
END
"$tool" compile large.k.c -o ptx --levels generic --cuda-arch oldest >out 2>err </dev/null || wrong 'it does not compile'
err "large.k.c:4: warning: the LOCAL arrays of 'wide' take 49156 bytes, and CUDA gives a kernel 49152"
err "large.k.c:3: warning: the CONSTANT tables take 80008 bytes with 'table', and CUDA gives a file 65536"
err "large.k.c:12: warning: the groups of 'many' have 2048 items, and those of a CUDA device at most 1024"
err "large.k.c:17: warning: the groups of 'deep' have 65 items along z, and those of a CUDA device at most 64"
grep -qE '^large\.k\.c:15: warning: .*float.* \[NVRTC\]$' err || wrong "no warning of NVRTC's: $(cat err)"
quern 0 compile large.k.c -o ptx --levels generic --cuda-arch oldest -w
cat >arguments.k.c <<'END'
#include <quern/kernel.h>
STRUCT(table, field(float, t, 10000))
KERNEL(far, out(float, y), value(table, s))
{
    EACH (i)
        y[i] = s.t[i];
}
END
"$tool" compile arguments.k.c -o ptx --levels generic >out 2>err </dev/null || wrong 'it does not compile'
grep -qE "^arguments\.k\.c:3: warning: NVRTC gives the arguments of 'far' at most [0-9]+ bytes on CUDA architecture $oldest, and they take 40040: " err ||
    wrong "no warning of the arguments: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || wrong "more is said: $(cat err)"
images ptx/arguments.k.o 0
sed -i 's/12289/12288/; s/20000/16382/; s/32, 64/16, 64/; s/65, 1/64, 1/; s/1e-60/1/' large.k.c
quern 0 compile large.k.c -o ptx --levels generic --cuda-arch oldest
