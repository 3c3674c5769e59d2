"""docs/notebook.ipynb, every cell: test_notebook.py EASIM SOURCE [--update]

Executed by nbclient, in a kernel, where some Python has it (Debian's python3-nbclient and python3-ipykernel), else its cells one
after the other in this Python, which the test says. What cells print must be what the notebook shows; of figures, that they
are SVG. --update executes it and writes what cells print into it, without what changes from one machine to the next.
"""
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support import EASIM, SOURCE

NOTEBOOK = SOURCE / "docs/notebook.ipynb"
MOST_BYTES = 60_000
EXECUTE = """
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": sys.argv[2]}}).execute()
nbformat.write(book, sys.argv[3])
"""


def python_with_nbclient():
    return next((python for python in (sys.executable, "/usr/bin/python3") if Path(python).exists() and subprocess.run(
        [python, "-c", "import nbclient, ipykernel"], capture_output=True, check=False).returncode == 0), None)


def outputs_of_nbclient(python, folder):
    """{cell: its outputs}"""
    environment = {**os.environ, "EASIM": EASIM, "PYTHONPATH": str(SOURCE / "tools/python"), "PYTHONDONTWRITEBYTECODE": "1",
                   "HOME": folder, "IPYTHONDIR": folder, "JUPYTER_RUNTIME_DIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    done = subprocess.run([python, "-c", EXECUTE, NOTEBOOK, SOURCE / "docs", f"{folder}/out.ipynb"], env=environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads(Path(folder, "out.ipynb").read_text())["cells"]
    return {n: [plain(output) for output in cell["outputs"]] for n, cell in enumerate(cells) if cell["cell_type"] == "code"}


def plain(output):
    """Without numbers of executions; text as one."""
    found = {key: value for key, value in output.items() if key not in ("execution_count", "metadata")}
    for part in (found, found.get("data", {})):
        part.update({key: "".join(value) for key, value in part.items() if key != "data" and isinstance(value, list)})
    return found


def printed_here(cells):
    """{cell: what it prints} of the code in this Python."""
    sys.path.insert(0, str(SOURCE / "tools/python"))
    sys.dont_write_bytecode = True
    os.environ["EASIM"] = EASIM
    os.chdir(SOURCE / "docs")
    names, found = {}, {}
    for n, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec("".join(cell["source"]), names)  # pylint: disable=exec-used
            found[n] = out.getvalue()
    return found


def printed(outputs):
    return "".join(output["text"] for output in outputs if output["output_type"] == "stream")


def main():
    text = NOTEBOOK.read_text(encoding="utf-8")
    book = json.loads(text)
    cells, python = book["cells"], python_with_nbclient()
    assert len(cells) == 10 and len(text.encode()) < MOST_BYTES, (len(cells), len(text))
    with tempfile.TemporaryDirectory(prefix="easim-notebook.") as folder:
        found = outputs_of_nbclient(python, folder) if python else None
    if sys.argv[3:] == ["--update"]:
        for n, outputs in found.items():
            text = [{"name": "stdout", "output_type": "stream", "text": printed(outputs)}] if printed(outputs) else []
            cells[n]["outputs"] = text + [{**output, "metadata": {}} for output in outputs if "data" in output]
        NOTEBOOK.write_text(json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
        return
    shown = {n: [plain(output) for output in cell["outputs"]] for n, cell in enumerate(cells) if cell["cell_type"] == "code"}
    if found:
        assert {n: printed(outputs) for n, outputs in found.items()} == {n: printed(outputs) for n, outputs in shown.items()}
        for outputs in (found, shown):
            figures = [output["data"]["image/svg+xml"] for each in outputs.values() for output in each if "data" in output]
            assert len(figures) == 1 and "<svg" in figures[0], figures
            assert not [output for each in outputs.values() for output in each if output.get("name") == "stderr"], outputs
    else:
        print("no Python has nbclient and ipykernel: the cells are executed in this Python, without a kernel")
        assert printed_here(cells) == {n: printed(outputs) for n, outputs in shown.items()}
    print("1 passed, 0 failed")


main()
