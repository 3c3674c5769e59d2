# Sourced by .ci/run and tools/nightly.sh, in the root of the checkout: stages, their budgets and what
# their tests add up to. The last line is "N passed, N failed, N skipped"; the exit status is 0 if none failed.
# shellcheck shell=bash
root=$PWD
passed=0 failed=0 skipped=0
scratch=$(mktemp -d)
export CCACHE_DISABLE=1 # the CPU seconds of a stage are those of a machine that has built nothing before

finish() {
    local code=$?
    rm -rf "$scratch"
    [ "$code" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
    echo
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ] || exit 1
}
trap finish EXIT

# Sets cpu_s: CPU seconds of all children that have ended. $(...) and a pipe would have a shell of their own, without children.
count_cpu_s() {
    times >"$scratch/times"
    cpu_s=$(awk 'NR == 2 { gsub(/[ms]/, " "); $0 = $0; print int($1 * 60 + $2 + $3 * 60 + $4) }' "$scratch/times")
}

# stage TITLE BUDGET COMMAND ARGS...: a heading, the command, the CPU seconds it took. 10 % above the
# budget it warns, 60 % above it fails, as machines differ; a budget of 0 is none. A failure that no
# test accounts for counts as one.
stage() {
    local title=$1 budget=$2 start before=$failed code=0 used of=''
    shift 2
    printf '\n==== %s\n' "$title"
    count_cpu_s
    start=$cpu_s
    "$@" || code=$?
    count_cpu_s
    used=$((cpu_s - start))
    [ "$budget" -eq 0 ] || of=" of $budget"
    if [ "$budget" -gt 0 ] && [ $((used * 10)) -gt $((budget * 16)) ]; then
        echo "$title: expected at most $budget CPU s, got $used: too slow by over 60 %" >&2
        [ "$code" -ne 0 ] || code=1
    elif [ "$budget" -gt 0 ] && [ $((used * 10)) -gt $((budget * 11)) ]; then
        echo "warning: $title: expected at most $budget CPU s, got $used" >&2
    fi
    [ "$code" -eq 0 ] || [ "$failed" -gt "$before" ] || failed=$((failed + 1))
    echo "---- $title: $([ "$code" -eq 0 ] && echo good || echo FAILED), $used$of CPU s"
    return "$code"
}

# Adds the last summary of meson in the file $1 to the totals.
count() {
    local key number
    while IFS=: read -r key number; do
        case $key in
        'Ok' | 'Expected Fail') passed=$((passed + number)) ;;
        'Fail' | 'Unexpected Pass' | 'Timeout') failed=$((failed + number)) ;;
        'Skipped') skipped=$((skipped + number)) ;;
        esac
    done < <(tail -n 10 "$1" | grep -E '^(Ok|Expected Fail|Fail|Unexpected Pass|Timeout|Skipped): +[0-9]+ *$')
}

run_tests() {
    local code=0
    meson test "$@" --print-errorlogs | tee "$scratch/tests" || code=$?
    count "$scratch/tests"
    return "$code"
}

# configure FOLDER MESON_OPTIONS...: a folder that is configured already is used as it is.
configure() {
    [ -f "$1/build.ninja" ] || meson setup "$1" --werror "${@:2}"
}

find_data() {
    if [ -z "${EASIM_DATA:-}" ] && [ -d ../shared/data ]; then
        EASIM_DATA=$(cd ../shared/data && pwd)
        export EASIM_DATA
    fi
    echo "EASIM_DATA=${EASIM_DATA:-(unset: tests on real data are skipped)}"
}

tree_state() {
    git --no-optional-locks status --porcelain 2>/dev/null || true
}

same_tree() {
    diff <(printf '%s\n' "$state") <(printf '%s\n' "$(tree_state)")
}
