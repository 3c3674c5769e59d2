#!/bin/bash
# What the gate (.ci/run) leaves out or runs in a short form: every test whole, all documents, studies and seeds, all tests with
# sanitizers, 20,000 random scenarios, 500 of easy, how CPU time grows, HolisticTraceAnalysis on the same traces, how many files
# of src run in five walks, and the whole tree at -O0, -O2 and -O3 with gcc and clang. About two hours of CPU time.
# Usage: tools/nightly.sh. Builds in build-nightly*. The last line and the exit status are those of the gate.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/stages.sh
. .ci/stages.sh
unset EASIM_TESTS

# -O is among the last options, so that what only tests use has it, too
compilers() {
    local compiler level result=0
    for compiler in gcc clang; do
        for level in 0 2 3; do
            echo "$compiler -O$level"
            CC=$compiler configure "$scratch/$compiler-$level" -Dc_args=-O$level >"$scratch/log" 2>&1 &&
                ninja -C "$scratch/$compiler-$level" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log" && result=1; }
            rm -rf "${scratch:?}/$compiler-$level"
        done
    done
    return "$result"
}

whole() {
    configure build-nightly && meson compile -C build-nightly && run_tests -C build-nightly --setup full
}

costs() {
    EASIM_TESTS=short tools/test_cost.py measure build-nightly --no-suite nightly --setup full
}

random_scenarios() {
    EASIM_POLICY_PATH=$root/build-nightly/policies python3 tests/system/test_random.py build-nightly/easim . --count 20000 &&
        EASIM_POLICY_PATH=$root/build-nightly/policies python3 tests/system/test_easy.py build-nightly/easim . --count 500 &&
        python3 tests/system/test_lean_engine.py build-nightly/easim . --count 20000
}

growth() {
    configure build-nightly-bench --buildtype=release && ninja -C build-nightly-bench program &&
        python3 tools/bench_growth.py --easim build-nightly-bench/easim --source .
}

instructions() {
    python3 tools/instructions.py build-nightly-bench/easim .
}

# EASIM_HTA names a Python that has HolisticTraceAnalysis.
trace_peers() {
    local code=0
    python3 tests/bench/trace_peers.py --easim build-nightly-bench/easim || code=$?
    [ "$code" -ne 77 ] || { skipped=$((skipped + 1)) && code=0; }
    return "$code"
}

walks() {
    configure build-nightly-walks -Doptimization=0 && ninja -C build-nightly-walks program &&
        python3 tools/walks.py build-nightly-walks/easim . --check
}

sanitized() {
    configure build-nightly-asan -Db_sanitize=address,undefined -Db_lundef=false -Doptimization=1 \
        -Dc_args=-fno-sanitize-recover=all || return
    run_tests -C build-nightly-asan --setup full --no-suite headers --no-suite style --no-suite coverage --no-suite docs -t 4 \
        --wrapper "$(printf %q "$root/tests/support/sanitized.sh")"
}

find_data
state=$(tree_state)
stage 'packages of developers' 0 sh tools/setup.sh --dev --packages
stage 'gcc and clang at -O0, -O2 and -O3' 0 compilers || true
stage 'all tests, whole' 0 whole || true
stage 'what the tests cost' 0 costs || true
stage '20,000 random scenarios, 500 of easy' 0 random_scenarios || true
stage 'how CPU time grows' 0 growth || true
stage 'instructions by part of a run' 0 instructions || true
stage 'HolisticTraceAnalysis on the same traces' 0 trace_peers || true
stage 'files of five walks' 0 walks || true
stage 'ASan and UBSan' 0 sanitized || true
stage 'the working tree is as before' 0 same_tree || true
