#!/bin/bash
# easim on a bare Debian 12 of its own: tools/bare_debian.sh EASIM.deb [FOLDER]
# Makes it in FOLDER (a temporary one) with debootstrap, or takes the one that is there. Installs the package with apt, runs it,
# removes it and what came with it, and lists what stays: nothing. (What its recommended packages recommend in turn is left
# out: dbus, whose user stays.) Then, likewise, the Python package in a venv and the two commands of README.md, word for word,
# which build the sources of this commit and run the tests. Needs root, a mirror of Debian and 2 GB.
set -euo pipefail
deb=$(realpath "$1")
cd "$(dirname "$0")/.."
root=${2:-}
if [ -z "$root" ]; then
    root=$(mktemp -d)
    remove=$root
fi
finish() {
    umount "$root/proc" 2>/dev/null || true
    rm -rf --one-file-system "${remove:-/nonexistent}"
}
trap finish EXIT
[ -x "$root/usr/bin/dpkg" ] ||
    debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >/dev/null

inside() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
        DEBIAN_FRONTEND=noninteractive sh -euc "$1"
}

# Files but caches, logs and what apt and dpkg keep of any package.
files() {
    (cd "$root" && find . \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/cache -o -path ./var/log -o -path ./tmp \
        -o -path ./var/lib/apt -o -name '*-old' \) -prune -o -print) | sort
}

packages() {
    inside "dpkg-query -W -f '\${Package}\n'" | sort
}

# stage TITLE COMMANDS: after them and the removal of all packages that they installed all is as before.
stage() {
    echo "==== $1"
    files >"$root/tmp/before"
    packages >"$root/tmp/packages"
    inside "$2"
    inside "apt-get purge -qq -y $(packages | comm -13 "$root/tmp/packages" - | tr '\n' ' ') >/dev/null"
    files >"$root/tmp/after"
    diff "$root/tmp/before" "$root/tmp/after" && echo "---- $1: no trace left"
}

mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # no services are started
chmod 755 "$root/usr/sbin/policy-rc.d"
inside 'apt-get update -qq'
cp "$deb" "$root/tmp/easim.deb"
mkdir -p "$root/tmp/easim"
git archive HEAD | tar -x -C "$root/tmp/easim"
stage 'the package' '
    apt-get install -qq -y --no-install-recommends /tmp/easim.deb gnuplot-nox node-d3 >/dev/null
    cd /tmp && rm -rf results && easim run /usr/share/easim/configs/tiny.yaml && easim policies zeus | head -n 3
    easim plot results/tiny/zeus --quiet
    easim report results/tiny/zeus
    easim init study && cd study && sh -euxc "$(sed -n "s/^    easim/easim/p" README.md)"
    easim validate --out /tmp/results/validate | tail -n 1'
stage 'the Python package' '
    apt-get install -qq -y --no-install-recommends python3-venv /tmp/easim.deb >/dev/null
    python3 -m venv /tmp/venv
    /tmp/venv/bin/pip install -q --no-index /tmp/easim/tools/python
    cd /tmp/easim
    /tmp/venv/bin/python -c "import easim; print(easim.run(\"configs/tiny.yaml\").summary[\"energy_kwh\"][0])"
    /tmp/venv/bin/pip uninstall -q -y easim
    ! find /tmp/venv | grep easim'
commands=$(awk '/^```sh$/ { on = 1; next } on && /^```$/ { exit } on' README.md)
stage 'the commands of README.md' "cd /tmp/easim
$commands"
