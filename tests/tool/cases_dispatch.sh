# Finding the subcommand, and the help.

begin 'quern --help names every subcommand'
quern 0 --help
for word in devices compile run bench; do
    out "  $word "
done
out 'usage: quern SUBCOMMAND'
out 'example: '

begin 'quern help is the same'
quern 0 --help
mv out wanted
quern 0 help
cmp -s out wanted || wrong 'the texts differ'

begin 'every subcommand has a help of its own'
for word in devices compile run bench; do
    quern 0 "$word" --help
    out "usage: quern $word"
done
quern 0 run --help
for word in --device --range --offset --group --output --repeat --ulp --json @FILE.npy zeros: ones: linear: random: examples:; do
    out "$word"
done
mv out wanted
quern 0 help run
cmp -s out wanted || wrong 'quern help run is another text'

begin 'quern --version'
quern 0 --version
out_matches '^quern [0-9]+\.[0-9]+\.[0-9]+$'

begin 'without a subcommand the usage goes to the standard error'
status=0
"$tool" >out 2>err || status=$?
[ "$status" -eq 2 ] || wrong "exit status $status"
silent
err 'usage: quern SUBCOMMAND'

begin 'a mistyped subcommand'
refuse 2 "there is no subcommand 'rnu'; did you mean run?" rnu
refuse 2 "there is no subcommand 'nonsense'; there are devices, compile, run" nonsense
refuse 2 "there is no option '--nonsense'" --nonsense

begin 'an output that cannot be written is a failure'
if [ -w /dev/full ]; then
    status=0
    "$tool" devices >/dev/full 2>err || status=$?
    [ "$status" -eq 1 ] || wrong "exit status $status"
    err 'cannot write to standard output'
fi

begin 'a reader that goes away ends the tool without a word'
"$tool" devices 2>err | true
[ ! -s err ] || wrong "$(head -n 1 err)"
"$tool" run "$kernels" saxpy x=linear:101 y=ones:101 a=2 2>err | true
[ ! -s err ] || wrong "$(head -n 1 err)"
