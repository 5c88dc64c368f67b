# quern conformance: the command; what its tests test has tests of its own (tests/conformance).

begin 'quern conformance --list'
quern 0 conformance --list
out_matches '^copy\.from_host  +host to device'
! grep -q control out || wrong 'a control is among the tests'
quern 0 conformance --list --self-check
out_matches '^copy\.control_short  '
! grep -q '^copy.from_host' out || wrong 'a test is among the controls'
quern 0 conformance --list --test copy --skip 'copy.f*'
! grep -q '^copy.from_host' out || wrong 'a skipped test is listed'
! grep -qv '^copy\.' out || wrong "a test of another subject is listed: $(grep -m 1 -v '^copy' out)"
quern 0 conformance --list --json
out '"test": "copy.from_host"'
out '"about": "host to device'

begin 'a table with counts comes last, and what has passed is not listed'
quern 0 conformance --device cpu:0 --test copy.zero_extents --test storage.ranks
out_matches '^cpu:0 +2 +0 +0 +0 '
[ "$(wc -l <out)" -eq 2 ] || wrong "more than the table was printed: $(head -n 1 out)"

begin 'skipped tests are listed and counted'
quern 0 conformance --device cpu:0 --test storage --skip storage.ranks --skip '*.too_*'
out_matches '^skipped +cpu:0  storage\.ranks$'
out_matches '^skipped +cpu:0  storage\.too_large$'
[ "$(grep -c '^skipped' out)" -eq 2 ] || wrong 'there are not two skipped tests'
quern 0 conformance --device cpu:0 --test storage --test copy.zero_extents --skip storage
[ "$(grep -c '^skipped' out)" -gt 5 ] || wrong 'the subject was not skipped'

begin 'something has to be left'
refuse 2 'no test is left' conformance --device cpu:0 --test storage --skip storage
refuse 2 'no test is left' conformance --list --test copy --skip copy
refuse 2 'no test is left' conformance --skip '*'

begin 'what a device lacks is said'
QUERN_CPU_DEVICES=1 QUERN_OPENCL_LIBRARY=/nowhere quern 0 conformance --device cpu:0 --test copy.with_others
out_matches '^unsupported +cpu:0  copy\.with_others  .*no other device'
out_matches '^cpu:0 +0 +0 +1 +0 '

begin 'all devices, each with the others'
export QUERN_CPU_DEVICES=2 QUERN_OPENCL_LIBRARY=/nowhere
quern 0 conformance --test copy.with_others
out_matches '^cpu:0 +1 +0 '
out_matches '^cpu:1 +1 +0 '
quern 0 conformance --device all --test copy.with_others
out_matches '^cpu:1 +1 +0 '
unset QUERN_CPU_DEVICES QUERN_OPENCL_LIBRARY

begin 'JSON'
quern 0 conformance --device cpu:0 --test storage --skip storage.ranks --json
[ "$(head -n 1 out)" = '[' ] && [ "$(tail -n 1 out)" = ']' ] || wrong 'it is no array'
[ "$(grep -c '"device": "cpu:0",' out)" -eq "$(grep -c '"result": "' out)" ] || wrong 'results and devices differ'
out '"test": "storage.zero_extents"'
out '"result": "passed"'
out '"result": "skipped"'
out '"detail": ""'
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; rows = json.load(sys.stdin)
sys.exit(not all(set(row) == {"device", "test", "result", "detail"} for row in rows))' <out || wrong 'it is no JSON'
fi

begin 'TAP'
quern 0 conformance --device cpu:0 --test storage --skip storage.ranks --tap
[ "$(head -n 1 out)" = 'TAP version 13' ] || wrong 'there is no version'
count=$(grep -c '^ok ' out)
[ "$(sed -n 2p out)" = "1..$count" ] || wrong "the plan is $(sed -n 2p out), and $count tests ran"
out_matches '^ok 1 - cpu:0 storage\.ranks # SKIP skipped$'
out_matches '^ok 2 - cpu:0 storage\.zero_extents$'

begin 'the controls are found'
quern 0 conformance --device cpu:0 --self-check --test copy --json
out '"test": "copy.control_short"'
out '"detail": "found: '
! grep -q '"result": "failed"' out || wrong 'a planted fault was not found'

begin 'names that are none'
refuse 2 'did you mean copy.overlaps' conformance --test copy.overlap
refuse 2 'did you mean storage' conformance --skip storag
refuse 2 'no test' conformance --test 'nothing.*'
refuse 2 'which --self-check runs' conformance --test copy.control_short
refuse 2 'no control' conformance --self-check --test copy.from_host

begin 'devices that are none'
refuse 2 'cpu:7' conformance --device cpu:7
refuse 2 'gpu' conformance --device gpu
refuse 1 'nowhere.so' conformance --plugin ./nowhere.so
refuse 2 'nope:3' conformance --list --device nope:3
refuse 1 'nowhere.so' conformance --list --plugin ./nowhere.so
quern 0 conformance --list --device cpu:0 --test copy
out_matches '^copy\.from_host '

begin 'options that do not fit'
refuse 2 'did you mean skip' conformance --skp copy
refuse 2 '--json and --tap' conformance --json --tap
refuse 2 'wants a value' conformance --device
refuse 2 'twice' conformance --device cpu:0 --device cpu:0
refuse 2 'copy.from_host' conformance copy.from_host
refuse 2 '--timeout' conformance --timeout never

if [ -f "${QUERN_TEST_BROKEN:-}/crash.so" ]; then
    broken=$QUERN_TEST_BROKEN
    common=(--plugin "$broken/crash.so" --device broken:0 --timeout 5 --test storage.zero_extents
        --test storage.nested_views --test storage.many_buffers)

    begin 'a test that crashes is named, in every form, and the results before it are there'
    quern 1 conformance "${common[@]}"
    err 'broken:0: storage.nested_views crashed with SIGSEGV; the tests behind it were not run'
    out_matches '^failed +broken:0  storage\.nested_views  crashed with SIGSEGV$'
    quern 1 conformance "${common[@]}" --json
    out '"test": "storage.zero_extents"'
    out '"detail": "crashed with SIGSEGV"'
    [ "$(tail -n 1 out)" = ']' ] || wrong 'the array has no end'
    quern 1 conformance "${common[@]}" --tap
    out_matches '^ok 1 - broken:0 storage\.zero_extents$'
    out_matches '^not ok 2 - broken:0 storage\.nested_views$'
    out_matches '^Bail out!'

    begin 'a test that ends the process is named, and the status is no success'
    ends=(--plugin "$broken/exit.so" --device broken:0 --test storage.nested_views --test storage.zero_extents)
    quern 1 conformance "${ends[@]}"
    err 'broken:0: storage.nested_views ended the process by exit(); the tests behind it were not run'
    out_matches '^failed +broken:0  storage\.nested_views  ended the process by exit\(\)$'
    quern 1 conformance "${ends[@]}" --json
    out '"detail": "ended the process by exit()"'
    [ "$(tail -n 1 out)" = ']' ] || wrong 'the array has no end'

    begin 'a test that ends the process without a word is named too, in every form'
    for how in silent_exit:'_exit(0)' quick_exit:'_exit(0)' killed:SIGKILL terminated:SIGTERM; do
        silent=(--plugin "$broken/${how%%:*}.so" --device broken:0 --test storage.nested_views
            --test storage.zero_extents --test storage.many_buffers)
        quern 1 conformance "${silent[@]}"
        err "broken:0: storage.nested_views was ended by ${how#*:}; the tests behind it were not run"
        out "storage.nested_views  was ended by ${how#*:}"
        quern 1 conformance "${silent[@]}" --json
        out '"test": "storage.zero_extents"'
        out "\"detail\": \"was ended by ${how#*:}\""
        [ "$(tail -n 1 out)" = ']' ] || wrong 'the array has no end'
        quern 1 conformance "${silent[@]}" --tap
        out_matches '^not ok 2 - broken:0 storage\.nested_views$'
        out_matches '^Bail out!'
    done

    if command -v pgrep >/dev/null; then
        begin 'whoever ends the tool ends its tests'
        "$tool" conformance --plugin "$broken/hang.so" --device broken:0 --test storage.ranks >/dev/null 2>&1 &
        parent=$! child=
        for _ in {1..600}; do
            child=$(pgrep -P "$parent") && break
            sleep 0.1
        done
        kill -TERM "$parent"
        wait "$parent" 2>/dev/null
        [ $? -eq 143 ] || wrong 'the tool did not end by SIGTERM'
        for _ in {1..600}; do # a zombie has ended, though nobody may ask for it
            state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$child/status" 2>/dev/null)
            case $state in '' | [ZX]*) break ;; esac
            sleep 0.1
        done
        case $state in '' | [ZX]*) ;; *) wrong "the process of the tests goes on: $state" && kill -KILL "$child" ;; esac
    else
        echo 'skipped  ending the tool ends its tests: there is no pgrep'
    fi

    begin 'a stop that is wrong is named, behind the results'
    stops=(--device broken:0 --test storage.zero_extents)
    quern 1 conformance --plugin "$broken/stop_crash.so" "${stops[@]}" --json
    err 'broken: lifetime.stop crashed with SIGSEGV'
    out '"test": "storage.zero_extents"'
    out '"test": "lifetime.stop"'
    [ "$(tail -n 1 out)" = ']' ] || wrong 'the array has no end'
    quern 1 conformance --plugin "$broken/stop_silent_exit.so" "${stops[@]}"
    err 'broken: lifetime.stop was ended by _exit(0)'
    quern 1 conformance --plugin "$broken/stop_hang.so" "${stops[@]}" --timeout 1
    err 'broken: lifetime.stop hangs: it has not ended after 1 seconds'
    quern 1 conformance --plugin "$broken/one_life.so" "${stops[@]}" --json
    out 'is not present: the backend was used up'
    [ "$(tail -n 1 out)" = ']' ] || wrong 'the array has no end'

    begin 'a device that has no local memory is none that fails'
    quern 0 conformance --plugin "$plugins/no_local_memory.so" --device no_local_memory:0 --test memory.locals \
        --test memory.too_much --test memory.constants
    out_matches "^unsupported +no_local_memory:0  memory\.locals  local memory: kernel 'memory_locals' takes"
    out_matches '^no_local_memory:0 +1 +0 +2 +0 '

    begin 'a test that hangs is named'
    quern 1 conformance --plugin "$broken/hang.so" --device broken:0 --test storage.ranks --timeout 1
    err 'storage.ranks hangs: it has not ended after 1 seconds'
    out_matches '^failed +broken:0  storage\.ranks  hangs'

    begin 'a test that fails says what was, what was wanted and where'
    quern 1 conformance --plugin "$broken/short_copy.so" --device broken:0 --test copy.from_host --tap
    err '1 of 1 tests failed'
    out_matches '^not ok 1 - broken:0 copy\.from_host$'
    out_matches 'message: ".*target.* is .*, wanted .*elements differ'

    begin 'a plug-in that does not start is said, and is no success'
    QUERN_OPENCL_LIBRARY=/nowhere quern 1 conformance --test copy.zero_extents --plugin "$plugins/start_fails.so"
    err 'start_fails is not tested, it does not work: the mill minimal:0 has no water'
    out_matches '^cpu:0 +1 +0 '

    begin 'a backend that crashes, hangs or ends the process before the first test is named'
    refuse 1 'backend start_crashes crashed with SIGSEGV while it starts; no test was run' conformance \
        --plugin "$plugins/start_crashes.so"
    refuse 1 'backend start_overflows crashed with SIGSEGV while it starts' conformance --json \
        --plugin "$plugins/start_overflows.so"
    refuse 1 'backend start_hangs hangs while it starts: 1 seconds have passed' conformance --timeout 1 \
        --plugin "$plugins/start_hangs.so"
    refuse 1 'backend start_exits called exit() while it starts' conformance --plugin "$plugins/start_exits.so"
    refuse 1 'backend start_vanishes was ended by _exit(0) while it starts' conformance --tap \
        --plugin "$plugins/start_vanishes.so"
    refuse 1 "load_crashes.so' crashed with SIGABRT while it is loaded" conformance --list \
        --plugin "$plugins/load_crashes.so"
else
    finish
    echo "skipped  quern conformance and backends that are wrong on purpose: QUERN_TEST_BROKEN names no folder with them"
fi
