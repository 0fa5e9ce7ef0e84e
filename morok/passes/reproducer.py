"""Reproducers: a module's text with the pipeline that fails on it, in MLIR's own format: stock mlir-opt writes and reads them too."""
from __future__ import annotations

import os
import re
import tempfile


def reproducer_text(module_text: str, pipeline: str, verify_each: bool = True) -> str:
    """The module's text with the pipeline in its resources; a pipeline that it held before is replaced."""
    escaped = pipeline.replace("\\", "\\\\").replace('"', '\\"')
    module_text = strip_reproducer(module_text)[0].rstrip()
    return f"""{module_text}

{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "{escaped}",
      disable_threading: true,
      verify_each: {str(verify_each).lower()}
    }}
  }}
#-}}
"""


_METADATA = re.compile(r"^\s*\{-#", re.MULTILINE)
_PIPELINE = re.compile(r'pipeline\s*:\s*"((?:[^"\\]|\\.)*)"')


def strip_reproducer(text: str) -> tuple[str, str | None]:
    """The module's text without a reproducer's resources, and the pipeline that they hold (None if there are none)."""
    starts = [match.start() for match in _METADATA.finditer(text)]
    metadata = text[starts[-1]:] if starts else ""
    pipeline = _PIPELINE.search(metadata)
    if pipeline is None or "mlir_reproducer" not in metadata or not metadata.rstrip().endswith("#-}"):
        return text, None
    return text[:starts[-1]], re.sub(r"\\(.)", r"\1", pipeline[1])


def write_reproducer(module_text: str, pipeline: str, path: str | None = None) -> str:
    """Writes a reproducer to the path, or to a new temporary file; gives the path."""
    text = reproducer_text(module_text, pipeline)
    if path is None:
        handle, path = tempfile.mkstemp(prefix="morok-reproducer-", suffix=".mlir")
        os.close(handle)
    with open(path, "w") as file:
        file.write(text)
    return path
