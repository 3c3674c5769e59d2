#!/bin/sh
# Checks the symbols of policy modules: each exports exactly one, easim_policy, in read-only data, and
# needs none of easim. Usage: check_exports.sh FILE.so...
# EASIM_SANITIZED=1 in the environment: symbols of the sanitizers do not count.
set -u

[ $# -gt 0 ] || {
    echo "usage: check_exports.sh FILE.so..." >&2
    exit 2
}
noise='^$'
[ "${EASIM_SANITIZED:-0}" = 1 ] &&
    noise='^(_{2,3}(asan|ubsan|odr_asan|sanitizer|lsan)|__(start|stop)_asan_globals)'
bad=0

complain() {
    echo "$1:1: $2"
    bad=1
}

for module in "$@"; do
    if ! symbols=$(nm -D "$module") || ! sections=$(objdump -T "$module"); then
        complain "$module" "cannot be read"
        continue
    fi
    defined=$(echo "$symbols" | awk 'NF == 3 { print $3 }' | grep -Ev "$noise")
    [ "$defined" = easim_policy ] ||
        complain "$module" "must export easim_policy alone, exports: $(echo "${defined:-nothing}" | tr '\n' ' ')"
    # Fields of objdump -T: address, flags, section, size, version, name. A const with pointers in it is
    # in .data.rel.ro, which nm shows as D: the loader makes it read-only after relocation.
    section=$(echo "$sections" | awk '$NF == "easim_policy" { for (i = 1; i <= NF; i++) if ($i ~ /^\.[a-z]/) print $i }')
    case $section in
    .rodata* | .data.rel.ro* | '') ;;
    *) complain "$module" "easim_policy must be const data, is in $section" ;;
    esac
    for name in $(echo "$symbols" | awk 'NF == 2 && $2 ~ /^easim_/ { print $2 }'); do
        complain "$module" "needs $name of easim"
    done
done
exit $bad
