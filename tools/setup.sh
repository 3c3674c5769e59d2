#!/bin/sh
# From a bare Debian 12 to a built easim: installs the missing packages, then builds the program in
# build/; `meson test -C build` builds the tests.
# Usage: sh tools/setup.sh [--dev] [--packages]
#   --dev       also the packages that only the developers' checks need, and a build with debugging
#               information and with tests, in which a warning of the compiler is an error
#   --packages  install only, do not build
set -eu
cd "$(dirname "$0")/.."

kinds=''
build=yes
for option in "$@"; do
    case $option in
    --dev) kinds=dev ;;
    --packages) build=no ;;
    *)
        echo "usage: sh tools/setup.sh [--dev] [--packages]" >&2
        exit 2
        ;;
    esac
done

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: neither root nor sudo; as root, run: $*" >&2
        return 1
    fi
}

missing=''
if command -v dpkg-query >/dev/null; then
    for package in $(sed 's/#.*//' tools/packages.txt | awk -v kinds="$kinds" 'NF && ($2 == "" || $2 == kinds) { print $1 }'); do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
else
    echo "setup: not a Debian system; tools/packages.txt lists what the build needs" >&2
fi
if [ -n "$missing" ]; then
    echo "setup: installing$missing"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    # $missing is a list of names: it must be split.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
fi

[ "$build" = yes ] || exit 0
if [ "$kinds" = dev ]; then
    [ -f build/build.ninja ] || meson setup build --werror
    meson compile -C build
else
    # not optimized at link time, which takes a minute more: -Db_lto=true makes easim up to 20 % faster
    [ -f build/build.ninja ] || meson setup build --buildtype=release
    meson compile -C build program
fi
