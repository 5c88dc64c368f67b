# quern run: ranges that arrays and local arrays do not fit.

begin 'a range beyond an array is noted'
quern_noted "note: 'x' has 10 elements and the range 12 items" run "$kernels" reads_only x=linear:10 --range 12
quern_noted "note: 'x' has 1 element and the range 2 items" run "$kernels" reads_only x=linear:1 --range 2
quern_noted "note: 'x' has 10 elements and the range 8 items, offset by 3" run "$kernels" reads_only x=linear:10 --range 8 --offset 3
quern 0 run "$kernels" reads_only x=linear:10 --range 7 --offset 3
quern 0 run "$kernels" reads_only x=linear:2x5 --range 10
quern 0 run "$kernels" reads_only x=linear:0 --range 0
quern_noted "note: 'x' is 5x5 and the range 2x3, offset by 0,3" run "$kernels" transpose x=ones:5x5 y=ones:5x8 --range 2,3 --offset 0,3
quern 0 run "$kernels" transpose x=ones:5x6 y=ones:5x6 --range 2,3 --offset 0,3

begin 'the notes as JSON'
quern_noted "note: 'x' has 10 elements and the range 12 items" run "$kernels" reads_only x=linear:10 --range 12 --json
tr -d '\n' <out | grep -qE "\"notes\": \[ *\"'x' has 10 elements and the range 12 items\" *\]" || wrong "$(cat out)"

begin 'a group kernel may write less than an element an item'
quern 0 run "$kernels" reverse_groups x=linear:16 y=zeros:8 tile=8 --range 8

begin 'a kernel that reaches outside its arrays ends with a sentence'
refuse 1 'quern: cpu:0: kernel far reached outside its arrays' run "$kernels" far y=zeros:1000 --repeat 3
[ "$(wc -l <err)" -eq 1 ] || wrong "$(cat err)"
quern 1 run "$kernels" far y=zeros:1000 --range 1001
[ "$(grep -c "^quern: note: 'y' has 1000 elements and the range 1001 items$" err)" -eq 2 ] || wrong "$(cat err)"
silent
quern 1 run "$kernels" far y=zeros:1000 --json
tr -d ' \n' <out >flat
for text in '"kernel":"far"' '"range":[1000]' '"device":"cpu:0","status":"device_lost"' \
    '"error":"kernelfarreachedoutsideitsarrays"' '"agree":false'; do
    grep -qF -- "$text" flat || wrong "no $text in $(cat flat)"
done

begin 'a kernel that divides by zero ends with a sentence'
if [ "$(uname -m)" = x86_64 ]; then
    refuse 1 'cpu:0: kernel divide divided integers by zero' run "$kernels" divide y=ones:1000 by=0
fi
quern 0 run "$kernels" divide y=ones:1000 by=1

begin 'a local array and the group that nobody has chosen'
refuse 2 'tile: a local array of 1 element, and the group chosen for cpu:0 has ' run "$kernels" sum_of_group y=ones:1009 tile=1
err 'give --group, or a greater length'
refuse 2 'tile: a local array of 0 elements' run "$kernels" sum_of_group y=ones:1009 tile=0
quern 0 run "$kernels" sum_of_group y=ones:1009 tile=16384
quern 0 run "$kernels" sum_of_group y=linear:6 tile=3 --group 3 -o y=y.npy
holds y.npy d4 3 3 3 12 12 12
quern_noted "note: 'tile' has 3 elements and a group 7 items" run "$kernels" sum_of_group y=ones:3 tile=3 --group 7
