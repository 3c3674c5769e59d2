"""What is kept: the profile CSV, and beside it a JSON with how each row came about. Both are whole at any moment.

The JSON is written first: a row of the CSV always has its method, and a record without a row is measured again.
"""
import csv
import json
import os
from pathlib import Path

HEAD = ["model", "precision", "gpu", "k", "batch_per_gpu", "power_limit_w", "throughput_samples_s", "power_w_per_gpu",
        "evidence", "source"]
KEY = HEAD[:6]


class BadRecord(Exception):
    pass


def write_whole(path, text):
    scratch = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    try:
        with open(scratch, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)


def number(value):
    """Shortest text that reads back; empty for what was not measured."""
    return "" if value is None else repr(float(value))


class Record:
    """rows and notes by key: the texts of the columns KEY."""

    def __init__(self, path):
        self.csv_path, self.json_path = Path(path), Path(path).with_suffix(".json")
        if self.csv_path == self.json_path:
            raise BadRecord(f"{path}: expected a name that does not end in .json, which the method takes")
        self.rows, self.notes, self.skipped, self.failed, self.sessions = {}, {}, {}, {}, []
        self.read()

    def read(self):
        if self.csv_path.exists() and not self.json_path.exists():
            raise BadRecord(f"{self.csv_path}: no {self.json_path.name} beside it: not written by this tool")
        if self.json_path.exists():
            self.read_json()
        if not self.csv_path.exists():
            return
        with open(self.csv_path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        if not lines or lines[0] != HEAD:
            raise BadRecord(f"{self.csv_path}:1: expected the columns {','.join(HEAD)}")
        for at, line in enumerate(lines[1:], 2):
            if len(line) != len(HEAD) or not (line[3].isdigit() and line[4].isdigit()):
                raise BadRecord(f"{self.csv_path}:{at}: expected {len(HEAD)} fields, k and batch_per_gpu integers")
            if tuple(line[:6]) in self.rows:
                raise BadRecord(f"{self.csv_path}:{at}: this configuration stands above already")
            self.rows[tuple(line[:6])] = line

    def read_json(self):
        try:
            kept = json.loads(self.json_path.read_text(encoding="utf-8"))
            self.sessions = kept["sessions"]
            for name in ("rows", "skipped", "failed"):
                found = {tuple(one["configuration"][column] for column in KEY): one for one in kept[name]}
                setattr(self, "notes" if name == "rows" else name, found)
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecord(f"{self.json_path}: not a method of this tool: {error!r}") from None

    def add_row(self, key, throughput, power_w, source, note):
        self.notes[key] = {"configuration": dict(zip(KEY, key)), "session": len(self.sessions) - 1, **note}
        self.rows[key] = [*key, number(throughput), number(power_w), "measured", source]
        self.failed.pop(key, None)
        self.write()

    def add_without_row(self, kind, key, reason):
        """kind: "skipped" for good, or "failed" and tried again by the next run."""
        getattr(self, kind)[key] = {"configuration": dict(zip(KEY, key)), "session": len(self.sessions) - 1,
                                    "reason": reason}
        if kind == "skipped":
            self.failed.pop(key, None)
        self.write()

    def write(self):
        def in_order(table):
            return [table[key] for key in sorted(table, key=order)]
        kept = {"sessions": self.sessions, "rows": in_order(self.notes), "skipped": in_order(self.skipped),
                "failed": in_order(self.failed)}
        write_whole(self.json_path, json.dumps(kept, indent=1, allow_nan=False) + "\n")
        lines = [HEAD, *in_order(self.rows)]
        write_whole(self.csv_path, "".join(",".join(map(quoted, line)) + "\n" for line in lines))


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def order(key):
    model, precision, gpu, k, batch, limit = key
    return model, precision, gpu, int(k), int(batch), float(limit or "inf")
