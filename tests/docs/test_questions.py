#!/usr/bin/env python3
"""Checks that the documents answer the questions of questions.csv. Usage: test_questions.py SOURCE_DIR

Each row is a question of one kind of reader with its answer, and the page that has it. The answer is facts of the
program (keys, commands, figures) that stay when a page is written anew. `pattern` is what has to be in one part of the page: regular
expressions with " & " between them, in any order. Parts are a paragraph, an item of a list, a row of a table, a block.
A pattern that many parts of its page match, or a page without these parts too, says nothing: that fails.
"""
import csv
import re
import sys
from collections import Counter
from pathlib import Path

HEAD = ["id", "reader", "question", "answer", "pattern", "page"]
READERS = {"newcomer": 8, "operator": 6, "policy author": 6, "reviewer": 4}
MOST_PARTS = 3  # of a page that may match


def parts(text):
    """Paragraphs, items, rows and blocks of a page, without marks of Markdown."""
    found, fenced = [[]], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if fence or not fenced and (not line.strip() or re.match(r"\s*(?:[|#]|[-*] |\d+\. )", line)):
            found.append([])
        fenced ^= fence
        found[-1].append(line)
    plain = (re.sub(r"\]\([^)]*\)|[`*\[\]]", "", " ".join(" ".join(lines).split())) for lines in found)
    return [part for part in plain if part]


def answers(pattern, text):
    return [part for part in parts(text) if all(re.search(word, part) for word in pattern.split(" & "))]


def problems_of(row, text):
    """Yields what is wrong with a question, whose page has this text."""
    found = len(answers(row["pattern"], text))
    if not found:
        yield f"{row['page']} has no part with {row['pattern']}: {row['question']}"
    elif found > MOST_PARTS:
        yield f"{found} parts of {row['page']} have {row['pattern']}, at most {MOST_PARTS}: say more"
    if not row["answer"] or not row["question"].endswith("?"):
        yield "expected a question and its answer"


def check(source):
    name = "tests/docs/questions.csv"
    with open(source / name, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or list(rows[0]) != HEAD:
        return [f"{name}:1: expected the columns {', '.join(HEAD)}"]
    found = [f"{name}: {readers} questions of {reader}, expected {READERS.get(reader, 0)}"
             for reader, readers in Counter(row["reader"] for row in rows).items() if readers != READERS.get(reader)]
    if [row["id"] for row in rows] != [str(n) for n in range(1, sum(READERS.values()) + 1)]:
        found.append(f"{name}: expected the ids 1 to {sum(READERS.values())} in order")
    for number, row in enumerate(rows, 2):
        page = source / row["page"]
        wrong = problems_of(row, page.read_text(encoding="utf-8")) if page.is_file() else [f"there is no {row['page']}"]
        found += [f"{name}:{number}: {text}" for text in wrong]
    return found


def self_test():
    page = ("# Series\n\nA cap\nmay *repeat* by `period`.\n\n- one item\n- the [cap](a.md) holds\n\n| key | cap |\n|---|---|\n| period | cap |\n"
            "\n```sh\n# cap\n\nperiod: 24h\n```\nafter\n")
    assert [len(answers(pattern, page)) for pattern in ("period & cap", "one & holds", "cap holds", "24h & cap", "after & 24h", "Series")] == [
        3, 0, 1, 1, 0, 1]
    row = {"page": "a.md", "pattern": "cap", "question": "What?", "answer": "it"}
    assert [text[:12] for text in problems_of(row, page)] == ["5 parts of a"], list(problems_of(row, page))
    assert [text[:12] for text in problems_of({**row, "pattern": "caps"}, page)] == ["a.md has no "]
    assert list(problems_of({**row, "pattern": "cap & repeat", "answer": ""}, page)) == ["expected a question and its answer"]


if __name__ == "__main__":
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__.strip())
    self_test()
    problems = check(Path(sys.argv[1]))
    print("\n".join(problems), end="\n" if problems else "")
    print(f"{sum(READERS.values())} cases")
    sys.exit(1 if problems else 0)
