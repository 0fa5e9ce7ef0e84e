"""morok-linearize: a kernel of ranges becomes loops in upstream dialects: func, scf, memref, vector, arith, math.

    %s = morok.carry(%x, %z, %k) {op = "add"}       %z = arith.constant 0.0 : f32
    %e = morok.end(%store, %i)                =>    scf.for %i = %c0 to %n step %c1 {
                                                      %s = scf.for %k = .. iter_args(%acc = %z) -> (f32) { .. arith.addf .. }
                                                      memref.store %s, .. }

A value that loops carry is their iter_arg. Parameters: the buffers (noalias; those written 64-byte aligned), an i32 for each define_var in the order of
names, and, where a range of kind thread exists, i32 thread id and i32 thread count; such a loop runs its thread's part of the iterations.
A sum of products accumulates with fma (rounded once), unless `fuse=false`.

With `affine=true`, loops whose extents are known at the function's entry are affine.for, and accesses whose place is linear in such loops
are affine too, for polyhedral tools; the rest is as before. It costs compile time and does not change the machine code, so it is off by
default.
"""
from __future__ import annotations

from mlir import ir

from ...graph.body import Program
from ..registry import Pass, morok_pass
from .affine_writer import AffineWriter
from .kernel_writer import KernelWriter


@morok_pass("morok-linearize", form="vector")
class Linearize(Pass):
    """Loops, accesses and arithmetic in upstream dialects."""

    fuse: bool = True
    affine: bool = False

    def run(self, program: Program) -> None:
        kernels = program.kernels() or [body for body in program.bodies.values() if not body.results]
        for body in kernels:
            del program.bodies[body.name]
        module = program.module
        for body in kernels:
            writer = AffineWriter if self.affine else KernelWriter
            writer(body, program.dialect, self.fuse).write(ir.InsertionPoint(module.body))
