#!/bin/bash
# Runs a command of a sanitizer build and fails (99) if any process of it wrote a sanitizer report, even
# when the command said success: Criterion hides leaks of its tests.
# Usage: meson test -C build-asan --wrapper /path/to/sanitized.sh
# With gcc, UBSan has a runtime of its own that ignores log_path beside ASan's. So it aborts, and ASan
# reports the abort. A test that wants to see a signal sets, in its env of meson, ASAN_OPTIONS to
# handle_segv=0 or handle_abort=0.
set -u

logs=$(mktemp -d "${TMPDIR:-/tmp}/easim-sanitized.XXXXXX") || exit 99
trap 'rm -rf "$logs"' EXIT
trap 'exit 143' TERM INT HUP

export EASIM_SANITIZED=1
export ASAN_OPTIONS="handle_abort=1:${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$logs/asan:detect_leaks=1:halt_on_error=1:abort_on_error=0:exitcode=99"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$logs/ubsan:halt_on_error=1:abort_on_error=1:print_stacktrace=1"

"$@"
code=$?
if [ -n "$(ls -A "$logs")" ]; then
    echo "sanitized.sh: sanitizer reports of: $* (its exit status: $code)" >&2
    cat "$logs"/* >&2
    exit 99
fi
exit $code
