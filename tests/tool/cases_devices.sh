# quern devices.

begin 'quern devices lists the CPU with its limits'
quern 0 devices
out 'cpu:0'
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
out 'cpu:0'
out 'cpu:1'
quern 0 devices --json
[ "$(grep -c '"device": "cpu:' out)" -eq 2 ] || wrong 'there are not two devices'
unset QUERN_CPU_DEVICES

begin 'a backend that cannot work appears with its reason'
export QUERN_CPU_LEVEL=no-such-level
quern 1 devices
err 'no device works here'
out 'cpu  does not work: '
out 'no-such-level'
quern 1 devices --json
out '"device": "cpu"'
out '"status": "invalid_argument"'
out_matches '"reason": ".*no-such-level'
unset QUERN_CPU_LEVEL

begin 'quern devices takes nothing else'
refuse 2 '--jsno' devices --jsno
refuse 2 "'cpu:0'" devices cpu:0
