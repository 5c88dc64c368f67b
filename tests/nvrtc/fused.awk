# Fused multiplications in PTX that nobody wrote: awk -f fused.awk NAME.cu NAME.….ptx…
#
# Every fma must belong, by the line information, to a line of the author's that calls fma, or a function that NVIDIA
# makes of fma (exp, pow); the line of a function of the dialect, to one that calls it. Prints what is wrong and the
# number of files that it looked through, and ends with status 1 when something is wrong. Only PTX whose first line says
# "strict" counts: where the author allows contraction, the compiler fuses what it likes.

function is_made_of_fma(text)
{
    return text ~ /(^|[^A-Za-z0-9_])(quern_)?(fma|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|cbrt|hypot|erf|erfc|tgamma|lgamma|fmod|remainder)f?[ \t]*\(/
}

# place: "FILE LINE" as .loc has it.
function is_written(place, part)
{
    split(place, part, " ")
    return is_made_of_fma(text[files[part[1]], part[2]])
}

# The files' names stand at the end of PTX, so the places are judged there.
function judge(i, part)
{
    for (i = 1; i <= count; ++i)
        if (!is_written(found[i]) && (callers[i] == "" || !is_written(callers[i]))) {
            split(found[i], part, " ")
            printf "FAILED  %s: at %s:%s, which does not ask for it:%s\n", ptx, files[part[1]], part[2], shown[i]
            wrong = 1
        }
    count = 0
}

# ---- the text: which of its lines are which of the author's ----

FNR == NR && /^#line [0-9]+/ {
    line = $2
    if ($3 != "") {
        file = $0
        sub(/^#line [0-9]+ "/, "", file)
        sub(/"[^"]*$/, "", file)
    }
    next
}
FNR == NR {
    text[file, line] = text[file, line] " " $0
    ++line
    next
}

# ---- PTX ----

FNR == 1 {
    judge()
    ptx = FILENAME
    here = ""
    split("", inlined)
    is_internal = 0
    is_strict = /, strict$/
    strict_files += is_strict
}
!is_strict { next }
/^[ \t]*\.file[ \t]/ {
    number = $2
    sub(/^[ \t]*\.file[ \t]+[0-9]+[ \t]+"/, "")
    sub(/".*$/, "")
    files[number] = $0
}
# Functions of NVIDIA's own that are called, __internal_accurate_pow, have no lines.
/\.func[ \t].*\(/ { is_internal = / __internal_/ }
/\.entry[ \t]/ { is_internal = 0 }
# Line 0 is code that belongs to no line in particular. Where a call was inlined is said once in a kernel.
/^[ \t]*\.loc[ \t]/ && $3 != 0 {
    here = $2 " " $3
    if (match($0, /inlined_at [0-9]+ [0-9]+/))
        inlined[here] = substr($0, RSTART + 11, RLENGTH - 11)
    caller = inlined[here]
}
is_internal { next }
/^[ \t]*(@!?%p[0-9]+[ \t]+)?(fma|mad)\.r[nzmp]\./ {
    found[++count] = here
    callers[count] = caller
    shown[count] = $0
}
END {
    judge()
    print strict_files + 0
    exit wrong
}
