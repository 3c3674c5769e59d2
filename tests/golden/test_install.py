"""A policy built out of tree against an installed easim, and run by it: test_install.py EASIM SOURCE

Installs the build of EASIM into a temporary root, takes flags and plug-in folder from easim.pc, compiles the first
complete example of policies/README.md, puts it into that folder and runs it by its name.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EASIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout.strip()


def main():
    example = re.search(r"```c\n(/\* sjf\.c.*?)```", (SOURCE / "policies" / "README.md").read_text(), re.S).group(1)
    with tempfile.TemporaryDirectory(prefix="easim-install.") as folder:
        root = Path(folder) / "root"
        run("meson", "install", "-C", str(EASIM.parent), "--no-rebuild", "--destdir", str(root))
        package = next(root.rglob("easim.pc"))
        pc = {"PKG_CONFIG_PATH": str(package.parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
        flags = run("pkg-config", "--cflags", "easim", **pc).split()
        plugins = Path(str(root) + run("pkg-config", "--variable=plugindir", "easim", PKG_CONFIG_PATH=str(package.parent)))
        assert sorted(path.stem for path in plugins.iterdir()) == sorted(p.stem for p in (SOURCE / "policies").glob("*.c"))
        (Path(folder) / "sjf.c").write_text(example)
        run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-fvisibility=hidden",
            *flags, "-o", str(plugins / "sjf.so"), str(Path(folder) / "sjf.c"))
        easim, path = next(root.rglob("bin/easim")), {"EASIM_POLICY_PATH": str(plugins)}
        assert "shortest job first" in run(str(easim), "policies", **path)
        table = run(str(easim), "run", str(SOURCE / "configs" / "tiny.yaml"), "--policy", "sjf", "--check", "--strict",
                    "--out", str(Path(folder) / "out"), **path)
        assert "policy sjf" in table, table
    print("1 passed, 0 failed")


main()
