"""What the tests of the tools share: passes that misbehave in each way that a tool must survive, and a way to run a tool in this process."""

import io
from dataclasses import replace
from types import SimpleNamespace

from morok.dialect import types as T
from morok.errors import InternalError, IRError, ScheduleError
from morok.graph.uop import UOp
from morok.passes.pipeline import CompositePass
from morok.passes.registry import Pass, morok_pass


def register_sample_passes():
    @morok_pass("sample-options", form="tensor")
    class Options(Pass):
        """Takes options of each kind."""

        count: int = 3
        deep: bool = False
        text: str = ""

        def run(self, program):
            pass

    @morok_pass("sample-negate")
    class Negate(Pass):
        """Negates every result."""

        def run(self, program):
            for body in list(program.bodies.values()):
                program.bodies[body.name] = replace(body, results=tuple(UOp.make("neg", (r,)) for r in body.results))

    @morok_pass("sample-nothing")
    class Nothing(Pass):
        """Changes nothing."""

        def run(self, program):
            pass

    @morok_pass("sample-fault")
    class Fault(Pass):
        """Has a bug."""

        def run(self, program):
            raise KeyError("lost")

    @morok_pass("sample-internal-error")
    class Internal(Pass):
        """Notices a bug."""

        def run(self, program):
            raise InternalError("rules a, b rewrite one add for ever")

    @morok_pass("sample-refuse")
    class Refuse(Pass):
        """Refuses its input."""

        def run(self, program):
            raise ScheduleError("axis 7 does not exist")

    @morok_pass("sample-refuse-place")
    class RefusePlace(Pass):
        """Refuses an op at its place."""

        def run(self, program):
            raise IRError("kernel.mlir:7:12: error: too\nwide")

    @morok_pass("sample-invalid")
    class Invalid(Pass):
        """Leaves IR that does not verify."""

        def run(self, program):
            for body in list(program.bodies.values()):
                wrong = UOp.make("neg", (body.arguments[0],), (), T.tensor((9,), T.float32), ("user.py", 5))
                program.bodies[body.name] = replace(body, results=(wrong,) * len(body.results))

    @morok_pass("sample-sequence")
    class Sequence(CompositePass):
        """Two passes of ours round one of upstream's."""

        passes = ("sample-negate", "canonicalize", "sample-nothing")

    @morok_pass("sample-failing-sequence")
    class FailingSequence(CompositePass):
        """A sequence whose second pass fails."""

        passes = ("sample-negate", "sample-fault", "sample-nothing")


MODULE = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "morok.exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def runner(tool):
    def run(*arguments, stdin=MODULE):
        out, err = io.StringIO(), io.StringIO()
        data = stdin.encode() if isinstance(stdin, str) else stdin
        code = tool().main(list(arguments), io.BytesIO(data), out, err)
        return SimpleNamespace(code=code, out=out.getvalue(), err=err.getvalue())
    return run


def is_one_error_line(text):
    lines = text.splitlines()
    return len(lines) == 1 and ": error: " in lines[0] and "Traceback" not in text
