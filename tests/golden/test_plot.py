"""tools/plot.gp draws its figures from the files of real runs: test_plot.py EASIM SOURCE; skipped without gnuplot."""
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

EASIM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
POLICIES = ["fcfs", "easy", "pollux", "zeus"]


def check_png(path):
    """A PNG of some size with more than one colour in it: a blank figure packs to almost nothing."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    width, height = struct.unpack(">II", data[16:24])
    assert width >= 600 and height >= 400 and len(data) > 8000, (path, width, height, len(data))


def check_svg(path, words):
    text = " ".join(ElementTree.parse(path).getroot().itertext())
    for word in words:
        assert word in text, (path, word)


def main():
    if not shutil.which("gnuplot"):
        print("skipped: gnuplot not found")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="easim-plot.") as name:
        folder = Path(name)
        for policy in POLICIES:
            subprocess.run([EASIM, "run", SOURCE / "configs" / "eas-sim.yaml", "--policy", policy, "--quiet",
                            "--replications", "3", "--out", folder / policy], check=True)
        dirs = " ".join(str(folder / policy) for policy in POLICIES)
        subprocess.run(["gnuplot", "-e", f"dirs='{dirs}'; out='{folder / 'figures'}'", SOURCE / "tools" / "plot.gp"],
                       check=True)
        for figure in ("energy_jct", "power"):
            check_png(folder / "figures" / f"{figure}.png")
            check_svg(folder / "figures" / f"{figure}.svg", POLICIES)
    print("1 passed, 0 failed")


main()
