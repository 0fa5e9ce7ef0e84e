"""The system's C compiler: found, run, and its shared objects loaded into this process.

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
from functools import cache
from pathlib import Path

from ..errors import BackendError, InternalError

CANDIDATES = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared", "-w")
"""Only contractions that the kernel asks for. What errno and exception flags hold is nobody's concern, which lets loops become vectors;
no flag changes a value. Signed overflow does not occur: the source wraps in unsigned types."""
NATIVE = "-march=native"


@cache
def c_compiler() -> tuple[str, ...]:
    """The command and flags of the compiler that $CC names, or of the first of cc, gcc, clang; BackendError without one."""
    given = shlex.split(os.environ.get("CC", ""))
    for command in [given] if given else [[name] for name in CANDIDATES]:
        if shutil.which(command[0]) is not None:
            base = (*command, *FLAGS)
            return (*base, NATIVE) if _accepts((*base, NATIVE)) else base
    looked_for = f"$CC, which is '{shlex.join(given)}'" if given else f"$CC (not set) and {', '.join(CANDIDATES)}"
    raise BackendError(f"the C back end needs a C compiler; looked on the PATH for {looked_for}. Install one, name one in CC, "
                       "or choose MOROK_BACKEND=llvm")


def _accepts(command: tuple[str, ...]) -> bool:
    """Whether the compiler takes these flags."""
    with tempfile.TemporaryDirectory(prefix="morok-c-") as directory:
        source = Path(directory, "probe.c")
        source.write_text("int probe;\n")
        return subprocess.run([*command, str(source), "-o", str(source.with_suffix(".so"))], capture_output=True).returncode == 0


def compile_c(source: str, name: str) -> SharedObject:
    """Compiles C in a directory of its own, which is gone afterwards, and loads the function of that name."""
    command = c_compiler()
    with tempfile.TemporaryDirectory(prefix="morok-c-") as directory:
        text, library = Path(directory, "kernel.c"), Path(directory, "kernel.so")
        text.write_text(source)
        done = subprocess.run([*command, str(text), "-o", str(library), "-lm"], capture_output=True, text=True)
        if done.returncode:
            raise InternalError(f"{command[0]} rejects the C of @{name}: {done.stderr.strip()[:2000]}")
        return SharedObject(library, name)


class SharedObject:
    """A shared object in this process. The file may go once it is loaded."""

    def __init__(self, path: Path, name: str) -> None:
        library = ctypes.CDLL(str(path))
        self.object_size = path.stat().st_size
        self._addresses = {name: ctypes.cast(library[name], ctypes.c_void_p).value or 0}
        self._unload = weakref.finalize(self, _ctypes.dlclose, library._handle)
        self._unload.atexit = False

    def address(self, name: str) -> int:
        return self._addresses[name]

    def close(self) -> None:
        self._addresses = {}
        self._unload()
