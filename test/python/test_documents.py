"""What the documents show is what the commands print."""

import importlib.util
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
