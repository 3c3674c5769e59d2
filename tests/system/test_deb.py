"""The Debian package (tools/deb.sh) of the build under test: test_deb.py EASIM SOURCE

The same bytes under another clock, umask, zone and language; clean for lintian, where it is installed, apart from the
overrides in it. dpkg installs it into a root of its own, with the state of this machine's packages so that its dependencies
are held to what there is; it runs from there, and after purge that root is what it was. That needs the rights of root: else
the package is only unpacked and run. A real chroot is tools/deb_bare.sh.
"""
import os
import shutil
from pathlib import Path

from harness import EASIM, SOURCE, TINY, cases, form, need, run

BARE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}


def package(folder, umask, environment):
    out = run("sh", "-c", f"umask {umask}; exec \"$@\"", "sh", SOURCE / "tools/deb.sh", "--from", Path(EASIM).parent, folder,
              env={**os.environ, **environment}).stdout
    return Path(out.strip())


def traces(root):
    """What there is, but for what dpkg keeps of other packages."""
    own = root / "var/lib/dpkg"
    files = {str(path.relative_to(root)) for path in root.rglob("*") if own not in path.parents}
    known = {path.name for path in own.glob("info/easim*")} | {line for line in (own / "status").read_text().splitlines() if "easim" in line}
    return files | known


def try_out(root, folder):
    """The installed program, found by its place alone, gives what the build gives."""
    easim, data = root / "usr/bin/easim", root / "usr/share/easim"
    table = run(easim, "run", data / "configs/tiny.yaml", "--out", folder / "installed", env=BARE).stdout
    run(EASIM, "run", TINY, "--out", folder / "built")
    assert "policy zeus" in table
    assert (folder / "installed/jobs.csv").read_bytes() == (folder / "built/jobs.csv").read_bytes()
    names = {line.split()[0] for line in run(easim, "policies", env=BARE).stdout.splitlines() if line.strip()}
    assert {path.stem for path in (SOURCE / "policies").glob("*.c")} <= names, names
    assert ", 0 unexpected, " in run(easim, "validate", "--out", folder / "validated", env=BARE).stdout
    assert (root / "usr/share/doc/easim/docs/reference/semantics.md").is_file() and (root / "usr/share/man/man1/easim.1.gz").is_file()
    shutil.rmtree(folder / "installed"), shutil.rmtree(folder / "built"), shutil.rmtree(folder / "validated")


def install_and_remove(deb, folder):
    root, state = folder / "root", Path("/var/lib/dpkg")
    for name in ("info", "updates", "triggers"):
        (root / "var/lib/dpkg" / name).mkdir(parents=True)
    shutil.copy(state / "status", root / "var/lib/dpkg/status")
    dpkg = ["dpkg", f"--root={root}"]
    run(*dpkg, "--purge", "easim", code=None)  # where this machine has one: in this root only
    before = traces(root)
    run(*dpkg, "--install", deb)
    assert run(*dpkg, "--status", "easim").stdout.splitlines()[1] == "Status: install ok installed"
    try_out(root, folder)
    run(*dpkg, "--purge", "easim")
    assert traces(root) == before, traces(root) ^ before


def packages(folder):
    passed = 2
    deb = package(folder / "a", "022", {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"})
    again = package(folder / "b", "077", {"TZ": "America/Lima", "LC_ALL": "C", "DESTDIR": "/nonexistent"}) if form(True, False) else deb
    assert deb.name == again.name and deb.read_bytes() == again.read_bytes(), "two packages of one build differ"
    if shutil.which("lintian"):
        said = run("lintian", "--allow-root", "--fail-on", "error,warning", deb).stdout
        assert said == "", said
        passed += 1
    else:
        print("lintian: skipped: not installed")
    if os.geteuid() == 0:
        install_and_remove(deb, folder)
    else:
        print("install and remove: unpacked only, as dpkg needs the rights of root")
        run("dpkg-deb", "-x", deb, folder / "root")
        try_out(folder / "root", folder)
    return passed


need("dpkg-deb")
cases(packages)
