# quern run: what arrays are made of, how they reach the kernel, and what comes back.

begin 'saxpy computes, prints a line and agrees'
quern 0 run "$kernels" saxpy x=linear:5 y=ones:5 a=2 -o y=y.npy
holds y.npy f4 1 3 5 7 9
shape y.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"
[ "$(stat -c %s y.npy)" -eq 148 ] || wrong "y.npy has $(stat -c %s y.npy) bytes"
out_matches '^cpu:0  [0-9.]+ (s|ms|.*s|ns)  [0-9.]+ GB/s  checksum [0-9a-f]{16}$'
out 'devices agree'
[ "$(wc -l <out)" -eq 2 ] || wrong "$(wc -l <out) lines"

begin 'the example of a million elements'
quern 0 run "$source/examples/saxpy.k.c" saxpy x=linear:1000003 y=ones:1000003 a=2 -o y=y.npy
[ "$(stat -c %s y.npy)" -eq $((128 + 4 * 1000003)) ] || wrong "y.npy has $(stat -c %s y.npy) bytes"
[ "$(tail -c 4 y.npy | od -An -t f4 | xargs)" = 2000005 ] || wrong 'the last element is wrong'

begin 'a file comes back to the byte'
quern 0 run "$kernels" saxpy x=zeros:7x3 y=random:7x3:5 a=1 -o y=first.npy
quern 0 run "$kernels" saxpy x=zeros:21 y=@first.npy a=1 -o y=second.npy
cmp -s first.npy second.npy || wrong 'the files differ'
shape second.npy "'shape': (7, 3)"

begin 'every repetition starts from fresh arrays'
quern 0 run "$kernels" saxpy x=linear:5 y=ones:5 a=2 --repeat 4 -o y=y.npy
holds y.npy f4 1 3 5 7 9

begin 'ones, zeros and linear in several types'
quern 0 run "$kernels" add_one_3d x=linear:3x5x23 -o x=x.npy
[ "$(values x.npy u1 | cut -d' ' -f1,2,255,256,257,345)" = '1 2 255 0 1 89' ] || wrong "$(values x.npy u1 | tail -c 20)"
quern 0 run "$kernels" count_visits x=zeros:3x2 -o x=x.npy
holds x.npy d4 1 1 1 1 1 1
quern 0 run "$kernels" count_visits x=ones:2x3 -o x=x.npy
holds x.npy d4 2 2 2 2 2 2

begin 'random numbers are those of their seed'
quern 0 run "$kernels" saxpy x=zeros:11 y=random:11 a=1 -o y=default.npy
quern 0 run "$kernels" saxpy x=zeros:11 y=random:11:1 a=1 -o y=one.npy
quern 0 run "$kernels" saxpy x=zeros:11 y=random:11:2 a=1 -o y=two.npy
cmp -s default.npy one.npy || wrong "without a seed it is the parameter's number"
cmp -s one.npy two.npy && wrong 'another seed gives the same numbers'
values one.npy f4 | tr ' ' '\n' | awk '!($1 >= 0 && $1 < 1) { bad = 1 } END { exit bad }' || wrong 'not in [0, 1)'
quern 0 run "$kernels" count_visits x=random:41x13:3 -o x=x.npy
values x.npy d4 | tr ' ' '\n' | awk '!($1 >= 1 && $1 <= 100) { bad = 1 } END { exit bad }' || wrong 'not in 0 … 99'

begin 'in(T, x) takes an array of any rank by its linear index'
quern 0 run "$kernels" saxpy x=linear:2x3 y=zeros:6 a=1 -o y=y.npy
holds y.npy f4 0 1 2 3 4 5
quern 0 run "$kernels" saxpy x=linear:6 y=zeros:3x2 a=1 -o y=y.npy
holds y.npy f4 0 1 2 3 4 5
shape y.npy "'shape': (3, 2)"

begin 'arrays with pitched rows'
quern_noted 'note: '"'x' is 3x5 and the range 5x3" run "$kernels" transpose x=linear:3x5 y=zeros:5x3 -o y=y.npy
holds y.npy d4 0 5 10 1 6 11 2 7 12 3 8 13 4 9 14

begin 'an array that is only read can be written too'
quern 0 run "$kernels" saxpy x=linear:3 y=ones:3 a=2 -o x=x.npy -o y=y.npy
holds x.npy f4 0 1 2
holds y.npy f4 1 3 5

begin 'arrays of structs start as zeros'
quern 0 run "$kernels" structs p=zeros:5 sum=zeros:5 -o sum=sum.npy
holds sum.npy f8 0 1.5 3 4.5 6

begin 'no elements, nothing to do'
quern 0 run "$kernels" saxpy x=zeros:0 y=zeros:0 a=2 -o y=y.npy
shape y.npy "'shape': (0,)"
quern 0 run "$kernels" transpose x=zeros:0x5 y=zeros:5x0 -o y=y.npy
shape y.npy "'shape': (5, 0)"

begin 'where nothing is done there is no bandwidth'
for range in 'x=zeros:0 y=zeros:0' 'x=ones:5 y=ones:5 --range 0'; do
    quern 0 run "$kernels" saxpy $range a=2
    ! grep -q 'GB/s' out || wrong "$(head -n 1 out)"
    quern 0 run "$kernels" saxpy $range a=2 --json
    out '"gb_per_s": null'
done

begin 'a scalar of NumPy is an array of one element'
npy scalar.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" '\x00\x00\x40\x40'
quern 0 run "$kernels" saxpy x=@scalar.npy y=@scalar.npy a=2 -o y=y.npy
holds y.npy f4 9
shape y.npy "'shape': ()"

begin 'the elevation model becomes a hillshade'
quern 0 run "$source/examples/hillshade.k.c" hillshade "elevation=@$source/data/jacksboro_elevation.npy" cell=30 \
    'sun={-0.5,0.5,0.7071}' shade=zeros:344x403 -o shade=shade.npy
shape shade.npy "{'descr': '|u1', 'fortran_order': False, 'shape': (344, 403), }"
[ "$(values shade.npy u1 | tr ' ' '\n' | sort -u | wc -l)" -gt 50 ] || wrong 'the picture has hardly a shade'

begin 'generators fill the fields of structs'
cat >filled.k.c <<'END'
#include <quern/kernel.h>
STRUCT(inner, field(int8_t, a), field(float, b, 2))
STRUCT(outer, field(double, a), field(inner, b))
KERNEL(add_up, in(outer, x), out(double, y))
{
    EACH (i)
        y[i] = x[i].a + 10.0 * x[i].b.a + 100.0 * x[i].b.b[0] + 1000.0 * x[i].b.b[1];
}
END
quern 0 run filled.k.c add_up x=linear:4 y=zeros:4 -o y=y.npy
holds y.npy f8 0 1111 2222 3333
quern 0 run filled.k.c add_up x=ones:2 y=zeros:2 -o y=y.npy
holds y.npy f8 1111 1111
quern 0 run filled.k.c add_up x=random:100:3 y=zeros:100 --device all
