#!/usr/bin/env python3
"""Tests tools/style_check.py. Usage: test_style_check.py SOURCE_DIR

turns.csv has an example and a cure of each turn: the one is found, as that turn alone, and the other is not. Sentences, figures,
limits, spelling and facts are those of small texts, counted by hand.
"""
import csv
import io
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "tools"))
import style_check as style

PAGE = """# A `b` title: Two

One `x y` [two
three](a.md) **four**. Five six:
- seven e.g.
2. eight

| a \\| b | nine. Ten |
|---|---|

    code

    more code
```sh
# no title
```
<!-- generated: nobody -->
nobody
<!-- end -->
  - an item
    of two lines
"""
SOURCE_C = """f("one two three %.9g four" /* "no no no no" */
  " and a \\"five\\": 5 %%");
#include "a b c d e.h"
g("too short"); g("a function of many words");
/* Why it is.
 * Two
 * lines. */ // end
"""


def rows(text):
    return [(1, "p", text)]


def test_turns():
    with open(SOURCE / "tests/docs/turns.csv", newline="", encoding="utf-8") as file:
        turns = list(csv.DictReader(file))
    assert [row["turn"] for row in turns] == list(style.TURNS)
    for row in turns:
        for kind in style.TURNS[row["turn"]][0]:
            found = [turn for line, of, text in style.sentences(7, kind, row["example"]) for _, turn, _ in style.hits([(line, of, text)])]
            assert found == [row["turn"]], (kind, row, found)
        for kind in "pcmh":
            assert not style.hits(style.sentences(1, kind, row["cure"])), row
        assert not style.hits([(1, "b", row["example"])]), row
    return len(turns)


def test_markdown():
    assert style.markdown(PAGE) == [
        (1, "h", "A CODE title: Two"), (3, "p", "One CODE two three four."), (3, "p", "Five six:"), (5, "p", "seven e.g."), (6, "p", "eight"),
        (8, "c", "a \\| b"), (8, "c", "nine."), (8, "c", "Ten"), (11, "b", "code"), (13, "b", "more code"), (15, "b", "# no title"),
        (20, "p", "an item of two lines")], style.markdown(PAGE)


def test_man_page():
    found = style.man("; nobody\n*easim run* [_DIR_] runs it_now.\n\n\teasim run\n\n*-x*\n\tThe first.\n\n*-y*, *-z*\n\tThe\n\tsecond. More.\n*0*\n\tOne\n\ttwo\n\nEnd\n")
    assert found == [(2, "p", "CODE [CODE] runs it_now."), (4, "b", "easim run"), (6, "c", "CODE"), (6, "c", "The first."),
                     (9, "p", "CODE, CODE The second."), (9, "p", "More."), (12, "c", "CODE"), (12, "c", "One two"), (16, "p", "End")], found


def test_c():
    assert style.strings(SOURCE_C) == [(1, "m", 'one two three X four and a "five": 5 %')], style.strings(SOURCE_C)
    assert style.comments(SOURCE_C) == [(1, "p", '"no no no no"'), (5, "p", "Why it is."), (5, "p", "Two lines."), (7, "p", "end")], style.comments(SOURCE_C)


def test_figures():
    page = [(1, "p", "One two three four five six."), (1, "p", "Nobody waits."), (1, "p", "an item"), (1, "c", "w " * 31), (1, "c", "w " * 30), (1, "b", "x y")]
    assert style.figures(page) == {"words": 71, "blocks": 1, "hits": 1, "per 1000": 14.08, "sentences": 2, "90 %": 6, "median": 6, "longest": 6,
                                   "short %": 50.0, "long cells": 1}, style.figures(page)
    assert style.figures(page, style.STYLE)["hits"] == 0


def over(texts, budgets="what,pages,most\n"):
    """What is over the limits in a folder of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {style.BUDGETS: budgets, **texts}.items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_text(text, encoding="utf-8")
        return style.over(Path(folder), style.read(Path(folder)))


def page_of(*lengths):
    return " ".join("w " * (n - 1) + "w." for n in lengths) + "\n"


def test_limits():
    good = [5] * 4 + [11] * 14 + [25] * 2
    assert over({"docs/b.md": page_of(*good)}) == []
    for lengths, expected in (([*good[:-2], 26, 26], "90 % 26, expected 0 to 25"), ([*good, 46], "longest 46, expected 0 to 45"),
                              ([5] * 4 + [10] * 14 + [25] * 2, "median 10, expected 11 to 99"), ([5] * 5 + good[5:], "short % 25.0, expected 0 to 20")):
        assert over({"docs/b.md": page_of(*lengths)}) == [f"docs/b.md: {expected}"], over({"docs/b.md": page_of(*lengths)})
    assert over({"docs/b.md": page_of(*[26] * 19)}) == []
    assert over({"docs/b.md": page_of(*good * 500), "README.md": "| " + "w " * 31 + "|\n"}) == ["README.md: long cells 1, expected 0 to 0"]
    nobody = {"docs/b.md": page_of(*good * 500) + "\nNobody is first, ever since, on all of the days. " * 4}
    assert over(nobody) == ["docs/b.md: hits 4, expected 0 to 3"], over(nobody)
    assert over({"include/easim/a.h": "/* Nobody. */\n"}) == ["public headers: 1000.0 hits in 1,000 words, at most 0.5"]
    assert over({"docs/decisions/0001-a.md": "nobody\n", "build/README.md": "nobody\n", style.STYLE: "nobody\n"}) == []
    string = "word " * 31
    assert over({"src/a.c": f'f("{string}");\n'}) == ["strings: 1 sentences of over 30 words"]


def test_budgets():
    texts = {"README.md": "one two\n", "docs/b.md": "one\n\n    x\n", "docs/c.md": "one two three\n"}
    found = over(texts, "what,pages,most\nwords,README.md,2\nwords,README.md docs/*.md,5\nblocks,docs/*.md,0\neach,docs/*.md,2\nwords,docs/d.md,0\n")
    assert found == ["README.md docs/*.md: words 6, at most 5", "docs/*.md: blocks 1, at most 0", "docs/c.md: words 3, at most 2"], found
    assert over(texts, "what,pages,most\neach,docs/*.md,2\nwords,docs/c.md,3\n") == []


def test_spelling():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "docs/b.md").write_text("One colour of easim's `colour`,\nx_colour, a1colour, XYcolour and docs/colour/b.md.\n", encoding="utf-8")
        (root / style.WORDS).write_text("easim\ngoodput\n", encoding="utf-8")
        texts, said = style.read(root), io.StringIO()
        with redirect_stdout(said):
            assert style.spelling(root, texts, "no-such-program") == []
        assert said.getvalue() == "spelling is not checked: no-such-program is not installed\n"
        if not shutil.which("hunspell"):
            print("hunspell is not installed: spelling is not tested")
            return
        expected = ["docs/b.md:1: colour: expected American English, or a line in docs/spelling.txt", "docs/spelling.txt: no text has goodput"]
        assert style.spelling(root, texts) == expected, style.spelling(root, texts)
        (root / style.WORDS).write_text("easim\ncolour\n" * 251, encoding="utf-8")
        assert style.spelling(root, texts) == ["docs/spelling.txt: 502 words, at most 500"]


def test_lost():
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old"), Path(folder, "new.md")
        old.mkdir()
        (old / "a.md").write_text("`key  a` takes 5.5 kW and 1,024 GPUs, x6 h\n```\n`no` 7 J\n```\n", encoding="utf-8")
        (old / "b.md").write_text("`key\nb`, 10 % of `c`\n", encoding="utf-8")
        new.write_text("`c` and key\na, 1,024 GPUs, 5.5 W\n", encoding="utf-8")
        assert style.facts(old)[0] == {"key a", "key b", "c", "5.5 kW", "1,024 GPUs", "10 %"}, style.facts(old)[0]
        said = io.StringIO()
        with redirect_stdout(said):
            assert style.main("--lost", old, new) == 0
        assert said.getvalue() == "10 %\n5.5 kW\nkey b\n", said.getvalue()


if __name__ == "__main__":
    cases = sum(test() or 1 for name, test in list(globals().items()) if name.startswith("test_"))
    print(f"{cases} cases")
