# quern run: group kernels and local memory.

begin 'the group of a launch'
quern 0 run "$kernels" group_of y=zeros:7 --group 3 -o y=y.npy
holds y.npy d4 3 3 3 3 3 3 3
quern 0 run "$kernels" group_of y=zeros:7
quern 0 run "$kernels" tiles y=zeros:2x3 --group 4,5 -o y=y.npy
holds y.npy d4 405 405 405 405 405 405

begin 'a fixed group, and a length of local memory'
quern 0 run "$kernels" reverse_groups x=linear:16 y=zeros:16 tile=8 -o y=y.npy
holds y.npy d4 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8
quern 0 run "$kernels" reverse_groups x=linear:16 y=zeros:16 tile=8 --group 8
refuse 2 'another group size' run "$kernels" reverse_groups x=linear:16 y=zeros:16 tile=8 --group 4
for length in -8 8.5 x zeros:8 @y.npy; do
    refuse 2 'tile: ' run "$kernels" reverse_groups x=linear:16 y=zeros:16 "tile=$length"
done

begin 'groups that are none'
refuse 2 'kernel saxpy is no GROUP_KERNEL' run "$kernels" saxpy x=ones:5 y=ones:5 a=1 --group 5
refuse 2 'a group of 0 holds no items' run "$kernels" group_of y=zeros:7 --group 0
refuse 2 '3,1 has rank 2, and the groups of kernel group_of have rank 1' run "$kernels" group_of y=zeros:7 --group 3,1
refuse 2 '3 has rank 1, and the groups of kernel tiles have rank 2' run "$kernels" tiles y=zeros:7x3 --group 3
refuse 2 'wanted are 1 to 3 whole numbers' run "$kernels" group_of y=zeros:7 --group x
for group in -3 x 3x4 1,1,1,1,1,1,1; do
    refuse 2 '--group' run "$kernels" group_of y=zeros:7 --group "$group"
done
refuse 1 'group' run "$kernels" group_of y=zeros:7 --group 4611686018427387904
