"""Builds the package `easim` as pip asks for it (PEP 517, PEP 660): a wheel is the folder easim/ with three files of metadata.

Nothing is written but the file that was asked for, and the same source gives the same bytes.
"""
import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "easim"
VERSION = re.search(r'^__version__ = "(.+)"$', (PACKAGE / "__init__.py").read_text(encoding="utf-8"), re.MULTILINE)[1].replace("-rc", "rc")
NAME = f"easim-{VERSION}"
METADATA = f"""\
Metadata-Version: 2.1
Name: easim
Version: {VERSION}
Summary: Energy-aware scheduling on GPU clusters, simulated by easim: runs, comparisons and policies in Python
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: easim\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def sources(*more):
    """(name in the archive, bytes) of the package's files, in order."""
    paths = sorted(path for path in PACKAGE.iterdir() if path.suffix in (".py", ".csv"))
    return [(path.relative_to(HERE).as_posix(), path.read_bytes()) for path in [*paths, *more]]


def write_wheel(folder, files):
    info = f"{NAME}.dist-info"
    files = files + [(f"{info}/METADATA", METADATA.encode()), (f"{info}/WHEEL", WHEEL.encode())]
    record = ""
    for name, data in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    record += f"{info}/RECORD,,\n"
    wheel = f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files + [(f"{info}/RECORD", record.encode())]:
            entry = zipfile.ZipInfo(name)  # of 1980: the clock is no part of the wheel
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, [("easim.pth", f"{HERE}\n".encode())])


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}.tar.gz"
    files = sources(HERE / "backend.py", HERE / "pyproject.toml", HERE / "README.md") + [("PKG-INFO", METADATA.encode())]
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for inside, data in files:
            entry = tarfile.TarInfo(f"{NAME}/{inside}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return name
