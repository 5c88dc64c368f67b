# quern run: numbers and structs for value parameters.

begin 'integers arrive as they are'
quern 0 run "$kernels" values y=zeros:2 small=-128 large=18446744073709551615 -o y=y.npy
holds y.npy d8 -128 -2
quern 0 run "$kernels" values y=zeros:2 small=0x7f large=0x10 -o y=y.npy
holds y.npy d8 127 15

begin 'floats arrive as they are'
for value in 20:20 2.5:2.5 -1e3:-1000 0x1p-3:0.125 inf:inf -inf:-inf; do
    quern 0 run "$kernels" saxpy x=ones:1 y=zeros:1 "a=${value%%:*}" -o y=y.npy
    holds y.npy f4 "${value##*:}"
done
quern 0 run "$kernels" saxpy x=ones:1 y=zeros:1 a=nan -o y=y.npy
values y.npy f4 | grep -q nan || wrong "$(values y.npy f4)"

begin 'a number that does not fit is refused'
refuse 2 "small: '2.5' is no whole number, and the type is int8" run "$kernels" values y=zeros:2 small=2.5 large=1
refuse 2 'small: 128 does not fit int8' run "$kernels" values y=zeros:2 small=128 large=1
refuse 2 'large: -1 does not fit uint64' run "$kernels" values y=zeros:2 small=1 large=-1
refuse 2 'small: '"'nan'" run "$kernels" values y=zeros:2 small=nan large=1
refuse 2 'a: 1e39 is too large for float32' run "$kernels" saxpy x=ones:1 y=ones:1 a=1e39
for value in x 1x '1 ' ' 1' 1,5 zeros:3 @y.npy '{1}'; do
    refuse 2 'a: ' run "$kernels" saxpy x=ones:1 y=ones:1 "a=$value"
done

begin 'a struct is a brace list'
quern 0 run "$kernels" fields y=zeros:8 --range 1 'n={0.5,{{-7,1.5},{8,2.5}},{-1,2,3}}' -o y=y.npy
holds y.npy f8 0.5 -7 1.5 8 2.5 -1 2 3
quern 0 run "$kernels" fields y=zeros:8 --range 1 'n= { 0.5 , { {-7,1.5}, {8,2.5} } , { -1, 2, 3 } } ' -o y=y.npy
holds y.npy f8 0.5 -7 1.5 8 2.5 -1 2 3

begin 'a brace list with missing, surplus or wrong fields'
refuse 2 'n is a struct of 3 fields, and only 2 are given; the first missing one is offsets' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5},{8,2.5}}}'
refuse 2 'n is a struct of 3 fields, and more are given' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5},{8,2.5}},{-1,2,3},4}'
refuse 2 'n.pairs is an array of 2 elements, and only 1 is given; the first missing one is [1]' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5}},{-1,2,3}}'
refuse 2 'n.offsets is an array of 3 elements, and more are given' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5},{8,2.5}},{-1,2,3,4}}'
refuse 2 'n.pairs[1].first: 300 does not fit int8' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5},{300,2.5}},{-1,2,3}}'
refuse 2 "n is a struct of 3 fields: wanted '{', found 5" run "$kernels" fields y=zeros:8 n=5
refuse 2 'found the end' run "$kernels" fields y=zeros:8 'n={0.5,{{-7,1.5},{8,2.5}},{-1,2,3}'
