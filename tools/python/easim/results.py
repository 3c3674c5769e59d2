"""Results: the folder that a command has written, its tables and figures."""
import base64
import functools
import html
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

from easim import binary
from easim.call import call
from easim.policy import command_of
from easim.tables import read


class Figure:
    """A figure of `easim plot`: `svg` is the picture, `data` the table that it draws. A notebook shows it."""

    def __init__(self, path):
        self.name, self.svg = path.stem, path.read_text(encoding="utf-8")
        self.data = read([path.with_suffix(".csv")])

    def save(self, path):
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return f"<Figure {self.name}>"


class Figures(dict):
    """Figures by name, shown one below the other."""

    def _repr_html_(self):
        def picture(figure):  # each a document of its own: their ids are the same
            data = base64.b64encode(figure.svg.encode()).decode()
            return f'<p><img alt="{html.escape(figure.name)}" src="data:image/svg+xml;base64,{data}"></p>'
        return "".join(map(picture, self.values()))

    def __repr__(self):
        return f"<Figures {', '.join(self)}>"


class Result:
    """A folder of results.

    Every CSV file in it is a table under its name: result.jobs is jobs.csv. Of a comparison, result["zeus"] is the result of
    one policy, and a table that only these have holds the rows of all of them. folder: where it is, removed with the last
    reference to it unless `out` was given. manifest: manifest.json. notes: what easim said besides. command: its words.
    """

    def __init__(self, folder, easim=None, notes=(), command=(), printed="", keep=None):
        self.folder, self.notes, self.command, self.printed = Path(folder), list(notes), list(command), printed
        self._easim, self._keep = easim, keep  # a temporary folder lives as long as what points into it

    @functools.cached_property
    def manifest(self):
        with open(self.folder / "manifest.json", encoding="utf-8", errors="surrogateescape") as file:
            return json.load(file)

    @property
    def folders(self):
        """Those of its policies, or of whatever has results of its own."""
        return [self.folder / each for each in self.manifest.get("folders", [])]

    def _paths(self, name):
        own = self.folder / f"{name}.csv"
        if own.is_file():
            return [own]
        return [path for path in (folder / f"{name}.csv" for folder in self.folders) if path.is_file()]

    @property
    def tables(self):
        """Names of the tables that there are."""
        folders = [self.folder, *self.folders]
        return sorted({path.stem for folder in folders for path in folder.glob("*.csv")})

    def table(self, name):
        """A table: a DataFrame with pandas. Units are in attrs["units"], and whether less or more is better in
        attrs["better"], by column; of a table with a row per metric in attrs["metric_units"]."""
        paths = self._paths(name)
        if not paths:
            raise AttributeError(f"{self.folder} has no table {name}; there are {', '.join(self.tables)}")
        return read(paths)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        table = self.table(name)
        setattr(self, name, table)  # read once
        return table

    def __dir__(self):
        return sorted({*super().__dir__(), *self.tables})

    def __getitem__(self, policy):
        """Of a comparison: the result of one policy, by its name in the tables, or the class that was compared."""
        command = command_of(policy)
        if command is not None:
            found = (Result(self.folder / each, self._easim, keep=self._keep) for each in self.manifest.get("folders", []))
            result = next((each for each in found if each.manifest["policy"]["params"].get("command") == command), None)
            if result is None:
                raise KeyError(f"{policy}: it is not among {', '.join(self.manifest.get('policies', []))}")
            return result
        folder = quote(os.fsencode(policy), safe="_-=+.").replace("~", "%7E")
        folder = "%2E" + folder[1:] if folder.startswith(".") else folder
        folder = folder if ":" in policy else re.sub(r"\.(?=[a-z][^.]*$)", "%2E", folder)  # a label that would look like a file
        if folder not in self.manifest.get("folders", []):
            raise KeyError(f"{policy}: there are {', '.join(self.manifest.get('policies', [])) or 'no policies'}")
        return Result(self.folder / folder, self._easim, keep=self._keep)

    def plot(self, *figures, **options):
        """Figures of `easim plot`: one name gives that Figure, several or none (all that the results allow) give Figures.
        Options are those of the command. Needs gnuplot."""
        path = binary.find(self._easim)
        with tempfile.TemporaryDirectory(prefix="easim-figures.") as folder:
            words = binary.words_of(path, "plot", {**options, "figures": list(figures) or None, "out": folder, "force": True})
            done = call([path, "plot", str(self.folder), *words], progress=False)
            if done.code != 0:
                raise done.failure()
            drawn = Figures({each.stem: Figure(each) for each in sorted(Path(folder).glob("*.svg"))})
        return drawn[figures[0]] if len(figures) == 1 else drawn

    def save(self, folder):
        """Copies the folder to one that is not there yet."""
        shutil.copytree(self.folder, folder)

    def __repr__(self):
        notes = "".join(f"\n  {note}" for note in self.notes)
        return f"<Result of easim {self.manifest.get('command', '?')} in {self.folder}: {', '.join(self.tables)}>{notes}"

    def _repr_html_(self):
        name, command = (html.escape(str(self.manifest.get(key, "?"))) for key in ("name", "command"))
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<p><b>easim {command}: {name}</b>: {', '.join(map(html.escape, self.tables))}</p><ul>{notes}</ul>"
