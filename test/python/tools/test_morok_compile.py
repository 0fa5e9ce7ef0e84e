"""morok-compile: every form to every kind of output, code that computes what NumPy does, one line for whatever is wrong."""

import ctypes
import io
import re
import shutil
import subprocess

import numpy as np
import pytest
from tool_samples import MODULE, is_one_error_line

from morok import Tensor
from morok.runtime.config import configured
from morok.tools.morok_compile import EMISSIONS, STAGES, MorokCompile

LOOPS = """func.func @f(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %a[%i] : memref<8xf32>
    %y = math.sqrt %x : f32
    memref.store %y, %a[%i] : memref<8xf32>
  }
  return
}
"""


def test_llvm_ir_has_the_kernels_signature(compile_):
    done = compile_()
    assert done.code == 0 and done.err == ""
    assert "define void @k0(ptr noalias align 64 %0, ptr noalias %1)" in done.out
    assert "@main" not in done.out


@pytest.mark.parametrize("form", STAGES[1:])
def test_every_form_on_the_way_leads_to_the_same_code(compile_, form):
    stopped = compile_("--emit=mlir", f"--form={form}")
    assert stopped.code == 0
    assert compile_(stdin=stopped.out).out == compile_().out


def test_a_module_of_upstream_dialects_compiles(compile_):
    assert "define void @f(ptr " in compile_(stdin=LOOPS).out
    assert "define float @g(float %0)" in compile_(stdin="llvm.func @g(%a: f32) -> f32 { llvm.return %a : f32 }").out


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler to link")
def test_the_object_computes(compile_, tmp_path):
    path = tmp_path / "k.o"
    assert compile_("--emit=obj", "-o", str(path)).code == 0
    subprocess.run(["cc", "-shared", "-o", str(tmp_path / "k.so"), str(path), "-lm"], check=True)
    k0 = ctypes.CDLL(str(tmp_path / "k.so")).k0
    memory = np.zeros(64, np.float32)
    first = -memory.ctypes.data % 64 // 4
    source, result = memory[first:first + 4], memory[first + 16:first + 20]
    source[:] = [0.0, 1.0, -2.0, 3.0]
    k0(ctypes.c_void_p(result.ctypes.data), ctypes.c_void_p(source.ctypes.data))
    np.testing.assert_allclose(result, np.exp(np.float32([0, 1, -2, 3])), rtol=3e-7)


def test_assembly_is_for_the_cpu_asked_for(compile_):
    wide = MODULE.replace("4xf32", "64xf32")
    registers = {cpu: set(re.findall(r"%([xyz]mm)\d", compile_("--emit=asm", f"--mcpu={cpu}", stdin=wide).out))
                 for cpu in ("x86-64", "haswell", "x86-64-v4")}
    if compile_("--mcpu=haswell").code == 1:
        pytest.skip("not an x86-64 machine")
    assert registers["x86-64"] == {"xmm"} and "ymm" in registers["haswell"] and "zmm" in registers["x86-64-v4"]


def test_a_schedule_can_be_given(compile_):
    assert 'morok.opts = "UPCAST(0,2)"' in compile_("--emit=mlir", "--form=optimised", "--opts=UPCAST(0,2)").out


def test_without_one_the_kernels_get_the_schedule_that_the_runtime_gives_them(compile_):
    """Registers, caches and threads decide on a product's tile and order as well as the vectors' width."""
    product = """func.func @main(%a: tensor<301x130xf32>, %b: tensor<130x257xf32>) -> tensor<301x257xf32> {
      %l = "morok.reshape"(%a) {shape = array<i64: 301, 1, 130>} : (tensor<301x130xf32>) -> tensor<301x1x130xf32>
      %m = "morok.expand"(%l) {shape = array<i64: 301, 257, 130>} : (tensor<301x1x130xf32>) -> tensor<301x257x130xf32>
      %t = "morok.permute"(%b) {order = array<i64: 1, 0>} : (tensor<130x257xf32>) -> tensor<257x130xf32>
      %r = "morok.reshape"(%t) {shape = array<i64: 1, 257, 130>} : (tensor<257x130xf32>) -> tensor<1x257x130xf32>
      %n = "morok.expand"(%r) {shape = array<i64: 301, 257, 130>} : (tensor<1x257x130xf32>) -> tensor<301x257x130xf32>
      %p = "morok.mul"(%m, %n) : (tensor<301x257x130xf32>, tensor<301x257x130xf32>) -> tensor<301x257x130xf32>
      %s = "morok.reduce_axis"(%p) {op = "add", axes = array<i64: 2>} : (tensor<301x257x130xf32>) -> tensor<301x257xf32>
      return %s : tensor<301x257xf32>
    }"""
    with configured(num_threads=1, tuning=False):
        plan = (Tensor(np.ones((301, 130), np.float32)).realize() @ Tensor(np.ones((130, 257), np.float32)).realize()).prepare()
    kernel, = plan.compiled.stages[0].program.kernels.values()
    assert f'morok.opts = "{kernel.opts}"' in compile_("--emit=mlir", "--form=optimised", stdin=product).out


def test_passes_can_be_watched(compile_):
    err = compile_("--mlir-print-ir-after-all").err
    for name in ("morok-range-assignment", "morok-split-store", "morok-apply-opts", "morok-linearize", "convert-to-llvm"):
        assert f"({name}) //----- //" in err


@pytest.mark.parametrize("arguments, text, message", [
    (["--emit=exe"], MODULE, f"morok-compile: error: --emit: takes {', '.join(EMISSIONS)}, not 'exe'"),
    (["--emit=mlir", "--form=vector"], MODULE, "morok-compile: error: --form: takes range, kernel, optimised, loops, llvm, not 'vector'"),
    (["--form=range"], MODULE, "morok-compile: error: --form goes with --emit=mlir"),
    (["--canonicalize"], MODULE, "morok-compile: error: unknown flag '--canonicalize'; see --help"),
    (["/no/such/file"], MODULE, "morok-compile: error: cannot open input file '/no/such/file': No such file or directory"),
    (["-o", "/no/such/folder/o"], MODULE, "morok-compile: error: cannot write '/no/such/folder/o': No such file or directory"),
    (["--mcpu=abacus"], MODULE, "morok-compile: error: --mcpu: LLVM knows no CPU 'abacus' for "),
    (["--threads=0"], MODULE, "morok-compile: error: --threads: takes a whole number from 1, not '0'"),
    (["--opts=UPCAST(9,4)"], MODULE, "morok-compile: error: morok-apply-opts: UPCAST(9,4): "),
    (["--opts=}{\""], MODULE, "morok-compile: error: morok-apply-opts: "),
    (["--emit=mlir", "--form=range"], LOOPS, "morok-compile: error: <stdin> is in loops form, beyond --form=range"),
    ([], MODULE.replace("%a)", "%b)"), "<stdin>:2:20: error: use of undeclared SSA value name"),
    ([], MODULE.replace("exp", "expp"), "<stdin>:2:8: error: 'morok.expp' op is unknown"),
    ([], "func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = math.exp %a : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}",
     "<stdin>:2:8: error: failed to legalize operation 'math.exp' that was explicitly marked illegal : (tensor<8xf32>) -> tensor<8xf32> "
     "(in pass convert-math-to-libm)\n"),
    ([], "func.func @f(%a: memref<8xf32>) {\n  linalg.exp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)\n  return\n}",
     "<stdin>:2:3: error: 'linalg.exp' op does not belong in llvm form; lower it with morok-opt first\n"),
    ([], "llvm.func @f(%x: !llvm.ptr) {\n  omp.taskgroup task_reduction(@r %x -> %p : !llvm.ptr) {\n    omp.terminator\n  }\n  llvm.return\n}\n"
     "omp.declare_reduction @r : f32 init {\n^bb0(%a: f32):\n  omp.yield (%a : f32)\n} combiner {\n^bb1(%a: f32, %b: f32):\n"
     "  omp.yield (%a : f32)\n}", "<stdin>:2:3: error: not yet implemented: Unhandled clause task_reduction"),
])
def test_one_line_says_what_is_wrong(compile_, capfd, arguments, text, message):
    done = compile_(*arguments, stdin=text)
    assert done.code == 1 and is_one_error_line(done.err) and done.err.startswith(message), done.err
    assert capfd.readouterr().err == ""


def test_an_object_is_not_written_to_a_terminal(sample_passes):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out, err = Terminal(), io.StringIO()
    assert MorokCompile().main(["-", "--emit=obj"], io.BytesIO(MODULE.encode()), out, err) == 1
    assert out.getvalue() == ""
    assert is_one_error_line(err.getvalue()) and "standard output is a terminal; give -o <file>" in err.getvalue()
