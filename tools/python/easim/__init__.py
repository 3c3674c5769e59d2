"""easim from Python: runs, comparisons, sweeps and models as tables, figures in a notebook, policies of one's own.

The program easim computes; this package starts it and reads what it writes (docs/reference/python.md). What is named here is loaded
when it is first used: a policy (easim.Policy) starts quickly.
"""
import importlib

__version__ = "1.0.0-rc1"

_HOMES = {
    "run": "commands", "compare": "commands", "sweep": "commands", "models": "commands", "command": "commands", "load": "commands",
    "Result": "results", "Figure": "results", "Figures": "results", "Table": "tables",
    "Error": "errors", "BadInput": "errors", "RunFailed": "errors", "ProgramError": "errors", "Problem": "errors",
    "ResultWarning": "errors",
    "Policy": "policy", "View": "view",
}
_MODULES = {"binary", "policy", "view"}
__all__ = sorted(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(importlib.import_module(f"easim.{_HOMES[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"easim.{name}")
    raise AttributeError(f"module 'easim' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_HOMES, *_MODULES})
