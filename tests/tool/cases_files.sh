# quern run: files that are not there, are malformed or cannot be written.

dictionary() {
    printf "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" "$1" "$2" "$3"
}

# file_refused TEXT: x.npy is refused with the text, and the file's name.
file_refused() {
    refuse 1 "$1" run "$kernels" saxpy x=@x.npy y=ones:3 a=1
    err 'x.npy'
}

twelve='\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40'

begin 'a file of NumPy is read'
npy x.npy "$(dictionary "'<f4'" False '(3,)')" "$twelve"
quern 0 run "$kernels" saxpy x=@x.npy y=ones:3 a=2 -o y=y.npy
holds y.npy f4 3 5 7

begin 'a file that is not there, or no .npy file'
rm -f x.npy
file_refused 'No such file'
echo 'this is a text' >x.npy
file_refused 'no .npy file'
: >x.npy
file_refused 'cut short'

begin 'a file that is cut short, or too long'
npy x.npy "$(dictionary "'<f4'" False '(3,)')" "$twelve"
cp x.npy whole.npy
for size in 5 8 9 20 $(($(stat -c %s whole.npy) - 1)); do
    head -c "$size" whole.npy >x.npy
    refuse 1 x.npy run "$kernels" saxpy x=@x.npy y=ones:3 a=1
done
file_refused 'cut short: the array has 12 bytes, the file holds 11'
{ cat whole.npy; echo; } >x.npy
file_refused 'something follows after'
npy x.npy "$(dictionary "'<f4'" False '(1000000000000,)')" "$twelve"
file_refused 'cut short'

begin 'a header beyond the file, or of an unknown version'
printf '\x93NUMPY\x01\x00\xff\xff{}' >x.npy
file_refused 'the header is said to have 65535 bytes'
printf '\x93NUMPY\x09\x00\x02\x00{}' >x.npy
file_refused 'version 9.0'

begin 'types, orders and shapes that are not read'
npy x.npy "$(dictionary "'|b1'" False '(3,)')" 'abc'
file_refused 'bool'
npy x.npy "$(dictionary "'<c8'" False '(3,)')" "$twelve$twelve"
file_refused 'complex'
npy x.npy "$(dictionary "'>f4'" False '(3,)')" "$twelve"
file_refused 'big endian'
npy x.npy "$(dictionary "'<f4'" True '(3,)')" "$twelve"
file_refused 'Fortran order'
npy x.npy "$(dictionary "'<f4'" False '(1,1,1,1,1,1,3)')" "$twelve"
file_refused 'more than 6 dimensions'
npy x.npy "$(dictionary "'<f4'" False '(4294967296,4294967296)')" "$twelve"
file_refused 'do not fit 63 bits'
npy x.npy "$(dictionary "'<f4'" False '(-3,)')" "$twelve"
file_refused 'negative'

begin 'a file of another element type than the parameter'
npy x.npy "$(dictionary "'<f8'" False '(1,)')" '\x00\x00\x00\x00\x00\x00\xf0\x3f'
refuse 2 "x: the elements of x.npy are float64, and the parameter's are float32 (float)" run "$kernels" saxpy x=@x.npy y=ones:1 a=1

begin 'a file that cannot be written'
refuse_write() {
    quern 1 run "$kernels" saxpy x=ones:3 y=ones:3 a=1 -o "y=$1"
    err "$1"
}
refuse_write no/such/folder/y.npy
mkdir -p folder
refuse_write folder
if [ -w /dev/full ]; then
    refuse_write /dev/full
fi
[ -z "$(find . -name '.quern-*')" ] || wrong 'a file was left aside'

begin 'an output replaces the file that was read'
npy x.npy "$(dictionary "'<f4'" False '(3,)')" "$twelve"
quern 0 run "$kernels" saxpy x=ones:3 y=@x.npy a=1 -o y=x.npy
holds x.npy f4 2 3 4

begin 'an output goes into a pipe'
mkfifo pipe
cat pipe >piped.npy &
quern 0 run "$kernels" saxpy x=ones:3 y=zeros:3 a=5 -o y=pipe
wait
holds piped.npy f4 5 5 5
[ -p pipe ] || wrong 'the pipe was replaced'

begin 'a kernel file that is not there'
refuse 1 'no-such-file.k.c' run no-such-file.k.c saxpy

begin "a kernel file that does not compile: the compiler's words, with file and line"
refuse 1 'broken.k.c:7' run "$here/kernels/broken.k.c" broken y=ones:5
err 'no_such_name'

begin 'a kernel file without a name'
cp "$kernels" .k.c
refuse 2 "'.k.c' is no kernel file" run .k.c saxpy x=ones:5 y=ones:5 a=1
refuse 2 "'.k.c' is no kernel file" compile .k.c -o made

begin 'a cache that others can write'
mkdir -p shared && chmod 770 shared
QUERN_CACHE_DIR=$work/shared refuse 1 'can be written by its group' run "$kernels" saxpy x=ones:5 y=ones:5 a=1

begin 'a cache that cannot be written'
: >file
QUERN_CACHE_DIR=$work/file/cache refuse 1 "$work/file" run "$kernels" saxpy x=ones:5 y=ones:5 a=1

begin 'a cache without room on its disk is named, with the way out'
(
    trap '' XFSZ
    ulimit -f 16 # files of 16 KiB at most
    QUERN_CACHE_DIR=$work/full "$tool" run "$kernels" saxpy x=ones:5 y=ones:5 a=1 --device cpu:0 2>&1 | cat
) >err
err "the cache directory '$work/full' cannot be used"
err 'File too large; set QUERN_CACHE_DIR to another directory'

begin 'a cache on a full disk is done without'
mkdir -p tiny
cat >in_tiny <<'END'
mount -t tmpfs -o size=16k,mode=700 none "$1" || exit 77
head -c 12k /dev/zero >"$1/full" && shift && exec "$@"
END
if unshare -rm sh in_tiny "$work/tiny" true 2>/dev/null; then
    status=0
    QUERN_CACHE_DIR=$work/tiny TMPDIR=$work unshare -rm sh in_tiny "$work/tiny" "$tool" run "$kernels" saxpy x=ones:5 \
        y=ones:5 a=2 --device cpu:0 -o y=y.npy >out 2>err </dev/null || status=$?
    [ "$status" -eq 0 ] || wrong "exit status $status: $(cat err)"
    holds y.npy f4 3 3 3 3 3
    ! ls -d "$work"/quern-* >/dev/null 2>&1 || wrong 'a directory is left'
else
    echo 'a cache on a full disk: not tried, nothing can be mounted here'
fi
