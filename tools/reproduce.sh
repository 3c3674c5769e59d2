#!/bin/bash
# Two builds of this commit give the same bytes: tools/reproduce.sh. They are optimized at link time, as all packages.
# Clones it into two folders, builds in each under another umask, zone, language and number of processes, without ccache, and
# compares the packages, which hold all that is installed. Some minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1

# build FOLDER UMASK ZONE LANGUAGE JOBS: prints the SHA-256 of its package
build() {
    git clone -q "$source" "$work/$1"
    (umask "$2" && cd "$work/$1" && TZ=$3 LC_ALL=$4 NINJAFLAGS=-j$5 tools/deb.sh >"$work/path" 2>"$work/log") ||
        { tail -n 20 "$work/log" >&2 && exit 1; }
    sha256sum <"$work/$1/$(cat "$work/path")"
}

first=$(build one 022 Asia/Tokyo C.UTF-8 2)
second=$(build a/much/longer/path 077 America/Lima C 1)
echo "$first"
echo "$second"
[ "$first" = "$second" ]
