"""The commands of easim as functions.

Keyword arguments besides the named ones are the options of the command, with _ for -, as `easim COMMAND --help` lists them:
flags are True, an option that may be given again takes a list, `set` takes a dictionary. A text is taken as YAML ("2h"), any
other value as it is.
"""
import json
import os
import tempfile
import warnings
from pathlib import Path

from easim import binary
from easim.call import call
from easim.errors import ResultWarning
from easim.policy import command_of, grants_of, label_of, policy_texts
from easim.results import Result


made = {}  # folders that this process has written: their manifests, which have the hashes of all that is in them


def manifest_of(folder):
    try:
        return (Path(folder) / "manifest.json").read_bytes()
    except OSError:
        return None


def trusted(name, operands):
    """--trust where easim asks for it, for a folder as this process has made it, and for no other."""
    path = Path(operands[0]) if operands else Path()
    if path.name != "manifest.json" and name not in ("analyze", "explain"):
        return []
    folder = (path.parent if path.name == "manifest.json" else path).resolve()
    return ["--trust"] if folder in made and made[folder] == manifest_of(folder) else []


def with_package():
    """Where a policy of one's own finds this package."""
    home = str(Path(__file__).resolve().parents[1])
    return {"PYTHONPATH": os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))}


def start(name, config, options, *, out, easim, progress, formats=True):
    """Runs a command that writes a folder. Without `out` the folder is a temporary one."""
    path = binary.find(easim)
    keep = tempfile.TemporaryDirectory(prefix="easim.") if out is None else None
    folder = os.path.join(keep.name, name) if keep else os.fspath(out)
    text = json.dumps(binary.plain(config, ""), indent=2) if isinstance(config, dict) else None
    fixed = {"out": folder, **({"format": "csv"} if formats and "format" not in options else {})}
    words = [path, name, "-" if text else os.fspath(config), *binary.words_of(path, name, {**options, **fixed})]
    done = call(words, progress, text, with_package())
    written = os.path.isfile(os.path.join(folder, "manifest.json"))
    result = Result(folder, easim, done.notes, words, done.output, keep) if written else None
    if result and done.code == 0:
        made.update({each.resolve(): manifest_of(each) for each in (Path(folder), *result.folders)})
    for note in done.notes:
        if note.startswith("warning: "):
            warnings.warn(note[len("warning: "):], ResultWarning, stacklevel=3)
    if done.code != 0:
        raise done.failure(result)
    return result


def run(config, policy=None, set=None, *, out=None, easim=None, progress=None, **options):
    """Runs a scenario: `easim run`. Raises BadInput, RunFailed, ProgramError; TypeError for an unknown option.

    config: path of the YAML file, or a dictionary, whose relative paths start at the present folder
    policy: a name, perhaps with parameters, a path, or a subclass of easim.Policy
    set: `{path: value}` of the scenario; a text is YAML (`"2h"`), other values are taken as they are
    out: folder of the results; None: a temporary folder, which goes with the last reference to them
    easim: the program; None: that of the variable `EASIM`, on `PATH`, or where the package or Python is installed
    progress: None: shown in a notebook and on a terminal; False: not shown; or a function of (done, count, text)
    options: the options of the command, with `_` for `-`; a flag is True, an option that may be repeated takes a list
    """
    command = command_of(policy)
    if command is not None:
        grants = {f"policy.params.{name}": granted for name, granted in grants_of(policy).items()}
        policy, set = "exec", {"policy.label": label_of(policy), **grants, **(set or {}),
                               "policy.params.command": json.dumps(command)}
    return start("run", config, {"policy": policy, "set": set, **options}, out=out, easim=easim, progress=progress)


def compare(config, policies=None, set=None, *, out=None, easim=None, progress=None, **options):
    """Runs several policies on the same workloads: `easim compare`. policies: list of names with parameters perhaps, and of
    subclasses of easim.Policy, which results call by the name of the class. If one of them fails, RunFailed has the comparison of the others as its `result`."""
    if policies is not None and not isinstance(policies, str):
        policies = ",".join(policy_texts(policies))
    return start("compare", config, {"policies": policies, "set": set, **options}, out=out, easim=easim, progress=progress)


def sweep(config, *, out=None, easim=None, progress=None, **options):
    """Runs a scenario at many points: `easim sweep`. With `out`, points that are done are not run again."""
    return start("sweep", config, options, out=out, easim=easim, progress=progress)


def models(config, set=None, *, out=None, easim=None, **options):
    """What models say of each configuration: `easim models`. config: a model file or a scenario."""
    return start("models", config, {"set": set, **options}, out=out, easim=easim, progress=False)


def command(name, *operands, easim=None, progress=None, **options):
    """Any other command: what it prints. If it writes a folder, load() it. Folders that this process has made are trusted
    (--trust): `analyze` and `explain` run their policies again."""
    path, operands = binary.find(easim), [*map(os.fspath, operands)]
    trust = [] if options.get("trust") else trusted(name, operands)
    done = call([path, name, *operands, *trust, *binary.words_of(path, name, options)], progress,
                environment=with_package())
    if done.code != 0:
        raise done.failure()
    return done.output


def load(folder, *, easim=None):
    """The results in a folder that easim has written."""
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"{os.fspath(folder)}: there is no such folder")
    if not os.path.isfile(os.path.join(folder, "manifest.json")):
        raise FileNotFoundError(f"{os.fspath(folder)} holds no results: manifest.json is missing")
    return Result(folder, easim)
