#!/bin/sh
# Checks that the C files look as clang-format 14 writes them. Usage: check_format.sh [--fix] [SOURCE_DIR]
# Exit 77 (skipped) without clang-format 14: other versions lay out some lines differently.
# --fix rewrites the files instead.
set -eu
action='--dry-run -Werror'
if [ "${1:-}" = --fix ]; then
    action=-i
    shift
fi
cd "${1:-$(dirname "$0")/..}"

tool=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$tool" ]; then
    echo "skipped: clang-format not found"
    exit 77
fi
case $("$tool" --version) in
*version\ 14.*) ;;
*)
    echo "skipped: clang-format 14 not found, only $("$tool" --version)"
    exit 77
    ;;
esac
folders=''
for folder in src include policies tests; do
    [ ! -d "$folder" ] || folders="$folders $folder"
done
# shellcheck disable=SC2086  # lists of words
find $folders -name '*.[ch]' -print0 | sort -z | xargs -0 -r "$tool" $action --style=file
