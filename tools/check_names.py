#!/usr/bin/env python3
"""Checks names. Usage: check_names.py SOURCE_DIR | --self-test

- Words that easim no longer uses, because the field has one, are in no text of src, include and docs (FORMER), in no
  identifier (FORMER_PARTS), or in no tag of a struct (FORMER_TAGS), and in no file name of src and include.
- Each word of docs/our-words.txt is in the file that it names, and has a row in docs/glossary.md, which has no other rows
  and at most 40.
- The table "Where is it?" of tests/README.md names files that exist and titles of sections in them.

Prints every problem as file:line: text and exits 1 if there is one.
"""
import re
import sys
import tempfile
from pathlib import Path

from c_text import without_comments
from check_text import run

FORMER = {"convoy": "node batch", "crowd": "user heap", "lineup": "static order", "conveyor": "shared ring", "trunk": "decision points",
          "stubborn": "killed", "bell": "wake_fd", "hush": "quiet"}
FORMER_PARTS = {"crew": "worker pool", "trail": "crash context", "outlook": "growth needs", "course": "base run", "branch": "fork",
                "doubt": "variance share", "story": "explanation", "known_set": "group set"}
FORMER_TAGS = {"flow": "pieces", "budget": "variance shares", "spread": "summary of regret", "needs": "order waits", "look": "policy code"}
# Of the field: tokens that flow through a service.
FIELD_TAGS = {"service_flow"}
WORDS, GLOSSARY, MOST_WORDS = "docs/our-words.txt", "docs/glossary.md", 40
QUESTIONS, HEAD = "tests/README.md", "## Where is it?"
TEXTS = {".c", ".h", ".md", ".build", ".js", ".css", ".html", ".gp", ".txt", ".scd", ".in"}


def pattern_of(words):
    plurals = [re.sub("y$", "(?:ys?|ies)", word) + ("" if word.endswith(("y", "s")) else "(?:es|s)?") for word in words]
    return re.compile(r"(?<![a-z])(" + "|".join(plurals) + r")(?![a-z])", re.IGNORECASE)


IN_TEXT, IN_NAME, IN_TAG = pattern_of(FORMER), pattern_of({**FORMER, **FORMER_PARTS}), pattern_of(FORMER_TAGS)
IDENTIFIER, TAG = re.compile(r"[A-Za-z_]\w*"), re.compile(r"\b(?:struct|enum|union)\s+(\w+)")


def plain_name(word):
    word = word.lower()
    return next(name for former, name in {**FORMER, **FORMER_PARTS, **FORMER_TAGS}.items()
                if word.startswith(re.sub("y$", "", former)))


def former_names(name, text):
    """Yields (line, what is wrong)."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in IN_TEXT.finditer(line):
            yield number, f'"{found[1]}": call it {plain_name(found[1])}'
    if name.suffix not in (".c", ".h"):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        line = re.sub(r"^\s*#\s*include.*", "", line)
        for identifier in sorted(set(IDENTIFIER.findall(line))):
            found = IN_NAME.search(identifier)
            if found and not IN_TEXT.search(identifier):
                yield number, f"{identifier}: call it {plain_name(found[1])}"
        for tag in TAG.findall(line):
            found = IN_TAG.search(tag)
            if found and tag not in FIELD_TAGS and found.end() == len(tag):
                yield number, f"{tag}: call it {plain_name(found[1])}"


def check_former(source):
    for room in ("src", "include", "docs"):
        for path in sorted((source / room).rglob("*")):
            if not path.is_file():
                continue
            name = path.relative_to(source)
            for part in name.with_suffix("").parts[1:] if room != "docs" else ():
                found = IN_NAME.search(part) or IN_TAG.fullmatch(part)
                if found:
                    yield f"{name}:1: name of the file: {plain_name(found[1])}"
            if path.suffix in TEXTS:
                for number, text in former_names(name, path.read_text(encoding="utf-8")):
                    yield f"{name}:{number}: {text}"


def check_words(source):
    rows = {match[1]: number for number, line in enumerate((source / GLOSSARY).read_text(encoding="utf-8").splitlines(), 1)
            if (match := re.match(r"\| ([^|]*?) \|", line)) and match[1] != "word"}
    words = set()
    for number, line in enumerate((source / WORDS).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        word, _, place = line.partition(": ")
        words.add(word)
        used = re.compile(r"(?<![a-z])" + r"[\s_*-]+".join(map(re.escape, word.split())) + r"(?:e?s|d|ed|ing)?(?![a-z])", re.IGNORECASE)
        if word not in rows:
            yield f"{WORDS}:{number}: {GLOSSARY} has no row of {word}"
        if not (source / place).is_file() or not used.search((source / place).read_text(encoding="utf-8")):
            yield f"{WORDS}:{number}: {place} does not use {word}"
    for word, number in rows.items():
        if word not in words:
            yield f"{GLOSSARY}:{number}: {WORDS} does not have {word}"
    if len(rows) > MOST_WORDS:
        yield f"{GLOSSARY}:1: {len(rows)} words of our own, at most {MOST_WORDS}: use the field's"


def check_questions(source):
    lines = (source / QUESTIONS).read_text(encoding="utf-8").splitlines()
    begin = lines.index(HEAD) + 1 if HEAD in lines else len(lines)
    rows = 0
    for number, line in enumerate(lines[begin:], begin + 1):
        if line.startswith("## "):
            break
        match = re.match(r"\| (.*\?) \| `([^`]*)` \| `([^`]*)` \|$", line)
        if not match:
            continue
        rows += 1
        title = re.compile(r"^(?:/\* -+ |#+ )" + re.escape(match[3]) + r"(?:[:;,].*)?(?: -+ \*/)?$", re.MULTILINE)
        if not (source / match[2]).is_file():
            yield f"{QUESTIONS}:{number}: there is no {match[2]}"
        elif not title.search((source / match[2]).read_text(encoding="utf-8")):
            yield f"{QUESTIONS}:{number}: {match[2]} has no section {match[3]}"
    if rows < 20:
        yield f'{QUESTIONS}:1: "{HEAD}" has {rows} questions, expected 20'


def check(source):
    return [*check_former(source), *check_words(source), *check_questions(source)]


def self_test():
    questions = "".join(f"| where is {i}? | `src/a.c` | `one` |\n" for i in range(20))
    tree = {"src/a.c": "/* --- one --- */\n/* of course a trail */\nint node_batches; /* needs: x */\nstruct service_flow *needs;\n"
                       'const char *text = "story";\n', "include/a.h": "", "docs/a.scd": "crowded out, a label\n",
            WORDS: "# comment\nnode batch: src/a.c\n", GLOSSARY: "| word | means |\n|---|---|\n| node batch | jobs |\n",
            QUESTIONS: HEAD + "\n\n| question | file | section |\n|---|---|---|\n" + questions + "\n## Next\n"}
    cases = [
        ({}, []),
        ({"src/b.h": "/* a\n   convoy */\n"}, ['src/b.h:2: "convoy": call it node batch']),
        ({"docs/a.scd": "two Bells\n"}, ['docs/a.scd:1: "Bells": call it wake_fd']),
        ({"src/b.c": "int end_in_convoys;\n"}, ['src/b.c:1: "convoys": call it node batch']),
        ({"include/a.h": "void course_run(void); int CREWS;\n"}, ["include/a.h:1: CREWS: call it worker pool", "include/a.h:1: course_run: call it base run"]),
        ({"src/b.c": "int stories, branches;\n"}, ["src/b.c:1: branches: call it fork", "src/b.c:1: stories: call it explanation"]),
        ({"src/b.c": "struct regret_spread s;\nenum flow f;\nstruct spread_more m;\n"},
         ["src/b.c:1: regret_spread: call it summary of regret", "src/b.c:2: flow: call it pieces"]),
        ({"src/known_sets.c": ""}, ["src/known_sets.c:1: name of the file: group set"]),
        ({"src/story/look.h": ""}, ["src/story/look.h:1: name of the file: explanation", "src/story/look.h:1: name of the file: policy code"]),
        ({"src/service_flow.h": ""}, []),
        ({WORDS: "node batch: src/a.c\nlane: src/a.c\n"}, [f"{WORDS}:2: {GLOSSARY} has no row of lane", f"{WORDS}:2: src/a.c does not use lane"]),
        ({WORDS: ""}, [f"{GLOSSARY}:3: {WORDS} does not have node batch"]),
        ({WORDS: "node batch: src/b.c\n"}, [f"{WORDS}:1: src/b.c does not use node batch"]),
        ({GLOSSARY: "".join(f"| w{i} | x |\n" for i in range(41)), WORDS: "".join(f"w{i}: src/w\n" for i in range(41)),
          "src/w": " ".join(f"w{i}" for i in range(41))}, [f"{GLOSSARY}:1: 41 words of our own, at most 40: use the field's"]),
        ({"src/a.c": "int node_batch;\n/* ---- one ---- */\n"}, []),
        ({QUESTIONS: HEAD + "\n" + questions.replace("`one`", "`on`", 1)}, [f"{QUESTIONS}:2: src/a.c has no section on"]),
        ({QUESTIONS: HEAD + "\n" + questions.replace("src/a.c", "src/c.c", 1)}, [f"{QUESTIONS}:2: there is no src/c.c"]),
        ({QUESTIONS: questions}, [f'{QUESTIONS}:1: "{HEAD}" has 0 questions, expected 20']),
    ]
    for changes, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**tree, **changes}.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = check(Path(folder))
        assert found == expected, (changes, expected, found)
    print(f"check_names: {len(cases)} self-tests passed")


if __name__ == "__main__":
    sys.exit(run(__doc__, check, self_test))
