"""lit's configuration. Works alone (`lit test/lit`) and through the site file that CMake writes (`lit build/test/lit`)."""
# ruff: noqa: F821  (lit defines `config`)

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import lit.formats

root = Path(getattr(config, "morok_root", Path(__file__).resolve().parents[2]))
build = Path(getattr(config, "morok_build", root / "build"))
python = Path(getattr(config, "morok_python", sys.executable))

config.name = "morok"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = str(root / "test" / "lit")
config.test_exec_root = str(build / "test" / "lit")

# The wheels keep the LLVM and MLIR tools inside the packages `llvm` and `mlir`, not among the environment's scripts.
PROBE = """
import importlib.util, json, llvmlite.binding
def tools(package):
    spec = importlib.util.find_spec(package)
    return [f"{place}/bin" for place in spec.submodule_search_locations] if spec else []
features = llvmlite.binding.get_host_cpu_features()
print(json.dumps([tools("mlir") + tools("llvm"), [name for name, present in features.items() if present]]))
"""
probe = subprocess.run([python, "-c", PROBE], capture_output=True, text=True)
if probe.returncode:
    lit_config.fatal(f"{python} lacks morok's dependencies (tools/run-tests installs them):\n{probe.stderr}")
tool_folders, cpu_features = json.loads(probe.stdout)
tool_folders = [str(python.parent), *tool_folders]

# Tests see this checkout, whatever else is installed, and the options given to the run.
config.environment["PATH"] = os.pathsep.join([*tool_folders, config.environment.get("PATH", "")])
config.environment["PYTHONPATH"] = str(root)
config.environment.update({name: value for name, value in os.environ.items() if name.startswith("MOROK_")})

# REQUIRES: linux, x86_64, avx512f, neon, cc, ...
config.available_features.update(cpu_features, {platform.system().lower(), platform.machine().lower()})
if shutil.which("cc"):
    config.available_features.add("cc")


def command(tool: str, module: str | None = None) -> str:
    """The tool's absolute path; failing that (morok not installed), its module run by Python."""
    path = shutil.which(tool, path=os.pathsep.join(tool_folders))
    if path is None and module is None:
        lit_config.fatal(f"{tool} is not in {', '.join(tool_folders)}")
    return shlex.quote(path) if path else f"{shlex.quote(str(python))} -m {module}"


def substitute(tool: str, replacement: str) -> None:
    """Replaces the tool's name where it stands as a word of its own."""
    config.substitutions.append((rf"(?<![\w./%-]){tool}(?![\w./=-])", replacement))


# lit does not quote paths; a checkout in "My Projects" needs it.
if " " in f"{root}{build}":
    config.substitutions += [(rf"(?<!['\"])%{name}\b", f"'%{name}'") for name in "sSt"]

# `not` is left to lit, which runs it itself and tells a crash from a failure.
config.substitutions.append(("%python", shlex.quote(str(python))))
substitute("morok-opt", command("morok-opt", "morok.tools.morok_opt"))
substitute("morok-compile", command("morok-compile", "morok.tools.morok_compile"))
for name in ("mlir-opt", "mlir-translate", "mlir-runner", "filecheck"):
    substitute(name, command(name))
