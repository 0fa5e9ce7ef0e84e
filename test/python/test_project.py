"""What the project's own files promise: metadata, packages, documents."""

import re
import tomllib
from pathlib import Path

import pytest

import morok
from morok.passes.registry import load_passes

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def requirement_name(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement).group()


def test_version_is_the_packages():
    assert morok.__version__ == PROJECT["version"]


def test_every_folder_of_code_is_a_package_and_so_in_the_wheel():
    folders = {file.parent for file in (ROOT / "morok").rglob("*.py")}
    assert not {folder for folder in folders if not (folder / "__init__.py").exists()}


def test_no_test_is_in_the_wheel():
    assert PYPROJECT["tool"]["setuptools"]["packages"]["find"]["include"] == ["morok", "morok.*"]
    assert not [*(ROOT / "morok").rglob("test*"), *(ROOT / "morok").rglob("conftest.py")]


def test_every_pass_has_a_lit_test_of_its_name_that_runs_it():
    tests = {f"morok-{path.stem}": path.read_text() for path in (ROOT / "test" / "lit").rglob("*.mlir")}
    own = [name for name, cls in load_passes().items() if cls.__module__.startswith("morok.passes.")]
    assert own
    assert not [name for name in own if not re.search(rf"// RUN: .*{name}\b", tests.get(name, ""))]


def test_every_dependency_is_explained():
    explained = (ROOT / "docs" / "dependencies.md").read_text()
    wanted = [*PROJECT["dependencies"], *sum(PROJECT["optional-dependencies"].values(), [])]
    names = {requirement_name(requirement) for requirement in wanted} - {"morok"}
    assert not {name for name in names if f"| `{name}` |" not in explained}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_resolve(document):
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text())
    assert not [target for target in targets if not (document.parent / target).exists()]


def test_every_document_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text()
    names = [path.relative_to(ROOT / "docs").as_posix() for path in DOCUMENTS if path.parent != ROOT]
    assert not [name for name in names if name != "README.md" and f"]({name})" not in index]
