"""Imports go one way through the folders (docs/architecture.md)."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "morok"
ORDER = ["dialect", "graph", "interpret", "passes", "schedule", "codegen", "runtime", "tensor", "functions", "array_api", "nn", "optim", "tools"]
EVERYWHERE = {"errors"}


def imports_of(file: Path) -> set[str]:
    """The top-level folders of morok that a file imports, at any depth of its code."""
    here = file.relative_to(PACKAGE).with_suffix("").parts[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = here[:len(here) - (node.level - 1)] if node.level <= len(here) + 1 else ()
                parts = (*base, *(node.module or "").split(".")) if node.module else base
                found |= {parts[0]} if parts else {a.name.split(".")[0] for a in node.names}
            elif node.module and node.module.split(".")[0] == "morok":
                parts = tuple(node.module.split(".")[1:])
                found |= {parts[0]} if parts else {a.name for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("morok.")}
    return found - EVERYWHERE


FILES = sorted(f for f in PACKAGE.rglob("*.py") if f.parent != PACKAGE)


@pytest.mark.parametrize("folder", ORDER)
def test_imports_go_one_way(folder):
    wrong = {}
    for file in FILES:
        if file.relative_to(PACKAGE).parts[0] == folder:
            later = {i for i in imports_of(file) if i in ORDER and ORDER.index(i) > ORDER.index(folder)}
            if later:
                wrong[str(file.relative_to(PACKAGE))] = later
    assert not wrong


def test_every_folder_has_a_place():
    assert {f.relative_to(PACKAGE).parts[0] for f in FILES} == set(ORDER)
