# What the cases of run.sh are written with. A case is a name (begin), a call of the tool (quern) and what must be true
# afterwards (out, err, silent, …); it passes when nothing that is said about it is wrong.

passed=0 failed=0
name='' problem=''

# wrong WHAT...: the current case fails.
wrong() {
    [ -n "$problem" ] || problem=$*
}

# Says how the case before ended.
finish() {
    [ -n "$name" ] || return 0
    if [ -z "$problem" ]; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name: $problem"
    fi
    name='' problem=''
}

begin() {
    finish
    name=$1
}

# quern STATUS ARGUMENT...: calls the tool; its output lies in ./out and ./err. A call that fails says why in a line that
# begins with the tool's name, and a call that succeeds writes nothing on the standard error.
quern() {
    local wanted=$1 status=0
    shift
    "$tool" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || wrong "quern $*: exit status $status, wanted $wanted; $(head -n 3 err)"
    if [ "$wanted" -eq 0 ]; then
        [ ! -s err ] || wrong "quern $*: $(head -n 1 err)"
    else
        grep -q '^quern: ' err || wrong "quern $*: no sentence on the standard error"
    fi
}

# quern_noted TEXT ARGUMENT...: the call succeeds, and writes one note on the standard error, TEXT.
quern_noted() {
    local text=$1 status=0
    shift
    "$tool" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq 0 ] || wrong "quern $*: exit status $status; $(head -n 3 err)"
    [ "$(cat err)" = "quern: $text" ] || wrong "quern $*: wanted \"quern: $text\": $(cat err)"
}

# refuse STATUS TEXT ARGUMENT...: the tool ends with the status, says TEXT and prints nothing.
refuse() {
    local status=$1 text=$2
    shift 2
    quern "$status" "$@"
    err "$text"
    silent
}

# out TEXT, err TEXT: the text stands in the output. out_matches PATTERN: a line matches the extended expression.
out() {
    grep -qF -- "$1" out || wrong "no \"$1\" in: $(head -n 5 out)"
}

err() {
    grep -qF -- "$1" err || wrong "no \"$1\" in: $(head -n 5 err)"
}

out_matches() {
    grep -qE -- "$1" out || wrong "no line matches $1: $(head -n 5 out)"
}

# silent: nothing was printed.
silent() {
    [ ! -s out ] || wrong "something was printed: $(head -n 1 out)"
}

# values FILE TYPE: the elements of a .npy file as numbers, in one line; TYPE is one of od's (d4, f8, …).
values() {
    local length
    length=$(od -An -j8 -N2 -t u2 "$1")
    od -An -v -j $((10 + length)) -t "$2" "$1" | xargs
}

# holds FILE TYPE NUMBER...: the .npy file holds these elements.
holds() {
    local file=$1 type=$2 found
    shift 2
    [ -f "$file" ] || { wrong "there is no $file"; return; }
    found=$(values "$file" "$type")
    [ "$found" = "$*" ] || wrong "$file holds $found, wanted $*"
}

# shape FILE TEXT: the header of a .npy file says the type and shape.
shape() {
    head -c 128 "$1" | grep -qaF -- "$2" || wrong "$1 is not of shape $2: $(head -c 128 "$1" | tail -c +11)"
}

# npy FILE HEADER BYTES: a .npy file of version 1.0 with the dictionary as it is; BYTES is for printf.
npy() {
    local length
    length=$(printf '%04x' ${#2})
    { printf '\x93NUMPY\x01\x00'; printf "\\x${length:2:2}\\x${length:0:2}"; printf '%s' "$2"; printf "$3"; } >"$1"
}
