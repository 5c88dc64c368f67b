# quern devices.

# Devices of this machine's OpenCL drivers are of no interest here, and there may be any number of them.
export OCL_ICD_VENDORS=$work/none

begin 'quern devices lists the CPU with its limits'
quern 0 devices
out_matches '^cpu +1 device: cpu:0$'
for limit in 'compute units' SIMD memory 'largest buffer' 'local memory' 'largest group' features; do
    out "$limit"
done

begin 'quern devices --json'
quern 0 devices --json
[ "$(head -c 1 out)" = '[' ] || wrong 'it is no array'
out '"device": "cpu:0"'
out '"status": "success"'
out '"reason": ""'
for key in name backend memory_bytes largest_allocation compute_units simd_bytes subgroup_width preferred_alignment \
    local_memory_bytes largest_group_items largest_group fp64 fp16 atomics64 unified_memory host_accessible \
    instruction_set; do
    out "\"$key\": "
done

begin 'the CPU as two devices'
export QUERN_CPU_DEVICES=2
quern 0 devices
out_matches '^cpu +2 devices: cpu:0, cpu:1$'
out_matches '^cpu:0  '
out_matches '^cpu:1  '
quern 0 devices --json
[ "$(grep -c '"device": "cpu:' out)" -eq 2 ] || wrong 'there are not two devices'
unset QUERN_CPU_DEVICES

begin 'a backend that cannot work appears with its reason'
export QUERN_CPU_LEVEL=no-such-level
quern 1 devices
err 'no device works here'
out_matches '^cpu +does not work: .*no-such-level'
quern 1 devices --json
out '"device": "cpu"'
out '"status": "invalid_argument"'
out_matches '"reason": ".*no-such-level'
unset QUERN_CPU_LEVEL

begin 'drivers that the dynamic linker finds, and that are cut short, do not end the process'
mkdir -p short
head -c 4096 "$(ldd "$(command -v bash)" | sed -n 's/.*=> \(.*libc\.so[^ ]*\) .*/\1/p')" >short/libcuda.so.1
for library in libOpenCL.so.1 libOpenCL.so libnvrtc.so.13; do
    cp short/libcuda.so.1 "short/$library"
done
export LD_LIBRARY_PATH=$work/short HWLOC_PLUGINS_PATH=$work/none # hwloc has a plug-in that loads OpenCL by itself
quern 0 devices
out_matches "^cuda +does not work: .*libcuda.so.1 cannot be opened: $work/short/libcuda.so.1: it is cut short"
out_matches "^opencl +does not work: .* can be opened: $work/short/libOpenCL.so.1: it is cut short"
QUERN_NVRTC_LIBRARY='' refuse 1 "$work/short/lib" compile "$kernels" -o short --levels generic --cuda-arch 75
err 'it is cut short'
unset LD_LIBRARY_PATH HWLOC_PLUGINS_PATH

begin 'quern devices takes nothing else'
refuse 2 '--jsno' devices --jsno
refuse 2 "'cpu:0'" devices cpu:0
refuse 2 '--plugin wants a value' devices --plugin
refuse 2 'wanted the path of a shared object' devices --plugin ''

if [ -n "$plugins" ]; then
    begin 'quern devices --plugin lists a loaded backend, the ones of this build first'
    quern 0 devices --plugin "$plugins/minimal.so"
    out_matches '^cpu +1 device: cpu:0$'
    out_matches '^minimal +1 device: minimal:0$'
    out_matches '^minimal:0  one thread a queue$'
    quern 0 devices --json "--plugin=$plugins/minimal.so"
    out '"device": "minimal:0"'

    begin 'loaded backends that do not work say why, in a column, and the others are not touched'
    quern 0 devices --plugin "$plugins/start_fails.so" --plugin "$plugins/no_devices.so" --plugin "$plugins/serial.so"
    out_matches '^cpu          1 device: cpu:0$'
    out_matches '^start_fails  does not work: the mill minimal:0 has no water$'
    out_matches '^no_devices   does not work: the no_devices backend works but finds no device$'
    out_matches '^serial       1 device: serial:0$'
    quern 0 devices --plugin "$plugins/start_fails.so" --json
    out '"device": "start_fails"'
    out '"status": "system_error"'
    out '"reason": "the mill minimal:0 has no water"'

    begin 'a plug-in that ends the process does not make a success of it'
    refuse 1 'ended the process by exit()' devices --plugin "$plugins/start_exits.so"
    refuse 1 'ended the process by exit()' run "$kernels" saxpy x=ones:5 y=ones:5 a=2 --device start_exits:0 \
        --plugin "$plugins/start_exits.so"

    begin 'of many devices the first and the last are named in the list of backends'
    quern 0 devices --plugin "$plugins/many_devices.so"
    out_matches '^many_devices  21 devices: many_devices:0 to many_devices:20$'
    [ "$(grep -c '^many_devices:' out)" -eq 21 ] || wrong 'not every device has its limits'

    begin 'a GPU that its driver says nothing of is listed with the reason, and the others keep their numbers'
    export QUERN_CUDA_LIBRARY=$plugins/../bin/libfake_cuda.so QUERN_FAKE_CUDA_DEVICES=3
    export QUERN_FAKE_CUDA_FAIL_FUNCTION=cuDeviceGetName QUERN_FAKE_CUDA_FAIL_AT=2 QUERN_FAKE_CUDA_FAIL_ERROR=999
    quern 0 devices
    out_matches '^cuda +2 devices: cuda:0, cuda:2$'
    out_matches '^cuda:1  does not work: asking device 1 for its name failed: '
    out_matches '^cuda:2  .*[Ff]ake'
    quern 0 devices --json
    out '"device": "cuda:1"'
    out '"reason": "asking device 1 for its name failed'
    QUERN_FAKE_CUDA_REPORT=1 QUERN_NVRTC_LIBRARY=$plugins/../bin/libfake_nvrtc.so "$tool" run "$kernels" saxpy x=ones:5 y=ones:5 a=2 --device cuda:0 >out 2>err ||
        wrong 'quern run fails'
    err 'there are 0 contexts, 0 streams, 0 events, 0 modules, 0 device, 0 host and 0 managed allocations'
    refuse 1 'device "cuda:1" cannot be used: asking device 1 for its name failed' run "$kernels" saxpy x=ones:5 \
        y=ones:5 a=2 --device cuda:1
    export QUERN_FAKE_CUDA_FAIL_AT=1 QUERN_FAKE_CUDA_DEVICES=1
    quern 0 devices
    out_matches '^cuda +does not work: no CUDA device can be used: asking device 0 for its name failed: '
    unset QUERN_CUDA_LIBRARY QUERN_FAKE_CUDA_DEVICES QUERN_FAKE_CUDA_FAIL_{FUNCTION,AT,ERROR}

    begin 'a file that is no backend is refused'
    refuse 1 "cannot load a backend from 'is_not_there.so': No such file" devices --plugin is_not_there.so
    refuse 1 'no_entry.so'\'' is no backend' devices --plugin "$plugins/no_entry.so"
    refuse 1 'for version 2 of the contract, wanted version 1' devices --plugin "$plugins/other_version.so"
    refuse 1 'lacks what is required: kernel_release, launch' devices --plugin "$plugins/lacks_functions.so"
    refuse 1 'whose name is NULL' devices --plugin "$plugins/null_name.so"
    refuse 1 'loaded already' devices --plugin "$plugins/minimal.so" --plugin "$plugins/minimal.so"

    begin 'quern run --plugin runs on a loaded backend, and compares it with the CPU'
    quern 0 run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --device minimal:0 --plugin "$plugins/minimal.so"
    out 'minimal:0'
    quern 0 run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --device all --plugin "$plugins/minimal.so" \
        --plugin "$plugins/serial.so"
    for device in cpu:0 minimal:0 serial:0; do
        out "$device"
    done
    begin 'the first time, in which a driver may compile, is not counted, and what it computed is undone'
    quern 0 run "$kernels" saxpy x=ones:5 y=ones:5 a=2 --device slow_first:0 --plugin "$plugins/slow_first.so" -o y=y.npy
    out_matches '^slow_first:0 +2\.000 µs '
    holds y.npy f4 3 3 3 3 3
    quern 0 run "$kernels" saxpy x=ones:5 y=ones:5 a=2 --device slow_first:0 --plugin "$plugins/slow_first.so" --repeat 2
    out_matches '^slow_first:0 +2\.000 µs '

    begin 'a plug-in that crashes is not taken for the kernel alone'
    refuse 1 'kernel saxpy reached outside its arrays, or the plug-in that ran it' run "$kernels" saxpy x=ones:5 y=ones:5 \
        a=2 --device launch_crashes:0 --plugin "$plugins/launch_crashes.so"

    begin 'quern run --device all says which plug-in does not work, and is no success'
    quern 1 run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --device all --plugin "$plugins/start_fails.so" \
        --plugin "$plugins/serial.so"
    err 'start_fails: the mill minimal:0 has no water'
    out_matches '^cpu:0 '
    out_matches '^serial:0 '
    quern 1 run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --device all --plugin "$plugins/start_fails.so" --json
    out '"device": "start_fails"'
    out 'the mill minimal:0 has no water'

    begin 'plug-ins and devices that are not there'
    refuse 1 'minimal:1' run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --device minimal:1 --plugin "$plugins/minimal.so"
    refuse 1 'no_entry.so' run "$kernels" saxpy x=linear:1009 y=ones:1009 a=2 --plugin "$plugins/no_entry.so"
else
    echo 'skipped cases of --plugin: QUERN_TEST_PLUGINS does not name the folder of the test backends'
fi
unset OCL_ICD_VENDORS

begin 'an OpenCL device that cannot be used is listed with the reason, and the others keep their numbers'
if [ -z "$plugins" ] || ! "$tool" devices 2>/dev/null | grep -qE '^opencl +[0-9]+ device'; then
    echo 'skipped what a device of OpenCL says: there is none, or QUERN_TEST_PLUGINS does not name the test backends'
else
    export QUERN_OPENCL_LIBRARY=$plugins/../bin/opencl_shim.so QUERN_SHIM_PLATFORMS=2 QUERN_SHIM_DEVICES=2
    export QUERN_SHIM_SICK=2 QUERN_SHIM_FAIL_QUESTION=0x102B # CL_DEVICE_NAME
    quern 0 devices
    out_matches '^opencl +3 devices: opencl:0, opencl:2, opencl:3$'
    out_matches '^opencl:1  does not work: asking device 1 for CL_DEVICE_NAME failed: the OpenCL driver says CL_'
    quern 0 devices --json
    out '"device": "opencl:1"'
    out '"reason": "asking device 1 for CL_DEVICE_NAME failed'
    refuse 1 'device "opencl:1" cannot be used: asking device 1 for CL_DEVICE_NAME failed' run "$kernels" saxpy \
        x=ones:5 y=ones:5 a=2 --device opencl:1
    unset QUERN_SHIM_SICK QUERN_SHIM_FAIL_QUESTION

    begin 'an OpenCL platform that does not list its devices is listed with the reason'
    QUERN_SHIM_FAIL_FUNCTION=GetDeviceIDs QUERN_SHIM_FAIL_AT=1 quern 0 devices
    out_matches '^opencl +2 devices: opencl:1, opencl:2$'
    out_matches '^opencl:0  does not work: asking platform 0, .*, for its devices failed: '
    unset QUERN_OPENCL_LIBRARY QUERN_SHIM_PLATFORMS QUERN_SHIM_DEVICES
fi
