#!/usr/bin/env python3
"""Do the tests notice small mistakes? Samples mutants of a layer, runs the tests that can see them, and reports.

Usage: mutate.py [LAYER...] [--count N] [--seed N] [--jobs N] [--results FILE] [--work DIR] [--again] [--quick S] [--sanitize]

Layers: engine, metrics, policy (src/policy and policies/). The kinds of mutants are in c_mutants.py; each has the same
share of the sample. A mutant's rank in the sample is a hash of the seed and its text, so a change of the code changes
the sample only where the code changed. Mutants that do not compile, or whose object code at -O2 is that of the original,
are replaced by the next in rank; headers are left alone. Those listed in tests/equivalent_mutants.csv (found by their text, not by their line)
are in the sample but not in the score.

The tree is copied and built once, with libeasim as a shared library: a mutant costs one compilation and one link. Tests
are ordered by what they killed so far and how long they take; the first that fails ends a mutant, and so does one that
takes far more processor time than it should; tests that do not reach the line of a mutant (mutant_reach.py) are not run
on it. --results FILE is written after each mutant; a mutant that is in it is not run again,
with --again only if it was killed. --sanitize runs what survived once more with ASan and UBSan. --work DIR keeps the
copy for the next time. --quick S leaves out tests that would take more than S seconds with those before them, and most of
the frozen scenarios: more survive than would, which --again then runs on all tests.
"""
import argparse
import csv
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from c_mutants import KINDS, mutants_of
from mutant_reach import Reach

SOURCE = Path(__file__).resolve().parent.parent
LAYERS = {"engine": ("src/engine/*.c",), "metrics": ("src/metrics/*.c",),
          "policy": ("src/policy/*.c", "src/policy/list/*.c", "policies/*.c", "policies/*/*.c")}
EQUIVALENT = "tests/equivalent_mutants.csv"
OPTIONS = ["-Dshared=true", "-Dc_link_args=-Wl,--enable-new-dtags", "-Ddocs=disabled", "-Db_ndebug=false"]
SANITIZED = ["-Dshared=true", "-Dc_link_args=-Wl,--enable-new-dtags", "-Doptimization=1", "-Ddebug=false", "-Ddocs=disabled",
             "-Db_ndebug=false", "-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dc_args=-fno-sanitize-recover=all"]
# Tests that run simulations, or parts of what they are made of.
TESTS = {
    "unit": "ends exec_parts event_order eventq group guard hybrid_parts isolate static_order list list_rules max_min metrics network params placement "
            "power_means power_meter queue replica service_demand sharing sleep timeheap token_pieces workload statistics compare "
            "invariants module",
    "golden": "frozen tiny record seed-easy seed-fcfs seed-pollux seed-zeus itp-sample policies utilization",
    "system": "contention_by_hand crashes easy exec exec_ends exec_steps files interruptions_by_gpu network notes phases_by_hand random "
              "record regret series service_policy services sharing trace utilization_by_hand",
}
# Fewer random scenarios than the suite has: a minute less for each survivor. Who looks for the first difference, stops there.
MORE_WORDS = {"random": ["--count", "80"], "frozen": ["--first"]}
QUICK_SEEDS = 60
# Of the frozen scenarios those that use what a file is for: the first pattern that is in its path.
USING = {"policies/allocation": "goodput|sia", r"policies/(\w+)": r"\1", "(engine|metrics)/(service|scaling|replica)": '"service"',
         "engine/contention": '"contention"|"storage"'}
# Who kills most, as if it had killed so many already, and the share of its time that it takes for that.
LIKELY = {"golden/frozen": (4, 0.05)}
# Files that a test program includes as text.
INCLUDED = {"policies/exec/message.c": "tests/unit/test_exec_parts.c",
            "policies/exec/process.c": "tests/unit/test_exec_parts.c"}
# Tests that only these files concern, and slow ones that come last for these alone.
ONLY_FOR = {"policies/exec": ["exec", "exec_ends", "mock_exec"], "policies/exec/": ["exec_parts"], "policies/zeus.c": ["mock_zeus"],
            "policies/easy": ["mock_easy"], "policies/easy/": ["easy_tree"]}
LAST = {"src/policy/fault.c": ["isolation"], "src/policy/module.c": ["isolation", "bad input"],
        "src/engine/view.c": ["conformance"], "src/policy/interface.c": ["bad input"], "policies/exec.c": ["bad input"],
        "policies/exec/message.c": ["bad input"], "policies/exec/process.c": ["bad input"],
        "src/policy/params.c": ["bad input", "contenders"], "src/policy/param_table.c": ["bad input", "contenders"],
        "src/policy/list/hybrid.c": ["ablate"]}
NOT_COUNTED = ("does not compile", "same code")
COLUMNS = ["layer", "kind", "file", "function", "line", "original", "mutated", "status", "by", "seconds"]


def limits(cpu_s, memory):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return apply


class Tree:
    """A built copy of the source, and its tests."""

    def __init__(self, folder, options, sanitized):
        self.source, self.sanitized = folder / "source", sanitized
        self.build = self.source / ("build-sanitized" if sanitized else "build")  # in it, so that ccache knows it all
        if not (self.build / "build.ninja").exists():
            self.must(["meson", "setup", self.build, self.source, *options], "meson setup")
        self.must(["meson", "compile", "-C", self.build], "meson compile")
        shown = subprocess.run(["meson", "introspect", "--tests", self.build], capture_output=True, check=True)
        wanted = {suite: set(names.split()) | {n for more in LAST.values() for n in more}
                  for suite, names in TESTS.items()}
        self.tests = {}
        for test in json.loads(shown.stdout):
            suite = test["suite"][0].split(":")[-1]
            if test["name"] in wanted.get(suite, ()) or suite in ("bad", "policy"):
                self.tests[f"{suite}/{test['name']}"] = test
        self.cost, self.reach = {}, None
        self.commands = self.compilations()

    def keep(self, cost):
        """Those tests that pass on the original, and how long they take."""
        for name in [name for name in self.tests if name not in cost]:
            print(f"mutate.py: without a mutant {name} fails; it is left out", flush=True)
            del self.tests[name]
        self.cost = cost

    def compilations(self):
        """For each file (command, output) of the library it goes into, and then of the test programs with a copy."""
        found, including = {}, {test: [] for test in INCLUDED.values()}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            path = Path(entry["directory"], entry["file"]).resolve()
            if not path.is_relative_to(self.source):
                continue
            file, output = str(path.relative_to(self.source)), entry["output"]
            one = shlex.split(entry["command"]), output
            if file in including:
                including[file].append(one)
            elif ".so.p/" in output:
                found.setdefault(file, []).insert(0, one)
            elif "/mock/test_" in output:
                found.setdefault(file, []).append(one)
        for file, test in INCLUDED.items():
            found[file] += including[test]
        return found

    def must(self, command, what):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"mutate.py: {what} fails\n{done.stdout[-4000:]}")

    def link_command(self, target):
        done = subprocess.run(["ninja", "-C", self.build, "-t", "commands", target], capture_output=True, text=True,
                              check=True)
        lines = [line for line in done.stdout.splitlines() if f"-o {target} " in line]
        return shlex.split(lines[-1])


class Worker:
    """Its own mutated library, policies and temporary folder beside a tree."""

    def __init__(self, tree, folder, quick_s=None):
        self.tree, self.folder, self.quick_s = tree, folder, quick_s
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("lib", "policies", "programs", "tmp"):
            (folder / name).mkdir(parents=True)
        self.reset()
        self.environment = os.environ | {"LD_LIBRARY_PATH": str(folder / "lib"), "TMPDIR": str(folder / "tmp")}
        self.environment.pop("EASIM_DATA", None)
        self.environment.pop("CCACHE_PREFIX", None)

    def reset(self):
        for name in ("lib", "policies", "programs"):
            for path in (self.folder / name).iterdir():
                path.unlink()
        os.symlink(self.tree.build / "src/libeasim.so", self.folder / "lib/libeasim.so")
        for path in (self.tree.build / "policies").glob("*.so"):
            os.symlink(path, self.folder / "policies" / path.name)

    def compile(self, file, text):
        """The object files of this text in place of the file's, the library's first, or None."""
        place, objects = self.tree.source / file, []
        for i, (command, output) in enumerate(self.tree.commands[file]):
            source, folder = self.folder / Path(file).name, place.parent
            source.write_text(f'#line 1 "{place}"\n{text}')
            if file in INCLUDED and Path(INCLUDED[file]).name in command[-1]:
                source, folder = self.including(file, source), (self.tree.source / INCLUDED[file]).parent
            objects.append(self.folder / f"mutant-{i}.o")
            done = self.compile_one(command, source, ["-iquote", str(folder), "-iquote", str(place.parent)], objects[-1])
            if done.returncode != 0:
                if os.environ.get("MUTATE_DEBUG"):
                    print(done.stderr.decode())
                return None
        return objects

    def including(self, file, mutant):
        """The test that includes a file, with the mutant in its place."""
        test = self.tree.source / INCLUDED[file]
        line = next(line for line in test.read_text().splitlines() if re.match(f'#include "[./]*{file}"', line))
        copy = self.folder / test.name
        copy.write_text(test.read_text().replace(line, f'#include "{mutant}"'))
        return copy

    def compile_one(self, command, source, includes, target):
        """Runs a compilation of the build with another source and target."""
        words, skip = [], False
        for word in command:
            if skip or word in ("-MD", "-MMD", "-c", "ccache", "-Werror"):
                skip = False
            elif word in ("-o", "-MF", "-MQ", "-MT"):
                skip = True
            elif not word.endswith(".c"):
                words.append(word)
        return subprocess.run([words[0], *includes, "-w", *words[1:], "-g0", "-c", source, "-o", target],
                              cwd=self.tree.build, check=False, capture_output=True)

    def install(self, file, objects):
        """Links the objects into the worker's own copies of the library and the programs."""
        for (_, output), target in zip(self.tree.commands[file], objects):
            self.link(output.split(".p/")[0], {output: str(target)})

    def link(self, linked, replaced, more=()):
        """Links a library or a program with other objects, into its place here."""
        kind = {"libeasim.so": "lib"}.get(Path(linked).name, "policies" if linked.endswith(".so") else "programs")
        place = self.folder / kind / Path(linked).name
        place.unlink(missing_ok=True)
        words = [replaced.get(word, word) for word in self.tree.link_command(linked) if word != "ccache"]
        words[words.index("-o") + 1] = str(place)
        subprocess.run([*words, *more], cwd=self.tree.build, check=True, capture_output=True)

    def has_time(self, test, mutant, spent_s):
        """Whether --quick leaves time for a test: always for one that is named like the file, and for frozen scenarios."""
        likely = Path(mutant.file).stem in test or test in LIKELY
        return not self.quick_s or likely or spent_s + self.tree.cost[test] <= self.quick_s

    def run(self, name, file=""):
        """(passed, processor seconds) of a test, so far as it is for a file."""
        test = self.tree.tests[name]
        policies = str(self.tree.build / "policies")
        environment = self.environment | {
            key: value.replace(policies, str(self.folder / "policies")) for key, value in test["env"].items()
            if key != "LD_LIBRARY_PATH"}
        command = [sys.executable if word.endswith("/python3") else word for word in test["cmd"]]
        changed = self.folder / "programs" / Path(command[0]).name
        command[0] = str(changed) if changed.exists() else command[0]
        if self.tree.sanitized:
            command = [str(self.tree.source / "tests/support/sanitized.sh"), *command]
        elif Path(command[0]).name in ("unit", "policy"):
            command += ["--jobs", "1", "--fail-fast"]
        command += MORE_WORDS.get(test["name"], [])
        if test["name"] == "frozen":
            command += ["--using", using_of(file), *(["--most", str(QUICK_SEEDS)] if self.quick_s else [])]
        cpu_s = int(3 * self.tree.cost.get(name, 100) + 5)
        started = time.monotonic()
        process = subprocess.Popen(command, cwd=test.get("workdir") or self.tree.build, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=limits(cpu_s, 0 if self.tree.sanitized else 8 << 30))
        try:
            code = process.wait(10 * cpu_s + 60)
        except subprocess.TimeoutExpired:
            code = -1
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for path in (self.folder / "tmp").iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        return code == 0, time.monotonic() - started


def using_of(file):
    """What a scenario that is of use for a file has, as a pattern."""
    found = (match.expand(words) for pattern, words in USING.items() if (match := re.search(pattern, file)))
    return next(found, "")


class Order:
    """Which test first: kills so far for each second spent on it, of this file before others."""

    def __init__(self):
        self.kills, self.spent, self.originals, self.lock = Counter(), Counter(), {}, threading.Lock()

    def add(self, file, test, killed, seconds):
        with self.lock:
            self.spent[test] += seconds
            self.kills[file, test] += killed
            self.kills[test] += killed

    def tests(self, tree, mutant):
        def worth(test):
            named = Path(mutant.file).stem in test
            prior, share = LIKELY.get(test, (0.2, 1))
            kills = 4 * self.kills[mutant.file, test] + self.kills[test] + named + prior
            return kills / (self.spent[test] + share * tree.cost[test] + 0.1)
        late = LAST.get(mutant.file, [])
        names = [t for t in tree.tests if may_kill(t, mutant, tree.reach) and t.split("/")[1] not in late]
        return sorted(names, key=worth, reverse=True) + [t for t in tree.tests if t.split("/")[1] in late]


def may_kill(test, mutant, reach):
    name = test.split("/")[1]
    for prefix, names in ONLY_FOR.items():
        if name in names:
            return mutant.file.startswith(prefix)
    last = any(name in names for names in LAST.values()) or test.startswith("bad/")
    return not last and (not reach or reach.reaches(test, mutant))


def equivalents():
    path = SOURCE / EQUIVALENT
    if not path.exists():
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {(r["file"], r["function"], r["kind"], r["original"], r["mutated"]): r["reason"]
                for r in csv.DictReader(file)}


class Results:
    """What became of each mutant, in a file that grows."""

    def __init__(self, path, again):
        self.path, self.rows, self.lock = path, {}, threading.Lock()
        if path.exists():
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    if not (again and row["status"] == "survived"):
                        self.rows[tuple(row[c] for c in ("file", "function", "kind", "original", "mutated"))] = row

    def status(self, mutant):
        row = self.rows.get(mutant.key())
        return row["status"] if row else None

    def add(self, layer, mutant, status, by="", seconds=0.0):
        row = {"layer": layer, "kind": mutant.kind, "file": mutant.file, "function": mutant.function,
               "line": mutant.line, "original": mutant.original, "mutated": mutant.mutated, "status": status,
               "by": by, "seconds": f"{seconds:.1f}"}
        with self.lock:
            self.rows[mutant.key()] = row
            text = [row["status"], f"{row['file']}:{row['line']}", row["mutated"], row["by"]]
            print("  ".join(text), flush=True)
            temporary = self.path.with_suffix(".tmp")
            with open(temporary, "w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows.values())
            temporary.replace(self.path)


def candidates(layer, seed, source):
    """By kind, in the order of the sample."""
    found = {kind: [] for kind in KINDS}
    for pattern in LAYERS[layer]:
        for path in sorted(source.glob(pattern)):
            file = str(path.relative_to(source))
            for mutant in mutants_of(file, path.read_text(encoding="utf-8")):
                found[mutant.kind].append(mutant)

    def rank(mutant):
        return hashlib.sha256("|".join((str(seed), *mutant.key())).encode()).digest()
    return {kind: sorted(mutants, key=rank) for kind, mutants in found.items()}


def text_of(mutant, source, changed=True):
    text = (source / mutant.file).read_text(encoding="utf-8")
    if not changed:
        return text
    return text[:mutant.start] + mutant.new + text[mutant.end:]


def sample(ranked, count, results):
    """The first of each kind in turn that compile to other code, as far as that is known, until there are enough."""
    lists, chosen = {kind: iter(mutants) for kind, mutants in ranked.items()}, []
    while len(chosen) < count and lists:
        for kind in list(lists):
            mutant = next((m for m in lists[kind] if results.status(m) not in NOT_COUNTED), None)
            if mutant is None:
                del lists[kind]
            elif len(chosen) < count:
                chosen.append(mutant)
    return chosen


def compiled(mutant, worker, originals):
    """The objects of the mutant and None, or None and why it does not count."""
    key = mutant.file, worker.tree.sanitized
    if key not in originals:
        objects = worker.compile(mutant.file, text_of(mutant, worker.tree.source, False))
        if not objects:
            sys.exit(f"mutate.py: {mutant.file} does not compile")
        originals[key] = objects[0].read_bytes()
    objects = worker.compile(mutant.file, text_of(mutant, worker.tree.source))
    if not objects:
        return None, NOT_COUNTED[0]
    return (None, NOT_COUNTED[1]) if objects[0].read_bytes() == originals[key] else (objects, None)


def kill(layer, mutant, worker, order, results):
    started = time.monotonic()
    objects, status = compiled(mutant, worker, order.originals)
    if status and not worker.tree.sanitized:
        results.add(layer, mutant, status)
        return
    worker.install(mutant.file, objects)
    killer = ""
    for test in order.tests(worker.tree, mutant):
        if not worker.has_time(test, mutant, time.monotonic() - started):
            continue
        passed, seconds = worker.run(test, mutant.file)
        order.add(mutant.file, test, not passed, seconds)
        if not passed:
            killer = test
            break
    worker.reset()
    sanitizer = " (sanitized)" if worker.tree.sanitized else ""
    results.add(layer, mutant, "killed" if killer else "survived", killer + sanitizer if killer else "",
                time.monotonic() - started)


def work(queue, workers, order, results):
    """Takes (layer, mutant) off the queue until it is empty; one thread a worker."""
    lock = threading.Lock()

    def loop(worker):
        while True:
            with lock:
                if not queue:
                    return
                layer, mutant = queue.pop(0)
            kill(layer, mutant, worker, order, results)
    threads = [threading.Thread(target=loop, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def report(layers, samples, results):
    for layer in layers:
        status = Counter(results.status(m) for m in samples[layer])
        counted = status["killed"] + status["survived"]
        share = status["killed"] / counted if counted else 0
        rest = Counter(row["status"] for row in results.rows.values() if row["layer"] == layer)
        print(f"{layer}: {len(samples[layer])} mutants, {status['killed']} killed, {status['survived']} survived, "
              f"{status['equivalent']} equivalent by hand: {100 * share:.1f} % killed; besides "
              f"{rest['same code']} with the same code, {rest['does not compile']} that do not compile")
        for mutant in samples[layer]:
            if results.status(mutant) == "survived":
                print(f"  {mutant.file}:{mutant.line} {mutant.function}: {mutant.original}  ->  {mutant.mutated}")


def copy_tree(folder):
    """The files that git knows or would, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=SOURCE, check=True,
                            capture_output=True).stdout.decode().split("\0")
    names = {name for name in listed if name and (SOURCE / name).is_file()}
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        name = str(path.relative_to(folder))
        if path.is_file() and name not in names and not name.startswith("build"):
            path.unlink()
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != (SOURCE / name).read_bytes():
            shutil.copy(SOURCE / name, target)


def stale(known):
    """Lines of the list of equivalent mutants that no code has any more."""
    texts = {}
    for file, function, kind, original, mutated in known:
        if file not in texts:
            path = SOURCE / file
            texts[file] = {m.key() for m in mutants_of(file, path.read_text(encoding="utf-8"))} if path.exists() else ()
        if (file, function, kind, original, mutated) not in texts[file]:
            print(f"{EQUIVALENT}: {file}: {function}: no such mutant now: {mutated}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layers", nargs="*", metavar="LAYER", default=list(LAYERS))
    parser.add_argument("--count", type=int, default=200, help="mutants a layer (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--results", type=Path, default=Path("mutants.csv"))
    parser.add_argument("--work", type=Path)
    parser.add_argument("--again", action="store_true", help="run those again that survived")
    parser.add_argument("--quick", type=float, metavar="S", help="no more than about so many seconds for a mutant")
    parser.add_argument("--sanitize", action="store_true", help="what survives once more with sanitizers")
    parser.add_argument("--nice", type=int, default=10)
    options = parser.parse_args()
    if unknown := set(options.layers) - set(LAYERS):
        parser.error(f"no layer {', '.join(unknown)}: {', '.join(LAYERS)}")
    return options


def run_sample(layer, options, workers, order, results):
    """Runs what has no result yet; mutants that turn out not to count are replaced. Returns the sample."""
    known, ranked = equivalents(), candidates(layer, options.seed, workers[0].tree.source)
    while True:
        chosen = sample(ranked, options.count, results)
        for mutant in chosen:
            if mutant.key() in known and results.status(mutant) != "equivalent":
                results.add(layer, mutant, "equivalent", known[mutant.key()])
        queue = [(layer, mutant) for mutant in chosen if not results.status(mutant)]
        if not queue:
            return chosen
        work(queue, workers, order, results)


def rounds(options, folder, results):
    """All of it: the sample of each layer."""
    stale(equivalents())
    tree, order = Tree(folder, OPTIONS, False), Order()
    tree.reach = Reach(Worker(tree, folder / "reach"), [pattern for layer in LAYERS.values() for pattern in layer])
    tree.keep({name: seconds for name, (passed, seconds) in tree.reach.results.items() if passed})
    workers = [Worker(tree, folder / f"worker-{i}", options.quick) for i in range(options.jobs)]
    samples = {layer: run_sample(layer, options, workers, order, results) for layer in options.layers}
    queue = [(layer, m) for layer in options.layers for m in samples[layer] if results.status(m) == "survived"]
    if options.sanitize and queue:
        reach, tree = tree.reach, Tree(folder, SANITIZED, True)
        workers = [Worker(tree, folder / f"sanitized-{i}") for i in range(options.jobs)]
        results_of = {name: workers[0].run(name) for name in list(tree.tests)}
        tree.keep({name: seconds for name, (passed, seconds) in results_of.items() if passed})
        tree.reach = reach
        work(queue, workers, order, results)
    return samples


def main():
    options = arguments()
    os.nice(options.nice)
    folder = options.work.resolve() if options.work else Path(tempfile.mkdtemp(prefix="easim-mutants."))
    results = Results(options.results, options.again)
    try:
        copy_tree(folder / "source")
        report(options.layers, rounds(options, folder, results), results)
    finally:
        if not options.work:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
