#!/bin/sh
# What the C compiler itself must refuse, at the author's line: refused.sh CC INCLUDE_DIR. (The compiler of kernel files
# refuses more, with better words, before it calls the C compiler.)
set -eu

if [ $# -ne 2 ]; then
    echo "usage: refused.sh CC INCLUDE_DIR" >&2
    exit 2
fi
compiler=$1
include=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# compile: the kernel file on standard input; messages go to a file.
compile() {
    { echo '#include <quern/kernel.h>' && cat; } >"$work/case.k.c"
    "$compiler" -std=gnu17 -Wall -Wextra -I"$include" -c "$work/case.k.c" -o "$work/case.o" >"$work/messages" 2>&1
}

# refused LINE PATTERN: the kernel must not compile, with a message at the line (of case.k.c) that matches.
refused() {
    line=$1
    pattern=$2
    if compile; then
        echo "$compiler: compiled, though it should not ($pattern)"
        failed=1
    elif ! grep -E "case\.k\.c:$line:" "$work/messages" >/dev/null || ! grep -E "$pattern" "$work/messages" >/dev/null; then
        echo "$compiler: no message at line $line that matches '$pattern', but"
        cat "$work/messages"
        failed=1
    fi
}

# accepted: the control. It compiles without a warning.
accepted() {
    if ! compile || [ -s "$work/messages" ]; then
        echo "$compiler: a right kernel gives"
        cat "$work/messages"
        failed=1
    fi
}

accepted <<'K'
GROUP_KERNEL(largest, 256, in(float, x), out(float, y))
{
    LOCAL(double, slice, 32768);
    PRIVATE(float, kept);
    ITEMS (i) {
        slice[i] = x[GLOBAL(i)];
        MINE(kept, i) = x[GLOBAL(i)];
    }
    ITEMS (i)
        y[GLOBAL(i)] = (float)slice[GROUP_SIZE - 1 - i] + MINE(kept, i);
}
K

refused 4 "LOCAL array slice is larger than 256 KiB" <<'K'
GROUP_KERNEL(too_large, 256, out(double, y))
{
    LOCAL(double, slice, 32769);
    ONCE
        y[0] = slice[0];
}
K

refused 5 "pitches_of_rank_3" <<'K'
KERNEL(too_many_indices, out_nd(float, 2, y))
{
    EACH (i)
        AT(y, 0, 0, i) = 1;
}
K

refused 5 "read-only|const" <<'K'
KERNEL(writes_an_input, in(float, x))
{
    EACH (i)
        x[i] = 1;
}
K

refused 5 "read-only|const" <<'K'
KERNEL(writes_an_nd_input, in_nd(float, 2, x))
{
    EACH2 (k, j)
        AT(x, k, j) = 1;
}
K

refused 5 "read-only|const" <<'K'
KERNEL(writes_a_value, value(float, a), out(float, y))
{
    EACH (i)
        y[i] = a++;
}
K

refused 6 "quern_private_of_kept|kept" <<'K'
GROUP_KERNEL(private_without_mine, 8, out(float, y))
{
    PRIVATE(float, kept);
    ITEMS (i)
        y[GLOBAL(i)] = kept;
}
K

refused 2 "nonsense" <<'K'
KERNEL(unknown_form, nonsense(float, x))
{
    EACH (i)
        x[i] = 1;
}
K

exit $failed
