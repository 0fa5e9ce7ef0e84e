"""The system's C compiler: found, tried, run, and its shared objects loaded into this process.

    code = compile_c("void k0(float *restrict b0) { b0[0] = 1.0f; }", "k0")
    code.address("k0")
"""
from __future__ import annotations

import _ctypes
import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..errors import BackendError, InternalError

CANDIDATES = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-fPIC", "-shared", "-w")
"""Only contractions that the kernel asks for. What errno and exception flags hold is nobody's concern, which lets loops become vectors.
No flag changes a value. The source wraps in unsigned types, so -fwrapv only stands guard."""
NATIVE = "-march=native"
NO_LOOP_VECTORS = "-fno-tree-loop-vectorize"


def find_compiler(environment: dict[str, str]) -> list[str]:
    """The compiler that $CC names, or the first of cc, gcc and clang on the PATH; BackendError without one."""
    given = shlex.split(environment.get("CC", ""))
    for command in [given] if given else [[name] for name in CANDIDATES]:
        if shutil.which(command[0], path=environment.get("PATH")) is not None:
            return command
    looked_for = f"$CC, which is '{shlex.join(given)}'" if given else f"$CC (not set), {', '.join(CANDIDATES)}"
    raise BackendError(f"the C back end needs a C compiler; looked on the PATH for {looked_for}. Install one, name one in CC, "
                       "or choose MOROK_BACKEND=llvm")


@cache
def c_compiler() -> tuple[str, ...]:
    """The command with its flags: for this very machine if the compiler can, and without loop vectors if it gets them wrong."""
    base = (*find_compiler(dict(os.environ)), *FLAGS)
    from .c_self_test import SOURCE, passes
    try:
        command = (*base, NATIVE)
        code = build(command, SOURCE, ("sum", "gates"))
    except InternalError:
        command = base
        code = build(command, SOURCE, ("sum", "gates"))
    right = passes(code)
    code.close()
    return command if right else (*command, NO_LOOP_VECTORS)


def compile_c(source: str, name: str) -> SharedObject:
    """Compiles C and loads the function of that name; BackendError without a compiler."""
    return build(c_compiler(), source, (name,))


def build(command: Sequence[str], source: str, names: Sequence[str]) -> SharedObject:
    """Runs a compiler in a directory of its own, which is gone afterwards; InternalError if it rejects the source."""
    with tempfile.TemporaryDirectory(prefix="morok-c-") as directory:
        text, library = Path(directory, "kernel.c"), Path(directory, "kernel.so")
        text.write_text(source)
        done = subprocess.run([*command, str(text), "-o", str(library), "-lm"], capture_output=True, text=True)
        if done.returncode:
            raise InternalError(f"{command[0]} rejects the C of {', '.join(names)}: {done.stderr.strip()[:2000]}")
        return SharedObject(library, names)


class SharedObject:
    """A shared object in this process. The file may go once it is loaded."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        library = ctypes.CDLL(str(path))
        self.object_size = path.stat().st_size
        self._addresses = {name: ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in names}
        self._unload = weakref.finalize(self, _ctypes.dlclose, library._handle)
        self._unload.atexit = False

    def address(self, name: str) -> int:
        return self._addresses[name]

    def close(self) -> None:
        self._addresses = {}
        self._unload()
