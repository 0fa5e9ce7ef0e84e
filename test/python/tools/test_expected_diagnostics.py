"""expected-error comments: what they say, and what differs from what was produced."""

import pytest

from morok.tools.diagnostics import Diagnostic, ToolError, expectations, from_text, unmet


def wrong(text, *produced):
    return [d.text("tool") for d in unmet(expectations(text.split("\n")), produced, "a.mlir")]


def at(line, message, kind="error"):
    return Diagnostic(kind, message, "a.mlir", line, 3)


@pytest.mark.parametrize("text, line", [
    ("op // expected-error {{bad}}", 1),
    ("// expected-error@+1 {{bad}}\nop", 2),
    ("// expected-error @+1 {{bad}}\nop", 2),
    ("op\n// expected-error@-1 {{bad}}", 1),
    ("// expected-error@below {{bad}}\n// expected-note@below {{see}}\nop", 3),
    ("op\n// expected-note@above {{see}}\n// expected-error@above {{bad}}", 1),
    ("// expected-error-re@+1 {{b{{.}}d}}\nop", 2),
])
def test_place_and_text_are_met(text, line):
    assert [m for m in wrong(text, at(line, "something bad here")) if "bad" in m or "unexpected" in m] == []
    assert "unexpected error: something bad here" in wrong(text, at(line + 1, "something bad here"))[0]


def test_what_is_not_produced_is_named_at_its_line():
    assert wrong("\n// expected-error@+5 {{bad}}") == ['a.mlir:2:1: error: expected error "bad" was not produced']


def test_what_is_not_expected_is_named_at_its_place():
    assert wrong("op", at(1, "bad", "warning")) == ["a.mlir:1:3: error: unexpected warning: bad"]


def test_one_expectation_meets_one_diagnostic():
    assert len(wrong("op // expected-error {{bad}}", at(1, "bad"), at(1, "bad"))) == 1


def test_kinds_differ():
    assert len(wrong("op // expected-warning {{bad}}", at(1, "bad"))) == 2


def test_notes_are_expected_too():
    diagnostic = Diagnostic("error", "bad", "a.mlir", 1, 3, (at(2, "prior use", "note"),))
    assert wrong("op // expected-error {{bad}}", diagnostic) == ["a.mlir:2:3: error: unexpected note: prior use"]
    assert wrong("op // expected-error {{bad}}\nuse // expected-note {{prior use}}", diagnostic) == []


def test_unknown_place():
    assert wrong("// expected-error@unknown {{bad}}", Diagnostic("error", "bad")) == []


def test_literal_text_of_a_regular_expression_is_literal():
    assert wrong("op // expected-error-re {{a.b{{[0-9]+}}}}", at(1, "a.b12")) == []
    assert len(wrong("op // expected-error-re {{a.b{{[0-9]+}}}}", at(1, "axb12"))) == 2


def test_a_bad_regular_expression_is_an_error():
    with pytest.raises(ToolError, match="bad regular expression"):
        expectations(["// expected-error-re {{a{{(}}}}"])


@pytest.mark.parametrize("message, text", [
    ("kernel.mlir:7:12: error: too\nwide", "kernel.mlir:7:12: error: too wide"),
    ("kernel.mlir:7:12: too wide", "kernel.mlir:7:12: error: too wide"),
    ("/a b/kernel.mlir:7:12: x: y", "/a b/kernel.mlir:7:12: error: x: y"),
    ("UPCAST(9,4): no loop 9", "tool: error: UPCAST(9,4): no loop 9"),
    ("ratio 1:2:3: wrong", "ratio 1:2:3: error: wrong"),
])
def test_a_message_may_start_with_its_place(message, text):
    assert from_text(message).text("tool") == text
