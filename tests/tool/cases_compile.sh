# quern compile.

begin 'an object and a header'
quern 0 compile "$kernels" -o made
[ -s made/tool.k.o ] || wrong 'there is no made/tool.k.o'
[ -s made/tool.k.h ] || wrong 'there is no made/tool.k.h'
grep -q 'quern_status saxpy(' made/tool.k.h || wrong 'made/tool.k.h does not declare saxpy'
silent

begin 'a file that is refused leaves the outputs as they were'
cp "$kernels" same.k.c
quern 0 compile same.k.c -o made
cp made/same.k.o wanted.o
cp made/same.k.h wanted.h
sed 's/y\[i\] += a/y[i] += no_such_name/' "$kernels" >same.k.c
status=0
"$tool" compile same.k.c -o made >out 2>err </dev/null || status=$?
[ "$status" -eq 1 ] || wrong "exit status $status, wanted 1"
silent
grep -qE '^(\./)?same\.k\.c:[0-9]+:.*no_such_name' err || wrong "no line names the fault: $(head -n 3 err)"
cmp -s made/same.k.o wanted.o || wrong 'same.k.o has changed'
cmp -s made/same.k.h wanted.h || wrong 'same.k.h has changed'

begin 'command lines of quern compile that are wrong'
refuse 2 'no kernel file' compile
refuse 2 '-o DIR' compile "$kernels"
refuse 2 '--nonsense' compile "$kernels" -o made --nonsense
refuse 2 '--fp' compile "$kernels" -o made --fp sloppy
for prefix in quern_ QUERN_; do
    refuse 2 "gives names like Quern's own" compile "$kernels" -o made --prefix "$prefix"
done
mkdir -p one two
cp "$kernels" one/same.k.c
cp "$kernels" two/same.k.c
refuse 2 "'one/same.k.c' and 'two/same.k.c' would have the same outputs in 'twice'" compile one/same.k.c two/same.k.c -o twice
refuse 2 "'one/same.k.c' is given twice" compile one/same.k.c -o twice one/same.k.c
[ ! -e twice ] || wrong 'there are outputs'
refuse 1 'no-such-file.k.c' compile no-such-file.k.c -o made

begin 'the texts for devices are printed'
quern 0 compile "$kernels" --print opencl
grep -q '^__kernel void quern_k_saxpy(' out || wrong 'there is no kernel saxpy in it'
grep -q "^#line [0-9]* \"$kernels\"\$" out || wrong 'no line is the kernel file'"'"'s'
quern 0 compile --fp=contract --print=opencl "$kernels"
grep -q '^#pragma OPENCL FP_CONTRACT ON$' out || wrong 'contract does not contract'
quern 0 compile "$kernels" --print cuda
grep -q '^extern "C" __global__ void quern_k_saxpy(' out || wrong 'there is no kernel saxpy in the text for CUDA'
grep -q "^#line [0-9]* \"$kernels\"\$" out || wrong 'no line of the text for CUDA is the kernel file'"'"'s'
refuse 2 "--print 'cpu'" compile "$kernels" --print cpu
refuse 2 '--print and -o' compile "$kernels" --print opencl -o none
refuse 2 '--print and --depfile' compile "$kernels" --print opencl --depfile none
refuse 2 '--print goes with one kernel file' compile one/same.k.c two/same.k.c --print opencl
refuse 1 'no-such-file.k.c' compile no-such-file.k.c --print opencl
[ ! -e none ] || wrong 'there are outputs'

begin 'programs that are no C compiler are named'
refuse 1 "/true' ended without an error" compile "$kernels" -o none --cc true
refuse 1 "/false' ended with status 1 and said nothing" compile "$kernels" -o none --cc false
QUERN_CC=true refuse 1 "/true' ended without an error" run "$kernels" saxpy x=ones:5 y=ones:5 a=1

# slow.k.c takes until slow-cc may go on; what it is killed by must leave nothing.
cat >slow-cc <<'END'
#!/bin/bash
case " $* " in *" -E "* | *" --version "*) exec cc "$@" ;; esac
touch "$started" # only now: the directories for what it makes are there
exec sleep 60
END
chmod +x slow-cc

interrupted=0
# interrupt SIGNAL WANTED ARGUMENT...: the tool gets the signal while the compiler runs, and ends with the status.
interrupt() {
    local signal=$1 wanted=$2 status=0 pid
    shift 2
    # A name of its own: compilers of a killed tool live on for a moment.
    export started=$work/started-$((++interrupted))
    # Background jobs ignore SIGINT unless job control is on.
    set -m
    "$tool" "$@" >out 2>err </dev/null &
    pid=$!
    set +m
    while [ ! -e "$started" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
    kill "-$signal" "$pid"
    wait "$pid" 2>/dev/null || status=$?
    [ "$status" -eq "$wanted" ] || wrong "quern $*: status $status after SIG$signal, wanted $wanted"
}

begin 'an interrupted compilation leaves nothing'
export QUERN_CC=$work/slow-cc QUERN_CACHE_DIR=$work/own-cache
for signal in INT TERM HUP; do
    interrupt $signal $((128 + $(kill -l $signal))) compile "$kernels" -o cut
    [ -z "$(ls -A cut)" ] || wrong "SIG$signal left $(ls -A cut)"
    interrupt $signal $((128 + $(kill -l $signal))) run "$kernels" saxpy x=ones:5 y=ones:5 a=1
    left=$(cd own-cache && ls -A | grep -v '^include-')
    [ -z "$left" ] || wrong "SIG$signal left $left"
done

begin 'what a killed compilation left is gone after the next'
interrupt KILL 137 compile "$kernels" -o cut
interrupt KILL 137 run "$kernels" saxpy x=ones:5 y=ones:5 a=1
[ "$(ls -Ad cut/.quern-* own-cache/build-* | wc -l)" -eq 2 ] || wrong 'nothing was left to be swept'
unset QUERN_CC
quern 0 compile "$kernels" -o cut
quern 0 run "$kernels" saxpy x=ones:5 y=ones:5 a=1
[ "$(ls -A cut | wc -l)" -eq 2 ] || wrong "cut holds $(ls -A cut)"
left=$(cd own-cache && ls -A | grep -v '^include-\|\.so$\|\.key$')
[ -z "$left" ] || wrong "the cache holds $left"
