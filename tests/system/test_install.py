"""A policy built out of tree against an installed easim, and run by it: test_install.py EASIM SOURCE

Installs the build of EASIM into a temporary root and moves it: policies, validations and easim.pc are found where they
are then. Takes flags and plug-in folder from easim.pc, compiles the policy that `easim new` writes, puts it into
that folder and runs it by its name. The same policy in C++20 gives the same jobs.csv, where there is a g++. Data and
documents lie as in the source, and the installed configurations are as good as those there.
"""
import os
import re
import shutil
from pathlib import Path

from harness import EASIM, SOURCE, TINY, cases, run

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
static const easim_list list = {.struct_size = sizeof list, .key = key};
const struct easim_policy easim_policy = {EASIM_POLICY_ABI, .name = "sjf", .version = "1.0", .summary = "the same in C++", .list = &list};
"""


# easim is to find its own folders, and data that configurations and validations may name is not needed
NAMES = {key: value for key, value in os.environ.items() if not key.startswith("EASIM_") and key != "DESTDIR"}


def names_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != "meson.build")


def output(*command, **environment):
    return run(*command, env=NAMES | environment).stdout.strip()


def check_files(root):
    """Each shell has its completion; documents and what they link to are there; configurations say what those of the source say."""
    for shell, place in (("bash", "bash-completion/completions/easim"), ("zsh", "zsh/site-functions/_easim"),
                         ("fish", "fish/vendor_completions.d/easim.fish")):
        assert (root / "share" / place).read_text() == output(EASIM, "completion", shell) + "\n", shell
    data = root / "share/easim"
    for folder in ("configs", "policies", "validation", "workloads"):
        assert names_below(data / folder) == names_below(SOURCE / folder), folder
    for page in ["README.md", "CHANGELOG.md", "policies/README.md", *(str(path.relative_to(data)) for path in data.glob("docs/**/*.md"))]:
        assert (data / page).read_bytes() == (SOURCE / page).read_bytes(), page
    assert {"docs/" + name for name in names_below(SOURCE / "docs") if not name.startswith("man/")} == \
        {"docs/" + name for name in names_below(data / "docs")}
    for config in sorted((data / "configs").glob("*.yaml")):
        said = [run(root / "bin/easim", "check", f"configs/{config.name}", cwd=place, env=NAMES, code=None) for place in (data, SOURCE)]
        assert said[0].stdout == said[1].stdout and said[0].stderr == said[1].stderr, said


def links_lead_somewhere(root):
    """Of what an author reads first: both READMEs, and the pages that they lead to exist as in the source."""
    for page in ("README.md", "policies/README.md"):
        file = root / "share/easim" / page
        links = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", file.read_text()) if "://" not in target]
        missing = [target for target in links if target and not (file.parent / target).exists()]
        assert len(links) > 10 and not missing, (page, missing)
    assert (root / "share/easim/include/easim/policy.h").samefile(root / "include/easim/policy.h")


def new_policy(root, folder):
    """easim new finds the headers and the mock that lie beside the program, wherever they were moved."""
    output(root / "bin/easim", "new", "policy", "mine", folder / "mine")
    made = (folder / "mine/Makefile").read_text()
    assert f"INCLUDE = {root}/include\n" in made and f"MOCK = {root}/share/easim/policies/mock\n" in made, made
    output("make", "-s", "-C", folder / "mine", "test_mine", "mine.so", "CFLAGS=-Werror -Wall -Wextra")
    output(folder / "mine/test_mine")
    assert "policy mine," in output("make", "-s", "-C", folder / "mine", "run")


def compare_cpp(folder, flags, easim):
    (folder / "sjf.cc").write_text(CPP_POLICY)
    output("g++", "-std=c++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror", "-pedantic-errors", "-shared", "-fPIC", "-fvisibility=hidden",
           *flags, "-o", folder / "sjf.so", folder / "sjf.cc")
    output(easim, "run", TINY, "--policy", folder / "sjf.so", "--check", "--strict",
        "--out", folder / "cpp")
    assert (folder / "cpp" / "jobs.csv").read_bytes() == (folder / "out" / "jobs.csv").read_bytes()


def installed(folder):
    root = folder / "moved" / "root"
    output("meson", "install", "-C", Path(EASIM).parent, "--no-rebuild", "--destdir", f"{folder}/destdir")
    root.parent.mkdir()
    next(folder.glob("destdir/**/bin")).parent.rename(root)
    check_files(root)
    links_lead_somewhere(root)
    new_policy(root, folder)
    pc = {"PKG_CONFIG_PATH": str(next(root.rglob("easim.pc")).parent)}
    flags = output("pkg-config", "--cflags", "easim", **pc).split()
    plugins = Path(output("pkg-config", "--variable=plugindir", "easim", **pc))
    assert plugins.resolve().is_relative_to(root), f"{plugins}: build folders of before need meson setup --wipe"
    assert sorted(path.stem for path in plugins.iterdir()) == sorted(p.stem for p in (SOURCE / "policies").glob("*.c"))
    mock = Path(output("pkg-config", "--variable=mockdir", "easim", **pc))
    output(root / "bin/easim", "new", "policy", "sjf", folder / "new")
    shutil.copy(folder / "new/sjf.c", folder)
    (folder / "test_sjf.c").write_text(MOCK_TEST)
    output("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", *flags, f"-I{mock}", "-o", f"{folder}/test_sjf",
        f"{folder}/test_sjf.c", f"{folder}/sjf.c", "-lm")
    output(f"{folder}/test_sjf")
    assert (mock / "policy_mock.h").samefile(root / "share/easim/policies/mock/policy_mock.h")
    output("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-fvisibility=hidden",
           *flags, "-o", str(plugins / "sjf.so"), folder / "sjf.c")
    easim = root / "bin/easim"
    assert "shortest job first" in output(easim, "policies")
    table = output(easim, "run", TINY, "--policy", "sjf", "--check", "--strict", "--out", f"{folder}/out")
    assert "policy sjf" in table, table
    table = output(easim, "validate", "--out", f"{folder}/validate")
    assert "erlang-c: " in table and ", 0 unexpected, " in table, table
    if shutil.which("g++"):
        compare_cpp(folder, flags, easim)


cases(installed)
