"""What the documents show is what the commands print."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("refresh_docs", ROOT / "tools" / "refresh_docs.py")
refresh_docs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(refresh_docs)


@pytest.mark.parametrize("document", [d for d in refresh_docs.documents() if refresh_docs.BLOCK.search(d.read_text())], ids=lambda d: d.name)
def test_outputs_are_current(document):
    text = document.read_text()
    assert refresh_docs.refreshed(text) == text, "stale: run tools/refresh_docs.py"


def test_a_stale_output_is_noticed():
    assert refresh_docs.refreshed("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n") == "```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n"


def named_tests(text):
    """Tests that a text names as folder/file.py::test."""
    return re.findall(r"([\w/]+\.py)::(\w+)", text)


@pytest.mark.parametrize("document", [d for d in refresh_docs.documents() if named_tests(d.read_text())], ids=lambda d: d.name)
def test_tests_that_documents_name_exist(document):
    for file, name in named_tests(document.read_text()):
        assert re.search(rf"^def {name}\(", (ROOT / "test" / "python" / file).read_text(), re.MULTILINE), f"{file}::{name}"


def test_semantics_names_its_tests():
    assert len(named_tests((ROOT / "docs" / "semantics.md").read_text())) > 20


@pytest.mark.parametrize("document", refresh_docs.documents(), ids=lambda d: d.name)
def test_tables_have_one_row_a_line(document):
    inside, cells = False, 0
    for line in document.read_text().splitlines():
        if line.startswith("```"):
            inside = not inside
        if inside or not line.startswith("|"):
            cells = 0
            continue
        count = len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line)))
        assert line.endswith("|") and count == (cells or count), line
        cells = count
