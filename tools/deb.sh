#!/bin/bash
# A Debian package of easim: tools/deb.sh [--from BUILD] [FOLDER]
# Builds in build-deb/ with the flags of Debian, or takes what is built in BUILD, whose prefix does not
# matter as the installed tree may be moved; writes FOLDER/easim_VERSION_ARCHITECTURE.deb (build-deb/).
# easim is optimized at link time, which takes a minute more and makes it up to 20 % faster than the README's build.
# The same commit and compiler give the same bytes, whatever clock, umask, zone and language there are.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC
unset DESTDIR
cd "$(dirname "$0")/.."
from=
if [ "${1:-}" = --from ]; then
    from=$2
    shift 2
fi
out=${1:-build-deb}
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y meson.build)
fi
export SOURCE_DATE_EPOCH

if [ -z "$from" ]; then
    from=build-deb
    if [ ! -f "$from/build.ninja" ]; then
        eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+bindnow dpkg-buildflags --export=sh)"
        meson setup "$from" --prefix=/usr --wrap-mode=nodownload -Ddocs=enabled -Db_lto=true >&2
    fi
    list='import json, os, sys
for target in json.load(sys.stdin):
    for file in target["filename"] if target["installed"] else []:
        print(os.path.relpath(file, sys.argv[1]))'
    readarray -t targets < <(meson introspect "$from" --targets | python3 -c "$list" "$PWD/$from")
    ninja -C "$from" "${targets[@]}" >&2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

# what a build installs, below /usr
meson install -C "$from" --no-rebuild --quiet --destdir "$work/destdir" >&2
mkdir -p "$root"
mv "$(dirname "$(find "$work/destdir" -type d -name bin)")" "$root/usr"
cd "$root"
find usr -type f -exec chmod 0644 {} +
chmod 0755 usr/bin/easim usr/share/easim/policies/exec/fcfs.py usr/share/easim/docs/studies/*.sh
strip --remove-section=.comment --remove-section=.note usr/bin/easim
find usr/lib -name '*.so' -exec strip --remove-section=.comment --remove-section=.note --strip-unneeded {} +
gzip -9n usr/share/man/man1/*
mkdir -p usr/share/zsh
mv usr/share/zsh/site-functions usr/share/zsh/vendor-completions # where zsh of Debian looks

version=$(sed -n 's/^Version: //p' "$(find usr -name easim.pc)" | sed 's/-\(rc[0-9]*\)$/~\1/')
architecture=$(dpkg --print-architecture)
maintainer='easim developers <maintainers@users.noreply.a-seed-8a13b0e8.example>'
documents=usr/share/doc/easim
mkdir -p $documents usr/share/lintian/overrides
ln -s ../../easim/docs $documents/docs # they lie beside the configurations that they link to
cat >$documents/copyright <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: easim

Files: *
Copyright: $(date -d "@$SOURCE_DATE_EPOCH" +%Y) the easim developers
License: Apache-2.0
 On Debian systems the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
TEXT
cat >$documents/changelog <<TEXT
easim ($version) unstable; urgency=medium

  * What is new: /usr/share/easim/CHANGELOG.md.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
TEXT
gzip -9n $documents/changelog
cat >usr/share/lintian/overrides/easim <<TEXT
# Documents lie beside the configurations that they link to, and a link leads to them.
easim: package-contains-documentation-outside-usr-share-doc *
easim: extra-license-file *
# A policy calls little of libc, or nothing: what it needs is handed to it.
easim: library-not-linked-against-libc *
easim: shared-library-lacks-prerequisites *
TEXT

mkdir -p "$work/control/debian" DEBIAN
printf 'Source: easim\n\nPackage: easim\nArchitecture: any\n' >"$work/control/debian/control"
readarray -t binaries < <(find "$root/usr/lib" -name '*.so' | sort)
depends=$(cd "$work/control" && dpkg-shlibdeps -O -e"$root/usr/bin/easim" "${binaries[@]/#/-e}" |
    sed -n 's/^shlibs:Depends=//p')
find usr ! -type d -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }' >"$work/size"
cat >DEBIAN/control <<TEXT
Package: easim
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(cat "$work/size")
Depends: $depends
Recommends: gnuplot-nox, node-d3
Suggests: python3
Section: science
Priority: optional
Description: simulator of energy-aware scheduling on GPU clusters
 easim simulates heterogeneous GPU clusters under malleable jobs: a cluster, a
 job log or a law of arrivals, models of speed and power, and a policy give
 completion times, energy, fairness and deadlines, and how sure they are.
 .
 It is for those who design or choose schedulers. Policies are plug-ins in C,
 or programs in any language.
TEXT
find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums
find . -type d -exec chmod 0755 {} +
cd "$OLDPWD"
mkdir -p "$out"
dpkg-deb --root-owner-group --threads-max=1 -Zxz -b "$root" "$out/easim_${version}_$architecture.deb" >&2
echo "$out/easim_${version}_$architecture.deb"
