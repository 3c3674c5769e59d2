"""A policy built out of tree against an installed easim, and run by it: test_install.py EASIM SOURCE

Installs the build of EASIM into a temporary root, takes flags and plug-in folder from easim.pc, compiles the first
complete example of policies/README.md, puts it into that folder and runs it by its name. The same policy in C++17 gives
the same jobs.csv, where there is a g++.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EASIM, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()

# The key of sjf is the least time: 100 samples at 4 a second on the faster of two configurations.
MOCK_TEST = """#include "policy_mock.h"
int main(void) {
    struct mock m;
    mock_init(&m, &easim_policy);
    mock_gpu_type(&m, (struct easim_gpu_type){.name = "g", .idle_w = 50, .ctx_w = 90, .tdp_w = 400});
    mock_node(&m, 0, 4);
    mock_user(&m, "u", 1);
    mock_config(&m, (struct easim_config){.k = 1, .goodput = {1}, .power_w = {300}});
    mock_config(&m, (struct easim_config){.k = 4, .goodput = {4}, .power_w = {300}});
    mock_job(&m, (struct easim_job){.remaining = 100, .config_count = 2});
    bool good = mock_key(&m, 0).value == 25;
    mock_finish(&m);
    return good ? 0 : 1;
}
"""

CPP_POLICY = """#include <easim/policy.h>
static void key(const easim_pass *, const easim_job *, double best, easim_key *ret) { ret->value = best; }
static const easim_list list = {sizeof(easim_list), false, key, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0,
                                false, false, 0, 0, 0, nullptr, nullptr};
const struct easim_policy easim_policy = {EASIM_POLICY_ABI, "sjf", "1.0", "the same in C++", nullptr, 0, 0, 0, nullptr, 0,
                                          &list, nullptr, nullptr, nullptr, nullptr, 0, 0, 0};
"""


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout.strip()


def compare_cpp(folder, flags, easim):
    (folder / "sjf.cc").write_text(CPP_POLICY)
    run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-shared", "-fPIC", "-fvisibility=hidden",
        *flags, "-o", str(folder / "sjf.so"), str(folder / "sjf.cc"))
    run(str(easim), "run", str(SOURCE / "configs" / "tiny.yaml"), "--policy", str(folder / "sjf.so"), "--check", "--strict",
        "--out", str(folder / "cpp"))
    assert (folder / "cpp" / "jobs.csv").read_bytes() == (folder / "out" / "jobs.csv").read_bytes()


def main():
    example = re.search(r"```c\n(/\* sjf\.c.*?)```", (SOURCE / "policies" / "README.md").read_text(), re.S).group(1)
    with tempfile.TemporaryDirectory(prefix="easim-install.") as folder:
        root = Path(folder) / "root"
        run("meson", "install", "-C", str(EASIM.parent), "--no-rebuild", "--destdir", str(root))
        package = next(root.rglob("easim.pc"))
        completion = next(root.rglob("bash-completion/completions/easim"))
        assert completion.read_text() == run(str(EASIM), "completion", "bash") + "\n"
        pc = {"PKG_CONFIG_PATH": str(package.parent), "PKG_CONFIG_SYSROOT_DIR": str(root)}
        flags = run("pkg-config", "--cflags", "easim", **pc).split()
        plugins = Path(str(root) + run("pkg-config", "--variable=plugindir", "easim", PKG_CONFIG_PATH=str(package.parent)))
        assert sorted(path.stem for path in plugins.iterdir()) == sorted(p.stem for p in (SOURCE / "policies").glob("*.c"))
        mock = Path(str(root) + run("pkg-config", "--variable=mockdir", "easim", PKG_CONFIG_PATH=str(package.parent)))
        (Path(folder) / "sjf.c").write_text(example)
        (Path(folder) / "test_sjf.c").write_text(MOCK_TEST)
        run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags, f"-I{mock}", "-o", f"{folder}/test_sjf",
            f"{folder}/test_sjf.c", f"{folder}/sjf.c", "-lm")
        run(f"{folder}/test_sjf")
        assert (mock.parent / "exec" / "fcfs.py").is_file()
        run("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-fvisibility=hidden",
            *flags, "-o", str(plugins / "sjf.so"), str(Path(folder) / "sjf.c"))
        easim, path = next(root.rglob("bin/easim")), {"EASIM_POLICY_PATH": str(plugins)}
        assert "shortest job first" in run(str(easim), "policies", **path)
        table = run(str(easim), "run", str(SOURCE / "configs" / "tiny.yaml"), "--policy", "sjf", "--check", "--strict",
                    "--out", str(Path(folder) / "out"), **path)
        assert "policy sjf" in table, table
        installed = next(root.rglob("easim/validation"))  # its files name configurations, which are installed beside it
        assert sorted(p.name for p in installed.glob("*.yaml")) == sorted(p.name for p in (SOURCE / "validation").glob("*.yaml"))
        names = {key: value for key, value in os.environ.items() if key in ("PATH", "LD_LIBRARY_PATH")}
        done = subprocess.run([easim, "validate", "--out", Path(folder) / "validate"], capture_output=True, text=True, check=False,
                              env=names | {"EASIM_VALIDATION": str(installed), "EASIM_POLICY_PATH": str(plugins)})
        assert done.returncode == 0 and "erlang-c: " in done.stdout and ", 0 unexpected, " in done.stdout, done
        if shutil.which("g++"):
            compare_cpp(Path(folder), flags, easim)
    print("1 passed, 0 failed")


main()
