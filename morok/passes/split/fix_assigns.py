"""morok-fix-assigns: every hazard on a buffer that is written in place becomes an edge, or a copy where edges would make a cycle.

    %k0 = morok.kernel (param %a), (param %b)  // writes a, reads b         %c  = morok.after (define_global), (kernel @copy of %a)
    %k1 = morok.kernel (param %b), (param %a)  // writes b, reads old a =>  %k0 = morok.kernel (param (after %a, %copy)), (param %b)
                                                                            %k1 = morok.kernel (param (after %b, %k0)), (param %c)

A version of a buffer is the buffer after certain kernels. Read after write is in the form already: a kernel takes the version it reads. A kernel
that overwrites a version must come after all that read it (write after read). When one of those already depends on the writer (a swap), or is the
writer itself and reads elsewhere than it writes (a shift, a flip), it reads a copy instead. Two kernels never write one version (write after
write) but in the order of versions.
"""
from __future__ import annotations

from dataclasses import replace

from mlir import ir

from ...dialect import types as T
from ...graph.body import Body, Program
from ...graph.buffers import root_buffer
from ...graph.launches import launch_uses
from ...graph.uop import UOp, argument, as_index, toposort
from ..registry import Pass, morok_pass


@morok_pass("morok-fix-assigns", form="kernel")
class FixAssigns(Pass):
    """Orders kernels that read and overwrite one buffer; breaks cycles by copies."""

    def run(self, program: Program) -> None:
        for body in list(program.bodies.values()):
            if not body.is_kernel and any(u.name == "kernel" for u in body.order()):
                _Hazards(program, body).run()


class _Hazards:
    def __init__(self, program: Program, body: Body):
        self.program, self.body = program, body
        self.order = toposort(body.results)
        self.kernels = [u for u in self.order if u.name == "kernel"]
        self.versions = {k: [p.operands[0] for p in k.operands] for k in self.kernels}
        self.written = {k: launch_uses(k, program.bodies[k.attribute("callee")])[1] for k in self.kernels}
        """The slots that a kernel writes."""
        self.writers: dict[UOp, list[tuple[UOp, int]]] = {}
        for k in self.kernels:
            for slot in sorted(self.written[k]):
                self.writers.setdefault(self.versions[k][slot], []).append((k, slot))
        self.bit = {k: 1 << i for i, k in enumerate(self.kernels)}
        self.before = self._needs()
        """What each kernel comes after, as bits: there may be thousands of kernels, and all that each needs."""
        self.extra: dict[tuple[UOp, int], list[UOp]] = {}
        """Who must have read the version in a slot before the kernel overwrites it."""
        self.copies: dict[UOp, set[tuple[UOp, int]]] = {}
        self.copied_before: dict[UOp, list[UOp]] = {}

    def run(self) -> None:
        for version, writers in self.writers.items():
            if version.name == "define_global":
                continue  # fresh memory: nothing reads it before it is written
            for writer, slot in writers:
                self._order_readers(version, writer, slot)
        if self.extra or self.copies:
            self._rebuild()

    def _needs(self) -> dict[UOp, int]:
        behind: dict[UOp, int] = {}
        for u in self.order:
            found = 0
            for o in u.operands:
                found |= behind[o] | self.bit.get(o, 0)
            behind[u] = found
        return {k: behind[k] for k in self.kernels}

    def _order_readers(self, version: UOp, writer: UOp, written: int) -> None:
        for reader in self.kernels:
            for slot, read in enumerate(self.versions[reader]):
                if read is not version or slot in self.written[reader]:  # another write of the same version: versions order those
                    continue
                if reader is writer or self._all_before(reader) & self.bit[writer]:
                    self.copies.setdefault(version, set()).add((reader, slot))
                    self.copied_before.setdefault(version, []).append(writer)
                else:
                    self.extra.setdefault((writer, written), []).append(reader)
                    self.before[writer] |= self.bit[reader] | self.before[reader]

    def _all_before(self, kernel: UOp) -> int:
        found = todo = self.before[kernel]
        while todo:
            last = todo & -todo
            new = self.before[self.kernels[last.bit_length() - 1]] & ~found
            found |= new
            todo = todo ^ last | new
        return found

    def _rebuild(self) -> None:
        """Main over again, kernel by kernel in an order that respects the new edges."""
        new: dict[UOp, UOp] = {}
        snapshot: dict[UOp, tuple[UOp, UOp]] = {}

        def version_of(u: UOp) -> UOp:
            if u.name != "after":
                return u
            return UOp.make("after", (version_of(u.operands[0]), *(new[k] for k in u.operands[1:])))

        pending, done = list(self.kernels), 0
        while pending:
            ready = [k for k in pending if not self.before[k] & ~done]
            assert ready, "the hazards of assigns make a cycle that no copy broke"
            for k in ready:
                pending.remove(k)
                params = []
                for slot, version in enumerate(self.versions[k]):
                    current = version_of(version)
                    if (k, slot) in self.copies.get(version, ()):
                        current = self._snapshot(version, current, snapshot)[0]
                    elif slot in self.written[k]:
                        readers = [new[r] for r in self.extra.get((k, slot), ())]
                        if version in self.copies and k in self.copied_before[version]:
                            readers.append(self._snapshot(version, current, snapshot)[1])
                        if readers:
                            current = UOp.make("after", (current, *dict.fromkeys(readers)))
                    params.append(UOp.make("param", (current,), (slot,), T.argument))
                new[k] = UOp.make("kernel", tuple(params), k.attributes, T.token, k.loc)
                done |= self.bit[k]
        results = tuple(version_of(r) for r in self.body.results)
        self.program.bodies[self.body.name] = replace(self.body, results=results)

    def _snapshot(self, version: UOp, current: UOp, made: dict[UOp, tuple[UOp, UOp]]) -> tuple[UOp, UOp]:
        """A copy of the version in new memory: (buffer after the copy, copying kernel)."""
        if version not in made:
            name = f"copy{len(made)}" if self.body.name == "main" else f"{self.body.name}_copy{len(made)}"
            self.program.bodies[name] = copy_kernel(name, version.type, self.program)  # type: ignore[arg-type]
            ids = [u.attribute("id") for u in self.order if u.name == "define_global"]
            fresh = UOp.make("define_global", (), (max(ids, default=-1) + 1 + len(made),), version.type, root_buffer(version).loc)
            kernel = UOp.make("kernel", (UOp.make("param", (fresh,), (0,), T.argument), UOp.make("param", (current,), (1,), T.argument)), (name,), T.token)
            made[version] = (UOp.make("after", (fresh, kernel)), kernel)
        return made[version]


def copy_kernel(name: str, type_: T.MemRefType, program: Program) -> Body:
    """A kernel that copies slot 1 to slot 0."""
    to, source = argument(0, type_), argument(1, type_)
    ranges = tuple(UOp.make("range", (as_index(size),), (i, "loop"), T.index) for i, size in enumerate(type_.shape))
    value = UOp.make("load", (UOp.make("index", (source, *ranges), (), T.ptr(type_.dtype, "global")),))
    store = UOp.make("store", (UOp.make("index", (to, *ranges), (), T.ptr(type_.dtype, "global")), value))
    with program.dialect.context:
        attributes = {"morok.kernel": ir.UnitAttr.get()}
    return Body(name, [to, source], (), (UOp.make("sink", (UOp.make("end", (store, *ranges)),)),), attributes, [{}, {}])
