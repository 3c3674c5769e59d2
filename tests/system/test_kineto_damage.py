"""Damaged Kineto traces: test_kineto_damage.py EASIM SOURCE.

Traces of 40 kernels, written in several ways, with quotes put in or taken out, records cut short, in one record, in two,
in neighbours, in the first, in the last and in many. Which records are sound says Python's own JSON parser, record by
record; the rest must be counted, one by one, and nothing else may be lost. Kernel i lasts 2^i us from 2^i us on, so the
sum of kernel times has a bit for each kernel that was kept.
"""
import json
import random
import re

from harness import cases, easim

KERNELS, RNG = 40, random.Random(11)
NAMES = ["void gemm<float>(int, float)", 'a "quoted" name', "C:\\dir\\file", '{"ph": "X", "ts": 1}, {"name": "no record"}', "]}, {[",
         "über\nzwei Zeilen\t", '": 1, "', "", '\\"', "comma, colon: brace }"]
HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU"}], "distributedInfo": {"rank": 3, "world_size": 8}}
TAIL = {"traceName": "/tmp/trace.json", "lists": [{"id": 1, "name": "no event"}, {"args": {}}]}
STYLES = {
    "as PyTorch": lambda e: '{{\n    "ph": "X", "cat": "kernel", "name": {name}, "pid": 0, "tid": 7,\n    "ts": {ts}, "dur": {dur},\n'
                            '    "args": {{\n      "stream": 7, "device": 0, "grid": [32, 8, 1], "correlation": 5\n    }}\n  }}'.format(
                                **e | {"name": json.dumps(e["name"])}),
    "compact": lambda e: json.dumps(event(e), separators=(",", ":")),
    "sorted": lambda e: json.dumps(event(e), sort_keys=True),
    "name first": lambda e: json.dumps({"name": e["name"]} | event(e), ensure_ascii=False),
    "lists of objects": lambda e: json.dumps(event(e) | {"args": {"stream": 7, "stack": [{"name": "f", "ts": 1}, {"args": [{}]}]}}),
}


def event(e):
    return {"ph": "X", "cat": "kernel", "name": e["name"], "pid": 0, "tid": 7, "ts": e["ts"], "dur": e["dur"],
            "args": {"stream": 7, "device": 0, "grid": [32, 8, 1]}}


def is_sound(text):
    """Odd escapes and raw control bytes are no damage."""
    text = re.sub(r'\\(u[0-9a-fA-F]{4}|["\\/bfnrt])|\\', lambda m: m[0] if m[1] else "\\\\", text)
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except ValueError:
        return False


def damage(text, how, rng):
    if how == "cut":
        return text[:rng.randrange(text.index('"ph":') + 5, len(text))]  # without a phase it is no event to be counted
    for _ in range(2 if how == "two in" else 1):
        if how == "out":
            at = rng.choice([i for i, c in enumerate(text) if c == '"'])
            text = text[:at] + text[at + 1:]
        else:
            at = rng.randrange(1, len(text))
            text = text[:at] + '"' + text[at:]
    return text


def profile(path, *options):
    done = easim("profile", "kineto", path, "--format", "json", *options, code=None)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def check(path, text, records, what):
    path.write_text(text, encoding="utf-8")
    kept = [i for i, record in enumerate(records) if is_sound(record)]
    lost = len(records) - len(kept)
    code, found, said = profile(path)
    context = "\n".join([what, said, *(r for r in records if not is_sound(r))])
    assert found["records"] == found["gpu_events"] == len(kept), context
    assert found["compute_us"] == sum(2**i for i in kept), context
    assert (code, found["truncation"]) == (3 if lost else 0, None), context
    assert (f"{path}: {lost} damaged events left out\n" in said) == (lost > 0) and "stretches" not in said, context
    assert (found["rank"], found["gpu"]) in ((3, "Test GPU"), (None, None)), context
    if lost:
        code, _, said = profile(path, "--strict")
        assert code == 2 and re.fullmatch(f"{path}: (damaged events|expected valid JSON, got a bad value at byte [0-9]+)\n", said), said
    return lost


def whole_file(records, style, rng):
    between = rng.choice([",", ",\n  ", " , "])
    if style == "compact":
        return "[" + between.join(records) + "]"
    head, tail = json.dumps(HEAD)[:-1], json.dumps(TAIL)[1:]
    return f'{head}, "traceEvents": [\n' + between.join(records) + f"\n  ],\n  {tail}"


def targets(rng):
    """Which records are damaged."""
    first = rng.randrange(KERNELS - 1)
    return rng.choice([[first], [0], [KERNELS - 1], [first, first + 1], [0, KERNELS - 1], sorted(rng.sample(range(KERNELS), 2)),
                       sorted(rng.sample(range(KERNELS), 15)), range(KERNELS - 3, KERNELS), range(3)])


def damaged(folder):
    path, rng = folder / "trace.json", RNG
    lost = 0
    for style, write in STYLES.items():
        for _ in range(25):
            records = [write({"name": rng.choice(NAMES), "ts": 2**i, "dur": 2**i}) for i in range(KERNELS)]
            how = rng.choice(["in", "two in", "out", "cut"])
            for i in targets(rng):
                if how == "cut" and i == KERNELS - 1:
                    continue  # a file without its end: below
                records[i] = damage(records[i], how, rng)
            lost += check(path, whole_file(records, style, rng), records, f"{style}, quotes {how}")
    assert lost > 200


def truncated(folder):
    """Cut anywhere in a record, one record before it damaged too."""
    path, rng = folder / "trace.json", RNG
    for _ in range(25):
        records = [STYLES["as PyTorch"]({"name": rng.choice(NAMES), "ts": 2**i, "dur": 2**i}) for i in range(KERNELS)]
        at = rng.randrange(1, KERNELS)
        hurt = rng.randrange(at)
        records[hurt] = damage(records[hurt], "two in", rng)
        text = '{"traceEvents": [' + ",".join(records[:at] + [records[at][:rng.randrange(1, len(records[at]))]])
        path.write_text(text, encoding="utf-8")
        kept = [i for i in range(at) if is_sound(records[i])]
        code, found, said = profile(path)
        assert code == 3 and found["gpu_events"] == len(kept) and found["compute_us"] == sum(2**i for i in kept), said + text
        assert f"{path}: truncated at byte {len(text.encode())}, {len(kept)} events kept\n" in said, said
        assert (f"{path}: 1 damaged events left out\n" in said) == (len(kept) < at), said


def issue(folder):
    """1,000 events with a quote too many in two of them: 998 are left, of which 240 came through before."""
    path = folder / "trace.json"
    records = [json.dumps({"ph": "X", "cat": "kernel", "name": f"k{i}", "ts": 10 * i, "dur": 5, "tid": 7}) for i in range(1000)]
    for i in (120, 880):
        records[i] = records[i].replace('"k', '"k"')
    path.write_text('{"traceEvents": [' + ",\n".join(records) + "]}")
    code, found, said = profile(path)
    assert (code, found["gpu_events"], found["compute_us"]) == (3, 998, 998 * 5), said
    assert f"{path}: 2 damaged events left out\n" in said


def outside(folder):
    """Damage between events and in what is no event is said, and no event is lost."""
    path = folder / "trace.json"
    record = json.dumps({"ph": "X", "cat": "kernel", "name": "k", "ts": 10, "dur": 5, "tid": 7})
    for text, stretches in ((f'{{"traceEvents": [{record}, ", {record}, {record}]}}', 1),
                            (f'{{"traceName": "a"b", "traceEvents": [{record}, {record}, {record}]}}', 1),
                            (f'{{"traceEvents": [{record}], {record}, {record}]}}', 1)):
        path.write_text(text)
        code, found, said = profile(path)
        assert (code, found["gpu_events"]) == (3, 3), said
        assert f"{path}: {stretches} damaged stretches outside of events left out\n" in said, said


cases(issue, outside, damaged, truncated)
