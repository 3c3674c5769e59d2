#!/usr/bin/env python3
"""Makes configs/models/mlenergy.yaml and serving.yaml: inference_models.py EASIM SOURCE [--check]

From mlenergy_diffusion.csv and mlenergy_llm.csv below EASIM_DATA/serving, by `easim profile mlenergy` and `easim
calibrate`; the errors of the header are those that calibrate prints. --check compares with the committed files instead,
and is skipped (exit 77) without EASIM_DATA.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {"mlenergy.yaml": ("mlenergy_diffusion.csv", "Image and video generation as batch jobs"),
         "serving.yaml": ("mlenergy_llm.csv", "LLM serving: tables of replicas")}
SOURCE_TEXT = """\
# {title}, measured on H100 and B200: the ML.ENERGY Leaderboard of 2026-02
# (github.com/ml-energy/leaderboard; the licence it shows is Apache-2.0), file {data}. Power is that of the GPUs,
# host and node not included. Made by `tools/inference_models.py build/easim .` as
#   easim profile mlenergy {data} -o {profile}
#   easim calibrate {profile} -o {name}
# which said:
"""


def run(*words, folder):
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{done.stderr}")
    return done


def header(name, data, profile, title, report):
    """What stands above the models: whence they come and how well they are known. Points that pooling moves are left to
    calibrate, but for their number."""
    moved = [line for line in report if line.startswith("  pooling moves")]
    kept = [line for line in report if line not in moved]
    if moved:
        kept.insert(1, f"  pooling moves {len(moved)} points by more than 10 % (calibrate names them)")
    return SOURCE_TEXT.format(title=title, name=name, data=data, profile=profile) + "".join(
        f"#   {line}\n" for line in kept)


def make(easim, data, name):
    table, title = FILES[name]
    profile = table.replace(".csv", "-profile.csv")
    with tempfile.TemporaryDirectory(prefix="easim-models.") as folder:
        (Path(folder) / table).symlink_to(data / table)
        notes = run(easim, "profile", "mlenergy", table, "-o", profile, folder=folder).stderr.splitlines()
        report = run(easim, "calibrate", profile, "-o", name, folder=folder).stdout.splitlines()
        text = (Path(folder) / name).read_text(encoding="utf-8")
    return header(name, table, profile, title, notes + report) + text


def main():
    if "EASIM_DATA" not in os.environ:
        print("skipped: EASIM_DATA is not set")
        sys.exit(77)
    easim, models = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "configs" / "models"
    differ = []
    for name in FILES:
        text = make(easim, Path(os.environ["EASIM_DATA"]).resolve() / "serving", name)
        if "--check" not in sys.argv:
            (models / name).write_text(text, encoding="utf-8")
        elif (models / name).read_text(encoding="utf-8") != text:
            differ.append(name)
    if differ:
        sys.exit(f"not what the data gives: {', '.join(differ)}; run tools/inference_models.py without --check")


main()
