#!/usr/bin/env python3
"""Checks the English of documents, man pages, strings, public headers and comments: docs/style.md has the rules.

style_check.py SOURCE_DIR             spelling of documents and man pages, by hunspell and docs/spelling.txt
style_check.py --report SOURCE_DIR    figures of each page, folder of sources and kind of text, as CSV
style_check.py --limits SOURCE_DIR    what is over the limits; exit status 1 if something is
style_check.py --hits SOURCE_DIR      turns to avoid, by file and line
style_check.py --lost OLD NEW         code words, and figures with units, of document or folder OLD that NEW lacks

Words are those with a letter or digit, in prose and table cells: not in blocks (fenced or indented code, counted in lines), targets
of links, sections between <!-- generated ... --> and <!-- end -->, and names, units and directions of columns, which check_tables.py
compares with the code; strings are those of four words or more. docs/budgets.csv has the most words and lines of blocks of some
pages together (words, blocks), and of each without a row of its own (each).
"""
import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

from c_text import TOKEN, blank

BUDGETS, WORDS, STYLE, MOST_WORDS = "docs/budgets.csv", "docs/spelling.txt", "docs/style.md", 500
WORD = re.compile(r"\S*[A-Za-z0-9]\S*")
SHORT, LONG, ENOUGH = 6, 30, 20  # words of a short sentence, of a long one in a cell or string; sentences whose lengths are limited
OF_PAGE, OF_SENTENCES = {"hits": (0, 3), "long cells": (0, 0)}, {"90 %": (0, 25), "longest": (0, 45), "median": (11, 99), "short %": (0, 20)}
# Turn: (where: p prose, c table cells, m strings, h headings; pattern; instead). Each is at least ten times as frequent in pages of easim
# of 2026 as in the docstrings of numpy, scipy and pandas (313,600 words). tests/docs/turns.csv has an example and a cure of each.
TURNS = {
    "nobody": ("pcm", r"\b[Nn]obody\b", "name who or what"),
    "that no": ("pcm", r"(?<![Ss]o )\b(?:that|which|what) no (?!longer|more|other)[a-z]+", "lower bound, free GPUs"),
    "wh-subject": ("pc", r"^(?:What|Who|Whoever|Whatever|Which|How) (?!to\b)[^?]*$", "name the thing first"),
    "where = if": ("pcm", r"^Where (?:(?!, ).)+, |\bwhere there (?:is|are)\b", "if"),
    "of first": ("pcm", r"^Of (?!course)", "if the run has several, for"),
    "is what": ("pcm", r"\b(?:is|are|was|were) what (?!you)", "say the thing itself"),
    "is said": ("pcm", r"\b(?:is|are|was|were|be) said\b|\bsays? so\b", "easim prints a note"),
    "hang on": ("pchm", r"\b(?:hang|hangs|hung) on\b", "depends on"),
    "but = except": ("pcm", r"\bbut for\b|\b(?:all|nothing|anything|none|no \w+(?: of \w+)?) but (?!not|it|they|only|the)", "except, only"),
    "as is": ("pcm", r"\b(?:as|so|nor|neither|than) (?:is|are|was|were|does|do|did|has|have) (?!follow|usual|well|not |known|long|far)(?:a|an|the|it|they|each|every|all|its|what|those|that|this|CODE|[a-z]+s)\b", "also; X is, too"),
    "for = because": ("pcm", r", for (?:it|they|these|there|we|one that)\b(?! (?:is|are)? ?example)", "because"),
    "stand": ("pcm", r"\b(?:stands?|stood)\b(?! (?:for\b|out\b|idle|side by side|alone|still))", "is, follows, is written"),
    "behind": ("pcm", r"\b[Bb]ehind\b(?! (?:the scenes|schedule))(?!$)", "after, in"),
    "beside": ("pchm", r"\b[Bb]eside\b", "with, next to, compared with"),
    "in the mean": ("pcm", r"\bin the mean\b(?! of)", "on average"),
    "so many": ("pcm", r"\bso (?:many|much|long)\b(?! (?:that|as)\b)", "N, at most N"),
    "of those that": ("pcm", r"\bof those (?:that|which|who)\b", "repeat the noun"),
    "whoever": ("pcm", r"\b(?:who|where)(?:so)?ever\b|\bwhatever (?:the|it|else|a)\b", "every, in any case"),
    "old word": ("pchm", r"\b(?:anew|thereof|therein|whence|hitherto|likewise|lest|albeit|seldom|whilst|nought|besides)\b", "again, also, rarely"),
    "two ;": ("p", r";[^;]*;", "two sentences, or a list"),
}


def sentences(line, kind, text):
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", r"\1", text)
    text = " ".join(re.sub(r"`[^`]*`", "CODE", text).replace("**", "").split())
    parts = [text] if kind == "h" else re.split(r'(?<=[.!?])["”)]?\s+(?=\S)|(?<=:)\s+(?=[A-Z])', text)
    return [(line, kind, part) for part in parts if re.search(r"\w", part)]


def markdown(text):
    """Sentences, (line, kind, text); of the kind b each line of a block."""
    rows, held, until, indented, checked = [], [], None, False, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        bare = line.strip()
        item = re.match(r"(?:[-*]|\d+\.) ", bare)
        indented = not until and line.startswith("    ") and not item and (indented or not held and bare[:1] != "|")
        checked = checked and bare.startswith("|")
        if held and (indented or item or not bare or bare.startswith(("|", "#", "```", "<!--"))):
            rows += sentences(held[0], "p", " ".join(held[1:]))
            held = []
        if indented or until == "```" and not bare.startswith(until):
            rows.append((number, "b", bare))
        elif until:
            until = None if bare.startswith(until) else until
        elif bare.startswith(("```", "<!-- generated")):
            until = "```" if bare[0] == "`" else "<!-- end"
        elif bare.startswith("#"):
            rows += sentences(number, "h", bare.lstrip("# "))
        elif bare.startswith("|") and not re.fullmatch(r"[|\s:-]+", bare):
            cells = re.split(r"(?<!\\)\|", bare.strip("|"))
            checked = checked or bare.startswith("| column | unit | better |")
            rows += [row for cell in cells[3 if checked else 0:] for row in sentences(number, "c", cell)]
        elif bare and not bare.startswith(("|", "<!--")):
            held = [*(held or [number]), bare[item.end() if item else 0:]]
    return rows


def man(text):
    """scdoc: *bold* and _underlined_ words are code; a line behind a tab that begins with easim is a block. A word and its meaning in one
    sentence, on the lines behind a tab below it, is a row of a table."""
    text = re.sub(r"^\t(?=easim )", "    ", re.sub(r"^;.*", "", text, flags=re.M), flags=re.M)
    text = re.sub(r"\*[^*\n]+\*|(?<!\w)_[^_\n]+_(?!\w)", "`x`", text)
    return markdown(re.sub(r"^(`x`.*)\n((?:\t.*\n?)+)", row_of_list, text, flags=re.M))


def row_of_list(match):
    meaning = " ".join(match[2].split())
    return match[0] if len(sentences(0, "p", meaning)) > 1 else f"| {match[1]} | {meaning} |" + "\n" * match[0].count("\n")


def strings(text):
    text, rows = TOKEN.sub(lambda match: match[0] if match["string"] else blank(match[0]), text), []
    for match in re.finditer(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI\w+\s*)?"(?:\\.|[^"\\\n])*")*', text):
        string = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', match[0])).replace("\\n", " ").replace('\\"', '"').replace("%%", "\0")
        string = re.sub(r"%[-+0#]*[\d*.]*(?:ll|hh|[lzjth])?[a-zA-Z]", "X", string).replace("\0", "%")
        if len(re.findall(r"\b[a-z]{2,}\b", string)) >= 4 and not re.search(r"[{}<>]|\bfunction\b|\\x", string):
            rows += sentences(text.count("\n", 0, match.start()) + 1, "m", string)
    return rows


def comments(text):
    return [row for match in TOKEN.finditer(text) if match["comment"] for row in sentences(
        text.count("\n", 0, match.start()) + 1, "p", re.sub(r"\n\s*\*? ?", " ", match[0].strip("/").strip("*")))]


# Kinds of text: files, those left out, their reader, most hits in 1,000 words.
KINDS = {
    "documents": ("README.md docs/**/*.md policies/README.md", "docs/decisions/", markdown, 0.5),
    "other READMEs": ("CONTRIBUTING.md .github/*.md **/README.md", "docs/|policies/README|README", markdown, 0.5),
    "man pages": ("docs/man/*.scd", "$", man, 0.5),
    "strings": ("src/**/*.c src/**/*.h src/**/*.def", "$", strings, 0.5),
    "public headers": ("include/easim/*.h", "$", comments, 0.5),
    "comments": (" ".join(f"src/{room}/**/*.[ch]" for room in ("output", "insight", "engine", "experiment", "ingest")), "$", comments, 1),
}
PAGES = ("documents", "other READMEs", "man pages")  # the others are counted by folder


def matching(source, globs):
    return sorted({str(path.relative_to(source)) for glob in globs.split() for path in source.glob(glob)})


def read(source):
    return {kind: {name: reader((source / name).read_text(encoding="utf-8")) for name in matching(source, globs)
                   if not re.match(left_out + "|build|results", name)} for kind, (globs, left_out, reader, _) in KINDS.items()}


def hits(rows):
    return [(line, turn, text) for line, kind, text in rows for turn, (where, pattern, _) in TURNS.items() if kind in where and re.search(pattern, text)]


def figures(rows, name=""):
    """Of sentences those count that end as one, as items of lists may be short, and all strings."""
    lengths = sorted(len(WORD.findall(text)) for _, kind, text in rows if kind == "m" or kind == "p" and text[-1] in ".!?") or [0]
    count, found = sum(len(WORD.findall(text)) for _, kind, text in rows if kind != "b"), 0 if name == STYLE else len(hits(rows))
    return {"words": count, "blocks": sum(1 for row in rows if row[1] == "b"), "hits": found, "per 1000": round(1000 * found / max(count, 1), 2),
            "sentences": len(lengths), "90 %": lengths[int(0.9 * len(lengths))], "median": lengths[len(lengths) // 2], "longest": lengths[-1],
            "short %": round(100 * sum(n < SHORT for n in lengths) / len(lengths), 1), "long cells": sum(kind in "cm" and len(WORD.findall(text)) > LONG for _, kind, text in rows)}


def all_hits(_, texts):
    return [f"{name}:{line}: {turn} ({TURNS[turn][2]}): {text[:110]}" for pages in texts.values() for name, rows in pages.items() if name != STYLE
            for line, turn, text in hits(rows)]


def report(_, texts):
    lines = [",".join(["kind", "page", *figures([])])]
    for kind, pages in texts.items():
        parts = {}
        for name, rows in pages.items():
            parts.setdefault(name if kind in PAGES else str(Path(name).parent), []).extend(rows)
        parts["all"] = [row for name, rows in pages.items() if name != STYLE for row in rows]
        lines += [",".join(map(str, [kind, name, *figures(rows, name).values()])) for name, rows in parts.items()]
    return lines


def over(source, texts):
    """What is over the limits of pages, kinds of text and docs/budgets.csv."""
    pages = {name: figures(rows, name) for kind in PAGES for name, rows in texts[kind].items()}
    found = [f"{name}: {what} {page[what]}, expected {least} to {most}" for name, page in pages.items()
             for what, (least, most) in {**OF_PAGE, **(OF_SENTENCES if page["sentences"] >= ENOUGH else {})}.items() if not least <= page[what] <= most]
    for kind, rows in texts.items():
        every = figures([row for name, page in rows.items() if name != STYLE for row in page])
        found += [f"{kind}: {every['per 1000']} hits in 1,000 words, at most {KINDS[kind][3]}"] if every["per 1000"] > KINDS[kind][3] else []
        found += [f"{kind}: {every['long cells']} sentences of over {LONG} words"] if kind == "strings" and every["long cells"] else []
    budgets = list(csv.DictReader((source / BUDGETS).read_text(encoding="utf-8").splitlines()))
    for row in budgets:
        parts = {name: pages[name][row["what"].replace("each", "words")] for name in matching(source, row["pages"]) if name in pages}
        used = {name: n for name, n in parts.items() if name not in {other["pages"] for other in budgets}} if row["what"] == "each" else {row["pages"]: sum(parts.values())}
        found += [f"{name}: {row['what'].replace('each', 'words')} {n}, at most {row['most']}" for name, n in used.items() if n > int(row["most"])]
    return found


def spelling(source, texts, hunspell="hunspell"):
    """Words without code: digits, paths, abbreviations and names of variables are left out."""
    known, place = (source / WORDS).read_text(encoding="utf-8").split(), {}
    for name, (line, kind, text) in [(name, row) for of in PAGES for name, rows in texts[of].items() for row in rows]:
        plain = [word for word in text.replace("CODE", "").split() if not re.search(r"[\d_=@]|\.\w|[A-Z].*[A-Z]", word)]
        for word in re.findall(r"[^\W\d_](?:[^\W\d_]|'(?=[^\Ws]|s\w))*", " ".join(plain)) if kind != "b" else ():
            place.setdefault(word, f"{name}:{line}")
    done = shutil.which(hunspell) and subprocess.run([hunspell, "-i", "UTF-8", "-d", "en_US", "-l"], input="\n".join(place), text=True, capture_output=True, check=False)
    if not done or done.returncode:
        print(f"spelling is not checked: {done.stderr.strip() if done else hunspell + ' is not installed'}")
        return []
    found = [f"{place[word]}: {word}: expected American English, or a line in {WORDS}" for word in done.stdout.split() if word.lower() not in map(str.lower, known)]
    found += [f"{WORDS}: no text has {word}" for word in known if word.lower() not in {used.lower() for used in place}]
    return found + ([f"{WORDS}: {len(known)} words, at most {MOST_WORDS}"] if len(known) > MOST_WORDS else [])


def facts(place):
    """Code words, and figures with a unit, of a document or of those in a folder; and the whole text."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in (sorted(place.rglob("*.md")) if place.is_dir() else [place]))
    prose, figure = re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M), r"(?<![\w.])(\d[\d,.]*\d|\d) (%|kWh|kW|J|W|s|h|min|GiB|GPUs?|jobs)(?!\w)"
    return {" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)} | set(map(" ".join, re.findall(figure, prose))), " ".join(text.split())


def main(option, *places):
    if option == "--lost":
        (old, _), (_, new) = map(facts, places)
        found = sorted(fact for fact in old if fact not in new)
    else:
        texts = read(places[0])
        found = {"": spelling, "--limits": over, "--report": report, "--hits": all_hits}[option](places[0], texts)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found and option in ("", "--limits") else 0


if __name__ == "__main__":
    given = sys.argv[1:] if sys.argv[1:2] and sys.argv[1].startswith("--") else ["", *sys.argv[1:]]
    if len(given) != {"": 2, "--report": 2, "--limits": 2, "--hits": 2, "--lost": 3}.get(given[0]) or not all(map(Path.exists, map(Path, given[1:]))):
        sys.exit(__doc__.strip())
    sys.exit(main(given[0], *map(Path, given[1:])))
