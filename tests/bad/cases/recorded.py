"""easim timeline and easim explain: folders that are no recorded runs, and options."""

from base import command

from cases.plot import AGGREGATE, sealed

NO_MANIFEST = "manifest.json is missing: the folder has no results, or writing them was interrupted"
OPERANDS = {"timeline": ["r"], "explain": ["r", "job"]}


def folder(name, files, error):
    """Of both commands."""
    return [command(f"{which}: {name}", [which, *operands], f"easim: {error}", files=files)
            for which, operands in OPERANDS.items()]


def usage(which, name, arguments, error):
    return command(f"{which}: {name}", [which, *arguments], f"easim {which}: {error}",
                   f"Try `easim {which} --help' for more information.")


CASES = [
    *folder("no such folder", {}, "r: cannot open folder: No such file or directory"),
    *folder("a file", {"r": "x\n"}, "r: cannot open folder: Not a directory"),
    *folder("no manifest", {"r/aggregate.csv": AGGREGATE}, f"r: {NO_MANIFEST}"),
    *folder("half a manifest", {"r/manifest.json": "{\"easim_version\": \"0\",\n"},
            "r/manifest.json:2:1: damaged manifest: expected JSON, got the end of the file"),
    *folder("a changed file", sealed({"r/aggregate.csv": AGGREGATE}) | {"r/aggregate.csv": AGGREGATE + "\n"},
            "r/aggregate.csv: is not what manifest.json lists: it was changed, or written by another run"),
    usage("timeline", "no folder", [], "expected DIR"),
    usage("timeline", "two folders", ["r", "s"], "expected one DIR, got another: s"),
    usage("timeline", "replication 0", ["r", "--replication", "0"], '--replication: expected integer 1..1000000, got "0"'),
    usage("timeline", "too few events", ["r", "--max-events", "999"],
          '--max-events: expected integer 1000..1000000000, got "999"'),
    usage("timeline", "a resolution of nothing", ["r", "--resolution", "x"],
          '--resolution: expected duration >= 0 such as 90s or 10h, got "x"'),
    usage("timeline", "gzip with a value", ["r", "--gzip=9"], "option '--gzip' takes no argument"),
    usage("explain", "no job", ["r"], "expected either JOB or one of --longest-wait, --most-energy, --latest, --most-preempted"),
    usage("explain", "two jobs", ["r", "a", "b"], "expected DIR [JOB], got another: b"),
    usage("explain", "no such format", ["r", "a", "--format", "csv"], '--format: expected text or json, got "csv"'),
]
