# quern bench: whether it works, not how fast.

begin 'quern bench --json gives one object a row and baseline'
quern 0 bench triad_4096 --quick --json
[ "$(head -c 1 out)" = '[' ] || wrong 'it is no array'
for key in bench device baseline ratio median min max unit; do
    out "\"$key\": "
done
out '"bench": "triad_4096"'

begin 'a measurement that is not there'
refuse 2 'triad_4096' bench triad_4069

begin 'a backend without devices has a line with the reason among all devices'
QUERN_OPENCL_LIBRARY=$work/none quern 0 bench triad_4096 --quick --device all
out_matches '^opencl: does not work: .*QUERN_OPENCL_LIBRARY'

begin 'a measurement that does not suit the device'
quern 0 bench program --quick --device cpu:0
out_matches '^program +not measured: '
