# quern run: where options stand and what they do.

arguments=(x=linear:5 y=ones:5 a=2)

begin 'options stand anywhere, with = or without'
quern 0 run --device=cpu:0 "$kernels" --repeat 2 saxpy "${arguments[@]:0:2}" -o y=y.npy a=2
holds y.npy f4 1 3 5 7 9
quern 0 run --range=3 "$kernels" saxpy -oy=y.npy "${arguments[@]}" --device cpu:0
holds y.npy f4 1 3 5 1 1
export POSIXLY_CORRECT=1
quern 0 run "$kernels" saxpy "${arguments[@]}" --range 4 --output y=y.npy
holds y.npy f4 1 3 5 7 1
unset POSIXLY_CORRECT
quern 0 run --range 4 -- "$kernels" saxpy "${arguments[@]}"
refuse 2 "'--range'" run "$kernels" saxpy -- --range

begin 'the range is less than the array, or given in another rank'
quern 0 run "$kernels" transpose x=linear:3x5 y=zeros:5x3 --range 2,3 -o y=y.npy
holds y.npy d4 0 5 10 1 6 11 0 0 0 0 0 0 0 0 0
quern 0 run "$kernels" count_visits x=zeros:2x3 --range 1,2 -o x=x.npy
holds x.npy d4 1 1 0 0 0 0
quern 0 run "$kernels" reads_only x=linear:5 --range 5
quern 0 run "$kernels" saxpy "${arguments[@]}" --range 0 -o y=y.npy
holds y.npy f4 1 1 1 1 1
refuse 2 '5,1 has rank 2, and kernel saxpy has rank 1' run "$kernels" saxpy "${arguments[@]}" --range 5,1
refuse 2 '3 has rank 1, and kernel transpose has rank 2' run "$kernels" transpose x=ones:2x2 y=ones:2x2 --range 3
refuse 2 'give --range' run "$kernels" reads_only x=linear:5

begin 'ranges that are none'
for range in -5 a 5x3 '' 5, ,5 5.5 1,1,1,1,1,1,1 9223372036854775808 4294967296,4294967296; do
    refuse 2 '--range' run "$kernels" saxpy "${arguments[@]}" "--range=$range"
done

refuse 2 "--range: '-1' is no list of extents: -1 is negative" run "$kernels" saxpy "${arguments[@]}" --range -1

begin 'an offset moves the range'
quern 0 run "$kernels" saxpy "${arguments[@]}" --range 2 --offset 3 -o y=y.npy
holds y.npy f4 1 1 1 7 9
quern 0 run "$source/examples/stencil.k.c" stencil u=linear:5x7 v=zeros:5x7 c=0.1 --range 3,5 --offset 1,1 -o v=v.npy --json
[ "$(values v.npy f4)" = '0 0 0 0 0 0 0 0 8 9 10 11 12 0 0 15 16 17 18 19 0 0 22 23 24 25 26 0 0 0 0 0 0 0 0' ] || wrong "$(values v.npy f4)"
[ "$(tr -d ' \n' <out | grep -o '"offset":[^"]*')" = '"offset":[1,1],' ] || wrong 'no offset in the JSON'
for offset in '' x 1,1 1, 1.5 9223372036854775808; do
    refuse 2 '--offset: ' run "$kernels" saxpy "${arguments[@]}" --range 2 --offset "$offset"
done
refuse 2 "--offset: '1' is not what the range wants: 2 whole numbers joined by ','" run "$kernels" transpose x=ones:2x2 y=ones:2x2 --offset 1

begin 'options that are none'
refuse 2 'there is no option --rnage; did you mean range?' run "$kernels" saxpy "${arguments[@]}" --rnage 5
refuse 2 'there is no option -q' run "$kernels" saxpy "${arguments[@]}" -q
refuse 2 '--device wants a value' run "$kernels" saxpy "${arguments[@]}" --device
refuse 2 '-o wants a value' run "$kernels" saxpy "${arguments[@]}" -o
refuse 2 '--json=yes takes no value' run "$kernels" saxpy "${arguments[@]}" --json=yes
refuse 2 '--range is given twice' run "$kernels" saxpy "${arguments[@]}" --range 5 --range 5
for repeat in 0 -1 x 1.5 99999999999999999999; do
    refuse 2 '--repeat' run "$kernels" saxpy "${arguments[@]}" --repeat "$repeat"
done
refuse 2 '--ulp' run "$kernels" saxpy "${arguments[@]}" --ulp -1

begin 'devices that are none'
refuse 2 'nonsense' run "$kernels" saxpy "${arguments[@]}" --device nonsense
quern 1 run "$kernels" saxpy "${arguments[@]}" --device cpu:77
err 'cpu:77'
silent
export QUERN_DEVICE=cpu:77
quern 1 run "$kernels" saxpy "${arguments[@]}"
err 'cpu:77'
unset QUERN_DEVICE

begin 'what a kernel prints is kept apart from the JSON'
cat >talks.k.c <<'END'
#include <quern/kernel.h>
KERNEL(talks, out(float, x))
{
    EACH (i) {
        PRINT("item %d\n", (int)i);
        x[i] = 1;
    }
}
END
"$tool" run talks.k.c talks x=zeros:2 --device cpu:0 --json >out 2>err </dev/null || wrong 'it fails'
err 'item 1'
! grep -q item out || wrong "$(cat out)"
[ "$(head -c 1 out)" = '{' ] || wrong 'it is no object'
quern 0 run talks.k.c talks x=zeros:2 --device cpu:0
out 'item 1'
