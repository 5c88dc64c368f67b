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
refuse 1 'no-such-file.k.c' compile no-such-file.k.c -o made
