"""Which lines of a layer each test runs, for tools/mutate.py: a test that does not reach a mutant cannot kill it.

The files of the layers are compiled with gcov's counters into a copy of the library and of the policies, each test runs on
them once, and gcov says which lines it ran. A process that ends by _exit() has its counters written before. Processes that
are killed leave none, and test programs with a copy of a file of their own (INCLUDED, tests with a mock) are not looked at.
"""
import bisect
import hashlib
import json
import subprocess
from pathlib import Path

DUMP = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>
static int dump(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size, (void)data;
    if (!strstr(info->dlpi_name, "libeasim") && !strstr(info->dlpi_name, "/policies/"))
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW);
    void (*write_counters)(void) = library ? (void (*)(void))dlsym(library, "__gcov_dump") : NULL;
    if (write_counters)
        write_counters();
    return 0;
}
void dump_counters(void) {
    dl_iterate_phdr(dump, NULL);
}
"""
BEFORE_EXIT = """#include <unistd.h>
__attribute__((visibility("default"))) void dump_counters(void);
#define _exit(status) (dump_counters(), (_exit)(status))
"""


class Reach:
    """Of each test the lines that it ran; kept in a file beside the worker's folder, and read from it for the same sources."""

    def __init__(self, worker, layers):
        self.tree, self.worker, self.folder = worker.tree, worker, worker.folder
        self.files = [f for f in self.tree.commands if any((self.tree.source / f).match(p) for p in layers)]
        self.ran = {}
        kept = self.folder.with_suffix(f".{self.digest()}.json")
        if not kept.exists():
            self.build()
            self.results = {name: self.run(name) for name in self.tree.tests}
            self.run_without_counters([name for name, (passed, _) in self.results.items() if not passed])
            kept.write_text(json.dumps([self.results, self.ran]))
        self.results, self.ran = json.loads(kept.read_text())

    def digest(self):
        """Of all that is compiled and of the tests."""
        found = hashlib.sha256()
        for folder in ("include", "policies", "src", "tests"):
            for path in sorted((self.tree.source / folder).rglob("*")):
                if path.is_file() and path.suffix != ".pyc":
                    found.update(str(path).encode() + path.read_bytes())
        return found.hexdigest()[:16]

    def build(self):
        """The library and the policies with counters, in the folders of the worker."""
        (self.folder / "before_exit.h").write_text(BEFORE_EXIT)
        (self.folder / "dump.c").write_text(DUMP)
        dump = self.folder / "dump.o"
        subprocess.run(["gcc", "-fPIC", "-c", self.folder / "dump.c", "-o", dump], check=True)
        objects = {}
        for file, commands in self.tree.commands.items():
            covered = file in self.files
            if not covered and "_exit(" not in (self.tree.source / file).read_text(encoding="utf-8"):
                continue
            flags = ["-include", str(self.folder / "before_exit.h"), "-O1", *(["--coverage"] if covered else [])]
            for command, output in commands:
                target = self.folder / output.replace("/", "__")
                if "/test_" not in output:
                    source = self.tree.source / file
                    done = self.worker.compile_one(command + flags, source, [], target)
                    assert done.returncode == 0, done.stderr.decode()
                    objects.setdefault(output.split(".p/")[0], {})[output] = str(target)
        for linked, parts in objects.items():
            self.worker.link(linked, parts, ["--coverage", "-Wl,-u,__gcov_dump", *([str(dump)] if linked.startswith("src/") else [])])

    def run(self, name):
        """Whether a test passes and the seconds that it takes; beside it what it ran of each file."""
        for path in self.folder.glob("*.gcda"):
            path.unlink()
        result = self.worker.run(name)
        counters = sorted(self.folder.glob("*.gcda"))
        done = subprocess.run(["gcov", "-t", "-j", *counters], cwd=self.tree.build, check=False, capture_output=True)
        ran = {}
        for text in done.stdout.decode().splitlines() if counters else []:
            for file in json.loads(text)["files"]:
                path = (self.tree.build / file["file"]).resolve()
                lines = ran.setdefault(str(path.relative_to(self.tree.source)), {}) if path.suffix == ".c" else {}
                for line in file["lines"]:
                    lines[line["line_number"]] = lines.get(line["line_number"], 0) | (line["count"] > 0)
        self.ran[name] = {file: [sorted(lines), [n for n in sorted(lines) if lines[n]]] for file, lines in ran.items()}
        return result

    def run_without_counters(self, names):
        """Tests that the counters disturb (they compare times or what a policy writes): these may reach any line."""
        self.worker.reset()
        for name in names:
            self.results[name], self.ran[name] = self.worker.run(name), None

    def reaches(self, test, mutant):
        """Whether it ran the line of the mutant, or the last one before it that is counted; of a table, anything of the file."""
        if self.ran[test] is None:
            return True
        counted, ran = self.ran[test].get(mutant.file, ([], []))
        if not mutant.function:
            return bool(ran)
        place = bisect.bisect_right(counted, mutant.line)
        return place > 0 and counted[place - 1] in ran
