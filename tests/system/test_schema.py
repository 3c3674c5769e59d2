#!/usr/bin/env python3
"""The JSON Schemas that easim schema prints, against an independent validator (python3-jsonschema) and reader of YAML: they
take every configuration file that comes with easim, and refuse each case of tests/bad in which one key of a scenario or
model file is unknown, or has a value of a wrong type or a wrong choice."""
import json
import re
import sys

import yaml
from harness import EASIM, SOURCE, cases, easim, skip

try:
    import jsonschema
except ImportError:
    skip("python3-jsonschema is not installed")

sys.path.insert(0, str(SOURCE / "tests/bad"))
LEAST_CASES = 150


class Core(yaml.SafeLoader):
    """Scalars by YAML 1.2's core schema, as editors read them: PyYAML's are of 1.1 (1e9 is text, yes is true)."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in (("null", r"~|null|Null|NULL|", "~nN"), ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
                            ("int", r"[-+]?[0-9]+", "-+0123456789"),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789")):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), [*first, ""])


def without_nulls(value, keep=False):
    """A key without a value counts as absent; under `set` it is one that uncertainty sets (docs/reference/scenario.md)."""
    if isinstance(value, dict):
        return {str(key): without_nulls(item, key == "set") for key, item in value.items() if keep or item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def kind_of(file):
    """Which schema a file is for, by its sections; None: of none."""
    if not isinstance(file, dict):
        return None
    kinds = {"axes": "sweep", "measured": "validation", "workload": "scenario", "cluster": "scenario", "models": "models"}
    return next((kind for key, kind in kinds.items() if key in file), None)


def validators(_cache={}):
    """Of each kind, after the schema itself was checked against that of JSON Schema 2020-12."""
    for kind in () if _cache else ("scenario", "models", "sweep", "validation"):
        schema = json.loads(easim("schema", kind).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        _cache[kind] = jsonschema.Draft202012Validator(schema)
    return _cache


def check_shipped(_):
    count = 0
    for folder in ("configs", "validation", "tests/golden", "docs"):
        for path in sorted((SOURCE / folder).rglob("*.yaml")):
            file = without_nulls(yaml.load(path.read_text(encoding="utf-8"), Core))
            kind = kind_of(file)
            assert kind, f"{path}: of no kind"
            if not validators()[kind].is_valid(file):
                error = jsonschema.exceptions.best_match(validators()[kind].iter_errors(file))
                raise AssertionError(f"{path}: {list(error.absolute_path)}: {error.message[:200]}")
            count += 1
    print(f"{count} files accepted")


NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
OPEN = re.compile(r"policy\.params|params_by_policy|fit\.covariance")  # what policies and fits say themselves is open
BY_ANOTHER_KEY = "entries of model_overrides"
NOUN = re.compile(r"expected (text(?=,)|integer|number|duration|size in GiB|true or false|drain or a duration|a mapping|a list|an? number or|"
                  r"a file name|[a-z, ]+ or \{)")


def fault_of(message):
    """unknown, choice or type, by what easim says of the case; None: something else, a range or what follows from two keys."""
    if OPEN.search(message) or BY_ANOTHER_KEY in message:
        return None
    if re.search(r"unknown key \"", message):
        return "unknown"
    if re.search(r"expected one of [^\"]* \| ", message):
        return "choice"
    noun, got = NOUN.search(message), re.search(r", got (\"(.*)\"|an? (empty list|list|mapping))$", message)
    if not noun or not got:
        return None
    text = got[2]
    if text is None or noun[1] == "true or false":
        return "type"
    if noun[1] == "integer":
        return None if re.fullmatch(r"[-+]?\d+", text) else "type"
    if noun[1] in ("number", "duration", "size in GiB", "drain or a duration"):
        number = NUMBER.match(text)
        return "type" if not number or "(units: " in message else None  # else it is out of range
    return "type"


def check_refused(_):
    from cases import CASES
    counts, taken = {}, []
    for case in CASES:
        place = re.match(r"([\w./-]+\.yaml):\d+:\d+: (.*)", case.errors[0]) if len(case.errors) == 1 else None
        fault = fault_of(place[2]) if place and isinstance(case.files.get(place[1]), str) else None
        try:
            file = yaml.load(case.files[place[1]], Core) if fault else None
            kind = kind_of(without_nulls(file))
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
        if kind not in ("scenario", "models"):
            continue
        counts[fault] = counts.get(fault, 0) + 1
        if validators()[kind].is_valid(without_nulls(file)):
            taken.append(f"{case.name}: {case.errors[0]}")
    print(f"{sum(counts.values())} cases refused: {counts}")
    assert not taken, "\n".join(["accepted:", *taken])
    assert sum(counts.values()) >= LEAST_CASES


def undescribed(node, path):
    """Paths of the keys of a schema, in it at any depth, that have no description."""
    for name, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if name == "properties":
            yield from (f"{path}.{key}" for key, of in value.items() if not of.get("description"))
            for key, of in value.items():
                yield from undescribed(of, f"{path}.{key}")
        else:
            yield from undescribed(value, path)


def check_described(_):
    missing = sorted({key for kind, validator in validators().items() for key in undescribed(validator.schema, kind)})
    assert not missing, "\n".join(["keys without help:", *missing])


cases(check_shipped, check_refused, check_described)
