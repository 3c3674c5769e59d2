"""C source with what a check must not look at blanked out; lines and columns stay the same."""

import re

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//(?:\\\n|[^\n])*)"""
    r"""|(?P<include>^[ \t]*\#[ \t]*include\b[ \t]*(?:"[^"\n]*"|<[^>\n]*>))"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.DOTALL | re.MULTILINE | re.VERBOSE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)


def blank(text):
    """Spaces instead of every character but newlines."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """Comments become blanks; the inside of strings too, but the file names of #include stay."""
    def replace(match):
        if match["comment"]:
            return blank(match[0])
        if match["include"]:
            return match[0]
        return match[0][0] + blank(match[0][1:-1]) + match[0][-1]
    return TOKEN.sub(replace, text)


def without_directives(text):
    """Also without preprocessor lines, continued ones included: only C is left."""
    return DIRECTIVE.sub(lambda match: blank(match[0]), without_comments(text))
