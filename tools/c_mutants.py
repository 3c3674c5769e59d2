"""Mutants of C source: one small change each, found on its tokens (clang-formatted C; no parser).

Kinds: relational (< <= > >= == != become another one), arithmetic (+ - * / % and their assignments, ++ and --), constant
(a number +1 or -1), statement (one that assigns or calls, or break, continue, return without a value, is deleted) and
condition (of if, while, for and ?: is negated). Comments, strings and preprocessor lines are left alone, and so is
what an assert says.
"""
import re
from dataclasses import dataclass

from c_text import without_directives

KINDS = ("relational", "arithmetic", "constant", "statement", "condition")
TOKEN = re.compile(r"""(?P<name>[A-Za-z_]\w*)
    |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
    |(?P<string>"[^"\n]*"|'[^'\n]*')
    |(?P<mark><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])""", re.VERBOSE)
# != in place of < or > is left out: where one counts up to a bound it says the same.
RELATIONAL = {"<": ("<=", ">=", ">", "=="), "<=": ("<", ">", ">=", "=="), ">": (">=", "<=", "<", "=="),
              ">=": (">", "<", "<=", "=="), "==": ("!=", "<=", ">="), "!=": ("==", "<", ">")}
ARITHMETIC = {"+": "-*", "-": "+*", "*": "/+", "/": "*-", "%": "/*"}
STEPS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "/=", "++": "--", "--": "++"}
NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|[\d.]+(?:[eE][-+]?\d+)?)([uUlLfF]*)$")
NOT_A_STATEMENT = {"case", "default", "return", "goto", "if", "else", "for", "while", "do", "switch", "typedef",
                   "static", "const", "struct", "enum", "union", "extern", "assert"}
OPEN, CLOSE = "([{", ")]}"


@dataclass(frozen=True)
class Mutant:
    file: str
    function: str  # "" outside of functions
    kind: str
    original: str  # the line, or the whole statement or condition, in single blanks
    mutated: str  # likewise; #2, #3 ... behind it where a function has the same change several times
    start: int  # text[start:end] becomes new
    end: int
    new: str
    line: int

    def key(self):
        """What stays when lines move."""
        return self.file, self.function, self.kind, self.original, self.mutated


@dataclass(frozen=True)
class Token:
    text: str
    sort: str
    start: int
    end: int


class Source:
    """The tokens of a file and how its brackets and functions lie."""

    def __init__(self, file, text):
        self.file, self.text = file, text
        self.tokens = [Token(m[0], m.lastgroup, m.start(), m.end())
                       for m in TOKEN.finditer(without_directives(text))]
        self.partner = {}
        stack = []
        for i, token in enumerate(self.tokens):
            if token.text in OPEN:
                stack.append(i)
            elif token.text in CLOSE and stack:
                self.partner[i] = stack.pop()
                self.partner[self.partner[i]] = i
        self.function = self._functions()

    def _functions(self):
        """For each token the name of the function that it is in."""
        names, i = [""] * len(self.tokens), 0
        while i < len(self.tokens):
            end = self.partner.get(i)
            if self.tokens[i].text != "{" or end is None:
                i += 1
                continue
            if i > 0 and self.tokens[i - 1].text == ")" and i - 1 in self.partner:
                name = self.tokens[self.partner[i - 1] - 1].text
                names[i:end + 1] = [name] * (end + 1 - i)
            i = end + 1
        return names

    def around(self, i):
        """The tokens before and after, and whether blanks part token i from both."""
        before, after = self.tokens[i - 1], self.tokens[i + 1]
        return before, after, before.end < self.tokens[i].start and self.tokens[i].end < after.start

    def shown(self, start, end, new):
        """The lines of text[start:end] in single blanks, before and after the change."""
        first, last = self.text.rfind("\n", 0, start) + 1, self.text.find("\n", end)
        last = len(self.text) if last < 0 else last
        changed = self.text[first:start] + new + self.text[end:last]
        return " ".join(self.text[first:last].split()), " ".join(changed.split())


def other_numbers(text):
    """The number one higher and one lower; never below 0."""
    match = NUMBER.match(text)
    if not match:
        return []
    digits, suffix = match.groups()
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", digits):
        return [hex(int(digits, 16) + step) + suffix for step in (1, -1) if int(digits, 16) + step >= 0]
    if re.fullmatch(r"\d+", digits):
        value = int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)
        return [str(value + step) + suffix for step in (1, -1) if value + step >= 0]
    return [repr(float(digits) + step) + suffix for step in (1, -1) if float(digits) + step >= 0]


def operators(source):
    for i, token in enumerate(source.tokens[1:-1], 1):
        before, after, apart = source.around(i)
        if token.text in RELATIONAL and apart:
            for new in RELATIONAL[token.text]:
                yield i, "relational", token.start, token.end, new
        elif token.text in ARITHMETIC and apart and (before.sort in ("name", "number") or before.text in ")]"):
            for new in ARITHMETIC[token.text]:
                yield i, "arithmetic", token.start, token.end, new
        elif token.text in STEPS:
            yield i, "arithmetic", token.start, token.end, STEPS[token.text]
        elif token.sort == "number":
            for new in other_numbers(token.text):
                yield i, "constant", token.start, token.end, new


def statements(source):
    """Statements that do something: ends are the semicolons."""
    tokens, start, i = source.tokens, 0, 0
    while i < len(tokens):
        text = tokens[i].text
        if text in "([" and i in source.partner:
            control = text == "(" and i > 0 and tokens[i - 1].text in ("if", "for", "while", "switch")
            i = source.partner[i] + 1
            start = i if control else start
            continue
        before = tokens[i - 1].text if i > 0 else ""
        if text == "{" and (before in ("=", ",") or before == ")" and start < i and source.function[i - 1]):
            i = source.partner.get(i, i) + 1  # an initialiser
            continue
        if text in ("{", "}", "else", "do") or text == ":" and tokens[start].text in ("case", "default"):
            start = i + 1
        elif text == ";":
            if source.function[i] and deletable(tokens[start:i]):
                yield i, "statement", tokens[start].start, tokens[i].end, ";"
            start = i + 1
        i += 1


def deletable(tokens):
    if not tokens:
        return False
    words = [token.text for token in tokens]
    if words in (["break"], ["continue"], ["return"]):
        return True
    if words[0] in NOT_A_STATEMENT:
        return False
    if tokens[0].sort == "name" and len(tokens) > 1:
        second = tokens[1]
        declares = second.sort == "name" or \
            second.text == "*" and len(tokens) > 2 and tokens[2].start == second.end
        if declares:
            return False
    return any(word in words for word in ("=", "(", "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "%="))


def conditions(source):
    for i, token in enumerate(source.tokens):
        if token.text in ("if", "while") and source.tokens[i + 1].text == "(":
            close = source.partner[i + 1]
            yield negated(source, i, i + 2, close)
        elif token.text == "for" and source.tokens[i + 1].text == "(":
            inner = top_level(source, i + 2, source.partner[i + 1])
            marks = [j for j in inner if source.tokens[j].text == ";"]
            if len(marks) == 2 and marks[1] > marks[0] + 1:
                yield negated(source, i, marks[0] + 1, marks[1])
        elif token.text == "?":
            yield negated(source, i, start_of_condition(source, i), i)


def top_level(source, start, end):
    """Indices of the tokens from start to end that are in no bracket of their own."""
    while start < end:
        if source.tokens[start].text in OPEN:
            start = source.partner[start]
        else:
            yield start
        start += 1


def start_of_condition(source, mark):
    i = mark - 1
    while i >= 0:
        text = source.tokens[i].text
        if text in CLOSE and i in source.partner:
            i = source.partner[i]
        elif text in ("=", "+=", "-=", "*=", "|=", ",", "(", "[", "{", "return", ";", ":", "?", "}"):
            break
        i -= 1
    return i + 1


def negated(source, at, first, end):
    start, stop = source.tokens[first].start, source.tokens[end - 1].end
    return at, "condition", start, stop, f"!({source.text[start:stop]})"


def in_assert(source, i):
    """Whether token i is inside assert(...) or a macro of that kind."""
    for j, token in enumerate(source.tokens[:i]):
        if "assert" in token.text.lower() and token.sort == "name" and j + 1 in source.partner and \
                j + 1 <= i <= source.partner[j + 1]:
            return True
    return False


def mutants_of(file, text):
    """All mutants of a file."""
    source, seen = Source(file, text), {}
    asserts = any("assert" in token.text.lower() for token in source.tokens if token.sort == "name")
    for found in (operators, statements, conditions):
        for i, kind, start, end, new in found(source):
            if asserts and in_assert(source, i):
                continue
            original, mutated = source.shown(start, end, new)
            place = (source.function[i], kind, original, mutated)
            seen[place] = seen.get(place, 0) + 1
            mutated += f" #{seen[place]}" if seen[place] > 1 else ""
            yield Mutant(file, source.function[i], kind, original, mutated, start, end, new,
                         text.count("\n", 0, start) + 1)


SAMPLE = """#include <a.h>
#define TWO 2 /* 1 < 2 */
static const int table[] = {4, 0x10};
static int f(int a, struct s *s) {
    int b = a * 2, *p = &b; /* a + b */
    if (a < b - 1)
        g(b, "a < b");
    for (int i = 0; i < 3; i++) {
        s->x += *p;
        if (i == 2)
            continue;
    }
    assert(a == 1);
    *s = (struct s){.x = a > 0 ? 1.5 : 2};
    return a;
}
"""


def self_test():
    found = [(m.function, m.kind, m.mutated) for m in mutants_of("a.c", SAMPLE)]
    wanted = [
        ("", "constant", "static const int table[] = {5, 0x10};"),
        ("", "constant", "static const int table[] = {4, 0xf};"),
        ("f", "arithmetic", "int b = a / 2, *p = &b; /* a + b */"),
        ("f", "relational", "if (a >= b - 1)"),
        ("f", "arithmetic", "if (a < b + 1)"),
        ("f", "condition", "if (!(a < b - 1))"),
        ("f", "statement", ";"),
        ("f", "condition", "for (int i = 0; !(i < 3); i++) {"),
        ("f", "arithmetic", "for (int i = 0; i < 3; i--) {"),
        ("f", "arithmetic", "s->x -= *p;"),
        ("f", "condition", "*s = (struct s){.x = !(a > 0) ? 1.5 : 2};"),
        ("f", "constant", "*s = (struct s){.x = a > 0 ? 2.5 : 2};"),
    ]
    for mutant in wanted:
        assert mutant in found, mutant
    texts = [m.original for m in mutants_of("a.c", SAMPLE)]
    assert not any("assert" in text or "include" in text or "define" in text for text in texts), texts
    deleted = [m.original for m in mutants_of("a.c", SAMPLE) if m.kind == "statement"]
    assert deleted == ['g(b, "a < b");', "s->x += *p;", "continue;",
                       "*s = (struct s){.x = a > 0 ? 1.5 : 2};"], deleted
    assert other_numbers("0") == ["1"] and other_numbers("10.0") == ["11.0", "9.0"]
    assert other_numbers("7u") == ["8u", "6u"] and other_numbers("1e-9") == ["1.000000001"]
    moved = [m.key() for m in mutants_of("a.c", "\n\n" + SAMPLE)]
    assert moved == [m.key() for m in mutants_of("a.c", SAMPLE)] and len(set(moved)) == len(moved)
    print("c_mutants: good")


if __name__ == "__main__":
    self_test()
