"""LLVM IR to machine code: errors, lifetimes, threads."""
import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from kernel_runner import RENDERER, Builder

from morok.codegen.jit import compile_ir, load_object
from morok.codegen.object_code import VECTORISER_LIMIT, Passes, object_code
from morok.codegen.target import Target
from morok.errors import InternalError

ANSWER = "define i32 @answer() {{ ret i32 {} }}"


def call(address: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int32)(address)()


def test_a_function_runs_and_its_object_links_again():
    code, names = object_code(ANSWER.format(42))
    assert names == ("answer",)
    first, second = load_object(code, names), load_object(code, names)
    assert call(first.address("answer")) == call(second.address("answer")) == 42
    assert first.object_size == len(code) > 0
    first.close()
    assert call(second.address("answer")) == 42
    with pytest.raises(KeyError):
        first.address("answer")


def test_text_that_is_no_ir_is_an_error_of_morok():
    with pytest.raises(InternalError, match="not valid"):
        compile_ir("define i32 @broken() { ret i64 0 }")


def test_ir_that_parses_but_is_not_valid_is_refused():
    """A value used where its definition does not reach."""
    with pytest.raises(InternalError, match="not valid.*does not dominate"):
        compile_ir("define i32 @f(i1 %c) { br i1 %c, label %a, label %b\na: %x = add i32 1, 1 br label %b\nb: ret i32 %x }")


def test_llvm_optimises():
    """A loop whose result follows from its limits leaves none."""
    text = """define i32 @sum() {
      start: br label %loop
      loop:
        %i = phi i32 [ 0, %start ], [ %next, %loop ]
        %s = phi i32 [ 0, %start ], [ %t, %loop ]
        %t = add i32 %s, %i
        %next = add i32 %i, 1
        %more = icmp slt i32 %next, 1000
        br i1 %more, label %loop, label %done
      done: ret i32 %t }"""
    code, names = object_code(text)
    assert call(load_object(code, names).address("sum")) == 499500
    assert (499500).to_bytes(4, sys.byteorder) in code, "the result is a constant of the code"


def test_functions_of_vectors_take_the_light_passes():
    scalar, vector = "define void @f([1 x i64] %x) {\n  ret void\n}\n", "define void @g(<4 x float> %x) {\n  ret void\n}\n"
    gated = vector.replace("  ret", "  %y = select i1 %c, i64 %x, i64 0\n  ret")
    assert Passes.needed(vector) is Passes.LIGHT and Passes.needed(gated) is Passes.LEVEL_3
    assert Passes.needed(scalar) is Passes.needed(vector + scalar) is Passes.LEVEL_3
    assert Passes.needed(scalar + " " * VECTORISER_LIMIT) is Passes.NO_VECTORISER


def test_many_threads_compile_at_once():
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(lambda n: compile_ir(ANSWER.format(n)), range(40)))
    assert [call(m.address("answer")) for m in modules] == list(range(40))


def test_kernels_are_rendered_by_many_threads():
    def render(n: int) -> str:
        k = Builder(("float32", 64 + n), ("float32", 64 + n))
        i = k.range(64 + n)
        k.store(0, (i,), k.load(1, i) + 1.0, i)
        return RENDERER.render(k.body(), f"k{n}").source
    alone = [render(n) for n in range(20)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(render, range(20))) == alone


def test_the_parameter_list_is_the_abi():
    k = Builder(("float32", 64), ("bool", 64))
    i = k.range(64, "thread")
    k.store(0, (i,), k.load(1, i).where(k.load(0, i), 0.0), i)
    rendered = RENDERER.render(k.body(), "kernel")
    assert "define void @kernel(ptr noalias align 64 %0, ptr noalias %1, i32 %2, i32 %3)" in rendered.source
    assert [(p.kind, p.is_read, p.is_written) for p in rendered.parameters[:2]] == [("buffer", True, True), ("buffer", True, False)]


def test_the_host_has_native_vectors_and_caches():
    host = Target.host()
    assert host.vector_bits in (128, 256, 512) and host.lanes(32) == host.vector_bits // 32
    assert list(host.cache_bytes) == sorted(host.cache_bytes)


def test_objects_have_no_tables_for_exceptions():
    code, _ = object_code("define i32 @answer(ptr %p) {\n  ret i32 42\n}\n")
    assert b".eh_frame" not in code


def test_names_of_what_a_module_defines():
    _, names = object_code('declare float @g(float)\ndefine void @"a b"() {\n  ret void\n}\n'
                           'define { i32, i32 } @f.1({ i32, i32 } %x) {\n  ret { i32, i32 } %x\n}\n')
    assert names == ("a b", "f.1")
