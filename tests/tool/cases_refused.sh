# quern run: command lines that do not fit.

begin 'file, kernel or arguments are missing'
refuse 2 'a kernel file and a kernel' run
refuse 2 'the name of a kernel' run "$kernels"
refuse 2 'kernel saxpy also needs inout(float, y), value(float, a)' run "$kernels" saxpy x=ones:5
refuse 2 'kernel transpose also needs in_nd(int32_t, 2, x)' run "$kernels" transpose y=ones:5x5

begin 'operands in another order'
order='the order is quern run FILE.k.c KERNEL ARG=VALUE'
refuse 2 "'x=ones:5' stands where the kernel file is wanted; $order" run x=ones:5 "$kernels" saxpy
refuse 2 "'x=ones:5' stands where the kernel file is wanted; $order" run x=ones:5
refuse 2 "'x=ones:5' stands where the kernel's name is wanted; $order" run "$kernels" x=ones:5 saxpy
refuse 2 "'x=ones:5' stands where the kernel's name is wanted; $order" run "$kernels" x=ones:5 y=ones:5
refuse 2 "'saxpy' stands where the kernel file is wanted; $order" run saxpy "$kernels" x=ones:5 y=ones:5 a=1

begin 'a kernel that is not there'
refuse 2 'saxpy' run "$kernels" saxpi x=ones:5
err 'saxpi'
err 'did you mean'

begin 'surplus and repeated arguments'
refuse 2 "kernel saxpy has no parameter 'b'" run "$kernels" saxpy x=ones:5 y=ones:5 a=1 b=2
refuse 2 "kernel transpose has no parameter 'z'" run "$kernels" transpose x=ones:5x5 y=ones:5x5 z=ones:5
refuse 2 'did you mean small?' run "$kernels" values y=zeros:2 smal=2 large=1
refuse 2 'the argument x is given twice' run "$kernels" saxpy x=ones:5 y=ones:5 a=1 x=ones:5
refuse 2 "'nonsense' is not of the form ARG=VALUE" run "$kernels" saxpy nonsense
refuse 2 "'x=' is not of the form ARG=VALUE" run "$kernels" saxpy x=
refuse 2 "'=5' is not of the form ARG=VALUE" run "$kernels" saxpy =5

begin 'arrays that are none'
refuse 2 "x: '5' is no array, and in(float, x) wants one: @FILE.npy" run "$kernels" saxpy x=5 y=ones:5 a=1
refuse 2 "x: 'zeroes:5' is no array" run "$kernels" saxpy x=zeroes:5 y=ones:5 a=1
for shape in '' x 5x x5 5,3 -5 5.5 5x-3 ' 5' 1x1x1x1x1x1x1 9223372036854775808 4294967296x4294967296 5:7; do
    refuse 2 'x: ' run "$kernels" saxpy "x=zeros:$shape" y=ones:5 a=1
done
refuse 2 'x: ' run "$kernels" saxpy x=zeros:9223372036854775807 y=ones:5 a=1
refuse 1 'no memory' run "$kernels" saxpy x=zeros:1000000000000000 y=ones:5 a=1
refuse 2 "x: '5x-3' is no list of extents: -3 is negative" run "$kernels" saxpy x=zeros:5x-3 y=ones:5 a=1
for seed in '' x -1 1.5 18446744073709551616; do
    refuse 2 'x: ' run "$kernels" saxpy "x=random:5:$seed" y=ones:5 a=1
done
refuse 2 'p: an array of structs' run "$kernels" structs p=@p.npy sum=zeros:5

begin 'the rank of an _nd parameter'
refuse 2 'x: in_nd(int32_t, 2, x) wants an array of rank 2, and 9 is one of rank 1' run "$kernels" transpose x=ones:9 y=ones:3x3
refuse 2 'x: inout_nd(uint8_t, 3, x) wants an array of rank 3, and 3x3 is one of rank 2' run "$kernels" add_one_3d x=ones:3x3

begin 'outputs that are none'
refuse 2 "has no parameter 'z'" run "$kernels" saxpy x=ones:5 y=ones:5 a=1 -o z=z.npy
refuse 2 '-o a: value(float, a) is no array' run "$kernels" saxpy x=ones:5 y=ones:5 a=1 -o a=a.npy
refuse 2 '-o p: elements of type pair' run "$kernels" structs p=zeros:5 sum=zeros:5 -o p=p.npy
refuse 2 'two arrays are to be written to y.npy' run "$kernels" saxpy x=ones:5 y=ones:5 a=1 -o y=y.npy -o x=y.npy
refuse 2 "'y.npy' is not of the form ARG=FILE" run "$kernels" saxpy x=ones:5 y=ones:5 a=1 -o y.npy
