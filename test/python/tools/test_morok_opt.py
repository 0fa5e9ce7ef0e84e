"""morok-opt from a caller's view: passes in order, output, one error line and exit code 1 for whatever is wrong, subclasses."""

import importlib.metadata
import io
import re
import subprocess
import sys

import pytest
from tool_samples import MODULE, is_one_error_line, runner

from morok.passes import registry
from morok.passes.registry import Pass, morok_pass
from morok.tools.morok_opt import MorokOpt

PIPELINE = "builtin.module(sample-negate,func.func(canonicalize),sample-nothing)"
BAD = MODULE.replace("(%a) :", "(%b) :").rstrip()


def heads(text):
    return re.findall(r"// -----// (IR Dump .*) //-----", text)


def test_without_passes_the_module_is_printed(opt):
    done = opt()
    assert done.code == 0 and done.err == ""
    assert '"morok.exp"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>' in done.out


@pytest.mark.parametrize("arguments", [
    ["--sample-negate", "--canonicalize"], ["-sample-negate", "-canonicalize"], ["-p", "sample-negate,canonicalize"],
    ["--pass-pipeline=builtin.module(sample-negate,canonicalize)"], ["--sample-negate", "-p=canonicalize", "--sample-nothing"],
    ["--pass-pipeline", "sample-negate", "--canonicalize=max-iterations=2 top-down=false"],
])
def test_every_spelling_runs_the_passes(opt, arguments):
    done = opt(*arguments)
    assert done.code == 0 and done.out.count("morok.neg") == 1


def test_flags_run_in_their_order(opt):
    done = opt("--cse", "-p", "sample-negate", "--canonicalize", "--sample-nothing", "--mlir-print-ir-before-all")
    assert [re.search(r"\((.*)\)", h)[1] for h in heads(done.err)] == ["cse", "sample-negate", "canonicalize", "sample-nothing"]


@pytest.mark.parametrize("arguments, message", [
    (["--no-such-pass"], "morok-opt: error: unknown flag or pass '--no-such-pass'; see --list-passes"),
    (["--canonicalise"], "morok-opt: error: unknown flag or pass '--canonicalise'; did you mean 'canonicalize'?"),
    (["--verify-diagnostic"], "morok-opt: error: unknown flag or pass '--verify-diagnostic'; did you mean 'verify-diagnostics'?"),
    (["-p", "cse,,cse"], "morok-opt: error: -p: column 5: expected a pass name, found ','"),
    (["--pass-pipeline=builtin.module(cse"], "morok-opt: error: --pass-pipeline: column 15: this '(' is never closed"),
    (["--sample-options=count=many"], "morok-opt: error: --sample-options: sample-options: option count takes an integer, not 'many'"),
    (["--sample-options=count=1}"], "morok-opt: error: --sample-options: expected ',' or the end, found '}'"),
    (["--cse={"], "morok-opt: error: --cse: this '{' is never closed"),
    (["--canonicalize=colour=red"], "morok-opt: error: --canonicalize: pass 'canonicalize' has no option 'colour'"),
    (["--mlir-print-ir-after=csee"], "morok-opt: error: --mlir-print-ir-after: unknown pass 'csee'; did you mean 'cse'?"),
    (["--mlir-print-ir-after"], "morok-opt: error: --mlir-print-ir-after: needs a value: --mlir-print-ir-after=<a,b,...>"),
    (["--verify-each=perhaps"], "morok-opt: error: --verify-each: takes true or false, not 'perhaps'"),
    (["/no/such/file.mlir"], "morok-opt: error: cannot open input file '/no/such/file.mlir': No such file or directory"),
    (["/tmp"], "morok-opt: error: cannot open input file '/tmp': Is a directory"),
    (["a\0b"], "morok-opt: error: cannot open input file 'a\0b': embedded null byte"),
    (["a.mlir", "b.mlir"], "morok-opt: error: takes one input file, given a.mlir, b.mlir"),
    (["-o", "/no/such/folder/out.mlir"], "morok-opt: error: cannot write '/no/such/folder/out.mlir': No such file or directory"),
    (["--mlir-elide-elementsattrs-if-larger=few"], "morok-opt: error: --mlir-elide-elementsattrs-if-larger: takes a number, not 'few'"),
    (["--mlir-print-ir-tree-dir=/dev/null/x", "--cse"],
     "morok-opt: error: --mlir-print-ir-tree-dir: cannot write to '/dev/null/x': Not a directory"),
    (["--run-reproducer"], "morok-opt: error: <stdin> holds no pipeline to replay"),
    (["--sample-refuse"], "morok-opt: error: sample-refuse: axis 7 does not exist"),
    (["--sample-refuse-place"], "kernel.mlir:7:12: error: too wide"),
])
def test_one_line_says_what_is_wrong(opt, capfd, arguments, message):
    done = opt(*arguments)
    assert (done.code, done.err) == (1, message + "\n")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("text, message", [
    (BAD, "<stdin>:2:20: error: use of undeclared SSA value name"),
    (MODULE.replace("morok.exp", "morok.expp"), "<stdin>:2:8: error: 'morok.expp' op is unknown"),
    (MODULE.replace("-> tensor<4xf32>\n", "-> tensor<5xf32>\n").replace("return %0", "return %a"),
     "<stdin>:2:8: error: 'morok.exp' op result has type tensor<5xf32>, but x has type tensor<4xf32>; they must be equal"),
    ("func.func @f() -> i32 { return }", "<stdin>:1:25: error: 'func.return' op has 0 operands, but enclosing function (@f) returns 1"),
    ("func.func @f() { foo.bar }", "<stdin>:1:18: error: Dialect `foo' not found for custom op 'foo.bar'"),
    ("\n\n  }", "<stdin>:3:3: error: "),
    (b"func.func @f() { \xff\xfe }", "<stdin>:1:18: error: "),
    ("[" * 5000, "<stdin>:1:1001: error: nested too deeply"),
    ("module {" * 5000 + "}" * 5000, "<stdin>:1:8008: error: nested too deeply"),
    ("-" * 100000, "<stdin>:1:1: error: nested too deeply"),
    ('func.func @f() {\n  "func."() : () -> () return }', "<stdin>:2:3: error: an op's name ends with a dot"),
    ('"morok\\2E" // a comment (\n () : () -> ()', "<stdin>:1:1: error: an op's name ends with a dot"),
    (b"ML\xefR", "error: "),
    (b"ML\xefR\x0dMLIR2\x00\xff\xff\xff", "error: "),
])
def test_a_malformed_input_is_one_line_with_its_place(opt, capfd, text, message):
    done = opt(stdin=text)
    assert done.code == 1 and message in done.err and is_one_error_line(done.err), done.err
    assert capfd.readouterr().err == ""


def test_a_text_may_end_with_a_dot(opt):
    text = 'module attributes {morok.a = "func.", morok.b = "x"} { func.func private @f() // "func."()\n }'
    assert opt(stdin=text).code == 0


def test_a_file_is_named_as_given(opt, tmp_path):
    path = tmp_path / "a b.mlir"
    path.write_text(BAD)
    assert opt(str(path)).err == f"{path}:2:20: error: use of undeclared SSA value name\n"


def test_an_empty_input_is_an_empty_module(opt):
    assert opt(stdin="").out.split() == ["module", "{", "}"]


def test_parts_of_a_split_input_fail_alone(opt):
    done = opt("--split-input-file", stdin=f"{MODULE}// -----\n{BAD}\n// -----\n{MODULE}")
    assert done.code == 1
    assert done.err == "<stdin>:7:20: error: use of undeclared SSA value name\n"
    assert done.out.count("morok.exp") == 2 and done.out.count("// -----\n") == 1


def test_a_separator_of_ones_own(opt):
    done = opt("--split-input-file=// ===", stdin=f"{MODULE}// ===\n{MODULE}")
    assert done.code == 0 and done.out.count("module {") == 2


def test_a_fault_of_a_pass_is_one_line_with_a_file_that_replays_it(opt):
    done = opt("--sample-negate", "--sample-fault")
    assert done.code == 1 and is_one_error_line(done.err)
    assert done.err.startswith("morok-opt: error: pass sample-fault failed: KeyError: 'lost'; replay it with morok-opt --run-reproducer ")
    again = opt("--run-reproducer", done.err.split()[-1])
    assert again.code == 1 and again.err.startswith("morok-opt: error: pass sample-fault failed: KeyError")


def test_the_traceback_is_there_for_who_asks(opt):
    assert "Traceback" in opt("--sample-fault", "--python-traceback").err


def test_an_internal_error_names_the_pass_once(opt):
    done = opt("--sample-internal-error")
    assert done.err.startswith("morok-opt: error: pass sample-internal-error failed: rules a, b rewrite one add for ever; replay")


def test_a_pass_that_leaves_invalid_ir_is_named(opt):
    done = opt("--sample-invalid")
    assert done.code == 1 and is_one_error_line(done.err)
    assert "pass sample-invalid failed: it leaves IR that does not verify: user.py:5:1: error: 'morok.neg' op" in done.err


def test_invalid_ir_still_prints_and_in_generic_form(opt):
    done = opt("--sample-invalid", "--verify-each=false")
    assert done.code == 0 and '"builtin.module"() ({' in done.out
    done = opt("--sample-invalid", "--mlir-print-ir-after-all")
    assert '"builtin.module"() ({' in done.err


def test_a_pass_on_invalid_ir_does_not_abort(opt):
    done = opt("--sample-invalid", "--canonicalize", "--cse", "--sample-negate", "--verify-each=false")
    assert "Traceback" not in done.err


def test_verify_roundtrip(opt):
    assert opt("--verify-roundtrip", "--sample-negate").code == 0


def test_bytecode_reads_back(opt, tmp_path):
    path = tmp_path / "a.mlirbc"
    assert opt("--emit-bytecode", "-o", str(path)).code == 0
    assert path.read_bytes().startswith(b"ML\xefR")
    assert '"morok.exp"' in opt(str(path)).out


def test_output_file_is_not_touched_by_a_failure(opt, tmp_path):
    path = tmp_path / "out.mlir"
    path.write_text("before")
    assert opt("-o", str(path), "--sample-refuse").code == 1
    assert path.read_text() == "before"
    assert opt("-o", str(path)).code == 0
    assert "morok.exp" in path.read_text()


def test_print_after_change_leaves_out_what_changes_nothing(opt):
    done = opt("--sample-nothing", "--sample-negate", "--cse", "--mlir-print-ir-after-change")
    assert heads(done.err) == ["IR Dump After Negate (sample-negate)"]


def test_print_named_passes(opt):
    done = opt("--sample-sequence", "--mlir-print-ir-before=canonicalize", "--mlir-print-ir-after=sample-sequence,sample-negate")
    assert heads(done.err) == ["IR Dump After Negate (sample-negate)", "IR Dump Before Canonicalize (canonicalize)",
                               "IR Dump After Sequence (sample-sequence)"]


def test_print_after_failure(opt):
    done = opt("--sample-negate", "--sample-fault", "--mlir-print-ir-after-failure")
    assert heads(done.err) == ["IR Dump After Fault (sample-fault) Failed"]


def test_tree_of_dumps(opt, tmp_path):
    assert opt("--cse", "--sample-sequence", "--cse", f"--mlir-print-ir-tree-dir={tmp_path}").code == 0
    assert sorted(p.name for p in (tmp_path / "builtin_module_no-symbol-name").iterdir()) == [
        "0_cse.mlir", "1_0_sample-negate.mlir", "1_1_canonicalize.mlir", "1_2_sample-nothing.mlir", "1_sample-sequence.mlir", "2_cse.mlir"]


def test_a_reproducer_is_written_where_asked_even_for_a_refusal(opt, tmp_path):
    path = tmp_path / "r.mlir"
    done = opt("-p", PIPELINE, "--sample-refuse", f"--mlir-pass-pipeline-crash-reproducer={path}")
    assert done.code == 1
    assert 'pipeline: "builtin.module(sample-negate,func.func(canonicalize),sample-nothing,sample-refuse)"' in path.read_text()
    assert opt("--run-reproducer", str(path)).err == done.err


def test_a_reproducer_of_stock_mlir_runs(opt):
    text = """func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(canonicalize{max-iterations=3})",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
"""
    done = opt("--run-reproducer", stdin=text)
    assert done.code == 0 and "arith.constant" not in done.out
    assert opt(stdin=text).err == ""  # without the flag, only the module


def test_debug_info_names_the_file(opt):
    assert 'loc("<stdin>":2:8)' in opt("--mlir-print-debuginfo", "--mlir-print-local-scope").out


@pytest.mark.parametrize("kind", ["error", "warning"])
def test_verify_diagnostics_in_the_tool(opt, kind):
    text = BAD.replace("exp\"(%b)", f"exp\"(%b) // expected-{kind} {{{{undeclared}}}}\n")
    assert opt("--verify-diagnostics", stdin=text).code == (0 if kind == "error" else 1)


def test_a_refusal_can_be_expected(opt):
    done = opt("--verify-diagnostics", "--sample-refuse", stdin=MODULE + "// expected-error@unknown {{axis 7}}")
    assert (done.code, done.err) == (0, "")


def test_information_needs_no_input(opt):
    assert "--sample-options" in opt("--help").out and "--canonicalize" in opt("-h").out
    listed = opt("--list-passes").out
    assert re.search(r"--sample-options +- Takes options of each kind. \[tensor\]\n +--count=<int> +- default 3\n", listed)
    assert re.search(r"--max-iterations=<int> +- ", listed)
    assert "morok" in opt("--show-dialects").out and "vector" in opt("--show-dialects").out
    assert re.fullmatch(r"morok-opt \d+\.\d+\.\d+\n", opt("--version").out)


def test_two_hundred_modules_in_one_process(opt):
    tool = MorokOpt()
    for i in range(200):
        out = io.StringIO()
        assert tool.main(["--canonicalize"], io.BytesIO((MODULE if i % 3 else BAD).encode()), out, io.StringIO()) == (0 if i % 3 else 1)


# Extending

def test_a_subclass_adds_flags_passes_and_output(sample_passes):
    class Mine(MorokOpt):
        name = "mine-opt"

        def register_flags(self):
            super().register_flags()
            self.register_flag("mine-suffix", "text to end with", "text", "text")

        def register_passes(self):
            super().register_passes()
            @morok_pass("mine-nothing")
            class MineNothing(Pass):
                """Does nothing."""

                def run(self, program):
                    pass

        def output(self, module):
            return super().output(module) + (self.options.text("mine-suffix") or "").encode()

    run = runner(Mine)
    assert run("--mine-nothing", "--mine-suffix=// end").out.endswith("// end")
    assert run("--mine-other").err.startswith("mine-opt: error: unknown flag or pass '--mine-other'")


def test_a_package_that_cannot_be_loaded_is_one_line(opt, monkeypatch):
    def broken():
        raise ImportError("no module named flops")
    monkeypatch.setattr("morok.tools.morok_opt.load_passes", broken)
    assert opt().err == "morok-opt: error: cannot load the passes: ImportError: no module named flops\n"


def test_a_package_that_cannot_be_loaded_is_named_and_hinders_no_pass_of_ours(monkeypatch):
    entry = importlib.metadata.EntryPoint("flops", "no_such_module.passes", "morok.passes")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    registry.load_passes.cache_clear()
    try:
        assert registry.find_pass("morok-rangeify").name == "morok-rangeify"
        with pytest.raises(ImportError, match="no_such_module.passes, an entry point of the package"):
            registry.find_pass("no-such")
    finally:
        registry.load_passes.cache_clear()


def test_a_process_ends_with_its_code_and_without_noise():
    unknown = "morok-opt: error: unknown flag or pass '--no-such'; see --list-passes\n"
    for argument, code, err in (("-", 0, ""), ("--no-such", 1, unknown)):
        done = subprocess.run([sys.executable, "-m", "morok.tools.morok_opt", argument], input=MODULE, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (code, err)


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m morok.tools.morok_opt --list-passes | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.stdout.startswith("Passes "), done.stderr) == (True, "")
