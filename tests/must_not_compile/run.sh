#!/bin/bash
# Compiles the snippets of cases.list, which must fail, and their siblings, which must not, as C and as C++; and every
# public header alone; and runs levels.cpp. A line a case; ends with 'N passed, N failed' and exits 1 when one failed, 2
# when misused.
#
#   run.sh CC CXX INCLUDE_DIR        CXX may be - where there is no C++ compiler: its cases are left out, and it says so
set -uo pipefail

if [ $# -ne 3 ] || [ ! -f "$3/quern/quern.h" ]; then
    echo "usage: run.sh CC CXX INCLUDE_DIR, which holds quern/quern.h" >&2
    exit 2
fi
cc=$1 cxx=$2 include=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
clean=(-Wall -Wextra -Wpedantic -Wconversion -Werror)
passed=0 failed=0
messages=$(mktemp)
trap 'rm -f "$messages"' EXIT

# compile LANGUAGE OPTION...: the text on the standard input; the compiler's words are left in $messages.
compile() {
    local language=$1
    shift
    if [ "$language" = c ]; then
        "$cc" -std=c17 "$@" -I"$include" -I"$here" -fsyntax-only -x c - 2>"$messages"
    else
        "$cxx" -std=c++17 "$@" -I"$include" -I"$here" -fsyntax-only -x c++ - 2>"$messages"
    fi
}

# verdict LANGUAGE NAME PROBLEM: PROBLEM is empty when all is well.
verdict() {
    if [ -z "$3" ]; then
        passed=$((passed + 1))
        echo "ok      $1: $2"
    else
        failed=$((failed + 1))
        echo "FAILED  $1: $2: $3"
    fi
}

# snippet NAME PARAMETERS STATEMENTS
snippet() {
    printf 'void %s(%s);\nvoid %s(%s)\n{\n    %s\n}\n' "$1" "$2" "$1" "$2" "$3"
}

# judge LANGUAGE OPTIONS PARAMETERS BAD GOOD: says what is wrong with the case, nothing when it is as it must be. A
# control that fails shows the compiler's first error; GOOD is empty when the control is known to compile.
judge() {
    if (echo '#include "prelude.h"'; snippet bad "$3" "$4") | compile "$1" $2; then
        echo "it compiles: $4"
    elif ! grep -q 'error' "$messages"; then
        echo "the compiler did not say why: $(head -n 1 "$messages")"
    elif [ -n "$5" ] && ! (echo '#include "prelude.h"'; snippet good "$3" "$5") | compile "$1" "${clean[@]}" -Wno-unused-parameter; then
        echo "its control does not compile: $5 ($(grep -m 1 'error' "$messages"))"
    fi
}

# The cases: five fields, separated by bars, with blanks around.
read_cases() {
    local line
    while IFS= read -r line; do
        case $line in '' | '#'*) continue ;; esac
        local fields=()
        IFS='|' read -ra fields <<<"$line"
        if [ ${#fields[@]} -ne 5 ]; then
            echo "cases.list: ${#fields[@]} fields instead of 5: $line" >&2
            exit 2
        fi
        for i in "${!fields[@]}"; do
            read -r "fields[$i]" <<<"${fields[$i]}"
        done
        languages+=("${fields[0]}") names+=("${fields[1]}") parameters+=("${fields[2]}")
        bad+=("${fields[3]}") good+=("${fields[4]}")
    done <"$here/cases.list"
}

concerns() {
    case ${languages[$1]%!} in both | "$2") return 0 ;; *) return 1 ;; esac
}

# All controls as one text: they nearly always compile, and then need not be tried one by one.
all_controls() {
    local i
    echo '#include "prelude.h"'
    for i in "${!names[@]}"; do
        concerns "$i" "$1" && snippet "good_$i" "${parameters[$i]}" "${good[$i]}"
    done
}

run_cases() {
    local language=$1 options i all_compile=0
    all_controls "$language" | compile "$language" "${clean[@]}" -Wno-unused-parameter && all_compile=1
    for i in "${!names[@]}"; do
        concerns "$i" "$language" || continue
        options=
        case ${languages[$i]} in *!) options=-pedantic-errors ;; esac
        local control=${good[$i]}
        [ "$all_compile" = 1 ] && control=
        verdict "$language" "${names[$i]}" \
            "$(judge "$language" "$options" "${parameters[$i]}" "${bad[$i]}" "$control")"
    done
}

# Every public header stands alone, twice, in strict C17 and C++17. kernel.h is for kernel files, not for host code.
run_headers() {
    local language=$1 options=("${clean[@]}") header name
    [ "$language" = c ] && options+=(-Wstrict-prototypes) || options+=(-Wold-style-cast)
    for header in "$include"/quern/*.h; do
        name=${header##*/}
        [ "$name" = kernel.h ] && continue
        if printf '#include <quern/%s>\n#include <quern/%s>\ntypedef int not_empty;\n' "$name" "$name" |
            compile "$language" "${options[@]}"; then
            verdict "$language" "<quern/$name> alone" ""
        else
            verdict "$language" "<quern/$name> alone" "$(grep -m 1 'error' "$messages")"
        fi
    done
}

# The overloads of C++ give the values that C's selection gives.
run_levels() {
    local program problem=
    program=$(mktemp)
    if ! "$cxx" -std=c++17 "${clean[@]}" -I"$include" "$here/levels.cpp" -o "$program" 2>"$messages"; then
        problem=$(grep -m 1 'error' "$messages")
    else
        "$program" || problem="check $? of levels.cpp does not hold"
    fi
    rm -f "$program"
    verdict c++ "the levels' values" "$problem"
}

# The judge itself: it has to see a snippet that compiles after all, and a control that does not.
run_judge() {
    local problem
    problem=$(judge "$1" "" "quern_view x" "take_view(QUERN_VIEW(x));" "take_view(QUERN_VIEW(x));")
    [ "${problem#it compiles}" != "$problem" ] && problem= || problem="not seen (${problem:-nothing})"
    verdict "$1" "a snippet that compiles is seen" "$problem"
    problem=$(judge "$1" "" "quern_source x" "take_view(QUERN_VIEW(x));" "take_span(QUERN_SPAN(x));")
    [ "${problem#its control}" != "$problem" ] && problem= || problem="not seen (${problem:-nothing})"
    verdict "$1" "a control that does not compile is seen" "$problem"
}

languages=() names=() parameters=() bad=() good=()
read_cases
for language in c c++; do
    if [ "$language" = c++ ] && [ "$cxx" = - ]; then
        echo "left out: there is no C++ compiler"
        continue
    fi
    run_judge "$language"
    run_headers "$language"
    run_cases "$language"
    [ "$language" = c++ ] && run_levels
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
