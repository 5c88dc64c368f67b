# quern run: several devices, and JSON.

export QUERN_CPU_DEVICES=2

begin 'two devices agree'
quern 0 run "$kernels" saxpy x=random:1009 y=random:1009 a=0.3 --device all -o y=y.npy
[ "$(grep -c '^cpu:[01]  .* GB/s  checksum ' out)" -eq 2 ] || wrong "$(cat out)"
[ "$(grep -o 'checksum .*' out | sort -u | wc -l)" -eq 1 ] || wrong 'the checksums differ'
out_matches '^devices agree$'
quern 0 run "$kernels" saxpy x=random:1009 y=random:1009 a=0.3 --device all --ulp 2
out_matches '^devices agree within 2 ulp$'

begin 'structs are compared and summed without their padding'
quern 0 run "$kernels" structs p=zeros:1009 sum=zeros:1009 --device all --repeat 2
[ "$(grep -o 'checksum .*' out | sort -u | wc -l)" -eq 1 ] || wrong 'the checksums differ'
out_matches '^devices agree$'

begin 'the same as JSON'
quern 0 run "$kernels" transpose x=linear:5x5 y=zeros:5x3 --device all --json
[ "$(head -c 1 out)" = '{' ] || wrong 'it is no object'
out '"kernel": "transpose"'
tr -d ' \n' <out >flat
for text in '"range":[5,3]' '"offset":[0,0]' '"notes":[]' '"device":"cpu:0","status":"success","seconds":' '"device":"cpu:1","status":"success"' \
    '"gb_per_s":' '"checksum":"' '"error":null' '"agree":true'; do
    grep -qF -- "$text" flat || wrong "no $text in $(cat flat)"
done

begin 'a kernel file that fails on every device'
quern 1 run "$here/kernels/broken.k.c" broken y=ones:5 --device all --json
err 'no_such_name'
[ "$(grep -c 'error: .no_such_name\|no_such_name. undeclared\|identifier .no_such_name' err)" -le 1 ] || wrong 'the message is repeated'
tr -d ' \n' <out >flat
for text in '"kernel":"broken"' '"range":null' '"device":"cpu:1","status":"compile_failed","seconds":null' \
    '"checksum":null' 'no_such_name' '"agree":false'; do
    grep -qF -- "$text" flat || wrong "no $text in $(cat flat)"
done

begin 'no device works: the reason of every backend'
export QUERN_OPENCL_LIBRARY=/no/such/library
# A setting that makes no sense is no reason to compute elsewhere.
for threads in abc 0 -1 100000; do
    QUERN_CPU_THREADS=$threads refuse 2 "QUERN_CPU_THREADS is \"$threads\"" run "$kernels" saxpy x=ones:5 y=ones:5 a=1
done
QUERN_CPU_DEVICES=x refuse 2 'QUERN_CPU_DEVICES is "x"' run "$kernels" saxpy x=ones:5 y=ones:5 a=1
QUERN_CPU_LEVEL=no-such-level refuse 1 'cpu: ' run "$kernels" saxpy x=ones:5 y=ones:5 a=1 --device all
err 'no-such-level'
for device in --device=all --device=cpu:0; do
    QUERN_CPU_LEVEL=no-such-level quern 1 run "$kernels" saxpy x=ones:5 y=ones:5 a=1 "$device" --json
    err 'no-such-level'
    tr -d ' \n' <out >flat
    for text in '"kernel":"saxpy"' '"device":"cpu' 'no-such-level' '"agree":false'; do
        grep -qF -- "$text" flat || wrong "$device: no $text in $(cat flat)"
    done
done

unset QUERN_OPENCL_LIBRARY

begin 'a launch that fails on every device'
quern 1 run "$kernels" group_of y=zeros:7 --group 4611686018427387904 --device all --json
err 'cpu:0: '
err 'cpu:1: '
out '"agree": false'

begin 'devices that differ: the first place, both values, the distance'
# Three threads on two devices: a device with two threads chooses other groups than one with one.
export QUERN_CPU_THREADS=3
quern_differs() {
    local status=0
    "$tool" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq 1 ] || wrong "quern $*: exit status $status, wanted 1"
    grep -qF -- '--group gives all of them the same' err || wrong "no note: $(cat err)"
}
quern_differs run "$kernels" group_of y=zeros:7x143 --range 1001 --device all -o y=y.npy
[ "$(grep -c '^cpu:[01]  .* checksum ' out)" -eq 2 ] || wrong "$(cat out)"
out_matches '^devices differ first at y\[0\]\[0\]: [0-9]+ on cpu:0, [0-9]+ on cpu:1$'
[ "$(values y.npy d4 | cut -d' ' -f1)" = "$(sed -n 's/.*: \([0-9]*\) on cpu:0.*/\1/p' out)" ] || wrong 'y.npy is not of cpu:0'
quern_differs run "$kernels" ulps_of unused=zeros:3x5 y=zeros:1001 --range 1001 --device all --ulp 2
out_matches '^devices differ first at y\[0\]: 1\.0[0-9]+ on cpu:0, 1\.0[0-9]+ on cpu:1 \([0-9]+ ulp apart\)$'
ulps=$(sed -n 's/.*(\([0-9]*\) ulp apart).*/\1/p' out)
quern_differs run "$kernels" ulps_of unused=zeros:3x5 y=zeros:1001 --range 1001 --device all --ulp $((ulps - 1))
quern 0 run "$kernels" ulps_of unused=zeros:3x5 y=zeros:1001 --range 1001 --device all --ulp "$ulps"
out_matches "^devices agree within $ulps ulp$"

begin 'devices that differ, as JSON'
quern_differs run "$kernels" ulps_of unused=zeros:3x5 y=zeros:1001 --range 1001 --device all --json
tr -d ' \n' <out >flat
for text in '"agree":false' '"difference":{"argument":"y","index":[0]' '"devices":["cpu:0","cpu:1"]' "\"ulp\":$ulps"; do
    grep -qF -- "$text" flat || wrong "no $text in $(cat flat)"
done
unset QUERN_CPU_THREADS QUERN_CPU_DEVICES

begin 'a driver that is named and cannot be used is noted'
for library in CUDA OPENCL; do
    env "QUERN_${library}_LIBRARY=/no/driver.so" "$tool" run "$kernels" saxpy x=ones:5 y=ones:5 a=1 --device all >out 2>err \
        </dev/null || wrong "$library: it fails"
    grep -qE "^quern: note: (cuda|opencl) does not work: .*'/no/driver.so' that QUERN_${library}_LIBRARY names cannot be opened" \
        err || wrong "$library: no note in: $(cat err)"
done
