"""The table of coverage in docs/explanation/statistics.md: test_coverage.py PROGRAM SOURCE.

PROGRAM is interval_coverage. With EASIM_TESTS=short 100 experiments a cell, each share within four standard deviations of the
share of the table; otherwise 2,000, and the table is what comes out. Apart from that, Student's t and bootstrap-t are held against
bounds that need no table: t covers less of the skewed law with few values, bootstrap-t more than t there.
"""
import math
import re
import subprocess
import sys
from pathlib import Path

from harness import cases, form

ROW = re.compile(r"^\| (2|0\.5) \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) \|$", re.M)


def coverage(folder):
    program, source = sys.argv[1:]
    count = form(2000, 100)
    printed = subprocess.run([program, str(count)], check=True, stdout=subprocess.PIPE, text=True).stdout
    measured = [line.split(",") for line in printed.splitlines()]
    table = {row[:2]: row[2:] for row in ROW.findall((Path(source) / "docs/explanation/statistics.md").read_text())}
    assert len(table) == len(measured) == 6, (table, measured)
    for cv, n, by_t, by_bootstrap, width in measured:
        for share, told in zip((by_t, by_bootstrap), table[cv, n]):
            told = float(told) / 100
            room = 4 * math.sqrt(told * (1 - told) * (1 / count + 1 / 2000)) if count < 2000 else 0.0005001
            assert abs(float(share) - told) <= room, (cv, n, share, told)
        assert count < 2000 or abs(float(width) - float(table[cv, n][2])) < 0.0501, (cv, n, width)
    of = {(cv, n): (float(by_t), float(by_bootstrap)) for cv, n, by_t, by_bootstrap, _ in measured}
    assert of["2", "10"][0] < 0.9 < of["0.5", "30"][0] and of["2", "10"][0] < of["2", "10"][1], of


cases(coverage)
