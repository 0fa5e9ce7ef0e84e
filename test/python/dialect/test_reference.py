"""docs/reference.md is what the op table says; every op is in it with an example that MLIR reads."""

from pathlib import Path

import pytest
from mlir import ir

from morok.dialect.context import shared_context
from morok.dialect.opdef import TABLE
from morok.dialect.reference import GROUPS, printed_example, reference_text
from morok.dialect.verify import verify_module

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference.md"


def test_document_is_current():
    assert DOCUMENT.read_text() == reference_text(), "run: python -m morok.dialect.reference -o docs/reference.md"


def test_every_op_is_documented():
    text = reference_text()
    for definition in TABLE.values():
        assert f"### `morok.{definition.name}`\n\n{definition.summary}\n" in text
        assert definition.summary.endswith(".") and definition.group in GROUPS and definition.forms


@pytest.mark.parametrize("name", TABLE)
def test_example_reads_back(name):
    dialect = shared_context()
    text = printed_example(TABLE[name], dialect)
    types = text.partition(" : (")[2].partition(") -> ")[0]
    arguments = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(_split(types)))
    module = ir.Module.parse(f"func.func @f({arguments}) {{\n  {text}\n  return\n}}", dialect.context)
    assert verify_module(module, dialect) == []


def _split(types):
    """Types separated by commas that are not within brackets."""
    parts, depth = [""], 0
    for letter in types:
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]
