"""manifest.json for results that a test has made or changed itself."""
import hashlib
import json
from pathlib import Path


def manifest_of(files, folders=()):
    """files: name: bytes. What easim reads of a manifest, as a text."""
    entries = {name: {"file": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
               for name, content in sorted(files.items())}
    scenario = entries.pop("scenario.yaml")
    return json.dumps({"easim_version": "0", "commit": "none", "command": "run", "name": "made by hand", "options": [], "inputs": [],
                       "scenario": scenario, "files": list(entries), "results": list(entries.values()), "folders": list(folders)})


def seal(folder):
    """Makes the files of a folder whole results, though nothing but a test has run."""
    folder = Path(folder)
    if not (folder / "scenario.yaml").exists():
        (folder / "scenario.yaml").write_text("{}\n", encoding="utf-8")
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "manifest.json"}
    folders = [path.name for path in folder.iterdir() if (path / "manifest.json").exists()]
    (folder / "manifest.json").write_text(manifest_of(files, folders), encoding="utf-8")
