"""docs/notebook.ipynb, every cell: test_notebook.py EASIM SOURCE [--update]

It is a valid notebook: each output has the fields of its kind, and nbformat agrees, where some Python has it. nbconvert
(Debian's python3-nbconvert and python3-ipykernel) executes it in a kernel, else its cells run one after the other in this
Python, which the test says. What cells print must be what the notebook shows; of figures, that they are SVG. --update
executes it and writes what cells print into it, without what changes from one machine to the next.
"""
import contextlib
import io
import json
import os
import sys

from harness import EASIM, SOURCE, cases, json_of, python_with, run

NOTEBOOK = SOURCE / "docs/notebook.ipynb"
MOST_BYTES = 60_000
FIELDS = {"stream": {"name", "text"}, "display_data": {"data", "metadata"},
          "execute_result": {"data", "metadata", "execution_count"}}  # of outputs, nbformat 4.5
VALIDATE = "import sys, nbformat; nbformat.validate(nbformat.read(sys.argv[1], nbformat.NO_CONVERT))"


def check_format(book, path):
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    for n, cell in enumerate(book["cells"]):
        assert {"id", "metadata", "source"} <= set(cell) and ("execution_count" in cell) == (cell["cell_type"] == "code"), n
        for output in cell.get("outputs", []):
            assert set(output) == {"output_type"} | FIELDS[output["output_type"]], (n, set(output))
    if python := python_with("nbformat"):
        done = run(python, "-c", VALIDATE, path)
        assert not done.stderr, done.stderr
    else:
        print("no Python has nbformat: the fields of cells and outputs alone are checked")


def executed(python, folder):
    """The cells, with their outputs of nbconvert."""
    environment = {**os.environ, "EASIM": EASIM, "PYTHONPATH": str(SOURCE / "tools/python"), "PYTHONDONTWRITEBYTECODE": "1",
                   "HOME": str(folder), "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    run(python, "-m", "nbconvert", "--to", "notebook", "--execute", "--ExecutePreprocessor.timeout=-1", "--output-dir", folder,
        "--output", "out", NOTEBOOK, env=environment)
    return json_of(folder / "out.ipynb")["cells"]


def outputs_of(cells):
    """{cell: its outputs}"""
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


def every_cell(folder):
    text = NOTEBOOK.read_text(encoding="utf-8")
    book = json.loads(text)
    cells, python = book["cells"], python_with("nbconvert", "ipykernel")
    assert len(cells) == 10 and len(text.encode()) < MOST_BYTES, (len(cells), len(text))
    check_format(book, NOTEBOOK)
    made = executed(python, folder) if python else []
    found = outputs_of(made)
    if "--update" in sys.argv:
        for n, outputs in found.items():
            text = [{"name": "stdout", "output_type": "stream", "text": printed(outputs)}] if printed(outputs) else []
            counted = [output | ({"execution_count": None} if "execution_count" in output else {}) for output in made[n]["outputs"]]
            cells[n]["outputs"] = text + [{**output, "metadata": {}} for output in counted if "data" in output]
        NOTEBOOK.write_text(json.dumps(book, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
        return
    shown = outputs_of(cells)
    if found:
        assert {n: printed(outputs) for n, outputs in found.items()} == {n: printed(outputs) for n, outputs in shown.items()}
        for outputs in (found, shown):
            figures = [output["data"]["image/svg+xml"] for each in outputs.values() for output in each if "data" in output]
            assert len(figures) == 1 and "<svg" in figures[0], figures
            assert not [output for each in outputs.values() for output in each if output.get("name") == "stderr"], outputs
    else:
        print("no Python has nbconvert and ipykernel: the cells are executed in this Python, without a kernel")
        assert printed_here(cells) == {n: printed(outputs) for n, outputs in shown.items()}


cases(every_cell)
