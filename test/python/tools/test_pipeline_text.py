"""Pipelines as text: what parses, what it means, and the messages for what does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from morok.passes.pipeline import PipelineError, UpstreamPass, parse_pipeline, spelling
from morok.passes.pipeline_text import parse_elements, parse_options

pytestmark = pytest.mark.usefixtures("sample_passes")


@pytest.mark.parametrize("text, names", [
    ("", []),
    ("builtin.module()", []),
    ("cse", ["cse"]),
    ("builtin.module(cse)", ["cse"]),
    ("builtin.module(builtin.module(cse))", ["cse"]),
    ("any(cse)", ["cse"]),
    ("  builtin.module ( cse , canonicalize ) ", ["cse", "canonicalize"]),
    ("builtin.module(sample-nothing,func.func(sample-options{count=4},canonicalize),cse,convert-scf-to-cf)",
     ["sample-nothing", "sample-options", "func.func(canonicalize)", "cse", "convert-scf-to-cf"]),
    ("func.func(any(cse))", ["func.func(any(cse))"]),
    ("affine-loop-tile", ["func.func(affine-loop-tile)"]),
    ("canonicalize{max-iterations=3 top-down=false}", ["canonicalize{max-iterations=3 top-down=false}"]),
    ("inline{op-pipelines=func.func(canonicalize,cse)},cse", ["inline{op-pipelines=func.func(canonicalize,cse)}", "cse"]),
])
def test_a_pipeline_is_its_passes_in_order(text, names):
    assert [step.spelling() if isinstance(step, UpstreamPass) else step.name for step in parse_pipeline(text)] == names


def test_options_reach_our_passes_by_type():
    step, = parse_pipeline("sample-options{count=-7 deep=true text=\"a b, (c) } {\"}")
    assert (step.count, step.deep, step.text) == (-7, True, "a b, (c) } {")


def test_spelling_reads_back():
    text = "builtin.module(sample-options{count=5 deep=true text=\"x y\"},func.func(canonicalize{max-iterations=3}),cse)"
    steps = parse_pipeline(text)
    assert spelling(steps) == text
    assert parse_pipeline(spelling(steps)) == steps


@pytest.mark.parametrize("text, options", [
    ("", {}), ("a=1", {"a": "1"}), ("  a=1   b-c=x ", {"a": "1", "b-c": "x"}), ("flag", {"flag": "true"}),
    ("flag a=", {"flag": "true", "a": ""}),
    ("a='x y'", {"a": "x y"}), ("a={x y {z}}", {"a": "x y {z}"}), ("a=f(1,2)", {"a": "f(1,2)"}), ("a=x=y", {"a": "x=y"}),
])
def test_options(text, options):
    assert parse_options(text) == options


@pytest.mark.parametrize("text, column, message", [
    (",cse", 1, "expected a pass name, found ','"),
    ("cse,", 5, "expected a pass name, found the end"),
    ("cse,,cse", 5, "expected a pass name, found ','"),
    ("cse cse", 5, "expected ',' or the end, found 'c'"),
    ("cse)", 4, "expected ',' or the end, found ')'"),
    ("builtin.module(cse", 15, "this '(' is never closed"),
    ("builtin.module(cse;cse)", 19, "expected ',' or ')', found ';'"),
    ("builtin.module(cse),cse)", 24, "expected ',' or the end, found ')'"),
    ("func.func(cse,)", 15, "expected a pass name, found ')'"),
    ("cse{", 4, "this '{' is never closed"),
    ("cse{a={}", 4, "this '{' is never closed"),
    ("cse{}}", 6, "expected ',' or the end, found '}'"),
    ("cse,x{a=\"}", 9, "this \" is never closed"),
    ("cse,no-such-pass", 5, "unknown pass 'no-such-pass'"),
    ("cse,morok-no-such", 5, "unknown pass 'morok-no-such'"),
    ("cse,canonicalise", 5, "unknown pass 'canonicalise'; did you mean 'canonicalize'?"),
    ("cse,canonicalize{colour=red}", 5, "pass 'canonicalize' has no option 'colour'"),
    ("cse,canonicalize{max-iterations=x}", 5, "pass 'canonicalize': option max-iterations: 'x' value invalid"),
    ("cse,canonicalize{top-down=perhaps}", 5, "pass 'canonicalize': option top-down: 'perhaps' is invalid"),
    ("sample-options{colour=red}", 16, "sample-options has no option 'colour'; it takes count, deep, text"),
    ("sample-nothing{colour=red}", 16, "sample-nothing has no option 'colour'; it takes none"),
    ("sample-options{count=many}", 16, "option count takes an integer, not 'many'"),
    ("morok-apply-opts{threads=0}", 18, "option threads takes an integer of 1 or more, not '0'"),
    ("morok-pre-expand{vector-bits=-3}", 18, "option vector-bits takes an integer of 8 or more, not '-3'"),
    ("sample-options{deep=perhaps}", 16, "option deep takes true or false, not 'perhaps'"),
    ("sample-options{count=1 count=2}", 24, "option 'count' is given twice"),
    ("sample-options{count=1 =2}", 24, "expected an option's name, found '='"),
    ("sample-options{count:1}", 21, "expected '=' after option 'count', found ':'"),
    ("cse(cse)", 1, "pass 'cse' takes no pipeline in parentheses"),
    ("sample-nothing(cse)", 1, "pass 'sample-nothing' takes no pipeline in parentheses"),
    ("cse,func.fun(cse)", 5, "'func.fun' is no operation that a pipeline can be nested in"),
    ("nonsense(cse)", 1, "'nonsense' is no operation that a pipeline can be nested in"),
    ("func.func(convert-func-to-llvm)", 11, "pass 'convert-func-to-llvm' runs on 'builtin.module', not on 'func.func'"),
    ("any(" * 100 + "cse" + ")" * 100, 261, "pipelines are nested more than 64 deep"),
    ("ä", 1, "expected a pass name, found 'ä'"),
])
def test_a_bad_pipeline_names_the_column_and_the_reason(text, column, message, capfd):
    with pytest.raises(PipelineError) as caught:
        parse_pipeline(text)
    assert caught.value.column == column
    assert message in caught.value.message
    assert capfd.readouterr().err == ""  # MLIR prints option errors itself


@given(st.text(alphabet="ab,(){}=\"' \n", max_size=40))
def test_any_text_parses_or_is_a_pipeline_error(text):
    try:
        elements = parse_elements(text)
        for element in elements:
            parse_options(element.options)
    except PipelineError as error:
        assert error.column is not None and 1 <= error.column <= len(text) + 1
