"""Standard streams: output that is lost is an error of every command, a stream that is closed harms nothing, and what others
wrote (names, paths, messages) reaches a terminal without its control characters. Usage: test_streams.py EASIM SOURCE [--long]
"""
import csv
import io
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys

from harness import EASIM, SOURCE, TINY, cases, easim, json_of, rows_of

PROFILE = SOURCE / "workloads/profile-example.csv"
OUTAGES = "node,start_s,end_s\n" + "".join(f"{n % 3},{1000 * n * (n % 5 + 1)},{1000 * n * (n % 5 + 1) + 60 + 7 * n}\n"
                                           for n in range(1, 30))
COMMANDS = ("ablate analyze attribute calibrate check compare completion gen import models plot policies profile report run "
            "sweep tune validate").split()
LONG = "--long" in sys.argv

# One hostile text each: what terminals, shells, GNU parallel, printf, CSV and JSON act on.
HOSTILE = ["\x1b[31mred", "\x1b]0;title\x07", "a\nb", "a\rb", "tab\tbed", "bell\x07", "back\b\b", "del\x7f", "c1 \x9b31m",
           "$(touch pwned)", "`touch pwned`", "; touch pwned", "| touch pwned", "& touch pwned", "'; touch pwned; '",
           '"; touch pwned; "', "'\"'\"$(touch pwned)", "{}", "{= `touch pwned` =}", "{.}{#}{%}", "${HOME}", "a\\", "%s%n%d",
           "-rf", "--out", "a b  c", "*", "?", "~", "!!", "#x", "caf\u00e9", "\u202etxt", "e\u0301", "\U0001f600", "a,b\"c"]
SAMPLE = ["\x1b[31m\x9b1m\a", "a\nb\r\x7f", "'\"'\"$(touch pwned)`touch pwned`", "{}{= touch pwned =}", "%s%n\\ -rf"]


def run(words, **more):
    return easim(*words, **{"stdin": subprocess.DEVNULL, "stdout": None, "text": False, "code": None} | more)


def results(folder):
    """What the cases look at; made once."""
    easim("run", TINY, "--quiet", "--out", folder / "run")
    (folder / "outages.csv").write_text(OUTAGES)
    (folder / "sweep.yaml").write_text(f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n")
    easim("sweep", folder / "sweep.yaml", "--quiet", "--out", folder / "sweep")
    easim("calibrate", PROFILE, "-o", folder / "model.yaml")
    easim("run", TINY, "--record", "--quiet", "--out", folder / "recorded")


def talking(folder):
    """Commands that print something on standard output; each ends with 0."""
    fresh = iter(range(1000))
    into = lambda: ["--out", folder / f"out{next(fresh)}"]
    yield from ([word] for word in ("--help", "--version", "help"))
    yield from ([command, "--help"] for command in COMMANDS)
    yield from (["help", command] for command in COMMANDS[:2])
    yield from (["policies"], ["policies", "fcfs"], ["policies", "fcfs", "--test"], ["check", TINY], ["completion", "bash"],
                ["gen", TINY], ["import", "itp", SOURCE / "workloads/itp-sample.csv"],
                ["profile", "kineto", SOURCE / "tests/profiles/kineto/backslash.json"],
                ["calibrate", PROFILE], ["calibrate", "--check", folder / "model.yaml", PROFILE],
                ["calibrate", "failures", folder / "outages.csv"], ["models", TINY], ["models", TINY, "--format", "csv"],
                ["sweep", folder / "sweep.yaml", "--out", folder / "sweep", "--list"],
                ["sweep", folder / "sweep.yaml", "--out", folder / "sweep"],
                ["sweep", folder / "sweep.yaml", "--out", folder / "sweep 2", "--engine", "parallel", "--tasks", 2],
                ["run", folder / "run/manifest.json"], ["analyze", folder / "recorded"], ["timeline", folder / "recorded"],
                ["explain", folder / "recorded", "rigid-1"], ["explain", folder / "recorded", "rigid-1", "--format", "json"])
    for form in ("table", "csv", "json"):
        yield ["validate", "--measured", folder / "run/jobs.csv", "--scenario", TINY, "--format", form, *into()]
        yield ["run", TINY, "--format", form, *into()]
        yield ["compare", TINY, "--policies", "fcfs,easy", "--format", form, *into()]
        yield ["ablate", TINY, "pollux", "fcfs", "--format", form, *into()]
    yield ["tune", TINY, "--params", "edp_slack=1..3", "--objective", "energy_kwh", "--max-trials", 3, *into()]
    if shutil.which("gnuplot"):
        yield ["plot", folder / "run", "--figures", "jct", *into()]


def lost_output(folder):
    """A full device: every command says so and ends with 1; results that have been written stay."""
    results(folder)
    for words in talking(folder):
        with open("/dev/full", "wb") as full:
            done = run(words, stdout=full)
        said = done.stderr.decode()
        assert done.returncode == 1, (words, done.returncode, said)
        assert said.count("standard output: cannot write: No space left on device") == 1, (words, said)
        if words[0] == "run" and "--out" in words:
            assert (words[-1] / "manifest.json").exists(), words


def closed_streams(folder):
    """The same files whichever streams are closed; what is printed to a closed one is lost output."""
    words = ["run", TINY, "--policy", "fcfs", "--out"]
    easim(*words, folder / "open")
    for number in range(1, 8):
        closed = [fd for fd in range(3) if number & 1 << fd]
        for quiet in (["--format", "json"], ["--quiet"]): # the former has a note on standard error
            out = folder / f"{number} {quiet[0]}"
            easim(*words, out, *quiet, code=1 if 1 in closed and quiet != ["--quiet"] else 0, errors="replace",
                  preexec_fn=lambda closed=closed: [os.close(fd) for fd in closed])
            for path in (folder / "open").iterdir():
                if path.name != "manifest.json":
                    assert path.read_bytes() == (out / path.name).read_bytes(), (closed, path)
    easim("run", "-", preexec_fn=lambda: os.close(0), code=2, says="standard input: cannot read")


def too_large(folder):
    """A limit on the size of files is an error that names the file, not a signal."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
    for words, name in ((["gen", TINY, "-o", folder / "jobs.csv"], "jobs.csv"),
                        (["calibrate", PROFILE, "-o", folder / "m.yaml"], "m.yaml")):
        done = run(words, stdout=subprocess.PIPE, preexec_fn=limit)
        assert done.returncode == 1 and b"cannot write: File too large" in done.stderr, (words, done)
        assert str(folder / name).encode() in done.stderr, done.stderr
        assert not list(folder.rglob("*")), list(folder.rglob("*"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))  # rows that a run writes while it goes on
    done = run(["run", TINY, "--meter", "1s", "--out", folder / "out"], stdout=subprocess.PIPE, preexec_fn=limit)
    assert done.returncode == 1 and b"meter.csv: cannot write: File too large" in done.stderr, done
    assert not list(folder.rglob("*")), list(folder.rglob("*"))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
    with open(folder / "table", "wb") as table:
        done = run(["models", TINY, "--format", "csv"], stdout=table, preexec_fn=limit)
    assert done.returncode == 1 and b"standard output: cannot write: File too large" in done.stderr, done


# ---- What others wrote ----

def quoted(text):
    """As YAML and JSON both take it; bytes that are no UTF-8 stay as they are."""
    return '"' + "".join({"\\": "\\\\", '"': '\\"'}.get(c, c if c.isprintable() or "\udc80" <= c <= "\udcff" else
                         f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}")
                         for c in text) + '"'


def places(folder, text):
    """Commands in which the text is a name, a path, a value or a message."""
    name = text.replace("/", "_")
    inner = folder / name
    inner.mkdir(exist_ok=True)
    tiny = TINY.read_text().replace("../", f"{SOURCE}/").replace("models/", f"{SOURCE}/configs/models/")

    def file(path, content):
        path.write_text(content, encoding="utf-8", errors="surrogateescape")
        return path

    config = file(inner / f"{name}.yaml", tiny)
    sweep = file(inner / "sweep.yaml", f"name: s\nbase: {TINY}\naxes: [{{name: {quoted(text)}, path: name, values: [{quoted(text)}, x]}}]\n")
    plain = file(inner / "plain.yaml", f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n")
    trace = (SOURCE / "workloads/tiny.csv").read_text().replace("resnet-1,", '"' + text.replace('"', '""') + '",')
    jobs = file(inner / f"{name}.csv", trace)
    profile = PROFILE.read_text().replace("example,fp32", '"' + text.replace('"', '""') + '",fp32')
    program = file(inner / "program", "#!/bin/sh\nread line\nprintf '%s\\n' '{\"error\":" + quoted(text).replace("'", "'\\''") + "}'\n")
    raw = file(inner / "raw", "#!/bin/sh\nread line\nprintf '%s\\n' '" + text.replace("'", "'\\''").replace("\n", "") + "'\n")
    for path in (program, raw):
        path.chmod(0o755)
    policy = inner / f"{name}.so"
    policy.write_bytes(b"no module")
    for command in COMMANDS:
        yield [command, text, "b", "c"]
        yield [command, "--" + text, "b"]
    yield ["help", text]
    yield [text]
    yield ["check", config]
    for out in (inner / "run", inner / "run"):
        yield ["run", config, "--out", out]
    yield ["run", inner / "run/manifest.json"]
    for words in (["timeline"], ["explain", text]):
        yield [words[0], inner / "run", *words[1:]]
    yield ["plot", inner / "run", "--figures", text]
    yield ["plot", inner / "run", "--figures", "jct", "--out", inner / "run/figures"]
    yield ["run", TINY, "--policy", text]
    yield ["run", TINY, "--policy", policy]
    yield ["policies", policy]
    yield ["compare", TINY, "--policies", f"fcfs,{policy}"]
    yield ["compare", config, "--policies", "fcfs,easy", "--out", inner / "compare"]
    for setting in ("name", "horizon", "cluster.gpu_types[0].name", "workload.file", "models", text, f"policy.params.{text}"):
        yield ["check", TINY, "--set", f"{setting}={quoted(text)}"]
        yield ["run", TINY, "--set", f"{setting}={text}", "--out", inner / f"set {setting[:9]}"]
    for command in (program, raw): # one that does not exist: its shell says so, in its own words
        yield ["run", TINY, "--policy", "exec", "--set", f"policy.params.command={quoted(shlex.quote(str(command)))}", "--out", inner / "exec"]
        yield ["compare", TINY, "--policies", "fcfs,exec", "--set", f"params_by_policy.exec.command={quoted(shlex.quote(str(command)))}", "--out",
               inner / "exec compare"]
    yield ["sweep", sweep, "--out", inner / "sweep"]
    yield ["sweep", sweep, "--out", inner / "sweep", "--list"]
    yield ["sweep", sweep, "--out", inner / "merge", "--merge"]
    yield ["sweep", plain, "--out", inner / "sweep 2", "--engine", "parallel", "--tasks", 2]
    yield ["run", TINY, "--set", f"workload.file={quoted(str(jobs))}", "--out", inner / "jobs"]
    yield ["import", "itp", jobs]
    yield ["import", "workload", jobs, "-o", inner / "again.csv"]
    yield ["profile", "kineto", jobs]
    yield ["calibrate", file(inner / "profile.csv", profile), "-o", inner / "model.yaml"]
    yield ["calibrate", "failures", file(inner / "outages.csv", OUTAGES.replace("node,", f"{text},".replace("\n", "")))]
    yield ["models", inner / "model.yaml"]
    yield ["gen", config, "-o", inner / "none" / name]
    yield ["tune", config, "--params", text, "--objective", text]
    yield ["ablate", config, text, f"fcfs:{text}={text}"]


def data_is_printed(words):
    return words[0] in ("gen", "import", "completion") or "--list" in words


def visible(shown):
    """No control character but the end of a line, and nothing that is not UTF-8."""
    text = shown.decode("utf-8", "surrogateescape")
    return not any(c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or 0xdc80 <= ord(c) <= 0xdcff) for c in text)


def hostile_text(folder):
    assert visible("a\u00e9\n".encode()) and not visible(b"\x1b") and not visible(b"\xff") and not visible("\x9b".encode())
    texts = (HOSTILE if LONG else SAMPLE) + ["no \udc9b utf-8 \udcff"]
    for number, text in enumerate(texts):
        inner = folder / str(number)
        inner.mkdir()
        for words in places(inner, text):
            done = run(words, stdout=subprocess.PIPE, cwd=inner)
            shown = done.stderr + (b"" if data_is_printed(words) else done.stdout)
            assert done.returncode in (0, 1, 2), (words, done)
            assert done.returncode == 0 or done.stderr, (words, done)
            assert visible(shown), (words, shown)
        assert not list(folder.rglob("pwned*")), text


NAMED = """\
name: {text}
horizon: drain
cluster: {{gpu_types: [{{name: {text}, idle_w: 50, tdp_w: 400}}], nodes: [{{gpu: {text}, gpus: 4}}]}}
models: {{models: [{{name: {text}, m0: 8, phi: 100, batches: [8], gpus: {{{text}: {{a_s: 0.1, c_s: 0.01, gamma: 2, alpha_s: 0,
  p0_w: 60, pmax_w: 300, evidence: assumed, source: {text}}}}}}}]}}
users: [{{name: {text}, weight: 2}}]
workload: {{kind: trace, file: jobs.csv, k: [1, 2]}}
policy: {{name: fcfs}}
"""


def written(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def names_in_results(folder):
    """A text as the name of everything that has one: every table, manifest and scenario.yaml say it as it is, and are read
    again; or it is refused, with a message that can be read, and nothing is left."""
    refused = []
    for number, text in enumerate(HOSTILE if LONG else SAMPLE + ["a,b\"c", "#x"]):
        inner = folder / str(number)
        inner.mkdir()
        (inner / "s.yaml").write_text(NAMED.format(text=quoted(text)), encoding="utf-8")
        (inner / "jobs.csv").write_text(written([["job_id", "submit_s", "user", "model", "work_samples", "gpu_type", f"label.{text}"],
                                                 [text, 0, text, text, 500, text, text], ["2", 1, text, text, 900, "", "plain"]]), encoding="utf-8")
        words = ["run", inner / "s.yaml", "--out", inner / "out", "--decisions", "--trace", "t.jsonl", "--format", "json", "--check"]
        done = run(words, stdout=subprocess.PIPE)
        assert visible(done.stderr), (text, done)
        if done.returncode != 0:
            assert done.returncode == 2 and done.stderr and not (inner / "out").exists(), (text, done)
            refused.append(text)
            continue
        json.loads(done.stdout)
        jobs, told = rows_of(inner / "out/jobs.csv"), text.replace("\n", " ").replace("\r", " ")  # a row is a line
        assert [(j["job_id"], j["user"], j["model"], j["gpu_type"], j[f"label.{told}"]) for j in jobs] == [
            (told, told, told, told, told), ("2", told, told, told, "plain")], (text, jobs)
        assert told in [row["user"] for row in rows_of(inner / "out/users.csv")], text
        assert [row["gpu_type"] for row in rows_of(inner / "out/types.csv")] == [told], text
        assert {line.get("job") for line in map(json.loads, (inner / "out/t.jsonl").read_text().splitlines())} >= {text}, text
        assert json_of(inner / "out/manifest.json")["name"] == text
        for again in (["run", inner / "out/manifest.json"], ["check", inner / "out/scenario.yaml"], ["models", inner / "out/models.yaml"],
                      ["compare", inner / "s.yaml", "--policies", "fcfs,easy", "--out", inner / "both"]):
            done = run(again, stdout=subprocess.PIPE)
            assert done.returncode == 0 and visible(done.stdout + done.stderr), (text, again, done)
            assert again[0] != "run" or done.stdout == b"equal\n", (text, done)
    assert all("\n" in text or "|" in text for text in refused), refused  # a row is a line; A|B is a choice of GPU types
    assert not list(folder.rglob("pwned*"))


def parallel_line(folder):
    """The printed line does what it says, whatever the folder is called; a stand-in for GNU parallel replaces what that would."""
    (folder / "bin").mkdir()
    stand_in = folder / "bin/parallel"
    stand_in.write_text(f"#!{sys.executable}\nimport re, subprocess, sys\n"
                        "assert len(sys.argv) == 2, sys.argv\n"
                        "for number in sys.stdin.read().split():\n"
                        "    line = re.sub(r'\\{=.*?=\\}', 'PERL', sys.argv[1])\n"
                        "    line = re.sub(r'\\{[.#%/]*\\d*\\}', number, line)\n"
                        "    subprocess.run(['bash', '-c', line], check=True)\n")
    stand_in.chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    for number, text in enumerate(HOSTILE + ["no \udcff utf-8", "'$'\\x41'"]):
        inner = folder / str(number) / text
        inner.mkdir(parents=True)
        sweep = inner / f"{text}.yaml"
        sweep.write_text(f"name: s\nbase: {TINY}\naxes: [{{path: seed, values: [1, 2]}}]\n")
        words = [EASIM, "sweep", str(sweep), "--out", str(inner / "out"), "--engine", "parallel", "--tasks", "2", "--run-timeout",
                 "600"]
        line = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
        assert visible(line) and line.count(b"\n") == 1, line
        done = subprocess.run(["bash", "-c", line], env=environment, cwd=folder, capture_output=True, check=False)
        assert done.returncode == 0, (line, done)
        assert len(rows_of(inner / "out/sweep.csv")) == 2, line
        assert 1 <= len(list((inner / "out/runs").iterdir())) <= 2, line
    assert not list(folder.rglob("pwned*"))


cases(lost_output, closed_streams, too_large, hostile_text, names_in_results, parallel_line)
