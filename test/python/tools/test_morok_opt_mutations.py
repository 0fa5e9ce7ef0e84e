"""Three hundred mutated files: morok-opt reads each or says in one line what is wrong. Thirty more in processes of their own: no abort."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tool_samples import is_one_error_line

ROOT = Path(__file__).resolve().parents[3]
SEEDS = [path.read_bytes() for path in sorted((ROOT / "test" / "lit").rglob("*.mlir")) if "expected-" not in path.read_text()]
PASSES = (["--morok-rangeify"], ["--morok-rangeify", "--morok-split", "--morok-apply-opts"], ["--canonicalize", "--cse"],
          ["-p", "morok-verify,func.func(canonicalize),morok-initial-symbolic"], ["--mlir-print-ir-after-all", "--morok-simplify-ranges"],
          ["--verify-roundtrip"], ["--split-input-file", "--morok-mega-pass"])
TOKENS = [b"(", b")", b"{", b"}", b"<", b">", b"[", b"]", b"%0", b"%arg0", b"@f", b"tensor<", b"memref<4xf32>", b"vector<4xf32>", b"i64",
          b"index", b"-1", b"9223372036854775807", b"99999999999999999999", b"0x7FC00000", b"nan", b"\"", b"//", b"#map", b"!morok.token",
          b"!morok.ptr<f32, \"global\">", b"array<i64: 1, 2>", b"dense<0> : tensor<2xi64>", b"loc(", b"^bb0:", b"func.func", b"module {",
          b"->", b"\x00", b"\xff", b"return", b"morok.", b"i1", b"f128", b"complex<f32>", b"tensor<*xf32>", b"tensor<4xf32, 3>",
          b"memref<4xf32, strided<[2]>>", b"none", b"operandSegmentSizes"]


def mutated(rng):
    data = bytearray(rng.choice(SEEDS))
    if len(data) > 3000:
        begin = rng.randrange(len(data) - 2000)
        data = data[data.rfind(b"\nfunc.func", 0, begin + 1) + 1:][:3000]
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            del data[at:at + rng.randrange(1, 12)]
        elif kind == 1:
            data[at:at] = rng.choice(TOKENS)
        elif kind == 2:
            data[at:at + rng.randrange(1, 6)] = rng.choice(TOKENS)
        elif kind == 3:
            other = rng.randrange(len(data) + 1)
            data[at:at] = data[other:other + rng.randrange(1, 60)]
        elif kind == 4:
            data = data[:max(1, at)]
        elif kind == 5:
            digits = [i for i, b in enumerate(data) if 48 <= b <= 57]
            if digits:
                data[rng.choice(digits)] = rng.randrange(48, 58)
        else:
            lines = bytes(data).split(b"\n")
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            data = bytearray(b"\n".join(lines))
        if not data:
            data = bytearray(b"x")
    return bytes(data)


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_no_mutated_file_gets_more_than_a_line(opt, capfd, start):
    for seed in range(start, start + 50):
        rng = random.Random(seed)
        data, passes = mutated(rng), rng.choice(PASSES)
        done = opt(*passes, stdin=data)
        errors = [line for line in done.err.splitlines() if ": error: " in line]
        assert "Traceback" not in done.err and "internal error" not in done.err and " failed: " not in done.err, (seed, passes, done.err)
        parts = data.count(b"// -----") + 1 if "--split-input-file" in passes else 1
        assert done.code in (0, 1) and (done.code == 0) == (not errors) and len(errors) <= parts, (seed, passes, done.err)
        if "--mlir-print-ir-after-all" not in passes and parts == 1:
            assert done.code == 0 or is_one_error_line(done.err), (seed, passes, done.err)
    assert capfd.readouterr().err == ""


def test_no_mutated_file_ends_the_process():
    def run(seed):
        rng = random.Random(seed)
        data, passes = mutated(rng), rng.choice(PASSES)
        done = subprocess.run([sys.executable, "-m", "morok.tools.morok_opt", *passes], input=data, capture_output=True, cwd=ROOT)
        return seed, passes, done.returncode, done.stderr.decode(errors="replace")
    with ThreadPoolExecutor(2) as pool:
        for seed, passes, code, err in pool.map(run, range(1000, 1030)):
            assert code in (0, 1) and "Traceback" not in err and "Stack dump" not in err, (seed, passes, code, err)
            assert code == 0 or ": error: " in err, (seed, passes, err)
